"""How the Train page's form begins: which methods stand where, and what is asked first. No Streamlit.

The engine's own defaults are as they are: commands, notebooks and studies begin with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from privgraph.data.spec import DatasetSpec
from privgraph.options import Parameter, Scalar, parameters
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs.spec import RunSpec

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


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What can be chosen as a method by a name of its own: a method, or one with some options moved.

    `held` are these options, with which its form begins. `about` is one sentence.
    """

    name: str
    title: str
    method: MethodSpec
    about: str
    held: Mapping[str, Scalar] = field(default_factory=dict)


WEIGHTED = "dp-gpl-w"
_UNIFORM = "uniform"


def choices() -> dict[str, Choice]:
    """All that can be chosen, by name: group by group, where to start first."""
    found: dict[str, Choice] = {}
    for name in ordered():
        method = METHODS[name]
        about = method.about.partition(". ")[0].rstrip(".") + "."
        found[name] = Choice(name=name, title=method.title, method=method, about=about)
        if name == "dp-gpl":
            found[WEIGHTED] = Choice(
                name=WEIGHTED,
                title="DP-GPL+W",
                method=method,
                about="DP-GPL whose teachers weigh by how central their nodes are; begins with our weights, whose "
                "guarantee holds.",
                held={"weighting": "private-centrality"},
            )
    return found


def choice_of(method: str, options: Mapping[str, Scalar]) -> str:
    """The name under which a run's method is chosen.

    >>> choice_of("dp-gpl", {"weighting": "centrality"}), choice_of("dp-gpl", {}), choice_of("gap", {})
    ('dp-gpl-w', 'dp-gpl', 'gap')
    """
    return WEIGHTED if method == "dp-gpl" and options.get("weighting", _UNIFORM) != _UNIFORM else method


def called(spec: RunSpec) -> str:
    """The name by which the method of a run is chosen, as plain text."""
    chosen = choices().get(choice_of(spec.method, spec.options))
    return chosen.title if chosen is not None else spec.method


def of_data(name: str, known: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """The options of a data set as its form begins."""
    begun = DATA.get(name, {})
    return tuple(replace(one, default=begun.get(one.name, one.default)) for one in known)


def data_options(spec: DatasetSpec) -> dict[str, Scalar]:
    """The options of a graph where nobody is asked for them: those with which its form begins."""
    found = spec.load_options()
    return {one.name: one.default for one in of_data(spec.name, parameters(found))} if found else {}


def group(method: MethodSpec) -> str:
    """The group of a method by what it protects: connections where it can, else people, else nothing."""
    return next(unit for unit in GROUPS if unit in method.units)


def ordered() -> dict[str, str]:
    """The title of each method with what it hides, by name: group by group, where to start first."""
    found = sorted(METHODS.values(), key=lambda one: (list(GROUPS).index(group(one)), one.name != GROUPS[group(one)]))
    return {one.name: f"{one.title} · {hides(one)}" for one in found}


def hides(method: MethodSpec) -> str:
    """What a method can hide, in few words.

    >>> hides(METHODS["progap"]), hides(METHODS["pate"]), hides(METHODS["gnn"])
    ('hides connections or people', 'hides people', 'hides nothing')
    """
    units = [word for unit, word in (("edge", "connections"), ("node", "people")) if unit in method.units]
    return f"hides {' or '.join(units) or 'nothing'}"


def form(method: MethodSpec, held: Mapping[str, Scalar] | None = None) -> tuple[Parameter, ...]:
    """The parameters of a method as its form begins: no budget beyond `EPSILON`, few of many options openly,
    and those of `held` at these values."""
    begun = (_begun(one, ESSENTIAL.get(method.name)) for one in parameters(method.load_config()))
    return tuple(replace(one, default=(held or {}).get(one.name, one.default)) for one in begun)


def form_of(name: str) -> tuple[Parameter, ...]:
    """The same of what is chosen by that name; nothing where there is none."""
    chosen = choices().get(name)
    return form(chosen.method, chosen.held) if chosen is not None else ()


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
