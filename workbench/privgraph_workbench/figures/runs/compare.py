"""Selected runs side by side, seeds of one setting as one: accuracy, the three epsilons, time."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import COLUMNS, placed
from privgraph_workbench.figures.chart import Axis, Chart, Look, Panel, Row, distinct, empty, named
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag, composed
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.settings import setting_rows
from privgraph_workbench.theme import EPSILONS, NEUTRAL
from privgraph_workbench.words.measures import measures
from privgraph_workbench.words.naming import labels, settings_of
from privgraph_workbench.words.numbers import number, percent

LARGEST = 1000.0
"""The axis ends there: beyond it an epsilon promises nothing to anybody."""
LINE = 46
"""The longest line of a run's name beside its bars."""


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows`, or one per run where all are of one setting, with label and
    seconds (mean; None: not known), in the order of the runs."""
    done = [one for one in records if one.state == "done"]
    groups, together = settings_of(done), composed(done)
    names = labels([group[0] for group in groups], seeds=all(len(group) == 1 for group in groups))
    alone = all(len(group) == 1 for group in groups)
    every = [row for one in done for row in setting_rows([one])] if alone else setting_rows(done)
    found = {run: row for row in every for run in row["runs"].split()}
    rows = []
    for group, name in zip(groups, names, strict=True):
        seconds = [one.seconds for one in group if one.seconds is not None]
        told = {"label": name, "seconds": fmean(seconds) if seconds else None, "composed": together[group[0].id]}
        rows += [{**found[one.id], **told} for one in group[:1] if one.id in found]
    return rows


@figure("compare", "Runs side by side", data, needs=RUNS)
def chart(rows: Sequence[Row]) -> Chart:
    """Panels of horizontal bars that share their runs: accuracy, epsilon, and seconds where they are told."""
    if not rows:
        return empty("no run is selected")
    score = measures(row["method"] for row in rows)
    names = distinct("\n".join(textwrap.wrap(row["label"], LINE)) for row in rows)
    rows = [{**row, "name": name} for row, name in zip(rows, names, strict=True)]
    every = [row[key] for row in rows for key in COLUMNS.values() if placed(row[key])]
    epsilons = [one for one in every if one <= LARGEST] or every
    panels = [Panel(x=Axis(title=f"{score} (percent)", percent=True, low=0, high=1), y=named(names))]
    told = tuple("" if row["low"] is not None else percent(row["mean"]) for row in rows)  # behind an interval
    series = [marks(rows, "mean", "name", name=score, kind="bars", legend=False, text=told)]
    series += intervals(rows, "name", slot=NEUTRAL)
    if sure := [row for row in rows if row["low"] is not None]:
        text = tuple(f" {percent(row['mean'])}" for row in sure)
        series.append(marks(sure, "high", "name", name="mean", slot=NEUTRAL, size=1, legend=False, text=text))
    if epsilons:
        x = Axis(title="ε (logarithmic)", scale="log", low=min(epsilons) / 2, high=max(epsilons) * 2)
        panels.append(Panel(x=x, y=named(names, labels=False)))
        for kind in ("published", "sound", "audited"):  # what is proved is hidden by no published mark
            key, title = COLUMNS[kind], EPSILONS[kind].title
            if held := [row for row in rows if placed(row[key]) and row[key] <= max(epsilons)]:
                series.append(marks(held, key, "name", name=title, epsilon=kind, panel=1, size=11))
    if any(row["seconds"] is not None for row in rows):
        panels.append(Panel(x=Axis(title="time (seconds)", low=0), y=named(names, labels=False)))
        text = tuple("" if row["seconds"] is None else f"{number(row['seconds'])} s" for row in rows)
        look: Look = {"slot": 1, "shape": 0, "panel": len(panels) - 1, "legend": False}
        series.append(marks(rows, "seconds", "name", name="time", kind="bars", text=text, **look))
    flags = {Flag.CUT: epsilons != every, Flag.MIXED_GRAPHS: len({row["graph"] for row in rows}) > 1}
    return Chart(
        panels=tuple(panels),
        series=tuple(series),
        flags=tuple(flag for flag, there in flags.items() if there),
        height=200 + sum(max(34, 18 * (name.count("\n") + 1)) for name in names),
    )
