"""What graphs differ in that decides what noise costs there, as far as it is known without loading them. No
Streamlit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privgraph.data.sizes import known_facts
from privgraph.data.spec import DatasetSpec
from privgraph.options import Scalar, build
from privgraph_workbench.words.numbers import percent

FACTOR = 3.0
"""Nodes and degrees that differ by more are another case: noise is added to sums over neighbours, and costs
what they are not large enough to hide."""
APART = {"homophily": 0.2, "mlp": 0.1}
"""Shares that differ by more are another case: edges bring something else there."""
TITLES = {"nodes": "nodes", "degree": "mean degree", "homophily": "homophily", "mlp": "MLP accuracy"}
DECIDING = ("nodes", "degree", "homophily")
"""Without all of them nobody knows whether what holds on one graph holds on another: degree decides what
noise costs there, and homophily what edges are worth."""


@dataclass(frozen=True, kw_only=True)
class Traits:
    """Sizes and edge homophily of a graph, and the accuracy of a model that reads no edge; None: not known
    here. Of a private graph homophily is private, and never told."""

    nodes: float | None = None
    degree: float | None = None
    homophily: float | None = None
    mlp: float | None = None

    @property
    def known(self) -> list[str]:
        """The measures that are known."""
        return [name for name in TITLES if getattr(self, name) is not None]

    @property
    def missing(self) -> list[str]:
        """Those of `DECIDING` that are not known.

        >>> Traits(nodes=1500, mlp=0.7).missing
        ['degree', 'homophily']
        """
        return [name for name in DECIDING if getattr(self, name) is None]


def traits(spec: DatasetSpec, options: Mapping[str, Scalar], mlp: float | None = None) -> Traits:
    """Of the graph that the data set is with these options: from the catalogue, or as it was drawn.

    >>> from privgraph.data.catalogue import dataset
    >>> traits(dataset("social"), {"nodes": 600, "degree": 16.0, "homophily": 0.85})
    Traits(nodes=600, degree=16.0, homophily=0.85, mlp=None)
    """
    facts, kind = known_facts(spec, options), spec.load_options()
    drawn: Any = None if kind is None else build(kind, options)
    return Traits(
        nodes=spec.nodes if facts is None else facts.nodes,
        degree=None if facts is None else facts.entries / facts.nodes,
        homophily=spec.homophily if drawn is None else getattr(drawn, "homophily", None),
        mlp=mlp,
    )


def apart(known: Traits, own: Traits) -> dict[str, float]:
    """How far a graph is from one's own in each measure that is known of one's own, in units of what is too
    far: above 1 it is. Infinitely where it is not known of the graph.

    >>> found = apart(Traits(nodes=900, homophily=0.8), Traits(nodes=100, degree=4.0, homophily=0.7))
    >>> {name: round(far, 2) for name, far in found.items()}
    {'nodes': 2.0, 'degree': inf, 'homophily': 0.5}
    """
    found = {}
    for name in own.known:
        one, other = getattr(known, name), getattr(own, name)
        if one is None:
            found[name] = math.inf
        elif name in APART:
            found[name] = abs(one - other) / APART[name]
        else:
            found[name] = abs(math.log(one / other, FACTOR))
    return found


def rank(known: Traits, own: Traits) -> tuple[int, float]:
    """By what graphs are ordered, the nearest first: in how many measures they are too far, for what is said
    of a graph carries over only where that is none; then how unlike they are.

    >>> own = Traits(nodes=1000, degree=10.0)
    >>> near, one_far = Traits(nodes=3100, degree=31.0), Traits(nodes=1000, degree=100.0)
    >>> [(count, round(far, 1)) for count, far in (rank(near, own), rank(one_far, own))]
    [(2, 2.1), (1, 2.1)]
    """
    far = apart(known, own)
    return sum(units > 1 for units in far.values()), sum(far.values())


def difference(name: str, known: Traits, own: Traits) -> str:
    """What a measure is of a graph and of one's own, and how far apart these are.

    >>> difference("nodes", Traits(nodes=900), Traits(nodes=300))
    'nodes 900, yours 300 (factor 3.0)'
    >>> difference("homophily", Traits(homophily=0.81), Traits(homophily=0.5))
    'homophily 0.81, yours 0.50 (0.31 apart)'
    >>> difference("mlp", Traits(mlp=0.765), Traits(mlp=0.8))
    'MLP accuracy 76.5%, yours 80.0% (3.5 points apart)'
    >>> difference("degree", Traits(), Traits(degree=2.0))
    'mean degree not known there'
    """
    one, other = getattr(known, name), getattr(own, name)
    title = TITLES[name]
    if one is None:
        return f"{title} not known there"
    if name == "mlp":
        return f"{title} {percent(one)}, yours {percent(other)} ({100 * abs(one - other):.1f} points apart)"
    if name == "homophily":
        return f"{title} {one:.2f}, yours {other:.2f} ({abs(one - other):.2f} apart)"
    factor = max(one / other, other / one)
    digits = 0 if name == "nodes" else 1
    return f"{title} {one:,.{digits}f}, yours {other:,.{digits}f} (factor {factor:.1f})"
