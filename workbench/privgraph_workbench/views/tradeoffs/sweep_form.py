"""A small sweep as a form: on which graph, its size, its price, and the button."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import Plan
from privgraph.options import Option, OptionError, Parameter, Scalar, parameters, parse
from privgraph.registry import METHODS, MethodSpec
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
"""The place of the figure on the page, for links."""
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
PENDING = ("queued", "running", "stopping")
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
    unit = str(
        left.segmented_control("Protect", units, default=units[0], required=True, key=f"sweep_unit.{chosen.name}")
    )
    texts = middle.multiselect(
        "ε values: choose, or type your own",
        list(EPSILONS),
        default=[0.5, 1.0, 4.0],
        key="sweep_epsilons",
        format_func=lambda value: f"{value:.12g}" if isinstance(value, float) else str(value),
        accept_new_options=True,
        placeholder="Type a number such as 0.35",
    )
    compare = middle.toggle(
        "Also the same method without privacy, for comparison", value="none" in chosen.units, key="sweep_none"
    )
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
            settings: list[dict[str, Scalar]] = [{"unit": unit, "epsilon": one} for one in _epsilons(chosen, texts)]
            settings += [{"unit": "none"}] if compare and "none" in chosen.units else []
            specs = _specs(chosen, spec, data.values, settings, int(parse(SEEDS, asked)))
            if facts is not None and len(specs) <= MOST_SWEEP:
                plans = [facts_plans.plan(chosen.name, one, facts) for one in settings]
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
        st.info("Choose at least one ε.")
    private = [plan.statement for plan in plans if plan.statement.unit != "none"]
    if private and not reasons:
        statement.looking(private, int(asked), "private runs of this sweep")
    if st.button(
        f"Run the sweep ({len(specs)} runs)" if specs else "Run the sweep",
        type="primary",
        key="sweep_go",
        disabled=bool(reasons or data.errors or not texts),
        icon=":material/play_arrow:",
    ):
        try:
            st.session_state["sweep"] = tuple(queue.submit(specs, tags=["sweep"]))
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
            return
        st.session_state["sent"] = (chosen.name, unit)
        st.rerun()


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


def progress() -> int:
    """How far the sweep is that was sent last, with a way to stop it, and, when it is over, the way to the
    figure. Returns how many of its runs are under way."""
    ids: tuple[str, ...] = st.session_state.get("sweep", ())
    if not ids:
        return 0
    states = Counter(row["state"] for row in queue.store().find_rows(RunQuery(ids=ids)))
    said = f"**The sweep:** {states['done']} of {len(ids)} runs finished"
    failed = sum(count for state, count in states.items() if state in FINISHED and state != "done")
    said += f", {failed} did not get to their end" if failed else ""
    pending = sum(states.values()) - states["done"] - failed
    if pending:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(f"{said}; the figure grows as they end.", icon="⏳")
            stopping = states["stopping"] == pending
            st.button(
                "Stopping…" if stopping else "Stop the sweep",
                key="sweep_stop",
                icon=":material/stop:",
                disabled=stopping,
                on_click=_stop,
                args=(ids,),
            )
    elif states["done"]:
        st.success(f"{said}. [See the figure](#{FIGURE})", icon=":material/check_circle:")
    else:
        st.warning(f"{said}.")
    return pending


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


def _epsilons(chosen: MethodSpec, texts: Sequence[float | str]) -> list[float]:
    """The wanted budgets, ascending, each once. Raises `OptionError` for one that the method does not
    admit."""
    known = next(one for one in parameters(chosen.load_config()) if one.name == "epsilon")
    return sorted({float(parse(known, text)) for text in texts})


def _specs(
    chosen: MethodSpec,
    spec: DatasetSpec,
    data: Mapping[str, Scalar],
    settings: Sequence[Mapping[str, Scalar]],
    seeds: int,
) -> list[RunSpec]:
    made = (make_spec(chosen.name, spec.name, one, data_options=data) for one in settings)
    return [run for one in made for run in sweep(one, seeds=range(seeds))]
