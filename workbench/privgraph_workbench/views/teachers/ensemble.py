"""The second half of the Teachers page: teachers whose votes have weights, what each one's nodes pay, and one
vote live."""

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
from privgraph_workbench.figures.teachers import budget, consensus, ensembles, stopped, teacher_accuracy
from privgraph_workbench.figures.teachers import teacher_epsilons as epsilons
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers import vote_form
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import number, percent, upper

Statements = Mapping[str, PrivacyStatement]


def show(record: RunRecord, names: Sequence[str], statements: Statements) -> None:
    """Everything about the run's ensemble; one sentence where its method keeps none."""
    st.divider()
    st.markdown("### Teachers with weights, and what each one's nodes pay")
    ensemble = _load(queue.store().folder(record.id))
    if ensemble is None:
        st.caption(
            "This method kept no record of its teachers: each query has its own, or all votes weigh the "
            "same and all private nodes have one epsilon. A run of DP-GPL shows here how epsilon is "
            "distributed over its teachers."
        )
        invitation()
        return
    if isinstance(ensemble, str):
        st.error(markup.literal(ensemble))
        return
    if ensemble.per_teacher:
        st.markdown(
            "Every private node belongs to **one teacher**, and moves one vote. A vote that weighs more "
            "says more, and gives more away: the nodes of a heavy teacher have a larger epsilon than those "
            "of a light one."
        )
    else:
        st.warning(
            "In this run one node's leaving may move **every** vote, because others' groups, weights or "
            "features were made from its record too. Each node is therefore charged the votes of all "
            "teachers, and weights make no difference to what is guaranteed."
        )
    _numbers(ensemble)
    _accuracies(record)
    st.fragment(_epsilons)(record, ensemble, statements)
    _stopped(record, ensemble, statements)
    st.fragment(vote_form.show)(record, ensemble, names, statements)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("#### Did the teachers agree?")
        drawn_figure("consensus", consensus.data(ensemble), statements, record)
        st.caption(
            "The share of all votes that the largest class had before noise. The gate's test is noisy: "
            "queries on either side of the threshold may pass."
        )
    with right:
        st.markdown("#### Are heavy teachers better?")
        drawn_figure("teacher_accuracy", teacher_accuracy.data(ensemble), statements, record)
        st.caption("Each teacher by itself on public test nodes. Weights pay only where heavier teachers are better.")


def invitation() -> None:
    """The way to a run that has weighted teachers."""
    st.page_link(
        shell.page("train"),
        label="**Train DP-GPL**",
        icon=":material/model_training:",
        query_params={"method": "dp-gpl", "weighting": "private-centrality"},
    )


def _load(folder: Path) -> Ensemble | str | None:
    """The record, None where there is none, or a sentence that says why it cannot be read."""
    try:
        return _loaded(folder, (folder / NAME).stat().st_mtime_ns)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, BadZipFile) as error:
        return f"The record of this run's teachers cannot be read: {error}."


@lru_cache(maxsize=8)
def _loaded(folder: Path, written: int) -> Ensemble:
    return Ensemble.load(folder)


def _numbers(ensemble: Ensemble) -> None:
    columns = st.columns(5)
    gone = int((ensembles.stopped_at(ensemble) >= 0).sum())
    boxes = (
        ("Teachers", f"{len(ensemble.weights):,}", "Each was tuned on private nodes of its own"),
        ("Weight of a vote", _range(ensemble.weights), "From the lightest to the heaviest teacher; 1 on average"),
        (
            EPSILONS["sound"].label,
            _range(ensemble.sound),
            f"What nodes are guaranteed, from the lightest to the heaviest teacher, at delta {number(ensemble.delta)}",
        ),
        (
            "Data-dependent ε",
            _range(ensemble.dependent),
            f"As the paper reports it. {markup.sentence(ensembles.DEPENDENT_BADGE)}",
        ),
        (
            "Stopped",
            f"{gone:,}" if math.isfinite(ensemble.limit) else "no limit",
            "Teachers that took no part any more before the queries were over, because of a limit on epsilon",
        ),
    )
    for column, (label, value, help_) in zip(columns, boxes, strict=True):
        column.metric(label, value, border=True, help=help_)
    states.badges(dependent=True)


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


def _accuracies(record: RunRecord) -> None:
    """The student beside what it may be held against."""
    for column, (name, label, help_) in zip(st.columns(len(ACCURACIES)), ACCURACIES, strict=True):
        column.metric(
            label,
            percent(record.metrics.get(name)),
            border=True,
            help=f"{help_}. Evaluator only: it needs labels that nobody who takes part knows",
        )
    states.badges(evaluator=True)


def _range(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """The least and the largest in two digits, rounded up; as one where they are alike."""
    if np.isnan(values).any():
        return "—"
    low, high = (upper(float(value), 2) for value in (values.min(), values.max()))
    return high if low == high else f"{low} – {high}"


def _epsilons(record: RunRecord, ensemble: Ensemble, statements: Statements) -> None:
    """The distribution of epsilon over teachers, and how it was spent."""
    st.markdown("#### Epsilon of each teacher")
    with st.container(horizontal=True, gap="large"):
        measure = _choice("epsilons.number", "Epsilon", list(ensembles.MEASURES), MEASURE_HELP)
        view = _choice("epsilons.view", "View", list(epsilons.VIEWS), VIEW_HELP)
        by = _choice(
            "epsilons.colour", "Coloured by", list(ensembles.GROUPINGS), "What the groups of teachers are made by"
        )
    if measure != "sound":
        states.badges(dependent=True)
        st.caption(
            f"{markup.sentence(ensembles.DEPENDENT_BADGE)} It counts how clear the votes happened to be, "
            "which is how the paper comes to its small numbers; who publishes it tells something about the "
            "votes."
        )
    left, right = st.columns(2, gap="large")
    with left:
        rows = epsilons.data(ensemble, measure, by, view)
        drawn_figure("teacher_epsilons", rows, statements, record, f"-{measure}-{view}-{by}")
        st.caption("Each teacher stands for its own private nodes: this is whose protection differs, and by how much.")
    with right:
        drawn_figure("budget", budget.data(ensemble, measure), statements, record, f"-{measure}")
        st.caption(
            "Every test of the gate and every answer is paid for by the nodes of all who voted."
            + (
                ""
                if measure != "sound"
                else (
                    " What was spent is not what is guaranteed: a guarantee must hold for whatever might "
                    "have been answered."
                )
            )
        )


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
    st.markdown("#### Who was stopped")
    if not gone:
        st.caption(markup.sentence(stopped.NOBODY if math.isfinite(ensemble.limit) else stopped.NO_LIMIT))
        return
    if gone[0]["data_dependent"]:
        states.badges(dependent=True)
    left, right = st.columns(2, gap="large")
    with left:
        drawn_figure("stopped", rows, statements, record)
    with right:
        spent = f"{ensembles.MEASURES[gone[0]['measure']]} spent"
        st.dataframe(
            [
                {
                    "teacher": row["teacher"],
                    "weight": row["weight"],
                    "centrality (private)": row["centrality"],
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
