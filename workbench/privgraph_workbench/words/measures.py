"""What the test score of a method is called: an accuracy over nodes, or PREC@1 of relations."""

from __future__ import annotations

from collections.abc import Iterable

from privgraph.registry import METHODS

PREC, ACCURACY = "PREC@1", "test accuracy"
RELATIONS = "relation prediction"


def measure(method: str) -> str:
    """The name of its test score."""
    return PREC if method in METHODS and RELATIONS in METHODS[method].tasks else ACCURACY


def measures(methods: Iterable[str]) -> str:
    """The same of several, each name once; of none an accuracy."""
    return " or ".join(dict.fromkeys(map(measure, methods))) or ACCURACY
