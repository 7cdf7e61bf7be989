"""How the Train page's form begins: which methods stand where, and what is asked first. No Streamlit.

The engine's own defaults are as they are: commands, notebooks and studies begin with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from privgraph.data.spec import DatasetSpec
from privgraph.options import Parameter, Scalar, parameters
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


GROUPS: Mapping[str, str] = {"edge": "progap", "node": "privgnn", "none": "gnn"}
"""What methods protect, and the method of each group that stands first."""


DATA: Mapping[str, Mapping[str, Scalar]] = {
    "social": {"nodes": 600, "degree": 16.0, "classes": 3, "homophily": 0.85, "signal": 1.0},
}
"""How forms of an invented graph begin: the network of the demo and of the examples, on which privacy
has a price that can be seen."""


def of_data(spec: DatasetSpec) -> tuple[Parameter, ...]:
    """The options of a graph as its form begins; nothing for most."""
    found, begun = spec.load_options(), DATA.get(spec.name, {})
    return tuple(replace(one, default=begun.get(one.name, one.default)) for one in parameters(found)) if found else ()


def ordered() -> list[MethodSpec]:
    """All methods, group by group by what they protect, where to start first."""

    def place(one: MethodSpec) -> tuple[int, bool]:
        group = next(unit for unit in GROUPS if unit in one.units)
        return list(GROUPS).index(group), one.name != GROUPS[group]

    return sorted(METHODS.values(), key=place)


def hides(method: MethodSpec) -> str:
    """What a method can hide, in few words.

    >>> hides(METHODS["progap"]), hides(METHODS["pate"]), hides(METHODS["gnn"])
    ('hides connections or people', 'hides people', 'hides nothing')
    """
    units = [word for unit, word in (("edge", "connections"), ("node", "people")) if unit in method.units]
    return f"hides {' or '.join(units) or 'nothing'}"


def form(method: MethodSpec) -> tuple[Parameter, ...]:
    """The parameters of a method as its form begins: no budget beyond `EPSILON`, few options openly."""
    return tuple(_begun(one, ESSENTIAL.get(method.name)) for one in parameters(method.load_config()))


def form_of(name: str) -> tuple[Parameter, ...]:
    """The same of the method of that name; nothing where there is none."""
    return form(METHODS[name]) if name in METHODS else ()


def _begun(parameter: Parameter, essential: tuple[str, ...] | None) -> Parameter:
    if parameter.name == "epsilon":
        return replace(parameter, default=min(EPSILON, float(parameter.default)))
    if essential is None or parameter.option.group == "Privacy" or parameter.name in essential:
        return parameter
    return replace(parameter, option=replace(parameter.option, advanced=True))


def unfit(method: MethodSpec, spec: DatasetSpec, units: Sequence[str] = ()) -> str | None:
    """Why a method cannot learn from a graph, whichever of these units it protects (by default of all its
    own), or None."""
    reasons = [method.refuses(spec.task, spec.undirected, unit) for unit in units or method.units]
    return None if None in reasons else reasons[0]
