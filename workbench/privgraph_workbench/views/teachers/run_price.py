"""The price of a run's own answers under other noise, for methods whose teachers all answer every query."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.methods.base import Plan
from privgraph.methods.prompts.dp_gpl.config import Config
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.privgnn.config import READ_ONCE
from privgraph.methods.teachers.privgnn.config import Config as PrivGnn
from privgraph.options import OptionError, Scalar, UnknownName, values
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import answer_costs, noisy_labels, plans, published_told, queries_asked
from privgraph_workbench.figures.costs import price
from privgraph_workbench.figures.teachers.answers import size
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.views.parts import layout, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import answered, by_weight, other_noise, payers
from privgraph_workbench.views.teachers.other_noise import TIMES
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import HIGHEST, number, percent, stated

POLL_SECONDS = 1.0
WEAK = 10.0
"""Epsilon beyond which it is said what makes it smaller."""
OF_THE_RUN = " (the run's)"
COUNTED = "What does the paper's own way of counting say?"


def as_counted(value: float | None) -> str:
    """The published epsilon of the same noise, and what it is for."""
    told = f"{EPSILONS['published'].label}: **{readable('published', value)}**."
    return told if value is None else f"{told} It is there to reproduce the paper's tables, and no promise."


def show(record: RunRecord) -> None:
    """Noise and queries; below them what they would cost."""
    title = naming.method_title(record.spec.method)
    st.caption(
        f"**All queries together:** what the answers of this {title} would cost with other noise"
        f"{'' if read_once(record) else ', or another number of queries'}, before anything is trained. All else is as "
        "in the run, and nothing of it is changed. What noise does to one query: the tab *Vote laboratory*."
    )
    try:
        facts = other_noise.facts_of(record)
        if facts is None:
            st.info("The graph is being counted; the price is shown when its size is known.", icon="⏳")
            st.fragment(_await_facts, run_every=POLL_SECONDS)(record)
            return
        own = plans.plan(record.spec.method, record.spec.options, facts)
        with st.container(border=True):
            times, queries = _choices(record, own)
        options = _with(record, own, times, queries)
        plan = plans.plan(record.spec.method, options, facts)
        if movable(record) and not read_once(record):
            st.caption(queries_asked.fewer(int(options["queries"]), queries_asked.asked(plan)))
        ensemble = payers.load(queue.store().folder(record.id))
        weighted = ensemble if isinstance(ensemble, Ensemble) and by_weight.differ(ensemble) else None
        alone = weighted is None and queries > 1 and not read_once(record)
        one = other_noise.epsilon(record, times, 1) if alone else None
        _price(record, plan, right(record, times), weighted, one)
        with layout.fold(COUNTED, "run_published", icon=":material/menu_book:") as part:
            if part.open:
                published = plan.statement.epsilon_as_published
                if isinstance(ensemble, Ensemble):
                    by_weight.kinds(readable("sound", plan.statement.epsilon), published, _in_the_run(ensemble))
                else:
                    st.markdown(as_counted(published))
                st.caption(
                    published_told.why(
                        record.spec.method,
                        values(plan.config),
                        plan.statement.epsilon,
                        plan.statement.epsilon_as_published,
                    )
                )
        _what_helps(record, plan, facts, options)
        if options != dict(record.spec.options):
            _train(record, options)
        _all(record, own, times, queries, facts, "" if weighted is None else _weighing(weighted))
    except (OptionError, DataError, UnknownName) as error:
        st.error(markup.sentence(error))


def movable(record: RunRecord) -> bool:
    """Whether noise and queries are the run's own options, and no preset's."""
    return record.spec.options.get("preset", "own") == "own"


def read_once(record: RunRecord) -> bool:
    """Whether one release answers any number of queries, at one price."""
    return record.spec.options.get("release") in READ_ONCE


WHAT = {
    "table": ("number of the table", "One private node changes a column of it by a vector of length 1 at most."),
    "votes": ("number of votes", "One private node changes one of them by 1 at most."),
    "posterior": ("chance of a class", "One private node may change the whole answer."),
    "log-posterior": ("logarithm of a chance", "What one private node changes has no bound."),
}
COUNTS = ("count of votes", "One private node changes one vote, or two counts by one.")
"""What noise is added to, and how far one node moves that."""


def _choices(record: RunRecord, own: Plan) -> tuple[float, int]:
    """The noise, as a multiple of the run's, and the number of queries."""
    held, std = queries_asked.asked(own), size_of(own)
    what, moved = WHAT.get(str(record.spec.options.get("release")), COUNTS)
    if not movable(record):
        st.markdown(f"The run's preset fixes the noise on each count, ± {size(std)}, and the queries.")
        return 1.0, held
    left, beside = layout.columns("run_price", [3, 1])
    times = left.select_slider(
        f"Noise on each {what} (standard deviation)",
        TIMES,
        value=1.0,
        key=other_noise.key(record),
        format_func=lambda one: f"± {size(one * std)}",
        help=f"The run had ± {size(std)}. {moved}",
    )
    law = noisy_labels.named_law(record.spec, _kind(record))
    words = "" if law is None else f"  \n{other_noise.noise_words(law, times * std)}"
    left.caption(other_noise.WHICH_END + words)
    if read_once(record):
        beside.caption("Queries: any number. One release answers all of them, and more cost nothing more.")
        return float(times), held
    queries = beside.number_input(
        "Queries",
        min_value=1,
        value=held,
        key=f"price.asked.{record.id}",
        help=f"Public nodes whose class is asked for; each answer costs privacy. The run asked {held:,}",
    )
    return float(times), int(queries)


