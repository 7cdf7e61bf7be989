"""The price of a run's own answers under other noise, for methods whose teachers all answer every query."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.methods.base import Plan
from privgraph.options import OptionError, Scalar, UnknownName
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import datasets, plans
from privgraph_workbench.forms import widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import number, stated

POLL_SECONDS = 1.0
TIMES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The noise that can be asked about, as multiples of the run's."""
OF_THE_RUN = " (the run's)"


def show(record: RunRecord) -> None:
    """Noise and queries on the left; what they would cost on the right."""
    title = naming.method_title(record.spec.method)
    st.caption(
        f"What the answers of this {title} would cost with other noise, or another number of queries. All else is as "
        "in the run, and nothing of it is changed."
    )
    try:
        facts = datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)
        if facts is None:
            st.info("The graph is being counted; the price is shown when its size is known.", icon="⏳")
            st.fragment(_await_facts, run_every=POLL_SECONDS)(record)
            return
        own = plans.plan(record.spec.method, record.spec.options, facts)
        left, right = layout.columns("run_price", 2)
        with left, st.container(border=True):
            times, queries = _choices(record, own)
        with right:
            options = _with(record, own, times, queries)
            _price(plans.plan(record.spec.method, options, facts))
            if options != dict(record.spec.options):
                _train(record, options)
            _table(record, own, queries, facts)
    except (OptionError, DataError, UnknownName) as error:
        st.error(markup.sentence(error))


def movable(record: RunRecord) -> bool:
    """Whether noise and queries are the run's own options, and no preset's."""
    return record.spec.options.get("preset", "own") == "own"


def _choices(record: RunRecord, own: Plan) -> tuple[float, int]:
    """The noise, as a multiple of the run's, and the number of queries."""
    held, std = int(record.spec.options["queries"]), own.noise["votes"]
    if not movable(record):
        st.markdown(f"The run's preset fixes the noise on each count, ± {number(std)}, and the queries.")
        return 1.0, held
    times = st.select_slider(
        "Noise on each count of votes (standard deviation)",
        TIMES,
        value=1.0,
        key=f"price.times.{record.id}",
        format_func=lambda one: f"± {number(one * std)}",
        help=f"The run had ± {number(std)}. One private node changes one vote, or two counts by one",
    )
    st.caption("← less noise, less private, more accurate · more noise, more private →")
    queries = st.number_input(
        "Queries",
        min_value=1,
        value=held,
        key=f"price.asked.{record.id}",
        help=f"Public nodes whose class is asked for; each answer costs privacy. The run asked {held:,}",
    )
    return float(times), int(queries)


def _with(record: RunRecord, own: Plan, times: float, queries: int) -> dict[str, Scalar]:
    """The run's options with that noise and so many queries."""
    options = dict(record.spec.options)
    if not movable(record):
        return options
    noise = record.spec.noise
    if noise is not None and (times != 1.0 or queries != options["queries"]):
        scale = times * own.noise.get("scale", own.noise["votes"])
        options[noise.option] = float(f"{1 / scale if noise.option == 'lam' else scale:.6g}")
    return {**options, "queries": queries}


def _price(plan: Plan) -> None:
    said = plan.statement
    published = said.epsilon_as_published
    boxes = (
        (EPSILONS["sound"].label, stated("sound", said.epsilon), "What this noise guarantees, whatever is answered"),
        (
            EPSILONS["published"].label,
            "no formula" if published is None else stated("published", published),
            "What the paper's own way of counting says of the same noise: to reproduce its tables, not a promise",
        ),
    )
    for column, (label, value, help_) in zip(st.columns(2), boxes, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(label, help=help_)
            st.markdown(f"#### {value}")
    st.markdown(meaning.risk("node", said.epsilon, said.delta, said.neighbours))
    st.caption(meaning.delta(said.delta, said.epsilon))


def _table(record: RunRecord, own: Plan, queries: int, facts: PublicFacts) -> None:
    """The same for each noise that can be chosen."""
    if not movable(record):
        return
    lines = []
    for times in TIMES:
        said = plans.plan(record.spec.method, _with(record, own, times, queries), facts).statement
        published = said.epsilon_as_published
        lines.append(
            {
                "noise on a count": f"± {number(times * own.noise['votes'])}{OF_THE_RUN if times == 1.0 else ''}",
                EPSILONS["sound"].title: stated("sound", said.epsilon),
                EPSILONS["published"].title: "—" if published is None else stated("published", published),
            }
        )
    st.dataframe(lines, hide_index=True, alt="What the answers cost with other noise")


def _train(record: RunRecord, options: Mapping[str, Scalar]) -> None:
    st.page_link(
        shell.page("train"),
        label="**Train with these settings**",
        icon=":material/model_training:",
        query_params={
            "method": record.spec.method,
            "data": record.spec.dataset,
            **({} if record.spec.split == "random" else {"split": record.spec.split}),
            **widgets.address(record.spec.data_options, prefix="data."),
            **widgets.address(options),
        },
    )


def _await_facts(record: RunRecord) -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    try:
        found = datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)
        ready = found is not None
    except (DataError, OptionError, UnknownName):
        ready = True
    if ready:
        st.rerun()
