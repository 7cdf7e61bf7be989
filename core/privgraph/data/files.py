"""Where raw files lie, which are missing, and what to say about it. No torch."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root

# Files that other programs keep elsewhere: the canonical place first.
_SCHOOL = "Facebook100/mat/"


def places(path: str, root: Path | None = None) -> tuple[Path, ...]:
    """Where the raw file `path` of the catalogue may lie below the data folder, the canonical place first."""
    base = root or data_root()
    candidates = [base / path]
    if path.startswith(_SCHOOL):
        file = path.removeprefix(_SCHOOL)
        candidates.append(base / "Facebook100" / file.removesuffix(".mat").lower() / "raw" / "data.mat")
        candidates.append(base / _SCHOOL / file.replace("JohnsHopkins", "Johns Hopkins"))
    if path.startswith("OGB/"):
        # OGB's own program renames the folder.
        _, name, rest = path.split("/", 2)
        candidates.append(base / "OGB" / f"ogbn_{name}" / rest)
    return tuple(candidates)


def find(path: str, root: Path | None = None) -> Path | None:
    """The raw file `path` of the catalogue, at the first of its places that has it."""
    return next((place for place in places(path, root) if place.is_file()), None)


def absent(spec: DatasetSpec, root: Path | None = None) -> tuple[str, ...]:
    """The raw files of `spec` that are not in the data folder."""
    return tuple(path for path, _ in spec.files if find(path, root) is None)


def available(spec: DatasetSpec, root: Path | None = None) -> bool:
    """Whether `spec` can be loaded with no network."""
    return not absent(spec, root)


def missing(spec: DatasetSpec, root: Path | None = None) -> str:
    """One sentence that says which files to put where; empty where nothing is missing."""
    paths = absent(spec, root)
    if not paths:
        return ""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(name)
    base = root or data_root()
    listed = " and ".join(f"{', '.join(names)} into {base / folder}" for folder, names in folders.items())
    urls = dict(spec.urls)
    origin = next((urls[path].partition("#")[0] for path in paths if path in urls), "")
    hint = (
        f" (from {origin.rpartition('/')[0] if len(paths) > 1 and '#' not in urls[paths[0]] else origin})"
        if origin
        else ""
    )
    if spec.by_hand and not set(paths) <= set(urls):
        hint += f" (no address offers {'all of ' if hint else ''}them as they are: {spec.by_hand})"
    return f"{spec.title} is not at hand: put {listed}{hint}"


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a file of JSON; complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".new-") as folder:
        part = Path(folder) / path.name
        part.write_text(json.dumps(value, allow_nan=False))
        part.replace(path)
