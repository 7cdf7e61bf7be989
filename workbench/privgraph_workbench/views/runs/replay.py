"""While a run has no curve of its own yet: that of a finished run of the same kind, drawn again from what it
stored."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import streamlit as st

from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.facts import expecting
from privgraph_workbench.facts.expecting import METRIC
from privgraph_workbench.figures.drawing import with_plotly
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words import naming
from privgraph_workbench.words.numbers import percent

SECONDS = 8.0
"""How long a run is drawn again."""
LEAST = 0.15
"""What is drawn at once."""


def rehearsal(record: RunRecord) -> RunRecord | None:
    """The finished run that is most like one which has just begun: of its method, graph and unit; of its
    options as many as possible, its epsilon or a near one, and its own seed rather than another. None where
    there is none."""
    spec = record.spec
    here = [
        one
        for one in expecting.finished(queue.store(), [spec.method], spec.dataset)
        if one.id != record.id and one.spec.unit == spec.unit and GraphId.of(one.spec) == GraphId.of(spec)
    ]

    def away(one: RunRecord) -> tuple[float, float, int]:
        differ = sum(one.spec.options.get(name) != value for name, value in spec.options.items() if name != "epsilon")
        mine, other = spec.asked_epsilon, one.spec.asked_epsilon
        factor = abs(math.log(mine / other)) if mine and other else 0.0 if mine == other else math.inf
        return differ, factor, abs(one.spec.seed - spec.seed)

    return min(here, key=away, default=None)


def show(record: RunRecord) -> bool:
    """Draw it, as far as it has come by now; False where there is nothing to draw."""
    other = rehearsal(record)
    rows = curves.data(queue.store().events(other.id, kinds=("metric",)), limit=300) if other is not None else []
    if other is None or not rows:
        return False
    begun = st.session_state.setdefault(f"replay.{record.id}", time.monotonic())
    share = min(1.0, LEAST + (time.monotonic() - begun) / SECONDS)
    last = max(row["step"] for row in rows)
    shown = [row for row in rows if row["step"] <= max(2, share * last)]
    ended = f" It reached {percent(other.metrics[METRIC])}." if share == 1 and METRIC in other.metrics else ""
    st.info(
        f"**A replay, while yours starts.** {naming.name(other)}{' (from the gallery)' * other.gallery}, drawn again "
        f"from what it stored.{ended}",
        icon=":material/replay:",
    )
    chart = curves.chart(shown)
    again = replace(chart, title=f"Replay of a finished run: {chart.title[:1].lower()}{chart.title[1:]}")
    live_plot.show(with_plotly.draw(again, layout.theme()), key=f"replayed.{record.id}")
    return True
