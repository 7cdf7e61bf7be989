"""Uploaded texts and their relations: `id,text,domain`, with or without `label`, and `source,target`. No
torch.

A relation is an unordered pair of texts. It is learnt in one domain and predicted in another, so that texts
without domains are refused, unless two random halves are asked for.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privgraph.data.errors import UploadError
from privgraph.data.upload_checks import (
    Limits,
    Upload,
    check_sizes,
    classes_of,
    clean_name,
    distinct_pairs,
    fields,
    ids_of,
    shown,
)
from privgraph.data.upload_rows import File, pairs_of
from privgraph.streams import stream

COLUMNS = "id,text,domain"
HALVES = ("first random half", "second random half")
"""Domains that were drawn because there were none, and somebody asked for them."""
NO_TEXTS = "Two random halves are made of texts alone, and these files have no column text"
_KNOWN = ("id", "text", "domain", "label")
_LONGEST_NAME = 60


def are_texts(header: Sequence[str]) -> bool:
    """Whether a file with this header holds texts: `id` and `text`, and no features beside a `label`.

    >>> are_texts(["id", "text", "domain"]), are_texts(["id", "label", "text", "weight"])
    (True, False)
    """
    columns = set(header)
    return {"id", "text"} <= columns and ("label" not in columns or "domain" in columns or columns <= set(_KNOWN))


def read_texts(texts: File, pairs: File, limits: Limits, *, halves: bool = False) -> Upload:
    """The texts of one CSV file and the relations of another; `halves` puts texts without a column `domain`
    into two random halves. Raises `UploadError`."""
    header = texts.header
    _check_header(header, halves)
    rows = _rows(texts, limits)
    check_sizes(limits, nodes=len(rows), features=1, nodes_are="texts")
    number = {name: place for place, name in enumerate(rows)}
    found = [text for text, _, _ in rows.values()]
    domains, names = (
        (_halves(len(found)), HALVES) if halves else _domains([domain for _, domain, _ in rows.values()], limits)
    )
    y, classes, notes = _labels([label for _, _, label in rows.values()], domains, names, limits)
    listed = pairs_of(pairs, number, limits, pair="relation", end="text")
    related, loops, repeated = distinct_pairs(listed, len(found))
    apart = int((domains[related[0]] != domains[related[1]]).sum())
    _check_related(related, domains, names)
    return Upload(
        kind="csv",
        x=np.array([[len(text.split())] for text in found], dtype=np.float32),
        y=y,
        edges=related,
        class_names=classes,
        feature_names=("words",),
        notes=(*_counted(listed.shape[1], loops, repeated, apart), *notes),
        texts=tuple(found),
        domains=domains,
        domain_names=names,
        ids=ids_of([*rows]),
    )


def _check_header(header: Sequence[str], halves: bool) -> None:
    if len(set(header)) != len(header):
        raise UploadError("Two columns of the texts have the same name")
    unknown = [name for name in header if name not in _KNOWN]
    if unknown:
        raise UploadError(
            f"The texts have a column {shown(unknown[0])}, and only {COLUMNS} and, where there are any, label are read"
        )
    if "domain" in header and halves:
        raise UploadError("The texts have a column domain already: two random halves are for texts without one")
    if "domain" not in header and not halves:
        raise UploadError(
            "The texts have no column domain: relations are learnt in one domain and predicted in another, so say for "
            "each text to which it belongs, or ask for two random halves"
        )


def _rows(file: File, limits: Limits) -> dict[str, tuple[str, str, str]]:
    """Text, domain and label of each id, the latter "" where there is no such column."""
    header = file.header
    at = {name: place for place, name in enumerate(header)}
    rows: dict[str, tuple[str, str, str]] = {}
    records, count = file.records(), 0
    while True:
        count += 1
        try:
            row = next(records, None)
        except csv.Error as error:
            raise UploadError(
                f"Text row {count} cannot be read ({shown(error, 60)}): is a quote left open, or a text longer than "
                f"{limits.text_letters:,} letters?"
            ) from None
        if row is None:
            return rows
        if not row:
            count -= 1
            continue
        if len(row) != len(header):
            raise UploadError(
                f"Text row {count} has {fields(len(row))}, and the header has {len(header)}: a text with a comma or a "
                "line break needs quotes"
            )
        name, text, domain, label = (row[at[column]].strip() if column in at else "" for column in _KNOWN)
        if not name or name in rows:
            raise UploadError(f"Text row {count} has an id that is empty or not its own ({shown(name)})")
        if not text:
            raise UploadError(f"The text {shown(name)} is empty")
        if len(text) > limits.text_letters:
            raise UploadError(
                f"The text {shown(name)} has {len(text):,} letters, and at most {limits.text_letters:,} are taken"
            )
        if "domain" in at and not domain:
            raise UploadError(f"The text {shown(name)} has no domain")
        rows[name] = (text, domain, label)
        if len(rows) > limits.nodes:
            raise UploadError(f"There are more than {limits.nodes:,} texts")


def _halves(count: int) -> NDArray[np.int64]:
    """(count,): 0 or 1, as many of each; a draw that depends on the number of texts alone."""
    return stream(0, "upload/halves").permutation(np.arange(count, dtype=np.int64) % 2)


def _domains(domains: Sequence[str], limits: Limits) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Number of each text's domain, and their names, in the order in which they come."""
    names = tuple(dict.fromkeys(domains))
    if len(names) < 2:
        raise UploadError(
            f"All texts are of the domain {shown(names[0])}, and at least two domains are needed: relations are learnt "
            "in one and predicted in another"
        )
    if len(names) > limits.domains:
        raise UploadError(f"There are more than {limits.domains:,} domains; is the domain a name of many texts?")
    long = next((name for name in names if len(name) > _LONGEST_NAME), None)
    if long is not None:
        raise UploadError(f"The name of the domain {shown(long)} has more than {_LONGEST_NAME} letters")
    cleaned = tuple(clean_name(name) for name in names)
    if len(set(cleaned)) < len(cleaned):
        raise UploadError("Two domains differ in letters alone that cannot be printed")
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in domains], dtype=np.int64), cleaned


