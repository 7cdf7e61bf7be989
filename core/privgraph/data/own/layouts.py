"""Folders that well-known collections publish: an OGB folder, a SNAP ego network, a MUSAE set. No torch."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow
from pyarrow import csv

from privgraph.data.errors import UploadError
from privgraph.data.own import arrays
from privgraph.data.own.frames import Frame, beside, of_columns, of_matrix
from privgraph.data.own.given import Given
from privgraph.data.own.limits import shown

_PARTS = dict(zip(("train", "valid", "test"), arrays.MASKS, strict=True))


def recognised(files: Sequence[Given]) -> list[Frame] | None:
    """The tables of a layout that is known by the names of its files; None for any other."""
    by_name = {PurePosixPath(file.name.replace("\\", "/")).name.removesuffix(".gz"): file for file in files}
    if {"edge.csv", "node-label.csv"} <= by_name.keys():
        if len(by_name) < len(files):
            twice = next(file.name for file in files if file not in by_name.values())
            raise UploadError(f"There are several files like {shown(twice, 60)}: give one kind of edges and one split")
        return _ogb(by_name)
    egos = sorted(name[:-6] for name in by_name if name.endswith(".edges") and f"{name[:-6]}.feat" in by_name)
    if len(egos) > 1:
        raise UploadError(f"There are {len(egos)} ego networks: give the files of one, all {shown(egos[0])}.*")
    return _ego(egos[0], by_name) if egos else None


def _numbers(file: Given, kind: str = "float32") -> Any:
    """A headerless table of numbers, (n, columns)."""
    errors = (pyarrow.ArrowException, ValueError, TypeError)
    with file.refusing(errors, "is no table of numbers without a header"), file.opened() as opened:
        table = csv.read_csv(opened, csv.ReadOptions(autogenerate_column_names=True))
        return np.column_stack([column.to_numpy().astype(kind) for column in table.columns])


def _ogb(by_name: Mapping[str, Given]) -> list[Frame]:
    """`raw/edge.csv.gz`, `node-feat`, `node-label` and `split/*/train`, `valid`, `test`, as OGB has them."""
    kinds = {"node-label": ("y", "float64"), "edge": ("edge_index", "int64"), "node-feat": ("x", "float32")}
    read = [name for name in (*kinds, *_PARTS) if f"{name}.csv" in by_name]
    found = {kinds[name][0]: _numbers(by_name[f"{name}.csv"], kinds[name][1]) for name in read if name in kinds}
    found["edge_index"] = found["edge_index"].T
    for part, mask in _PARTS.items() if {*_PARTS} <= {*read} else ():
        own, rows = _numbers(by_name[f"{part}.csv"], "int64")[:, 0], np.arange(len(found["y"]))
        if not np.isin(own, rows).all():
            raise UploadError(f"{part}.csv names nodes outside 0 to {len(rows) - 1}")
        found[mask] = np.isin(rows, own)
    edges, nodes = arrays.frames("The OGB folder", found)
    notes = [f"{shown(file.name)} is not read" for name, file in by_name.items() if name[:-4] not in read]
    return [edges, replace(nodes, notes=tuple(notes[:3]))]


def _ego(ego: str, by_name: Mapping[str, Given]) -> list[Frame]:
    """Friends of the node `ego` and itself; who is in one circle alone is of the class of that circle."""

    def lines(kind: str) -> list[list[str]]:
        file = by_name.get(f"{ego}.{kind}")
        return [] if file is None else [line.split() for line in file.lines() if line.strip()]

    rows, own = lines("feat"), lines("egofeat")[:1]
    ids = [row[0] for row in rows] + [ego] * bool(own)
    try:
        x = np.array([row[1:] for row in rows] + own, dtype=np.float32)
    except ValueError:
        raise UploadError(f"{shown(ego)}.feat holds something else than numbers, as many for each node") from None
    names = [" ".join(line[1:]) for line in lines("featnames")]
    circles: dict[str, list[str]] = {}
    for name, *members in lines("circles"):
        for member in members:
            circles.setdefault(member, []).append(name)
    label = [found[0] if len(found := circles.get(one, [])) == 1 else None for one in ids]
    several = sum(len(circles.get(one, [])) > 1 for one in ids)
    notes = (f"{several} nodes are in several circles, and have no label",) if several else ()
    pairs = lines("edges") + [[ego, one] for one in ids if own and one != ego]
    ends = {"source": [pair[0] for pair in pairs], "target": [pair[-1] for pair in pairs]}
    unique = tuple(f"{name} {at}" if names.count(name) > 1 else name for at, name in enumerate(names))
    columns = [of_columns("feat", {"id": ids, "label": label}), of_matrix("feat", x, names=unique)]
    return [of_columns(f"{ego}.edges", ends, pairs=True), beside(columns, notes)]


def listed_features(name: str, found: Mapping[str, Sequence[Any]]) -> Frame:
    """Lists of the features that each node has, as MUSAE writes them, or vectors of equal length."""
    rows = list(found.values())
    numbers = [one for row in rows for one in row]
    if not all(isinstance(one, int | float) and abs(one) < np.inf and not isinstance(one, bool) for one in numbers):
        raise UploadError(f"{shown(name)} lists something else than numbers for its nodes")
    if len({len(row) for row in rows}) == 1 and any(one != int(one) or one < 0 for one in numbers):
        x = np.array(rows, dtype=np.float32)
    else:
        most = int(max(numbers, default=0))
        if min(numbers, default=0) < 0 or most > 200_000 or len(rows) * (most + 1) > 400_000_000:
            raise UploadError(f"{shown(name)} lists numbers of features from a negative one to {most:,}")
        x = np.zeros((len(rows), most + 1), dtype=np.float32)
        for at, row in enumerate(rows):
            x[at, [int(one) for one in row]] = 1
    ids = [re.sub(r"^n_?(?=\d+$)", "", one) for one in found]
    return beside([of_columns(name, {"id": ids}), of_matrix(name, x)])
