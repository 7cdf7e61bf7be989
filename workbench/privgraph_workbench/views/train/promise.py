"""What the Train page says that a run will promise and do, before it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from privgraph.methods.base import Plan
from privgraph.options import parameters
from privgraph.registry import METHODS
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import method_costs
from privgraph_workbench.forms import widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import statement
from privgraph_workbench.views.train.controls import Asked
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import option


def show(found: Sequence[Plan], asked: Asked, runs: Sequence[RunSpec]) -> None:
    """The statement as planned; of several budgets that of the first, and a table of all."""
    first = found[0]
    if len(found) > 1:
        st.markdown(f"#### What is promised, for ε = {option(asked.epsilons[0])}")
    else:
        st.markdown("#### What is promised")
    seeds = int(asked.setup.values["seeds"])
    if len(runs) > 1 and math.isfinite(first.statement.epsilon) and first.statement.ledger:
        statement.looking([plan.statement for plan in found], seeds, "runs" if len(found) > 1 else "runs, one a seed")
    asked_for = (
        RunSpec(method=runs[0].method, dataset=runs[0].dataset, options=runs[0].options).asked_epsilon if runs else None
    )
    statement.show(first.statement, planned=True, compact=True, asked=asked_for)
    if runs and runs[0].method in method_costs.private_methods() and first.statement.unit != "none":
        st.page_link(
            shell.page("accounting"),
            label="What other noise would cost",
            icon=":material/calculate:",
            query_params=_priced(runs[0]),
        )


def _priced(run: RunSpec) -> dict[str, str]:
    """The query parameters that put this run's settings on the Accounting page: its graph, and what is not as
    the method begins."""
    known = parameters(METHODS[run.method].load_config())
    moved = [one.name for one in known if run.options.get(one.name, one.default) != one.default]
    return {
        "method": run.method,
        "data": run.dataset,
        **widgets.address(run.data_options, prefix="data."),
        **widgets.address({name: value for name, value in run.options.items() if name in (*moved, "unit", "epsilon")}),
    }


def work_of(first: Plan) -> None:
    """What a run will do, in a few sentences."""
    for note in first.notes:
        st.caption(markup.sentence(note))
    memory = f", about {first.memory_mb:,.0f} MB of memory" if first.memory_mb else ""
    st.caption(f"Work: {work(first)}{memory}.")


def work(planned: Plan) -> str:
    """How much a run does, in the words of its progress; and why the ledger has another number."""
    text = f"{planned.steps:,} {planned.work.step}"
    times = sum(entry.count for entry in planned.statement.ledger)
    if times in (0, planned.steps):
        return text
    return f"{text}, in which private data are read {times:,} time{'s' * (times != 1)}: that is what the ledger counts"
