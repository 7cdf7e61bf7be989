"""How right the answers of a run were from one step to the next: before noise, as released, pooled over
queries where the student did so, and what the student made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import Answers
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.notes import TRUTH_BADGE
from privgraph_workbench.figures.teachers import answers, one_vote
from privgraph_workbench.views.teachers import answered, other_noise
from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import percent

HELP = (
    "Before noise, released and pooled: of the answered queries. Pooled: what was released of all queries, read "
    "together; that is post-processing, and costs no privacy. The student: of public test nodes"
)


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Of the answered queries, how many are right before noise, as released, and once the student has pooled
    what was released of all queries (None: it did not)."""

    answered: int
    before: float
    released: float
    pooled: float | None


def show(record: RunRecord, mean: tuple[float, int] | None) -> None:
    """One line for all tabs; `mean`: the student's accuracy over the seeds of its setting, and how
    many."""
    found = answered.kept(record)
    if isinstance(found, str) or (told := shares(found)) is None:
        return
    steps = [f"before noise {percent(told.before)}", f"released {percent(told.released)}{_on_average(record, found)}"]
    if told.pooled is not None:
        steps.append(f"pooled {percent(told.pooled)}")
    student = record.metrics.get("test_accuracy")
    if student is not None:
        several = f" ({percent(mean[0])} over {mean[1]} seeds)" if mean is not None and mean[1] > 1 else ""
        steps.append(f"student {percent(student)} of test nodes{several}")
    st.markdown(
        f"**Right:** of {told.answered:,} answers, {' → '.join(steps)}. {EVALUATOR}",
        help=f"{HELP}. {markup.sentence(TRUTH_BADGE)}",
    )


def _on_average(record: RunRecord, found: Answers) -> str:
    """How many are right on average over noise, which the run drew once; "" where that is not known."""
    law = other_noise.law(record, found)
    return "" if law is None else f" ({percent(other_noise.expected(found, law, 1.0))} on average over noise)"


EVALUATOR = ":orange-badge[:material/visibility: evaluator only]"


def right_in_all(ensemble: Ensemble, noise: one_vote.Noise) -> tuple[str, str, str, str]:
    """How many right labels go out on average, of all queries, and below it how many would without the gate:
    what it refuses is lost, also where it would have been right."""
    asked, found = len(ensemble.queries), []
    for one in (noise, one_vote.Noise(vote_sigma=noise.vote_sigma)):
        passes, right = one_vote.expected(ensemble, one)
        found.append(round(asked * passes * (right or 0.0)))
    return (
        f"Right labels, of {asked:,}",
        f"{found[0]:,}",
        "On average, with the gate and without: it makes labels surer, and fewer. Evaluator only: it needs the truth",
        f"{found[1]:,} without the gate",
    )


@lru_cache(maxsize=64)
def shares(found: Answers) -> Shares | None:
    """How many of the answered queries were right at each step; None where none was answered."""
    rows = [row for row in answers.data(found) if row["released"] is not None]
    before, after, label = (answers.share(rows, column) for column in ("right_before", "right_after", "right_released"))
    if before is None or after is None or label is None:
        return None
    pooled = any(row["after"] != row["released"] for row in rows)
    return Shares(answered=len(rows), before=before, released=after, pooled=label if pooled else None)
