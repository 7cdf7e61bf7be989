"""A small sweep as a form: on which graph, its size, its price, and the button."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import Plan
from privgraph.options import Option, OptionError, Parameter, Scalar, listed, parameters, parse
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs import engines
from privgraph.runs.engines import ENGINES
from privgraph.runs.memory import too_large
from privgraph.runs.records import FINISHED, RunQuery, RunRecord, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.sweep import sweep
from privgraph_workbench.facts import datasets
from privgraph_workbench.facts import plans as facts_plans
from privgraph_workbench.forms import data_options, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import statement
from privgraph_workbench.words import markup, naming

MOST_SWEEP = 60
PREFIX = "data."
FIGURE = "curve-of-runs"
PLACE = "sweep"
"""The places of the figure and of this form on the page, for links."""
DECIMAL_COMMA = re.compile(r"\d,\d")
EPSILONS = "0.5, 1, 4"
"""The budgets with which the form begins."""
PENDING = ("queued", "running", "stopping")
POLL_SECONDS = 2.0
SEEDS = Parameter("seeds", int, 3, Option("how many seeds each setting runs with", low=1, high=10))


def show(spec: DatasetSpec, drawn: RunRecord | None = None) -> None:
    """What is trained on what; whatever speaks against it; the button. The form begins with the graph of the
    run `drawn`, the newest in the figure."""
    _begin(spec, drawn)
    offered = [name for name, method in METHODS.items() if set(method.units) & {"edge", "node"}]
    left, middle, right = st.columns([2, 3, 1])
    chosen = METHODS[
        left.selectbox("Method", offered, key="sweep_method", format_func=lambda name: METHODS[name].title)
    ]
    units = [unit for unit in chosen.units if unit != "none"]
    shown = st.session_state.get("protects")
    unit = str(
        left.segmented_control(
            "Protect",
            units,
            default=shown if shown in units else units[0],
            required=True,
            key=f"sweep_unit.{chosen.name}.{shown}",  # another unit in the figure: the form begins with it
        )
    )
    typed = middle.text_input(
        "ε values",
        value=EPSILONS,
        key="sweep_epsilons",
        placeholder=EPSILONS,
        help="Numbers with a comma or a space between them; a decimal point, as in 0.35. A smaller ε is more private",
    )
    texts = typed.replace(",", " ").replace(";", " ").split()
    reference = METHODS[chosen.without_privacy]
    compare = middle.toggle(
        "Also without privacy, for comparison"
        if reference.name == chosen.name
        else f"Also without privacy, for comparison: {reference.title}",
        value=True,
        key="sweep_none",
        help=None
        if reference.name == chosen.name
        else f"{chosen.title} has no version without noise, so {reference.title} stands in for it",
    )
    if DECIMAL_COMMA.search(typed):
        middle.caption(f"Read as ε = {listed(texts)}. A decimal has a point, as in 0.35.")
    asked = right.number_input("Seeds", value=int(SEEDS.default), step=1, key="sweep_seeds")
    data = data_options.options_form(spec)
    if drawn is not None and _same(drawn.spec.data_options, data.values):
        st.caption(
            f"This is the graph of the newest run in the figure above: {markup.literal(naming.graph_title(drawn))}."
        )
    specs: list[RunSpec] = []
    plans: list[Plan] = []
    reasons: list[str] = []
    if not data.errors:
        try:
            facts = datasets.public_facts(spec, data.values, "random")
            _about(spec, facts)
            settings: list[tuple[str, dict[str, Scalar]]] = [
                (chosen.name, {"unit": unit, "epsilon": one}) for one in _epsilons(chosen, texts)
            ]
            settings += [(reference.name, {"unit": "none"})] if compare else []
            specs = _specs(spec, data.values, settings, int(parse(SEEDS, asked)))
            if facts is not None and len(specs) <= MOST_SWEEP:
                plans = [facts_plans.plan(method, one, facts) for method, one in settings]
        except (OptionError, DataError) as error:
            reasons.append(str(error))
    if len(specs) > MOST_SWEEP:
        reasons.append(
            f"a sweep from this page has at most {MOST_SWEEP} runs (this one has {len(specs)}); the "
            "notebooks have no such bound"
        )
    if refusal := too_large(max((plan.memory_mb for plan in plans), default=0.0)):
        reasons.append(refusal)
    for text in reasons:
        st.error(markup.sentence(text))
    if data.errors:
        st.info(widgets.pointer(data.errors), icon=":material/edit:")
    elif not texts:
        st.info("Type at least one ε.")
    private = [plan.statement for plan in plans if plan.statement.unit != "none"]
    if private and not reasons:
        statement.looking(private, int(asked), "private runs of this sweep")
    engine = _engine()
    under_way = set(_pending())
    again = bool(specs) and {one.id for one in specs} <= set(st.session_state.get("sweep", ()))
    if st.button(
        f"Run the sweep ({len(specs)} runs)" if specs else "Run the sweep",
        type="primary",
        key="sweep_go",
        disabled=bool(reasons or data.errors or not texts) or (again and bool(under_way)),
        icon=":material/play_arrow:",
    ):
        try:
            sent = queue.submit(specs, tags=["sweep"], engine=engine)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
            return
        st.session_state["sweep"] = tuple(dict.fromkeys([*under_way, *sent]))
        st.session_state["sent"] = (tuple({one.method: None for one in specs}), unit)
        st.rerun()
    shell.fragment(_progress, run_every=POLL_SECONDS if under_way else None)(bool(under_way))


def _engine() -> str:
    """Who trains the sweep; nothing is asked where this machine alone can."""
    choices = engines.offered()
    if len(choices) == 1:
        return choices[0]
    return str(
        st.selectbox("Train on", choices, key="sweep_engine", format_func=lambda name: f"{name}: {ENGINES[name].about}")
    )


_BEGUN = "sweep.begun"


def _begin(spec: DatasetSpec, drawn: RunRecord | None) -> None:
    """Once a visit and a graph: the options are those of the figure, where the address says no others."""
    begun, found = (shell.visit(), spec.name), spec.load_options()
    if st.session_state.get(_BEGUN) == begun or found is None or drawn is None:
        return
    st.session_state[_BEGUN] = begun
    known = parameters(found)
    if not any(PREFIX + one.name in st.query_params for one in known):
        widgets.put(known, drawn.spec.data_options, PREFIX)


def _same(options: Mapping[str, Scalar], values: Mapping[str, Scalar]) -> bool:
    """Whether the form holds the graph with these options; not where it asks for none."""
    return bool(values) and {**values, **options} == {**values}


def pending() -> int:
    """How many runs of the sweeps that were sent from here are under way."""
    return len(_pending())


def _pending() -> tuple[str, ...]:
    ids: tuple[str, ...] = st.session_state.get("sweep", ())
    return tuple(str(row["id"]) for row in queue.store().find_rows(RunQuery(ids=ids, states=PENDING))) if ids else ()


def _progress(was_under_way: bool) -> None:
    """How far the sweep is that was sent last, with a way to stop it, and, when it is over, the way to the
    figure."""
    ids: tuple[str, ...] = st.session_state.get("sweep", ())
    if not ids:
        return
    queue.tick()
    states = Counter(row["state"] for row in queue.store().find_rows(RunQuery(ids=ids)))
    said = f"**The sweep:** {states['done']} of {len(ids)} runs finished"
    failed = sum(count for state, count in states.items() if state in FINISHED and state != "done")
    said += f", {failed} did not get to their end" if failed else ""
    left = sum(states.values()) - states["done"] - failed
    if was_under_way and not left:
        st.rerun()
    if left:
        stopping = states["stopping"] == left
        st.button(
            "Stopping…" if stopping else "Stop the sweep",
            key="sweep_stop",
            icon=":material/stop:",
            disabled=stopping,
            on_click=_stop,
            args=(ids,),
        )
        st.progress((states["done"] + failed) / len(ids), text=f"{said}; the figure above grows as they end.")
    elif states["done"]:
        st.success(f"{said}. [See the figure](#{FIGURE})", icon=":material/check_circle:")
    else:
        st.warning(f"{said}.")


def _stop(ids: tuple[str, ...]) -> None:
    """Ask every run of the sweep to stop that is not over."""
    for row in queue.store().find_rows(RunQuery(ids=ids, states=PENDING)):
        queue.store().request_stop(str(row["id"]))


def _about(spec: DatasetSpec, facts: PublicFacts | None) -> None:
    """Which graph is trained on, how large it is, and what is not asked here."""
    size = "its sizes, and the price of the sweep, are shown once it is counted"
    if facts is not None:
        size = f"{facts.nodes:,} nodes, {facts.edges:,} edges"
    st.caption(
        f"Trains on **{markup.literal(spec.title)}**: {size}. Everything else as the method's defaults; the "
        "Train page and the command line offer the rest."
    )


def _epsilons(chosen: MethodSpec, texts: Sequence[str]) -> list[float]:
    """The wanted budgets, ascending, each once. Raises `OptionError` for one that the method does not
    admit."""
    known = next(one for one in parameters(chosen.load_config()) if one.name == "epsilon")
    return sorted({float(parse(known, text)) for text in texts})


def _specs(
    spec: DatasetSpec,
    data: Mapping[str, Scalar],
    settings: Sequence[tuple[str, Mapping[str, Scalar]]],
    seeds: int,
) -> list[RunSpec]:
    made = (make_spec(method, spec.name, one, data_options=data) for method, one in settings)
    return [run for one in made for run in sweep(one, seeds=range(seeds))]
