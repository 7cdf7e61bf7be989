"""How forms begin: which method first, with which values, and addresses that fill a form. No Streamlit.

The engine's own defaults are as they are: commands, notebooks and studies begin with them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from privgraph.data.spec import DatasetSpec
from privgraph.options import Option, Parameter, Scalar, parameters
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import fields
from privgraph_workbench.text import texts
from privgraph_workbench.words import numbers

EPSILON = 2.0
"""The largest budget that a fresh form begins with: beyond it, the page calls protection weak or worse."""
GROUPS: Mapping[str, str] = {"edge": "progap", "node": "privgnn", "none": "gnn"}
"""What methods protect, and the method of each group that stands first."""
DATA: Mapping[str, Mapping[str, Scalar]] = {
    "social": {"nodes": 600, "degree": 16.0, "classes": 3, "homophily": 0.85, "signal": 1.0},
}
"""How forms of an invented graph begin: the network of the demo and of the examples, on which privacy
has a price that can be seen."""
_PRICE, _TRAIN = texts("accounting")["options"], texts("train")["helps"]
SIZES = (
    Parameter("nodes", int, 10_000, Option(_PRICE["nodes"], low=4, high=10**9, label="Nodes |V|")),
    Parameter("edges", int, 50_000, Option(_PRICE["edges"], low=0, high=10**11, label="Edges |E|")),
    Parameter("train_nodes", int, 7_500, Option(_PRICE["train_nodes"], low=1, high=10**9, label="Training nodes")),
    Parameter("classes", int, 5, Option(_PRICE["classes"], low=2, high=10**5, label="Classes C")),
    Parameter("undirected", bool, True, Option(_PRICE["undirected"], label="Undirected edges")),
)
"""Sizes that somebody types in place of a graph."""
SCALE = Parameter("scale", float, 1.0, Option(_PRICE["scale"], low=0, low_open=True, high=1e12))
"""The noise from which epsilon follows."""
_MOST_SEEDS = 20
SEEDS = Parameter("seeds", int, 1, Option(_TRAIN["seeds"], low=1, high=_MOST_SEEDS, label="Seeds", group="Repeat"))
_SEED = Option(_TRAIN["seed"], low=0, high=2**31 - 1 - _MOST_SEEDS, label="First seed", group="Repeat")
_DEVICE = Option(_TRAIN["device"], choices=("auto", "cpu", "cuda"), group="Repeat", advanced=True)
SETUP = (Parameter("seed", int, 0, _SEED), Parameter("device", str, "auto", _DEVICE))
"""How often, with which seeds and where is trained."""


def of_data(spec: DatasetSpec) -> tuple[Parameter, ...]:
    """The options of a graph as its form begins; nothing for most."""
    found, begun = spec.load_options(), DATA.get(spec.name, {})
    return tuple(replace(one, default=begun.get(one.name, one.default)) for one in parameters(found)) if found else ()


def of_method(name: str) -> tuple[Parameter, ...]:
    """The options of a method as its form begins, with no budget beyond `EPSILON`; nothing where there is no
    such method."""
    known = parameters(METHODS[name].load_config()) if name in METHODS else ()
    most = {one.name: min(EPSILON, float(one.default)) for one in known if one.name == "epsilon"}
    return tuple(replace(one, default=most.get(one.name, one.default)) for one in known)


def ordered() -> list[MethodSpec]:
    """All methods, group by group by what they protect, where to start first."""

    def place(one: MethodSpec) -> tuple[int, bool]:
        group = next(unit for unit in GROUPS if unit in one.units)
        return list(GROUPS).index(group), one.name != GROUPS[group]

    return sorted(METHODS.values(), key=place)


def unfit(method: MethodSpec, spec: DatasetSpec, units: Sequence[str] = ()) -> str | None:
    """Why a method cannot learn from a graph, whichever of these units it protects (by default of all its
    own), or None."""
    reasons = [method.refuses(spec.task, spec.undirected, unit) for unit in units or method.units]
    return None if None in reasons else reasons[0]


def address(values: Mapping[str, Scalar], prefix: str = "", known: Iterable[Parameter] = ()) -> dict[str, str]:
    """The query parameters that fill a form with these values; what a field of the `known` ones says by
    standing empty has none."""
    empty = {parameter.name for parameter in known if fields.is_left(parameter)}
    return {prefix + name: numbers.option(value) for name, value in values.items() if value != 0 or name not in empty}


def settings(
    method: str, data: str, options: Mapping[str, Scalar], data_options: Mapping[str, Scalar], **more: str
) -> dict[str, str]:
    """The query parameters that fill the form of a method with these options, on that graph."""
    held = {**address(options, known=of_method(method)), **address(data_options, prefix="data.")}
    return {"method": method, "data": data, **held, **more}


def again(record: RunRecord) -> dict[str, str]:
    """The same with the settings of a run."""
    spec = record.spec
    more = {"split": spec.split, "seed": str(spec.seed), "device": spec.device}
    return settings(spec.method, spec.dataset, spec.options, spec.data_options, **more)
