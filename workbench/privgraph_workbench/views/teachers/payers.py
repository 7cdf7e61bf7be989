"""The tab Who pays of the Teachers page: teachers whose votes have weights, and what each one's nodes pay."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import streamlit as st

from privgraph.methods.prompts.dp_gpl.ensemble import NAME, Ensemble
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import published_told
from privgraph_workbench.figures.teachers import budget, ensembles, stopped, teacher_accuracy
from privgraph_workbench.figures.teachers import teacher_epsilons as epsilons
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import by_weight, verdict
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import number, percent, rounded_delta, upper

Statements = Mapping[str, PrivacyStatement]
PREMISE = (
    "ε compares graphs with and without one private node and its edges. The numbers of public neighbours from which a "
    "vote weighs more (*cut-offs*) are those of public nodes: they stay as they are whichever private node leaves, so "
    "that every other private node keeps the teacher that it drew, and a node moves the vote of its own teacher alone."
)
PUBLIC = (
    "Weights, and how many teachers have each, are options of the run, set before a private node was read: what nodes "
    "pay by weight is **public**. Which nodes a teacher has, how many, and how central they are is **private**."
)
"""As `by_public_centrality` of the method proves it, and what its statement takes to be public."""


def lead(ensemble: Ensemble) -> None:
    """Who pays, in a sentence."""
    if not ensemble.per_teacher:
        st.warning(
            "In this run one node's leaving may move **every** vote, because others' groups, weights or "
            "features were made from its record too. Each node is charged the votes of all teachers, and "
            "weights make no difference to what is guaranteed."
        )
    elif alike(ensemble):
        st.markdown(
            f"In this run every vote weighs the same, and **all private nodes pay the same**: "
            f"{EPSILONS['sound'].title} {upper(float(ensemble.sound[0]))}."
        )
    else:
        st.markdown(
            "**More public neighbours → a heavier vote → a larger ε** "
            f"({upper(float(ensemble.sound.min()))} to {upper(float(ensemble.sound.max()))}). The one number to "
            f"give for all is **{EPSILONS['sound'].title} {upper(float(ensemble.sound.max()))}**: no node pays more."
        )


def show(record: RunRecord, ensemble: Ensemble) -> None:
    """Whose nodes pay how much, whether that pays, how it was spent, who was stopped."""
    statements = statements_of([record])
    if by_weight.differ(ensemble):
        asked = len(ensemble.queries)
        by_weight.table(ensemble)
        st.caption(PUBLIC)
        with layout.fold("What ε compares, and why weights stay", "premise", icon=":material/help:") as part:
            if part.open:
                st.markdown(PREMISE)
        more = asked > 1 and math.isfinite(float(ensemble.sound.max()))
        st.caption(by_weight.GUESSES + by_weight.exactly(ensemble) + (f" {by_weight.add_up(asked)}" if more else ""))
    _of_the_paper(record, ensemble)
    _pay(record, ensemble)
    st.fragment(_epsilons)(record, ensemble, statements)
    _stopped(record, ensemble, statements)
    with layout.fold("The student, beside what it may be held against", "student", icon=":material/school:") as part:
        if part.open:
            st.caption(BESIDE)
            _accuracies(record)
    with layout.fold("Every teacher: weight, nodes, ε, accuracy", "teachers", icon=":material/groups:") as part:
        if part.open:
            states.badges(private=True, evaluator=True)
            _every(ensemble)
            drawn_figure("teacher_accuracy", teacher_accuracy.data(ensemble), statements, record)


def _every(ensemble: Ensemble) -> None:
    """Every teacher as a row, who pays most first."""
    sound = EPSILONS["sound"].title
    order = np.lexsort((-ensemble.centrality, -ensemble.sound))
    st.dataframe(
        {
            "teacher": order,
            "weight": ensemble.weights[order],
            sound: ensemble.sound[order],
            "labelled nodes": ensemble.sizes[order],
            "centrality": ensemble.centrality[order],
            "right by itself": 100 * ensemble.accuracy[order],
        },
        hide_index=True,
        height=330,
        alt="Every teacher with its weight, its nodes, what they pay, and its accuracy",
        column_config={
            "weight": st.column_config.NumberColumn(format="%.3g", help="How much its vote counts; 1 on average"),
            sound: st.column_config.NumberColumn(format="%.4g", help=f"At delta {rounded_delta(ensemble.delta)}"),
            "labelled nodes": st.column_config.NumberColumn(help="Private nodes that it was tuned on; not released"),
            "centrality": st.column_config.NumberColumn(
                format="%.3g", help="Average over its nodes: a share of all nodes that are its neighbours; not released"
            ),
            "right by itself": st.column_config.NumberColumn(format="%.1f%%", help="On public test nodes"),
        },
    )


def alike(ensemble: Ensemble) -> bool:
    """Whether all nodes pay the same because all votes weigh the same."""
    return bool(ensemble.per_teacher and np.ptp(ensemble.weights) < 1e-9)


def _pay(record: RunRecord, ensemble: Ensemble) -> None:
    """Whether unequal weights were worth it, as far as this run and others like it say."""
    said = verdict.weights(record, ensemble, queue.store())
    if said is None:
        return
    with st.container(border=True):
        st.markdown(f"**Are unequal weights worth it?** {said.whole}")
        st.markdown("\n".join(f"- {one}" for one in said.parts))
        states.badges(evaluator=True)
        if record.spec.asked_epsilon is not None and (other := verdict.equal_run(record, queue.store())) is not None:
            st.page_link(
                shell.page("train"),
                label="Open the run with equal weights, and all else alike",
                icon=":material/open_in_new:",
                query_params={"run": other},
            )


def load(folder: Path) -> Ensemble | str | None:
    """The record of a run's weighted teachers, None where there is none, or a sentence that says why it
    cannot be read."""
    try:
        return _loaded(folder, (folder / NAME).stat().st_mtime_ns)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, BadZipFile) as error:
        return f"The record of this run's teachers cannot be read: {error}."


@lru_cache(maxsize=8)
def _loaded(folder: Path, written: int) -> Ensemble:
    return Ensemble.load(folder)


def _of_the_paper(record: RunRecord, ensemble: Ensemble) -> None:
    """The three epsilons of the same answers: what each is, and for what."""
    with layout.fold("Three kinds of ε: which may be published?", "dependent", icon=":material/menu_book:") as part:
        if part.open:
            published = None if record.statement is None else record.statement.epsilon_as_published
            by_weight.kinds(by_weight.span(ensemble.sound), published, by_weight.span(ensemble.dependent))
            sound = float(ensemble.sound.max())
            st.caption(published_told.why(record.spec.method, record.spec.options, sound, published))
            st.caption(verdict.why(ensemble))


ACCURACIES = (
    ("test_accuracy", "Student", "The prompt that is released, on public test nodes"),
    ("lower_bound", "Before tuning", "The student's prompt before it learnt anything: the lower bound LB of the paper"),
    ("label_accuracy", "Released labels", "Of the answered queries, after noise"),
    ("ensemble_accuracy", "All teachers", "Their weighted vote without noise, on test nodes: Ens. Acc. of the paper"),
    (
        "upper_bound",
        "Best teacher",
        "By itself, on test nodes: the upper bound UB of the paper; nobody knows which it is",
    ),
)


BESIDE = (
    "The student begins *before tuning* and imitates *all teachers*, who are often better than the *best teacher*: it "
    "seldom passes them. What it misses was lost to noise on *released labels*, and to their small number. Released "
    "labels: of the answered queries; all others: of public test nodes."
)


def _accuracies(record: RunRecord) -> None:
    """The student beside what it may be held against."""
    known = "Evaluator only: it needs labels that nobody who takes part knows"
    boxes = [(label, percent(record.metrics.get(name)), f"{help_}. {known}") for name, label, help_ in ACCURACIES]
    layout.cards("accuracies", boxes)
    states.badges(evaluator=True)


def _epsilons(record: RunRecord, ensemble: Ensemble, statements: Statements) -> None:
    """The distribution of epsilon over teachers, where they differ, and how it was spent."""
    with st.container(horizontal=True):
        measure = _choice("epsilons.number", "Epsilon", list(ensembles.MEASURES), MEASURE_HELP)
        differ = np.ptp(ensemble.sound if measure == "sound" else ensemble.dependent) > 1e-9
        if differ:
            view = _choice("epsilons.view", "View", list(epsilons.VIEWS), VIEW_HELP)
            by = _choice(
                "epsilons.colour", "Coloured by", list(ensembles.GROUPINGS), "What the groups of teachers are made by"
            )
    if measure != "sound":
        states.badges(dependent=True)
        st.caption(
            f"{markup.sentence(ensembles.DEPENDENT_BADGE)} It counts how clear the votes happened to be: who "
            "publishes it tells something about the votes."
        )
    left, right = layout.columns("epsilons", 2) if differ else (st.container(), st.container())
    if differ:
        with left:
            rows = epsilons.data(ensemble, measure, by, view)
            drawn_figure("teacher_epsilons", rows, statements, record, f"-{measure}-{view}-{by}")
            st.caption("Each teacher stands for its own private nodes.")
    with right:
        drawn_figure("budget", budget.data(ensemble, measure), statements, record, f"-{measure}")
        st.caption("Every answer is paid for by the nodes of all who voted." + verdict.spent(ensemble, measure))


MEASURE_HELP = (
    "sound: what this noise guarantees, whatever the votes are; data-dependent: what the paper reports, "
    "computed from the private votes, which guarantees nothing"
)
VIEW_HELP = "; ".join(f"{name}: {meaning}" for name, meaning in epsilons.VIEWS.items())


def _choice(key: str, label: str, offered: Sequence[str], help_: str) -> str:
    """One of a few words, kept in the address."""
    return str(
        st.segmented_control(
            label, offered, default=offered[0], required=True, key=key, bind="query-params", help=help_, width="content"
        )
    )


def _stopped(record: RunRecord, ensemble: Ensemble, statements: Statements) -> None:
    """Who was stopped, as a figure and a table; a sentence where nobody was."""
    rows = stopped.data(ensemble)
    gone = [row for row in rows if row["stopped_after"] is not None]
    if not gone:
        st.caption(markup.sentence(stopped.NOBODY if math.isfinite(ensemble.limit) else stopped.NO_LIMIT))
        return
    st.markdown(f"#### {len(gone):,} of {len(rows):,} teachers were stopped")
    if gone[0]["data_dependent"]:
        states.badges(dependent=True)
    left, right = layout.columns("stopped", 2)
    with left:
        drawn_figure("stopped", rows, statements, record)
    with right:
        spent = f"{ensembles.MEASURES[gone[0]['measure']]} spent"
        st.dataframe(
            [
                {
                    "teacher": row["teacher"],
                    "weight": row["weight"],
                    "centrality (private)": float(ensemble.centrality[row["teacher"]]),
                    "stopped after": row["stopped_after"],
                    "because of": "its own limit" if row["reached"] else "another teacher's limit",
                    spent: row["spent"],
                }
                for row in sorted(gone, key=lambda row: (not row["reached"], row["stopped_after"], row["teacher"]))
            ],
            hide_index=True,
            height=330,
            alt="Teachers that were stopped, after how many queries, and what they had spent",
            column_config={
                "weight": st.column_config.NumberColumn(format="%.3g", help="How much its vote counts; 1 on average"),
                "centrality (private)": st.column_config.NumberColumn(
                    format="%.3g", help="Average centrality of its private nodes; not released"
                ),
                "stopped after": st.column_config.NumberColumn(help="Queries that it took part in"),
                spent: st.column_config.NumberColumn(
                    format="%.4g", help=f"Epsilon when it was stopped; the limit is {number(ensemble.limit)}"
                ),
            },
        )
    st.caption(
        f"A teacher whose next vote would take its nodes past ε {number(ensemble.limit)} votes no more; "
        "where one teacher's limit ends all querying, the others stop with it."
    )
