"""A sweep as a form: methods, target epsilons, seeds, an option that varies; and how far it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.options import Option, OptionError, Parameter, Scalar, parameters, parse
from privgraph.registry import METHODS
from privgraph.runs import engines
from privgraph.runs.engines import ENGINES
from privgraph.runs.launch import capacity
from privgraph.runs.memory import too_large
from privgraph.runs.records import FINISHED, PENDING, RunQuery, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench import sweeps
from privgraph_workbench.facts import datasets, plans
from privgraph_workbench.forms import data_options
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import statement
from privgraph_workbench.serving import shell
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration

MOST = 200
"""Runs that a page sends at once."""
MOST_KNOWN = 2000
NOTHING = "nothing"
SEEDS = Parameter("seeds", int, sweeps.SEEDS, Option("how many seeds each setting runs with", low=1, high=10))
_SENT = "sweep"
"""The ids that were sent last."""


def form(spec: DatasetSpec, options: Mapping[str, Scalar], unit: str) -> None:
    """Choose what is trained on the graph, see its price, and send it."""
    key = f"{spec.name}.{unit}"
    offered = [*sweeps.fitting(spec, unit), *sweeps.apart(spec, unit)]
    if not offered:
        st.info("No method protects this unit of such a graph.")
        return
    left, middle, right = st.columns([3, 3, 1])
    methods = left.multiselect(
        "Methods",
        offered,
        default=sweeps.fitting(spec, unit),
        key=f"sweep_methods.{key}",
        format_func=lambda name: METHODS[name].title,
    )
    typed = middle.text_input(
        "Target ε", ", ".join(f"{one:g}" for one in sweeps.EPSILONS[unit]), key=f"sweep_epsilons.{key}"
    )
    asked = right.number_input("Seeds", value=sweeps.SEEDS, step=1, key=f"sweep_seeds.{key}")
    bare = st.toggle("With models without privacy, to compare with", True, key=f"sweep_bare.{key}")
    varied, values = _varied(methods, key)
    data = data_options.options_form(spec)
    chosen = {**options, **data.values}
    specs: list[RunSpec] = []
    try:
        seeds = int(parse(SEEDS, asked))
        epsilons = [float(word) for word in typed.replace(",", " ").replace(";", " ").split()]
        settings: list[tuple[str, Mapping[str, Scalar]]] = [
            (name, {"unit": unit, "epsilon": epsilon, **({varied: value} if varied else {})})
            for name in methods
            for epsilon in sorted(set(epsilons))
            for value in (values if varied else [0])
        ]
        if bare:
            settings = [(name, sweeps.REFERENCES[name]) for name in sweeps.references(spec)] + settings
        specs = [
            make_spec(name, spec.name, dict(one), data_options=chosen, seed=seed)
            for seed in range(seeds)
            for name, one in settings
        ]
        facts = datasets.public_facts(spec, chosen, "random")
        ready = bool(methods and epsilons) and not data.errors and _priced(specs, settings, facts, seeds)
    except (OptionError, DataError, ValueError) as error:
        st.error(markup.sentence(error))
        ready = False
    engine = _engine(key)
    if st.button(
        f"Run the sweep ({len(specs)} runs)",
        type="primary",
        key=f"sweep_go.{key}",
        disabled=not ready,
        icon=":material/play_arrow:",
    ) and send(specs, engine):
        st.rerun()


def _priced(
    specs: Sequence[RunSpec],
    settings: Sequence[tuple[str, Mapping[str, Scalar]]],
    facts: PublicFacts | None,
    seeds: int,
) -> bool:
    """Say how many runs there are, how long they take and what all of them cost together; whether they may
    be sent."""
    if len(specs) > MOST:
        raise OptionError(f"a sweep from this page has at most {MOST} runs (got {len(specs)})")
    if facts is None:
        st.caption("The graph is being counted.")
        return True
    planned = [plans.plan(name, make_spec(name, specs[0].dataset, dict(one)).options, facts) for name, one in settings]
    if refusal := too_large(max(plan.memory_mb for plan in planned)):
        raise OptionError(refusal)
    done = {row["id"] for row in queue.own().find_rows(RunQuery(ids=tuple(one.id for one in specs), states=("done",)))}
    known = queue.own().find(RunQuery(states=("done",), limit=MOST_KNOWN))
    left = [one for one in specs if one.id not in done]
    st.caption(f"New runs: {len(left)}; time: {duration(sweeps.seconds(left, facts, known, capacity()))}")
    private = [plan.statement for plan in planned if plan.statement.unit != "none"]
    if private:
        st.caption(statement.together(private, seeds))
    return bool(left)


def _varied(methods: Sequence[str], key: str) -> tuple[str, list[Scalar]]:
    """An option that all methods have, and its values; "" where none varies."""
    known: list[dict[str, Parameter]] = [
        {one.name: one for one in parameters(METHODS[name].load_config())} for name in methods
    ]
    if not known:
        return "", []
    left, right = st.columns(2)
    shared = [name for name in known[0] if name not in ("epsilon", "unit") and all(name in one for one in known)]
    name = left.selectbox(
        "Vary",
        [NOTHING, *shared],
        key=f"sweep_option.{key}",
        format_func=lambda one: known[0][one].label if one in known[0] else one,
    )
    if name == NOTHING:
        return "", []
    one = known[0][name]
    typed = right.text_input(f"Values of {one.label}", key=f"sweep_values.{key}", help=one.option.help)
    return name, list(dict.fromkeys(parse(one, text) for text in typed.replace(",", " ").split()))


def _engine(key: str) -> str:
    """Who trains; nothing is asked where this machine alone can."""
    choices = engines.offered()
    if len(choices) == 1:
        return choices[0]
    return str(
        st.selectbox(
            "Train on", choices, key=f"sweep_engine.{key}", format_func=lambda one: f"{one}: {ENGINES[one].about}"
        )
    )


def send(specs: Sequence[RunSpec], engine: str) -> bool:
    """Train these; whether they could be sent."""
    try:
        sent = queue.submit(specs, tags=["sweep"], engine=engine)
        for row in queue.own().find_rows(RunQuery(ids=tuple(sent), states=("stopped", "lost"))):
            queue.retry(str(row["id"]))
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return False
    st.session_state[_SENT] = tuple(dict.fromkeys(sent))
    st.query_params["store"] = shell.MINE
    return True


def pending() -> bool:
    """Whether runs that were sent from here are under way."""
    ids = st.session_state.get(_SENT, ())
    return bool(ids) and bool(queue.own().count(RunQuery(ids=ids, states=PENDING)))


def progress() -> None:
    """How far the runs are that were sent last, and the button that stops them."""
    ids: tuple[str, ...] = st.session_state.get(_SENT, ())
    if not ids:
        return
    queue.tick()
    states = Counter(queue.own().states(ids).values())
    over = sum(count for state, count in states.items() if state in FINISHED)
    st.progress(over / len(ids), text=", ".join(f"{state}: {count}" for state, count in states.items()))
    if over < len(ids) and st.button("Stop", key="sweep_stop", icon=":material/stop:"):
        for row in queue.own().find_rows(RunQuery(ids=ids, states=PENDING)):
            queue.own().request_stop(str(row["id"]))
    if over == len(ids):
        st.page_link(
            shell.page("runs"),
            label="Open these runs",
            query_params={"store": shell.MINE, "chosen": ",".join(ids[:20])},
        )
