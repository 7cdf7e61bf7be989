"""The Teachers page: what private answers would cost, and what the teachers of a finished run said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from statistics import median
from zipfile import BadZipFile

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.methods.teachers.answers import NAME, Answers
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery, RunRecord, UnknownRun, Unreadable
from privgraph_workbench import live_plot
from privgraph_workbench.facts import describing
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.teachers import agreement, answers, chosen, one_answer, teacher_times
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, layout, states
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.teachers import ensemble, price_form
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import duration, number, percent

METHODS = ("privgnn", "pate", "dp-gpl")
MOST_RUNS = 200
POLL_SECONDS = 1.0
EVERYTHING = "all"
TABLE = "table"
NO_TEACHERS = (
    "This run has no teachers: it released one noisy table of its private nodes, and each answer below "
    "is worked out "
    "from that table. *Before noise* is what the table would have said without noise."
)
FILTERS = {
    EVERYTHING: "every query",
    "changed": "queries whose label noise changed",
    "refused": "queries that the gate refused",
    "wrong": "queries whose released label is wrong, as an evaluator knows",
}


def page() -> None:
    """The price before anything runs; then a finished run."""
    queue.tick()
    st.title("Teachers")
    st.markdown(
        "The owner of a private graph can answer questions about **public** nodes: *which class is this "
        "one?* Each answer comes from private nodes through noise: from **teachers** that learnt on them, "
        "or from one **table** that sums them up by class. A **student** then learns from the noisy labels "
        "and the public graph alone. The noise decides what the answers are worth, and what they give away."
    )
    _begin_price()
    st.fragment(price_form.show)()  # a slider draws the price again, and not the run
    st.divider()
    heading = st.empty()
    heading.markdown("### What the teachers, or the table, of a finished run said")
    record = _choose_run()
    if record is None:
        return
    run_answers = _load(queue.store().folder(record.id))
    if isinstance(run_answers, str):
        st.error(markup.literal(run_answers))
        return
    if run_answers.kind == TABLE:
        heading.markdown("### What the table of a finished run said")
        st.caption(NO_TEACHERS)
    names = _class_names(record)
    with st.container():  # always there: widgets below that moved up would lose their hold on the address
        if names is None:
            st.fragment(_await_names, run_every=POLL_SECONDS)(record)
    _run(record, run_answers, names or ())


def _begin_price() -> None:
    """The price form begins with the settings of the run that the address names."""
    asked = st.query_params.get("run")
    named = queue.store().find(RunQuery(ids=(asked,))) if asked else []
    if named and not named[0].unreadable:
        price_form.begin(named[0])


def _choose_run() -> RunRecord | None:
    """The run that the address names, or the newest that has answers; an invitation where there is none."""
    store, asked = queue.store(), st.query_params.get("run")
    query = RunQuery(methods=METHODS, states=("done",), limit=MOST_RUNS)
    found = states.readable([*store.find(query), *(store.find(replace(query, ids=(asked,))) if asked else [])])
    records = {record.id: record for record in found if has_answers(store.url, record.id)}
    if asked is not None and asked not in records:
        st.warning(f"There is no finished run {markup.literal(asked[:80])} with answers of teachers.")
    if not records:
        st.info(
            "No private teachers have answered here yet, and no private table. Train a PrivGNN, and "
            "this page shows each query with "
            "its answer before and after noise, who answered it, and how often noise changed the label. "
            "By default it releases "
            "one noisy table, and trains no teachers; its other releases ask teachers, or let private "
            "nodes vote. Train DP-GPL, and "
            "the page shows what each teacher's nodes pay.",
            icon="🎓",
        )
        st.page_link(
            shell.page("train"),
            label="**Train a PrivGNN**",
            icon=":material/model_training:",
            query_params={"method": "privgnn"},
        )
        ensemble.invitation()
        return None
    record = records[
        choosing.one(
            "Run", choosing.runs(records.values()), "run", help="Finished runs whose teachers' answers were kept"
        )
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"**{naming.name(record)}**", width="content")
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
    return record


@lru_cache(maxsize=1024)
def has_answers(url: str, run: str) -> bool:
    """Whether a finished run of that store kept its teachers' answers. Finished runs never change."""
    try:
        events = queue.store().events(run, kinds=("artifact",))
    except (UnknownRun, Unreadable):
        return False
    return any(stored.payload.get("name") == NAME for stored in events)


def _load(folder: Path) -> Answers | str:
    """The answers, or a sentence that says why they cannot be read."""
    try:
        return _loaded(folder, (folder / NAME).stat().st_mtime_ns)
    except (OSError, ValueError, BadZipFile) as error:
        return f"The teachers' answers of this run cannot be read: {error}."


