"""How the Train page's form begins: which methods stand where, and what is asked first. No Streamlit.

The engine's own defaults are as they are: commands, notebooks and studies begin with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from privgraph.options import Parameter, parameters
from privgraph.registry import METHODS, MethodSpec

EPSILON = 2.0
"""The largest budget that a fresh form begins with: beyond it, the page calls protection weak or worse."""
ESSENTIAL: Mapping[str, tuple[str, ...]] = {
    "gnn": ("conv", "layers", "hidden", "epochs", "preset", "trained_on"),
    "heter-poisson": ("preset", "network", "neighbours", "batch_size", "epochs"),
    "privgnn": ("preset", "release", "queries", "encoder"),
    "pate": ("preset", "teacher", "teachers", "queries"),
    "prompt": ("backbone", "prompt", "epochs", "shots"),
    "fine-tune": ("backbone", "epochs", "shots"),
    "prompt-dpsgd": ("backbone", "prompt", "epochs", "shots", "batch_size"),
    "dp-gpl": ("preset", "backbone", "prompt", "teachers", "shots", "weighting"),
}
"""What is asked openly where a method has many options; the rest waits under "more options"."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Methods that protect the same thing: where to start, and why."""

    title: str
    about: str
    first: str
    why: str


GROUPS: Mapping[str, Group] = {
    "edge": Group(
        title="Hide connections (edges)",
        about="Whether two people are linked stays deniable; that they take part, and their features, do not.",
        first="progap",
        why="it is quick, and the demo on the front page is one",
    ),
    "node": Group(
        title="Hide people (nodes)",
        about="Whether a person takes part stays deniable, with features and links. This costs more accuracy.",
        first="privgnn",
        why="its noisy table answers any number of queries for one price",
    ),
    "none": Group(
        title="Hide nothing",
        about="What the others are compared with: the accuracy without noise.",
        first="gnn",
        why="it is the plain graph network",
    ),
}


def group(method: MethodSpec) -> str:
    """The group of a method by what it protects: connections where it can, else people, else nothing."""
    return next(unit for unit in GROUPS if unit in method.units)


def ordered() -> dict[str, str]:
    """The title of each method with what it hides, by name: group by group, where to start first."""
    found = sorted(
        METHODS.values(), key=lambda one: (list(GROUPS).index(group(one)), one.name != GROUPS[group(one)].first)
    )
    return {one.name: f"{one.title} · {hides(one)}" for one in found}


def hides(method: MethodSpec) -> str:
    """What a method can hide, in few words.

    >>> hides(METHODS["progap"]), hides(METHODS["pate"]), hides(METHODS["gnn"])
    ('hides connections or people', 'hides people', 'hides nothing')
    """
    units = [word for unit, word in (("edge", "connections"), ("node", "people")) if unit in method.units]
    return f"hides {' or '.join(units) or 'nothing'}"


def form(method: MethodSpec) -> tuple[Parameter, ...]:
    """The parameters of a method as its form begins: no budget beyond `EPSILON`, few of many options
    openly."""
    return tuple(_begun(one, ESSENTIAL.get(method.name)) for one in parameters(method.load_config()))


def _begun(parameter: Parameter, essential: tuple[str, ...] | None) -> Parameter:
    if parameter.name == "epsilon":
        return replace(parameter, default=min(EPSILON, float(parameter.default)))
    if essential is None or parameter.option.group == "Privacy" or parameter.name in essential:
        return parameter
    return replace(parameter, option=replace(parameter.option, advanced=True))


def lowered(method: MethodSpec) -> float | None:
    """The method's own default budget, where its form begins with a smaller one."""
    own = next((float(one.default) for one in parameters(method.load_config()) if one.name == "epsilon"), 0.0)
    return own if own > EPSILON else None
