"""How right the answers of a run were from one step to the next: before noise, as released, and what the
student made of them."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from privgraph.methods.teachers.answers import Answers
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.teachers import answers
from privgraph_workbench.views.parts import states
from privgraph_workbench.views.teachers import answered
from privgraph_workbench.words.numbers import percent


def show(record: RunRecord, mean: tuple[float, int] | None) -> None:
    """One line for all tabs; `mean`: the student's accuracy over the seeds of its setting, and how
    many."""
    found = answered.kept(record)
    if isinstance(found, str) or (shares := _shares(found)) is None:
        return
    before, released = shares
    student = record.metrics.get("test_accuracy")
    last = "" if student is None else f" → student {percent(student)}"
    if student is not None and mean is not None and mean[1] > 1:
        last += f" ({percent(mean[0])} on average over {mean[1]} seeds)"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**Right:** before noise {percent(before)} → released labels {percent(released)}{last}.",
            width="content",
            help="Before noise and as released: of the answered queries. The student: of public test nodes",
        )
        states.badges(evaluator=True)


@lru_cache(maxsize=64)
def _shares(found: Answers) -> tuple[float, float] | None:
    """How many of the answered queries were right before noise, and as released; None where none was
    answered."""
    rows = [row for row in answers.data(found) if row["released"] is not None]
    before, released = (answers.share(rows, column) for column in ("right_before", "right_released"))
    return None if before is None or released is None else (before, released)
