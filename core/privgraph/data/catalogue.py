"""The table of data sets: what each is, in words for a person who knows nothing, and what it contains. No
torch.

The rows are in `catalogue.toml`. Friendships of Facebook100 are those of 2005 within one school, without
names; their task is a person's class year, by the recipe of GAP and ProGAP (`tabular.read_school`).
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import upload_spec
from privgraph.home import data_root
from privgraph.options import Table, UnknownName, nearest, short

FOLDER = "Facebook100/mat"
_SCHOOL, _FILE = "fb100-", "Amherst41"
TOLD: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The file: `sets`, names of classes that raw files do not bring (`class_names`), and `layouts` of tables of
texts."""


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


DATASETS: Mapping[str, DatasetSpec] = Table(
    "data set",
    lambda: {
        name: DatasetSpec(name=name, **{field: _frozen(value) for field, value in row.items()})
        for name, row in TOLD["sets"].items()
    },
)


def class_names(name: str) -> tuple[str, ...]:
    """Names of classes that the raw files of a set do not bring with them; () where they do."""
    return tuple(TOLD["class_names"].get(name, ()))


def dataset(name: str) -> DatasetSpec:
    """The data set of that name. Raises `UnknownName` with the nearest match.

    A Facebook100 school that the table does not list is known as soon as its file lies in the data folder;
    an upload is known by its name `upload:<16 hex digits>` (12 where it was uploaded to an earlier version).
    """
    if name in DATASETS:
        return DATASETS[name]
    if str(name).startswith(_SCHOOL):
        return _school_by_file(name.removeprefix(_SCHOOL))
    if str(name).startswith("upload:"):
        return upload_spec(name)
    known = ", ".join(key for key in DATASETS if not key.startswith(_SCHOOL))
    raise UnknownName(
        f"there is no data set {short(name)}{nearest(name, DATASETS) or f'; data sets are {known} and fb100-<school>'}"
    )


def _school_by_file(school: str) -> DatasetSpec:
    """A school that the table does not list but whose file is in the data folder: like one that it lists."""
    folder, listed = data_root() / FOLDER, DATASETS[_SCHOOL + _FILE.lower()]
    for path in sorted(folder.glob("*.mat")) if folder.is_dir() else ():
        if path.stem.replace(" ", "").lower() == school:
            return replace(
                listed,
                name=_SCHOOL + school,
                title=listed.title.replace(_FILE, path.stem),
                files=((f"{FOLDER}/{path.stem}.mat", ""),),
                urls=(),
                nodes=None,
                edges=None,
                features=None,
                classes=None,
            )
    schools = [name.removeprefix(_SCHOOL) for name in DATASETS if name.startswith(_SCHOOL)]
    raise UnknownName(
        f"there is no Facebook100 school {school} at hand{nearest(school, schools)}; put its file, such as "
        f"UIllinois20.mat for fb100-uillinois20, into {folder}"
    )
