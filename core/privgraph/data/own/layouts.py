"""Folders that well-known collections publish: an OGB folder, a SNAP ego network, a MUSAE set. No torch."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow
from pyarrow import csv

from privgraph.data.errors import UploadError
from privgraph.data.own.frames import Frame, beside, in_memory, of_columns, of_matrix
from privgraph.data.own.given import Given
from privgraph.data.own.limits import shown

_PARTS = ("train", "valid", "test")


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
        raise UploadError(
            f"There are {len(egos)} ego networks: give the files of one, {shown(egos[0])}.edges, .feat and so on"
        )
    return _ego(egos[0], by_name) if egos else None


def _numbers(file: Given, kind: str = "float32") -> Any:
    """A headerless table of numbers, (n, columns)."""
    try:
        with file.opened() as opened:
            table = csv.read_csv(opened, csv.ReadOptions(autogenerate_column_names=True))
        return np.column_stack([column.to_numpy().astype(kind) for column in table.columns])
    except (pyarrow.ArrowException, ValueError, TypeError):
        raise file.refusal("is no table of numbers without a header") from None


def _ogb(by_name: Mapping[str, Given]) -> list[Frame]:
    """`raw/edge.csv.gz`, `node-feat.csv.gz`, `node-label.csv.gz` and `split/*/train.csv.gz`, `valid`, `test`,
    as OGB writes them."""
    labels = _numbers(by_name["node-label.csv"], "float64")
    if labels.shape[1] != 1:
        raise UploadError(f"The nodes have {labels.shape[1]} labels each, and one is learnt")
    columns = [of_columns("node-label", {"label": [None if np.isnan(one) else f"{one:g}" for one in labels[:, 0]]})]
    if "node-feat.csv" in by_name:
        columns.insert(0, of_matrix("node-feat", _numbers(by_name["node-feat.csv"])))
    if {f"{part}.csv" for part in _PARTS} <= by_name.keys():
        parts = np.full(len(labels), "", dtype=object)
        for part in _PARTS:
            own = _numbers(by_name[f"{part}.csv"], "int64")[:, 0]
            if own.size and not 0 <= own.min() <= own.max() < len(labels):
                raise UploadError(f"{part}.csv names nodes outside 0 to {len(labels) - 1}")
            parts[own] = part
        columns.append(of_columns("split", {"split": parts}))
    ends = _numbers(by_name["edge.csv"], "int64")
    if ends.shape[1] != 2:
        raise UploadError("edge.csv must have two columns")
    used = {"edge.csv", "node-label.csv", "node-feat.csv", *(f"{part}.csv" for part in _PARTS)}
    notes = [f"{shown(file.name)} is not read" for name, file in by_name.items() if name not in used]
    edges = pyarrow.table({"source": ends[:, 0], "target": ends[:, 1]})
    return [in_memory("edge.csv", edges, pairs=True), beside(columns, tuple(notes[:3]))]


def _ego(ego: str, by_name: Mapping[str, Given]) -> list[Frame]:
    """`N.edges`, `N.feat`, `N.egofeat`, `N.featnames` and `N.circles`: the node N is a friend of all, and who
    is in one circle is of the class of that circle."""

    def lines(kind: str) -> list[list[str]]:
        file = by_name.get(f"{ego}.{kind}")
        return [] if file is None else [line.split() for line in file.lines() if line.strip()]

    rows, own = lines("feat"), lines("egofeat")[:1]
    ids = [row[0] for row in rows] + [ego] * bool(own)
    if len({len(row) for row in rows} | {len(row) + 1 for row in own}) != 1:
        raise UploadError(f"The features of the ego network {shown(ego)} are not equally many")
    try:
        x = np.array([row[1:] for row in rows] + own, dtype=np.float32)
    except ValueError:
        raise UploadError(f"{shown(ego)}.feat holds something else than numbers") from None
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
    """Features by node, each a list of the numbers of those that it has, as MUSAE writes them; equally long
    lists of other numbers are vectors."""
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
