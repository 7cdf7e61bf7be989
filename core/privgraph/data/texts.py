"""Readers of real texts and their relations: a table of texts beside a list of pairs, and authors by their
keywords."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np

from privgraph.data.catalogue import TOLD
from privgraph.data.errors import DataError
from privgraph.data.parts import Files, Parts
from privgraph.data.real import arrays_of, class_names_of
from privgraph.data.spec import DatasetSpec

KEYWORDS = 32
"""Keywords of an author that make the text, the most frequent first."""


def read_table(spec: DatasetSpec, files: Files) -> Parts:
    """A table of texts (`nodes.csv.gz`) and the pairs of related rows (`edges` of `graph.npz`).

    Pairs of which a text is left out go with it. Raises `DataError` where a column is missing, an area is
    not known, a text is empty, or a pair names a row that does not exist.
    """
    import pandas

    layout = TOLD["layouts"][spec.name]
    groups, area, label = layout["groups"], layout["area"], layout["label"]
    table_file, pairs_file = files.values()
    table = pandas.read_csv(table_file, keep_default_na=False, dtype=str)
    lost = [name for name in ("text", area, label) if name not in table.columns]
    if lost:
        raise DataError(f"{table_file.name} has no column {' and no column '.join(lost)}")
    unknown = sorted(set(table[area]) - set(groups) - {""})
    if unknown:
        raise DataError(f"{table_file.name} has texts of {unknown[0]}, which belongs to none of the domains")
    pairs = arrays_of(pairs_file, ("edges",))["edges"]
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise DataError(f"edges of {pairs_file.name} must be a table of two columns of whole numbers")
    if pairs.size and not 0 <= pairs.min() <= pairs.max() < len(table):
        raise DataError(f"{pairs_file.name} has pairs outside rows 0 to {len(table) - 1}")
    kept = (table[area] != "").to_numpy()
    table, number = table[kept], np.cumsum(kept) - 1
    texts = table["text"].str.strip().tolist()
    if "" in texts:
        raise DataError(f"{table_file.name} has an empty text")
    classes, y = np.unique(table[label], return_inverse=True)
    return Parts(
        y=y,
        edges=number[pairs[kept[pairs].all(axis=1)].T],
        class_names=[name.replace("__", ", ").replace("_", " ").replace("/", " / ") for name in classes],
        texts=texts,
        domains=[spec.domains.index(groups[name]) for name in table[area]],
        domain_names=spec.domains,
    )


def read_coauthors(spec: DatasetSpec, files: Files) -> Parts:
    """Authors of two fields, each a domain: keywords of an author as text, joint papers as relations.

    The files of a field are an npz of gnn-benchmark (rows of keyword counts, coauthors, a class of each
    author) and a list of keywords, one a column. The text is the `KEYWORDS` most frequent ones, of equal ones
    the first columns. Raises `DataError` where the two do not fit, or an author has no keyword.
    """
    places, names = list(files.values()), ("attr_data", "attr_indices", "attr_indptr", "adj_indices", "adj_indptr")
    texts: list[str] = []
    classes: list[str] = []
    domains, labels, pairs = [], [], []
    for number, (counts_file, words_file) in enumerate(zip(places[::2], places[1::2], strict=True)):
        arrays, keywords = arrays_of(counts_file, (*names, "labels")), _keywords(words_file)
        counts, columns, starts, coauthors, ends = (arrays[name] for name in names)
        if columns.size and not 0 <= columns.min() <= columns.max() < len(keywords):
            raise DataError(f"there are {len(keywords):,} keywords for columns up to {columns.max():,}")
        y = arrays["labels"].astype(np.int64)
        if not starts.size == ends.size == y.size + 1:
            raise DataError(f"{counts_file.name} says differently how many authors there are")
        authors = np.repeat(np.arange(y.size), np.diff(ends))
        pairs.append(np.stack([authors, coauthors]) + len(texts))
        labels.append(y + len(classes))
        domains.append(np.full(y.size, number))
        known = class_names_of(counts_file, int(y.max()) + 1) or map(str, range(int(y.max()) + 1))
        classes += [f"{spec.domains[number]}: {name.replace('_', ' ')}" for name in known]
        for row, (low, high) in enumerate(pairwise(starts)):
            if low == high:
                raise DataError(f"author {row} has no keyword")
            own = columns[low:high]
            first = np.lexsort((own, -counts[low:high]))[:KEYWORDS]
            texts.append("; ".join(keywords[column] for column in own[first]))
    return Parts(
        y=np.concatenate(labels),
        edges=np.concatenate(pairs, axis=1),
        class_names=classes,
        texts=texts,
        domains=np.concatenate(domains),
        domain_names=spec.domains,
    )


def _keywords(file: Path) -> list[str]:
    """A list of keywords, one for each column of counts."""
    with gzip.open(file, "rt", encoding="utf-8") as opened:
        found = json.load(opened)
    if not isinstance(found, list) or not all(isinstance(word, str) and word.strip() for word in found):
        raise DataError(f"{file.name} must be a list of keywords")
    return found