@lru_cache(maxsize=8)
def _loaded(folder: Path, written: int) -> Answers:
    return Answers.load(folder)


def _class_names(record: RunRecord) -> Sequence[str] | None:
    """The names of the classes; None while another process reads the graph. Without the graph they have
    numbers."""
    try:
        described = describing.describe(record.spec.dataset, record.spec.data_options)
    except (DataError, OptionError, UnknownName):
        return ()
    return None if described is None else described.class_names


def _await_names(record: RunRecord) -> None:
    """Draw the page again when the names of the classes are known."""
    st.caption("The names of the classes are being read from the graph.")
    if _class_names(record) is not None:
        st.rerun()


def _run(record: RunRecord, run_answers: Answers, names: Sequence[str]) -> None:
    rows = answers.data(run_answers, names)
    statements = statements_of([record])
    _numbers(rows)
    if "passed_share" in record.metrics:
        st.caption(
            f"A gate, itself noisy and paid for, let {percent(record.metrics['passed_share'])} of the "
            "queries pass; the answers of those that went on are listed."
        )
    left, right = st.columns(2, gap="large")
    with left:
        _figure("answers", rows, statements, record)
        st.caption(
            "The margin is by how much the largest class led before noise. Where it is smaller than the "
            "noise between two classes, the label is close to a coin's toss."
        )
    with right:
        _figure("agreement", agreement.data(run_answers, names), statements, record)
        st.caption(
            "By true class, with the number of answered queries. From before noise to after it: what privacy took away."
        )
    _one(record, run_answers, rows, names, statements)
    _times(record, run_answers, statements)
    ensemble.show(record, names, statements)


def _numbers(rows: Sequence[Row]) -> None:
    """How many queries, how often noise changed the label, and how often labels were right."""
    answered = [row for row in rows if row["released"] is not None]
    columns = st.columns(5)
    columns[0].metric(
        "Queries",
        f"{len(rows):,}",
        border=True,
        help="Public nodes whose class was asked for"
        + ("" if len(answered) == len(rows) else f"; a gate refused {len(rows) - len(answered):,} of them"),
    )
    columns[1].metric("Answered", f"{len(answered):,}", border=True, help="Queries that no gate refused")
    columns[2].metric(
        "Noise changed the label",
        percent(answers.share(answered, "flipped")),
        border=True,
        help="Share of the answered queries whose largest class is another one after noise. Private: not released",
    )
    columns[3].metric(
        "Right before noise",
        percent(answers.share(answered, "right_before")),
        border=True,
        help="Share of the answered queries. Evaluator only: it needs the truth, which nobody who takes part knows",
    )
    after, released = answers.share(answered, "right_after"), answers.share(answered, "right_released")
    columns[4].metric(
        "Right after noise",
        percent(after),
        border=True,
        help="Share of the answered queries. Evaluator only: it needs the truth, which nobody who takes part knows",
    )
    states.badges(private=True, evaluator=True)
    st.caption(_in_words(rows, answered, after, released))


def _in_words(rows: Sequence[Row], answered: Sequence[Row], after: float | None, released: float | None) -> str:
    """The same in sentences."""
    if not answered:
        return "Every query was refused: no label went to the student."
    refused = len(rows) - len(answered)
    text = (
        f"Of {len(rows):,} queries, {len(answered):,} were answered"
        + (f" and {refused:,} refused by the gate" if refused else "")
        + f". Noise changed {percent(answers.share(answered, 'flipped'))} of the labels."
    )
    if released != after:
        text += (
            f" Pooled over queries, which costs no privacy, {percent(released)} of the labels that the "
            "student got are right."
        )
    return text


def _figure(
    figure: str, rows: Sequence[Row], statements: dict[str, PrivacyStatement], record: RunRecord, name: str = ""
) -> None:
    """A figure with its exports."""
    drawn = {
        "answers": answers.plot,
        "agreement": agreement.plot,
        "one_answer": one_answer.plot,
        "chosen": chosen.plot,
        "teacher_times": teacher_times.plot,
    }[figure](rows, layout.theme())
    live_plot.show(drawn, key=f"{figure}.{record.id}")
    figure_exports(figure, rows, statements, name=f"{record.id}{name}")


