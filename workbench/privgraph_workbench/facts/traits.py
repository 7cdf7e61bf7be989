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


@dataclass(frozen=True, kw_only=True)
class Traits:
    """Sizes and edge homophily of a graph; None: not known here. Of a private graph homophily is private, and
    never told."""

    nodes: int | None
    degree: float | None
    homophily: float | None


def traits(spec: DatasetSpec, options: Mapping[str, Scalar]) -> Traits:
    """Of the graph that the data set is with these options: from the catalogue, or as it was drawn.

    >>> from privgraph.data.catalogue import dataset
    >>> traits(dataset("social"), {"nodes": 600, "degree": 16.0, "homophily": 0.85})
    Traits(nodes=600, degree=16.0, homophily=0.85)
    """
    facts, kind = known_facts(spec, options), spec.load_options()
    drawn: Any = None if kind is None else build(kind, options)
    return Traits(
        nodes=spec.nodes if facts is None else facts.nodes,
        degree=None if facts is None else facts.entries / facts.nodes,
        homophily=spec.homophily if drawn is None else getattr(drawn, "homophily", None),
    )


def unlike(known: Traits, nodes: float | None, degree: float | None) -> float:
    """How unlike a graph is to one of such sizes: by how many doublings they differ, infinitely where what is
    asked for is not known of it.

    >>> unlike(Traits(nodes=1000, degree=4.0, homophily=None), 2000, 1.0)
    3.0
    """
    pairs = [(one, other) for one, other in ((known.nodes, nodes), (known.degree, degree)) if other]
    return sum(abs(math.log2(one / other)) if one else math.inf for one, other in pairs)
