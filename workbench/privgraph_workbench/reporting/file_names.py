"""What the files of a setting are called that stands in figures alone."""

from __future__ import annotations

import re

from privgraph.runs.records import RunRecord
from privgraph_workbench.reporting.asked import Asked, Told
from privgraph_workbench.reporting.own_setting import SECRET, noise_of
from privgraph_workbench.words.naming import graph_of, moved, unit_of

LETTERS = 40
"""Of a graph's name, and twice as many of options, in a name of files at most."""


def beside_names(asked: Asked) -> dict[str, Told]:
    """The settings that stand in figures alone, by the names of their files: what the setting is, so that it
    has one name in every archive."""
    found: dict[str, Told] = {}
    for one in asked.beside:
        name = file_name(one.record)
        alike = sum(known == name or known.startswith(f"{name}--") for known in found)
        found[f"{name}--{alike + 1}" if alike else name] = one
    return found


def file_name(record: RunRecord) -> str:
    """A setting as a name of files, without its seed: `figure-edge-rand-cora-edge-eps8`."""
    epsilon = record.spec.asked_epsilon
    parts = [record.spec.method, _cut(graph_of(record), LETTERS), unit_of(record)]
    parts += [] if epsilon is None else [f"eps{epsilon:g}"]
    parts += [_cut(", ".join(moved(record)), 2 * LETTERS)]
    parts += ["secret"] * (noise_of(record) == SECRET)  # where the same came with the program it has another name
    told = (re.sub(r"[^a-z0-9.]+", "-", one.lower()).strip("-.") for one in parts)
    return "-".join(["figure", *filter(None, told)])


def _cut(said: str, most: int) -> str:
    """So many letters at most: whole options, else whole words.

    >>> _cut("Made-up (nodes 600, classes 3, degree 16)", 30), _cut("one two three", 9), _cut("gap", 9)
    ('Made-up (nodes 600, classes 3', 'one two', 'gap')
    """
    if len(said) <= most:
        return said
    head = said[: most + 1]
    end = max(head.rfind(", "), head.rfind(" ("))
    if end <= 0:
        end = head.rfind(" ")
    return said[:end] if end > 0 else said[:most]