def _one(
    record: RunRecord,
    run_answers: Answers,
    rows: Sequence[Row],
    names: Sequence[str],
    statements: dict[str, PrivacyStatement],
) -> None:
    """The queries as a table, and one of them in full."""
    st.markdown("#### The queries")
    states.badges(private=True, evaluator=True)
    admitted = {
        "all": rows,
        **{name: [row for row in rows if _is(row, name)] for name in FILTERS if name != EVERYTHING},
    }
    offered = [name for name in FILTERS if admitted[name]]
    shown = admitted[
        st.segmented_control(
            "Show",
            offered,
            default=EVERYTHING,
            required=True,
            key="show",
            bind="query-params",
            help="; ".join(f"{name}: {FILTERS[name]}" for name in offered),
        )
    ]
    st.dataframe(
        [_line(row) for row in shown],
        hide_index=True,
        height=260,
        alt="Queries with their labels before and after noise",
        column_config={
            "margin before (private)": st.column_config.NumberColumn(
                format="%.3g", help="By how much the largest class led before noise"
            ),
            "before noise (private)": st.column_config.TextColumn(help="Largest class without noise; not released"),
            "released": st.column_config.TextColumn(help="The label that the student got; refused: a gate said no"),
            "truth (evaluator only)": st.column_config.TextColumn(help="Known to nobody who takes part"),
        },
    )
    options = [str(row["query"]) for row in shown]
    asked = st.query_params.get("query")
    if asked is not None and asked not in options:
        st.warning(f"In this page's address, query {markup.literal(asked[:40])} is none of those that are shown.")
    with st.container(width=260):
        node = st.selectbox(
            "Query (number of its node)", options, key="query", bind="query-params", help="Which query is drawn below"
        )
    place = next(row["order"] for row in shown if str(row["query"]) == node)
    _answer(record, run_answers, place, names, statements)


def _is(row: Row, name: str) -> bool:
    return {
        "changed": row["flipped"] is True,
        "refused": row["released"] is None,
        "wrong": row["right_released"] is False,
    }[name]


def _line(row: Row) -> dict[str, object]:
    return {
        "node": row["query"],
        "before noise (private)": row["before"],
        "margin before (private)": row["margin_before"],
        "after noise": row["after"] or "—",
        "released": row["released"] or "refused",
        "changed by noise": "yes" if row["flipped"] else "no" if row["flipped"] is False else "—",
        "truth (evaluator only)": row["truth"],
    }


def _answer(
    record: RunRecord, run_answers: Answers, place: int, names: Sequence[str], statements: dict[str, PrivacyStatement]
) -> None:
    """One query: its answer before and after noise, and who answered."""
    node = f"-{int(run_answers.queries[place])}"
    left, right = st.columns(2, gap="large")
    with left:
        _figure("one_answer", one_answer.data(run_answers, place, names), statements, record, node)
        st.caption(RELEASED_WORDS["votes" if _releases_counts(record) else run_answers.kind])
    with right:
        rows = chosen.data(run_answers, place, names)
        if not rows:
            st.info(NOBODY_CHOSEN, icon=":material/info:")
            return
        _figure("chosen", rows, statements, record, node)
        st.caption(
            "In the middle, large and hollow: the query, in the colour of its label. Around it "
            f"{ANSWERED[run_answers.kind]}, at most 60: the heavier, the nearer and larger. Lines are "
            "private edges among them."
        )


def _releases_counts(record: RunRecord) -> bool:
    """Whether the student learnt from the noisy counts themselves, as labels of all queries together need
    them."""
    asked = record.spec.options
    return asked.get("student_labels") == "pooled" and asked.get("preset") == "own"


NOBODY_CHOSEN = (
    "Here the same teachers answer every query, each with one vote. No private nodes are chosen for a "
    "query: there is no neighbourhood to draw."
)
ANSWERED = {
    "posterior": "the private nodes that its teacher learnt from",
    "log-posterior": "the private nodes that its teacher learnt from",
    "table": "the private nodes that weigh most in its answer (hollow: against their own class)",
    "votes": "the private nodes that voted (hollow: against their own class)",
    "counts": "private nodes that its teachers learnt from",
}
RELEASED_WORDS = {
    "posterior": "Only the class that is largest after noise is released, none of these numbers.",
    "log-posterior": "Only the class that is largest after noise is released; noise on logarithms "
    "guarantees nothing all the same.",
    "table": "One noisy table is released, and the vector after noise is made of it: every query shares "
    "that one noise, and costs nothing more.",
    "votes": "The whole vector after noise is released, nothing of the one before.",
    "counts": "Only the class that is largest after noise is released, none of these counts.",
}


def _times(record: RunRecord, run_answers: Answers, statements: dict[str, PrivacyStatement]) -> None:
    """Time per teacher."""
    seconds = run_answers.seconds.tolist()
    whose = "answer" if run_answers.kind == TABLE else "teacher"
    with st.expander(f"Time of each {whose}", icon=":material/timer:", key="fold.times"):
        st.caption(
            f"{number(1000 * median(seconds))} ms each (median), {duration(sum(seconds))} in all."
            + ("" if run_answers.kind == TABLE else " Teachers that were trained together share their time evenly.")
        )
        _figure("teacher_times", teacher_times.data(run_answers), statements, record)