def _labels(
    labels: Sequence[str], domains: NDArray[np.int64], names: tuple[str, ...], limits: Limits
) -> tuple[NDArray[np.int64], tuple[str, ...], list[str]]:
    """Classes of texts, -1 for none, with their names and a sentence on what is missing; where no text has a
    label, its domain is its class."""
    known = [label for label in labels if label]
    if not known:
        return domains, names, ["There are no labels: a text's domain stands for its class."]
    if any(label.startswith("-") and label[1:].isdecimal() for label in known):
        raise UploadError("A label is negative: leave the label of a text that has none empty")
    numbers, classes = classes_of(known, limits)
    if len(classes) < 2:
        raise UploadError("All texts have the same label, and at least two classes, or none, are needed")
    y = np.full(len(labels), -1, dtype=np.int64)
    y[[place for place, label in enumerate(labels) if label]] = numbers
    none = len(labels) - len(known)
    return y, classes, [f"Texts without a label: {none:,}. They belong to no class."] if none else []


def _check_related(related: NDArray[np.int64], domains: NDArray[np.int64], names: tuple[str, ...]) -> None:
    """At least two domains have relations inside them."""
    inside = domains[related[0]][domains[related[0]] == domains[related[1]]]
    having = [names[number] for number in np.unique(inside)]
    if len(having) < 2:
        which = f"only {shown(having[0])} has any" if having else "none has any"
        raise UploadError(
            f"At least two domains need relations between their own texts, to learn from and to predict, and {which}"
        )


def _counted(listed: int, loops: int, repeated: int, apart: int) -> list[str]:
    """What became of the relations that were listed, for people."""
    notes = ["A relation is a pair of texts, and has no direction."]
    if loops:
        notes.append(f"Relations of a text to itself dropped: {loops:,}.")
    if repeated:
        merged = "1 duplicate was" if repeated == 1 else f"{repeated:,} duplicates were"
        notes.append(
            f"{listed:,} relations were listed, and {merged} merged: the same two texts again, in either direction."
        )
    if apart:
        notes.append(f"Relations between two domains: {apart:,}. They are kept, and no method reads them.")
    return notes
