"""Sweeps: which methods fit a graph, which runs a comparison has, and how long they take. No Streamlit."""

import math
import statistics
from collections.abc import Mapping, Sequence

from privgraph.data.catalogue import dataset
from privgraph.data.sizes import known_facts
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.options import OptionError, Scalar
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.queueing import STACK_LIMIT
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.advice import BASELINE, NETWORK

UNITS = ("edge", "node")
EPSILONS: Mapping[str, tuple[float, ...]] = {"edge": (0.5, 1.0, 2.0, 4.0), "node": (1.0, 2.0, 4.0, 8.0)}
"""Target epsilons of a comparison, where nobody chose others."""
SEEDS = 3
REFERENCES: Mapping[str, Mapping[str, Scalar]] = {BASELINE: {"unit": "none"}, NETWORK: {"unit": "none", "conv": "gcn"}}
"""What is trained without privacy beside: a model that reads no edge, and a network."""
START_SECONDS = 4.0
"""To start a worker and load torch."""
LOOKED_AT = 50
"""Finished runs of a method that tell its time, the newest."""


def fitting(data: DatasetSpec, unit: str, *, apart: bool = False) -> list[str]:
    """The methods that protect the unit of such a graph and answer about its own test nodes; or those
    (`apart`) that draw public and private parts of their own."""
    found = [name for name, one in METHODS.items() if one.refuses(data.task, data.undirected, unit) is None]
    own = [name for name in found if METHODS[name].own_parts and METHODS[name].tasks == ("node classification",)]
    return own if apart else [name for name in found if name not in (*own, BASELINE)]


def specs(
    data: str,
    unit: str,
    *,
    epsilons: Sequence[float] = (),
    seeds: int = SEEDS,
    data_options: Mapping[str, object] | None = None,
    methods: Sequence[str] = (),
    apart: bool = False,
    bare: bool = True,
    varied: Sequence[Mapping[str, Scalar]] = ({},),
) -> list[RunSpec]:
    """The runs of a comparison, those without privacy first.

    Args:
        data: The graph.
        unit: What is protected.
        epsilons: Target epsilons; none: `EPSILONS`.
        seeds: How many of each setting.
        data_options: Options of the graph.
        methods: Which; none: all that answer about its own test nodes.
        apart: Whether those fit that draw parts of their own.
        bare: Whether models without privacy stand beside.
        varied: Further options, each of which makes another setting.

    Raises:
        OptionError: Nothing fits, a method does not, or a number is out of range.
    """
    if unit not in UNITS:
        raise OptionError(f"unit must be one of {', '.join(UNITS)} (got {unit})")
    if not 1 <= seeds <= 20:
        raise OptionError(f"seeds must be from 1 to 20 (got {seeds})")
    spec = dataset(data)
    fit = fitting(spec, unit)
    offered = [*fit, *(fitting(spec, unit, apart=True) if apart else ())]
    if not offered:
        raise OptionError(f"no method protects one {unit} of {spec.title}")
    if unknown := next((name for name in methods if name not in offered), None):
        raise OptionError(f"{unknown} does not fit; methods that do are {', '.join(offered)}")
    free = [name for name in REFERENCES if METHODS[name].refuses(spec.task, spec.undirected, "none") is None]
    asked: list[tuple[str, Mapping[str, object]]] = [(name, REFERENCES[name]) for name in free if bare]
    for name in methods or fit:
        if bare and spec.task != "node classification" and METHODS[name].without_privacy == name:
            asked.append((name, {"unit": "none"}))
        budgets = epsilons or EPSILONS[unit]
        asked += [(name, {"unit": unit, "epsilon": one, **more}) for one in budgets for more in varied]
    return [
        make_spec(name, data, dict(options), data_options=data_options, seed=seed)
        for seed in range(seeds)
        for name, options in asked
    ]


def seconds(
    wanted: Sequence[RunSpec], facts: PublicFacts | None, known: Sequence[RunRecord], workers: int
) -> float | None:
    """Estimate how long runs on one graph take; None where nothing tells of one of their methods.

    By finished runs of the method, on the same data if there are any: their times grow with nodes and steps.
    The time of one that was trained together with others is that of all of them.
    """
    if facts is None:
        return None
    total, count, sizes = 0.0, 0, {GraphId.of(wanted[0]): facts}
    for name in {spec.method for spec in wanted}:
        runs = [spec for spec in wanted if spec.method == name]
        own = [one for one in known if not one.unreadable and one.spec.method == name and one.seconds]
        own = [one for one in own if one.spec.dataset == runs[0].dataset] or own
        paces = [(one.seconds or 0.0) / work for one in own[:LOOKED_AT] if (work := _work(one.spec, sizes))]
        if not paces:
            return None
        times = math.ceil(len(runs) / STACK_LIMIT) if runs[0].config().stacks else len(runs)
        each = statistics.fmean(_work(spec, sizes) for spec in runs)
        total, count = total + times * (statistics.median(paces) * each + START_SECONDS), count + times
    return total / max(1, min(workers, count))


def _work(spec: RunSpec, sizes: Mapping[GraphId, PublicFacts]) -> float:
    """Nodes times steps; 0 where they are not known: of another version, or with noise of its own."""
    try:
        facts = sizes.get(GraphId.of(spec)) or known_facts(dataset(spec.dataset), spec.data_options)
        return facts.nodes * spec.config().work(facts, 1.0).steps if facts else 0.0
    except (ValueError, ZeroDivisionError):
        return 0.0
