"""Folders that well-known collections publish: an OGB folder, a SNAP ego network, a MUSAE set. No torch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from privgraph.data.errors import UploadError
from privgraph.data.own import delimited
from privgraph.data.own.frames import Frame, beside, in_memory, of_columns, of_matrix
from privgraph.data.own.limits import shown

if TYPE_CHECKING:
    from privgraph.data.own.formats import Given


def recognised(files: Sequence[Given]) -> list[Frame] | None:
    """The tables of a layout that is known by the names of its files; None for any other."""
    by_name = {PurePosixPath(file.name.replace("\\", "/")).name.removesuffix(".gz"): file for file in files}
    if {"edge.csv", "node-label.csv"} <= by_name.keys():
        return _ogb(files, by_name)
    egos = sorted(
        name.removesuffix(".edges")
        for name in by_name
        if name.endswith(".edges") and name.replace(".edges", ".feat") in by_name
    )
    if len(egos) > 1:
        raise UploadError(
            f"There are {len(egos)} ego networks: give the files of one, {shown(egos[0])}.edges, .feat and so on"
        )
    return _ego(egos[0], by_name) if egos else None


def _numbers(file: Given, kind: str = "float32") -> Any:
    """A headerless table of numbers, (n, columns)."""
    import pyarrow
    from pyarrow import csv

    try:
        with file.opened() as opened:
            table = csv.read_csv(opened, csv.ReadOptions(autogenerate_column_names=True))
        return np.column_stack([column.to_numpy().astype(kind) for column in table.columns])
    except (pyarrow.ArrowException, ValueError, TypeError):
        raise UploadError(f"{shown(file.name)} is no table of numbers without a header") from None


def _ogb(files: Sequence[Given], by_name: Mapping[str, Given]) -> list[Frame]:
    """`raw/edge.csv.gz`, `node-feat.csv.gz`, `node-label.csv.gz` and `split/*/train.csv.gz`, `valid`, `test`,
    as OGB writes them."""
    labels = _numbers(by_name["node-label.csv"], "float64")
    if labels.shape[1] != 1:
        raise UploadError(f"The nodes have {labels.shape[1]} labels each, and one is learnt")
    label = of_columns("node-label", {"label": [None if np.isnan(one) else f"{one:g}" for one in labels[:, 0]]})
    columns = [label]
    if "node-feat.csv" in by_name:
        columns.insert(0, of_matrix("node-feat", _numbers(by_name["node-feat.csv"])))
    if {"train.csv", "valid.csv", "test.csv"} <= by_name.keys():
        parts = np.full(len(labels), "", dtype=object)
        for part in ("train", "valid", "test"):
            own = _numbers(by_name[f"{part}.csv"], "int64")[:, 0]
            if own.size and not 0 <= own.min() <= own.max() < len(labels):
                raise UploadError(f"{part}.csv names nodes outside 0 to {len(labels) - 1}")
            parts[own] = part
        columns.append(of_columns("split", {"split": parts.tolist()}))
    ends = _numbers(by_name["edge.csv"], "int64")
    if ends.shape[1] != 2:
        raise UploadError("edge.csv must have two columns")
    edges = of_columns("edge.csv", {}) if not len(ends) else _pairs(ends)
    used = {"edge.csv", "node-label.csv", "node-feat.csv", "train.csv", "valid.csv", "test.csv"}
    notes = tuple(
        f"{shown(file.name)} is not read"
        for file in files
        if PurePosixPath(file.name).name.removesuffix(".gz") not in used
    )
    return [edges, replace(beside(columns), pairs=False, notes=notes[:3])]


def _pairs(ends: Any) -> Frame:
    import pyarrow

    return in_memory("edge.csv", pyarrow.table({"source": ends[:, 0], "target": ends[:, 1]}), pairs=True)


def _lines(file: Given) -> list[list[str]]:
    try:
        return [line.split() for line in file.content().decode().splitlines() if line.strip()]
    except UnicodeDecodeError:
        raise UploadError(delimited.NO_UTF8.format(shown(file.name))) from None


def _ego(ego: str, by_name: Mapping[str, Given]) -> list[Frame]:
    """`N.edges`, `N.feat`, `N.egofeat`, `N.featnames` and `N.circles`: the node N is a friend of all, and who
    is in one circle is of the class of that circle."""
    rows = _lines(by_name[f"{ego}.feat"])
    own = _lines(by_name[f"{ego}.egofeat"])[:1] if f"{ego}.egofeat" in by_name else []
    ids = [row[0] for row in rows] + [ego] * bool(own)
    widths = {len(row) for row in rows} | {len(row) + 1 for row in own}
    if len(widths) != 1:
        raise UploadError(f"The features of the ego network {shown(ego)} are not equally many")
    try:
        x = np.array([row[1:] for row in rows] + own, dtype=np.float32)
    except ValueError:
        raise UploadError(f"{shown(ego)}.feat holds something else than numbers") from None
    names = (
        tuple(" ".join(line[1:]) for line in _lines(by_name[f"{ego}.featnames"]))
        if f"{ego}.featnames" in by_name
        else ()
    )
    circles: dict[str, list[str]] = {}
    for name, *members in _lines(by_name[f"{ego}.circles"]) if f"{ego}.circles" in by_name else ():
        for member in members:
            circles.setdefault(member, []).append(name)
    label = [found[0] if len(found := circles.get(one, [])) == 1 else None for one in ids]
    several = sum(len(circles.get(one, [])) > 1 for one in ids)
    notes = (f"{several} nodes are in several circles, and have no label",) if several else ()
    pairs = _lines(by_name[f"{ego}.edges"]) + [[ego, one] for one in ids if own and one != ego]
    unique = tuple(f"{name} {at}" if names.count(name) > 1 else name for at, name in enumerate(names))
    columns = [of_columns("feat", {"id": ids, "label": label}), of_matrix("feat", x, names=unique)]
    edges = of_columns(
        f"{ego}.edges", {"source": [pair[0] for pair in pairs], "target": [pair[-1] for pair in pairs]}, pairs=True
    )
    return [edges, replace(beside(columns), pairs=False, notes=notes)]


def listed_features(name: str, found: Mapping[str, Sequence[Any]]) -> Frame:
    """Features by node, each a list of the numbers of those that it has, as MUSAE writes them; equally long
    lists of other numbers are vectors."""
    rows = list(found.values())
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for row in rows for one in row):
        raise UploadError(f"{shown(name)} lists something else than numbers for its nodes")
    if len({len(row) for row in rows}) == 1 and any(one != int(one) or one < 0 for row in rows for one in row):
        x = np.array(rows, dtype=np.float32)
    else:
        most = int(max((one for row in rows for one in row), default=0))
        if (
            min((one for row in rows for one in row), default=0) < 0
            or most > 200_000
            or len(rows) * (most + 1) > 400_000_000
        ):
            raise UploadError(f"{shown(name)} lists numbers of features from a negative one to {most:,}")
        x = np.zeros((len(rows), most + 1), dtype=np.float32)
        for at, row in enumerate(rows):
            x[at, [int(one) for one in row]] = 1
    ids = [re.sub(r"^n_?(?=\d+$)", "", one) for one in found]
    return replace(beside([of_columns(name, {"id": ids}), of_matrix(name, x)]), pairs=False)
