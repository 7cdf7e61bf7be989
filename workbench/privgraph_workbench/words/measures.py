"""What the test score of a method is called: the store keeps one number for each run, which is an accuracy
over nodes, and PREC@1 of methods that predict relations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from privgraph.registry import METHODS
from privgraph_workbench.words.metrics import metric_title

PREC, ACCURACY = "PREC@1", "test accuracy"
RELATIONS = "relation prediction"
STORED = "test_accuracy"
MEANS: Mapping[str, str] = {
    ACCURACY: "The share of the test nodes whose class was found.",
    PREC: "Of the test relations, the share whose partner is ranked first among all candidates. With many "
    "candidates a guess is hardly ever right, so that a low percentage is no failure.",
}
"""What each of them means."""


def measure(method: str) -> str:
    """The name of its test score.

    >>> measure("relational"), measure("progap")
    ('PREC@1', 'test accuracy')
    """
    return PREC if method in METHODS and RELATIONS in METHODS[method].tasks else ACCURACY


def measures(methods: Iterable[str]) -> str:
    """The same of several, each name once; of none an accuracy."""
    return " or ".join(dict.fromkeys(map(measure, methods))) or ACCURACY


def mean_of(methods: Iterable[str]) -> str:
    """Their mean, as it is called in a sentence."""
    return "mean accuracy" if (name := measures(methods)) == ACCURACY else f"mean {name}"


def titled(name: str) -> str:
    """A name at the beginning of a cell or sentence."""
    return name[:1].upper() + name[1:]


def result_title(name: str, method: str) -> str:
    """A stored result for people, the test score by its own name.

    >>> result_title("test_accuracy", "relational"), result_title("test_accuracy", "gnn")
    ('PREC@1', 'Test accuracy')
    """
    return titled(measure(method)) if name == STORED else metric_title(name)