def size_of(plan: Plan) -> float:
    """The standard deviation of the noise on each number that is answered."""
    return float(plan.noise["noise_std"] if "noise_std" in plan.noise else plan.noise["votes"])


def _kind(record: RunRecord) -> str:
    """What the noise of a run is added to: counts of votes, or what its release says."""
    release = str(record.spec.options.get("release"))
    return release if release in WHAT else "counts"


def _with(record: RunRecord, own: Plan, times: float, queries: int) -> dict[str, Scalar]:
    """The run's options with that noise and so many queries."""
    options, held = dict(record.spec.options), queries_asked.asked(own)
    if not movable(record) or (times == 1.0 and queries == held):
        return options
    noise = record.spec.noise
    if noise is not None:
        options[noise.option] = other_noise.given(noise.option, times * other_noise.scale(own.noise))
    return options if queries == held else {**options, "queries": queries}


def right(record: RunRecord, times: float) -> float | None:
    """The share of the run's labels that are right with that noise, on average over it; None where the
    answers cannot be read, or their noise not drawn anew."""
    found = answered.kept(record)
    if isinstance(found, str) or (law := other_noise.law(record, found)) is None:
        return None
    return other_noise.expected(found, law, times)


def readable(kind: Epsilon, value: float | None) -> str:
    """An epsilon with all its digits where it is large.

    >>> readable("sound", 13967.2), readable("sound", 1.00001), readable("published", None)
    ('13,968', '1.001', 'no formula')
    """
    if value is None:
        return "no formula"
    return f"{math.ceil(value):,}" if 1000 <= value <= HIGHEST else stated(kind, value)


def _price(record: RunRecord, plan: Plan, share: float | None, weighted: Ensemble | None, one: float | None) -> None:
    """The price, whose it is, and what it means; `weighted`: teachers whose nodes pay by weight; `one`: sound
    epsilon of one query alone, where all nodes pay the same."""
    said, config = plan.statement, plan.config
    sound = readable("sound", said.epsilon)
    paid = None
    if weighted is not None and isinstance(config, Config):
        settled = config.settled(plan.facts.nodes, plan.noise["votes"])
        paid = settled.guarantees(plan.facts.nodes, weighted.weights)
        sound = readable("sound", float(paid.max()))
    label = EPSILONS["sound"].label
    alone = [] if one is None else [(f"{label}, one query", readable("sound", one), "Were it alone, with this noise")]
    boxes = (
        (label, sound, "What this noise guarantees, whatever is answered: no node pays more. The one number to give"),
        *alone,
        (
            "Labels right, on average",
            percent(share),
            "Of the run's votes with this noise, over all its draws. Evaluator only: it needs the truth",
        ),
    )
    layout.cards("run-price", boxes)
    wager = risk(plan)
    st.markdown(wager if weighted is None else f"**For a node {_weighing(weighted)}:** {wager}")
    if weighted is not None and paid is not None:
        least = readable("sound", float(paid.min()))
        st.markdown(f"Nodes of weight {number(float(weighted.weights.min()), 2)}, the lightest, pay {least}.")
    if isinstance(config, PrivGnn):
        priced = replace(config, lam=1 / other_noise.scale(plan.noise))
        st.markdown(f"**What the noise means.** {answer_costs.meaning(priced, plan.facts)}")
    st.caption(f"{meaning.delta(said.delta, said.epsilon)} {_drew_once(record)}")


