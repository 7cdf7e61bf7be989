"""Which method for a graph: what is behind the advice, and a button that trains what has not run yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.options import OptionError, Scalar
from privgraph.registry import METHODS
from privgraph.runs.launch import capacity
from privgraph.runs.records import PENDING, RunQuery
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import advised, advising, comparing, datasets, few_nodes
from privgraph_workbench.facts import plans as plans_of
from privgraph_workbench.facts.row_words import counted, protects_of, spread
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import statement
from privgraph_workbench.views.tradeoffs import advice, files, known, sending
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.views.tradeoffs.sending import POLL_SECONDS
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import duration, percent

MOST_TIMED = 2000
"""Runs, the newest, by which it is told how long others take."""


def show(graph: OneGraph) -> None:
    """Of each unit that the figure shows what fits; every number that the advice is said from; what is
    missing, how long that takes, and the button."""
    offered = [unit for unit in advising.UNITS if comparing.fitting(graph.spec, unit)]
    if not offered:
        st.caption("No method protects anything of this graph.")
    shown = st.session_state.get("protects")
    units = [unit for unit in offered if shown == unit] or offered
    for unit in units:
        if len(units) > 1:
            st.markdown(f"##### To hide {advising.HIDES[unit]}")
        _of_unit(graph, unit)


def _of_unit(graph: OneGraph, unit: str) -> None:
    spec, options = graph.spec, graph.data_options
    try:
        shared = known.shared_by(graph, unit)
        wanted = comparing.specs(spec.name, unit, data_options=options, shared=shared)
        facts = None if files.absent(spec) else datasets.public_facts(spec, wanted[0].data_options, "random")
    except (OptionError, DataError) as error:
        st.error(markup.sentence(error))
        return
    ids = tuple(one.id for one in wanted)
    held = known.states(ids)
    found = known.of_options(graph, shared, unit)
    there = {run for run, state in held.items() if state in ("done", *PENDING)}
    missing = comparing.lacking(wanted, there, found.said.network)
    names = ", ".join(METHODS[name].title for name in comparing.fitting(spec, unit))
    epsilons = ", ".join(f"{epsilon:g}" for epsilon in comparing.EPSILONS[unit])
    st.caption(f"Fits: {names}. Each at ε {epsilons} with {comparing.SEEDS} seeds, and two models without privacy.")
    if others := comparing.apart(spec, unit):
        st.caption(
            f"{', '.join(METHODS[name].title for name in others)} would fit as well, in a setting of their own: some "
            "nodes are public, and private ones teach. Their accuracies are of other nodes, and belong on Teachers."
        )
    going = any(state in PENDING for state in held.values())
    shell.fragment(_result, run_every=POLL_SECONDS if going else None)(graph, shared, unit, going)
    if few := few_nodes.warned(found.table, facts, comparing.SEEDS):
        st.markdown(f"**{few}**")
    if files.absent(spec):
        files.needed(spec, f"compare-{unit}")
    elif missing and known.pending(graph, "none", unit):
        st.caption(f"{counted(len(missing), 'run')} can be trained besides once those under way have ended.")
    elif missing:
        ran = queue.store().find(RunQuery(states=("done",), limit=MOST_TIMED))
        about = duration(comparing.seconds(missing, facts, ran, capacity()))
        label = "Compare what fits" if len(missing) == len(wanted) else "Train what is missing"
        head = "First, what the comparison lacks" if found.said.methods else "What it takes"
        runs = counted(len(missing), "run")
        st.markdown(f"**{head}.** {runs}, about {about} on this machine.")
        _price(wanted, facts)
        asked = st.button(f"{label} ({runs})", type="primary", key=f"compare_go.{unit}", icon=":material/play_arrow:")
        if asked and sending.send(missing, unit, "compare"):
            st.rerun()
    advice.more_seeds(graph, found, unit)


def _price(wanted: Sequence[RunSpec], facts: PublicFacts | None) -> None:
    """What all runs of the comparison would show together."""
    try:
        plans = [plans_of.plan(one.method, one.options, facts) for one in wanted if one.seed == 0] if facts else []
    except (OptionError, DataError):
        return  # what cannot be planned fails as a run, with its reason
    private = [plan.statement for plan in plans if plan.statement.unit != "none"]
    if private:
        statement.looking(private, comparing.SEEDS, "private runs of this comparison")


def _result(graph: OneGraph, shared: Mapping[str, Scalar], unit: str, was_going: bool) -> None:
    """What is known so far, and how far the rest is: at once, and again as runs end."""
    queue.tick()
    ids = tuple(
        one.id for one in comparing.specs(graph.spec.name, unit, data_options=graph.data_options, shared=shared)
    )
    held = known.states(ids)
    done = sum(state == "done" for state in held.values())
    going = [run for run, state in held.items() if state in PENDING]
    if was_going and not going:
        st.rerun()
    followed = sending.sent().issuperset(going)  # how far these are stands on top of the page
    if going and not followed and len(held) == len(ids):  # sent in another visit; fewer may be a sweep's
        st.progress(done / len(ids), text=f"{done} of {len(ids)} runs are done")
        st.button(
            "Stop the comparison",
            key=f"compare_stop.{unit}",
            icon=":material/stop:",
            on_click=_stop,
            args=(tuple(going),),
        )
    found = known.of_options(graph, shared, unit)
    if not found.said.methods:
        return
    shown = st.session_state.get("protects") in (unit, "both") and not st.session_state.get("everywhere")
    if not shown:  # else it is said above
        advice.lead(found.said)
        advice.table(found.said, [found.said])
        st.markdown(markup.literal(" ".join([*found.said.notes, advising.CHOOSING])))
    if shown and not st.query_params.get_all("curve"):
        st.caption("Every number stands above, under *Every setting in numbers*, with the advice beside it.")
    else:
        st.dataframe(
            [_line(row, found.said) for row in found.table],
            hide_index=True,
            alt="Accuracy of each method at each epsilon, with intervals over seeds",
        )
    st.caption(
        found.words
        if found.words.startswith(found.short.rstrip("."))
        else f"{markup.literal(found.short)} {found.words}"
    )


def _line(row: Row, said: advising.Verdict) -> dict[str, object]:
    protects, epsilon = protects_of(row, said.unit)
    return {
        "method": row["title"],
        "protects": protects,
        EPSILONS["sound"].title: epsilon,
        f"{'accuracy' if said.score == advising.ACCURACY else advised.SHORT_PREC} (mean)": percent(row["mean"]),
        "95% over seeds": spread(row),
        "seeds": row["seeds"],
        "advice": advised.with_verdict(row, said),
    }


def _stop(ids: tuple[str, ...]) -> None:
    for run in ids:
        queue.store().request_stop(run)
