"""Readers of real texts and their relations: a table of texts beside a list of pairs, and authors by their
keywords."""

import gzip
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privgraph.data.build import Parts, parts
from privgraph.data.catalogue import TOLD
from privgraph.data.errors import DataError
from privgraph.data.real import Files, arrays_of, class_names_of
from privgraph.data.spec import DatasetSpec

KEYWORDS = 32
"""Keywords of an author that make the text, the most frequent first."""


def words(texts: Sequence[str]) -> NDArray[np.float32]:
    """(n, 1): words of each text, the one feature that a graph of texts has."""
    return np.array([[len(text.split())] for text in texts], dtype=np.float32).reshape(-1, 1)


def related_texts(
    texts: Sequence[str],
    domains: NDArray[np.int64],
    y: NDArray[np.int64],
    pairs: NDArray[np.int64],
    *,
    domain_names: tuple[str, ...],
    class_names: tuple[str, ...],
) -> Parts:
    """Parts of a graph of texts.

    Args:
        texts: |V| texts.
        domains: (|V|,) numbers in `domain_names`.
        y: (|V|,) numbers in `class_names`, -1 for a text without a label.
        pairs: (2, any) related texts, in any order and direction; one listed twice counts once.
        domain_names: Names of the domains.
        class_names: Names of the C classes.
    """
    return parts(
        words(texts),
        y,
        pairs,
        class_names=class_names,
        feature_names=("words",),
        texts=texts,
        domains=domains,
        domain_names=domain_names,
    )


def read_table(spec: DatasetSpec, files: Files) -> Parts:
    """A table of texts (`nodes.csv.gz`) and the pairs of related rows (`edges` of `graph.npz`).

    Pairs of which a text is left out go with it. Raises `DataError` where a column is missing, an area is
    not known, a text is empty, or a pair names a row that does not exist.
    """
    import pandas

    layout = TOLD["layouts"][spec.name]
    groups, area, label = layout["groups"], layout["area"], layout["label"]
    table_file, pairs_file = (files[path] for path, _ in spec.files)
    table = pandas.read_csv(table_file, keep_default_na=False, dtype=str)
    lost = [name for name in ("text", area, label) if name not in table.columns]
    if lost:
        raise DataError(f"{table_file.name} has no column {' and no column '.join(lost)}")
    areas: list[str] = table[area].tolist()
    unknown = sorted(set(areas) - set(groups) - {""})
    if unknown:
        raise DataError(f"{table_file.name} has texts of {unknown[0]}, which belongs to none of the domains")
    pairs = arrays_of(pairs_file, ("edges",))["edges"]
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise DataError(f"edges of {pairs_file.name} must be a table of two columns of whole numbers")
    kept = np.array([area != "" for area in areas])
    texts: list[str] = table["text"][kept].str.strip().tolist()
    if "" in texts:
        raise DataError(f"{table_file.name} has an empty text")
    labels: list[str] = table[label][kept].tolist()
    classes = sorted(set(labels))
    return related_texts(
        texts,
        _places([groups[area] for area in areas if area], spec.domains),
        _places(labels, classes),
        _among(pairs.astype(np.int64).T, kept, pairs_file),
        domain_names=spec.domains,
        class_names=tuple(name.replace("__", ", ").replace("_", " ").replace("/", " / ") for name in classes),
    )


def _places(values: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
    """The place of each value among the names."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[value] for value in values], dtype=np.int64)


def _among(pairs: NDArray[np.int64], kept: NDArray[np.bool_], file: Path) -> NDArray[np.int64]:
    """(2, any): those pairs whose rows are both kept, by their new numbers."""
    if pairs.size and not 0 <= pairs.min() <= pairs.max() < kept.size:
        raise DataError(f"{file.name} has pairs outside rows 0 to {kept.size - 1}")
    number = np.cumsum(kept) - 1
    return np.asarray(number[pairs[:, kept[pairs].all(axis=0)]], dtype=np.int64)


def read_coauthors(spec: DatasetSpec, files: Files) -> Parts:
    """Authors of two fields, each a domain: keywords of an author as text, joint papers as relations.

    The files of a field are an npz of gnn-benchmark (rows of keyword counts, coauthors, a class of each
    author) and a list of keywords, one a column. Raises `DataError` where the two do not fit, or an author
    has no keyword.
    """
    places = [files[path] for path, _ in spec.files]
    texts: list[str] = []
    classes: list[str] = []
    domains, labels, pairs = [], [], []
    for number, (counts_file, words_file) in enumerate(zip(places[::2], places[1::2], strict=True)):
        names = ("attr_data", "attr_indices", "attr_indptr", "adj_indices", "adj_indptr", "labels")
        arrays = arrays_of(counts_file, names)
        y = arrays["labels"].astype(np.int64)
        own = keyword_texts(_keywords(words_file), *(arrays[name] for name in names[:3]))
        if len(own) != y.size or arrays["adj_indptr"].size != y.size + 1:
            raise DataError(f"{counts_file.name} says differently how many authors there are")
        authors = np.repeat(np.arange(y.size), np.diff(arrays["adj_indptr"]))
        pairs.append(np.stack([authors, arrays["adj_indices"].astype(np.int64)]) + len(texts))
        labels.append(y + len(classes))
        domains.append(np.full(y.size, number))
        known = class_names_of(counts_file, int(y.max()) + 1) or tuple(str(label) for label in range(int(y.max()) + 1))
        classes += [f"{spec.domains[number]}: {name.replace('_', ' ')}" for name in known]
        texts += own
    return related_texts(
        texts,
        np.concatenate(domains),
        np.concatenate(labels),
        np.concatenate(pairs, axis=1),
        domain_names=spec.domains,
        class_names=tuple(classes),
    )


def _keywords(file: Path) -> list[str]:
    """A list of keywords, one for each column of counts."""
    with gzip.open(file, "rt", encoding="utf-8") as opened:
        found = json.load(opened)
    if not isinstance(found, list) or not all(isinstance(word, str) and word.strip() for word in found):
        raise DataError(f"{file.name} must be a list of keywords")
    return found


def keyword_texts(
    keywords: Sequence[str],
    counts: NDArray[np.float32],
    columns: NDArray[np.int32],
    starts: NDArray[np.int32],
) -> list[str]:
    """A text for each row of counts: its `KEYWORDS` most frequent keywords, of equal ones the first columns.

    Args:
        keywords: One for each column.
        counts: (z,) entries of the rows, one row after the other (CSR).
        columns: (z,) the column of each entry.
        starts: (n + 1,) where each row starts.

    Raises:
        DataError: A column has no keyword, or a row no entry.
    """
    if columns.size and not 0 <= int(columns.min()) <= int(columns.max()) < len(keywords):
        raise DataError(f"there are {len(keywords):,} keywords for columns up to {int(columns.max()):,}")
    texts = []
    for row, (low, high) in enumerate(pairwise(starts)):
        if low == high:
            raise DataError(f"author {row} has no keyword")
        own = columns[low:high]
        order = np.lexsort((own, -counts[low:high]))[:KEYWORDS]
        texts.append("; ".join(keywords[column] for column in own[order]))
    return texts