def risk(plan: Plan) -> str:
    """What a plan means as a wager; with the guess against the
    noise itself where all of it is plain Gaussian, as on the tab Who pays."""
    said, mu = plan.statement, other_noise.moved_in(plan)
    exact = None if mu is None else meaning.guess_at(mu)
    return meaning.risk("node", said.epsilon, said.delta, said.neighbours, exact)


def _weighing(weighted: Ensemble) -> str:
    """Whose price the largest one is."""
    return f"of weight {number(float(weighted.weights.max()), 2)}, who pays most"


def _drew_once(record: RunRecord) -> str:
    found = answered.kept(record)
    return "" if isinstance(found, str) else other_noise.drew_once(found)


def _in_the_run(ensemble: Ensemble) -> str:
    """The data-dependent epsilon, which only a run has."""
    shown = by_weight.span(ensemble.dependent)
    return shown if shown == "—" else f"{shown} (in the run)"


def _what_helps(record: RunRecord, plan: Plan, facts: PublicFacts, options: Mapping[str, Scalar]) -> None:
    """Where the price protects next to nobody: which settings make it smaller."""
    if plan.statement.epsilon <= WEAK or not movable(record):
        return
    if math.isinf(plan.statement.epsilon):
        st.markdown("**What helps:** another release. Of this one, no noise of any size guarantees anything.")
        return
    release = options.get("release")
    said = ["**What helps:** more noise" + ("." if read_once(record) else " and fewer queries.")]
    if release in (None, "ensemble"):
        said.append(
            f"More teachers (the run had {int(options['teachers']):,}) outvote more noise: at the same ε, more labels "
            "are right."
        )
    elif not read_once(record):
        said.append(f"A smaller sample (the run's rate is {percent(float(options['rate']))}) is seldom read.")
    if options.get("noise") == "laplace":
        std = size_of(plan)
        gaussian = {**options, "noise": "gaussian", "lam": other_noise.given("lam", std)}
        found = plans.plan(record.spec.method, gaussian, facts).statement.epsilon
        if found < plan.statement.epsilon:
            said.append(f"Gaussian noise of the same size costs {EPSILONS['sound'].title} {readable('sound', found)}.")
    st.markdown(" ".join(said))


def _all(record: RunRecord, own: Plan, times: float, queries: int, facts: PublicFacts, whose: str) -> None:
    """Price and goods for each noise that can be chosen, as a figure and a table; `whose` price it is, where
    weights differ."""
    if not movable(record):
        return
    lines, points, shares = [], [], {}
    for one in TIMES:
        plan = plans.plan(record.spec.method, _with(record, own, one, queries), facts)
        said, share, std = plan.statement, right(record, one), one * size_of(own)
        points.append((std, said.epsilon, said.epsilon_as_published))
        shares[std] = share
        lines.append(
            {
                "noise (standard deviation)": f"± {size(std)}{OF_THE_RUN if one == 1.0 else ''}",
                EPSILONS["sound"].title: readable("sound", said.epsilon),
                EPSILONS["published"].title: readable("published", said.epsilon_as_published),
                "labels right, on average": percent(share),
            }
        )
    rows = price.data(points, times * size_of(own), shares, by="noise", whose=whose)
    drawn_figure("price", rows, naming.statements_of([record]), record, "-run")
    if any(share is not None for share in shares.values()):
        states.badges(evaluator=True)
    with layout.fold("The same as a table", "run_price_table", icon=":material/table_rows:") as part:
        if part.open:
            if whose:
                st.caption(f"For a node {whose}:")
            st.dataframe(lines, hide_index=True, alt="What the answers cost with other noise, and how many are right")


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
        ready = other_noise.facts_of(record) is not None
    except (DataError, OptionError, UnknownName):
        ready = True
    if ready:
        st.rerun()
