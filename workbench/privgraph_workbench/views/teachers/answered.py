"""The tab Answers of the Teachers page: each query of a finished run before and after noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any
from zipfile import BadZipFile

import numpy as np
import streamlit as st

from privgraph.data.class_names import CLASS_NAMES
from privgraph.data.errors import DataError
from privgraph.methods.teachers.answers import NAME, Answers
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import describing, noisy_labels
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.teachers import agreement, answers, consensus, teacher_times
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import layout, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import payers
from privgraph_workbench.views.teachers.tabs import VOTES
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import chance, duration, number, percent

POLL_SECONDS = 1.0
TABLE = "table"
SHARED = 0.01
"""Teachers whose times differ by no larger share were trained together: a flat line tells nothing."""
CHANGED = {True: "yes", False: "no", None: "—"}
NO_TEACHERS = (
    "This run has no teachers: it released one noisy table of its private nodes, and each answer is worked "
    "out from that table. *Before noise* is what the table would have said without noise."
)


def show(record: RunRecord) -> None:
    """Everything about the answers of the run; a sentence where they cannot be read."""
    found = load(record)
    if found is not None:
        with_names(_run, record, found)


def load(record: RunRecord) -> Answers | None:
    """The answers of the run; where they cannot be read, None, and it is said why."""
    found = kept(record)
    if isinstance(found, str):
        st.error(markup.literal(found))
        return None
    if found.kind == TABLE:
        st.caption(NO_TEACHERS)
    return found


def with_names(draw: Callable[[RunRecord, Any, Sequence[str]], None], record: RunRecord, found: object) -> None:
    """Draw with the names of the classes, once another process has read the graph; with their numbers where
    it cannot."""
    names = _class_names(record)
    with st.container():  # always there: widgets below that moved up would lose their hold on the address
        if names is None:
            st.fragment(_await_names, run_every=POLL_SECONDS)(record)
    if names is not None:  # or labels would change under the reader's eyes
        draw(record, found, names)


def kept(record: RunRecord) -> Answers | str:
    """The answers, or a sentence that says why they cannot be read."""
    folder = queue.store().folder(record.id)
    try:
        return _loaded(folder, (folder / NAME).stat().st_mtime_ns)
    except (OSError, ValueError, BadZipFile) as error:
        return f"The teachers' answers of this run cannot be read: {error}."


@lru_cache(maxsize=8)
def _loaded(folder: Path, written: int) -> Answers:
    return Answers.load(folder)


def _class_names(record: RunRecord) -> Sequence[str] | None:
    """The names of the classes: those that the catalogue knows, which need no graph; else None while another
    process reads it, and numbers where it cannot."""
    if known := CLASS_NAMES.get(record.spec.dataset):
        return known
    try:
        described = describing.describe(record.spec.dataset, record.spec.data_options)
    except (DataError, OptionError, UnknownName):
        return ()
    return None if described is None else described.class_names


def _await_names(record: RunRecord) -> None:
    """Draw the page again when the names of the classes are known."""
    st.caption("The names of the classes are being read from the graph; all else follows.")
    if _class_names(record) is not None:
        st.rerun()


def _run(record: RunRecord, run_answers: Answers, names: Sequence[str]) -> None:
    rows = answers.data(run_answers, names)
    statements = statements_of([record])
    _numbers(rows, record)
    left, right = layout.columns("answers", 2)
    with left:
        drawn_figure("answers", rows, statements, record)
        st.caption(_margins(record, run_answers))
    with right:
        drawn_figure("agreement", agreement.data(run_answers, names), statements, record)
        st.caption(
            "By true class (in brackets: how many labels), from before noise to after it, in this one draw. Of few "
            "labels a share is uncertain: one of 10 moves it by 10 points. Noise may turn a wrong label right, too."
        )
    st.page_link(
        shell.page("teachers"),
        label="**Look at one query**: its votes, the noise, and what came out",
        icon=":material/how_to_vote:",
        query_params={"run": record.id, "tab": VOTES},
    )
    _more(record, run_answers, rows, statements)


def _margins(record: RunRecord, found: Answers) -> str:
    """How a margin fares against the noise, which is drawn as a line beside it."""
    said = "With no margin, noise alone decides; the larger the margin is beside the noise, the seldomer it does."
    law = noisy_labels.law_of(record.spec, found.kind)
    if law is None:
        return said
    spread = answers.between_two(found.noise_std)
    wins = [
        chance(float(noisy_labels.chances(law, found.noise_std, np.array([times * spread, 0.0]))[0]))
        for times in (1, 2)
    ]
    return (
        f"{said} At a margin as large as the standard deviation of the noise between two classes, ± {number(spread)}, "
        f"the leader of two still wins with a chance of {wins[0]}, and at twice that with {wins[1]}."
    )


def _numbers(rows: Sequence[Row], record: RunRecord) -> None:
    """How many queries, how often noise changed the label, and how often labels were right."""
    answered = [row for row in rows if row["released"] is not None]
    refused = len(rows) - len(answered)
    after, released = answers.share(answered, "right_after"), answers.share(answered, "right_released")
    known = "Share of the answered queries. Evaluator only: it needs the truth, which nobody who takes part knows"
    boxes = (
        ("Queries", f"{len(rows):,}", f"Public nodes whose class was asked for; a gate refused {refused:,} of them"),
        ("Answered", f"{len(answered):,}", "Queries that no gate refused"),
        (
            "Noise changed the label",
            percent(answers.share(answered, "flipped")),
            "Share of the answered queries whose largest class is another one after noise, among those in which one "
            "class led before it. Private: not released",
        ),
        ("Right before noise", percent(answers.share(answered, "right_before")), known),
        ("Right after noise", percent(after), known),
    )
    states.badges(private=True, evaluator=True)
    layout.cards("answers", boxes)
    said = [level] if (level := answers.level_words(rows)) else []
    said.insert(0, f"Shares are of the {len(answered):,} answered queries.")
    if not answered:
        said.append("Every query was refused: no label went to the student.")
    elif released != after:
        said.append(
            f"Pooled over queries, which costs no privacy, {percent(released)} of the student's labels are right."
        )
    if "passed_share" in record.metrics:
        said.append(
            f"A gate, itself noisy and paid for, let {percent(record.metrics['passed_share'])} of the queries pass."
        )
    if said:
        st.caption(" ".join(said))


def _more(
    record: RunRecord, run_answers: Answers, rows: Sequence[Row], statements: dict[str, PrivacyStatement]
) -> None:
    """What is made when somebody asks for it."""
    with layout.fold("All queries as a table", "queries", icon=":material/table_rows:") as part:
        if part.open:
            states.badges(private=True, evaluator=True)
            _table(rows)
    ensemble = payers.load(queue.store().folder(record.id))
    if ensemble is not None and not isinstance(ensemble, str):
        with layout.fold("Did the teachers agree?", "consensus", icon=":material/how_to_vote:") as part:
            if part.open:
                drawn_figure("consensus", consensus.data(ensemble), statements, record)
                gated = " The gate's test is noisy: queries on either side of the threshold may pass."
                st.caption(
                    "The share of all votes that the largest class had before noise."
                    + gated * (ensemble.gate_sigma > 0)
                )
    _times(record, run_answers, statements)


def _table(rows: Sequence[Row]) -> None:
    st.dataframe(
        [_line(row) for row in rows],
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


def _line(row: Row) -> dict[str, object]:
    return {
        "node": row["query"],
        "before noise (private)": row["before"],
        "margin before (private)": row["margin_before"],
        "after noise": row["after"] or "—",
        "released": row["released"] or "refused",
        "changed by noise": CHANGED[row["flipped"]] if not row["level"] else "tied",
        "truth (evaluator only)": row["truth"],
    }


def _times(record: RunRecord, run_answers: Answers, statements: dict[str, PrivacyStatement]) -> None:
    """Time per teacher, where one took longer than another."""
    if np.ptp(run_answers.seconds) <= SHARED * run_answers.seconds.max(initial=0.0):
        return
    whose = "answer" if run_answers.kind == TABLE else "teacher"
    with layout.fold(f"Time of each {whose}", "times", icon=":material/timer:") as part:
        if part.open:
            seconds = run_answers.seconds.tolist()
            st.caption(
                f"{number(1000 * median(seconds))} ms each (median), {duration(sum(seconds))} in all."
                + ("" if run_answers.kind == TABLE else " Teachers that were trained together share their time evenly.")
            )
            drawn_figure("teacher_times", teacher_times.data(run_answers), statements, record)
