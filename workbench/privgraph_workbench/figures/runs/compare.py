"""Selected runs side by side, seeds of one setting as one: accuracy, the three epsilons, time."""

import textwrap
from collections.abc import Iterable
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Flag, Look, Panel, Row, Rows, flags
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, intervals, marks, named, pairs, placed
from privgraph_workbench.figures.runs.tradeoff import LARGEST
from privgraph_workbench.figures.settings import composed, setting_rows
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import labels, measures, settings_of
from privgraph_workbench.words.numbers import number, percent


def data(records: Iterable[RunRecord]) -> list[Row]:
    """The rows of `settings.setting_rows`, or one per run where all are of one setting, with label and
    seconds (mean; None: not known), in the order of the runs."""
    done = [one for one in records if one.state == "done"]
    groups, together = settings_of(done), composed(done)
    alone = all(len(group) == 1 for group in groups)
    every = [row for one in done for row in setting_rows([one])] if alone else setting_rows(done)
    found, rows = {run: row for row in every for run in row["runs"].split()}, []
    for group, name in zip(groups, labels([group[0] for group in groups], seeds=alone), strict=True):
        if (first := group[0].id) in found:
            seconds = [one.seconds for one in group if one.seconds is not None]
            told = {"label": name, "seconds": fmean(seconds) if seconds else None, "composed": together[first]}
            rows.append(found[first] | told)
    return rows


@figure("compare", "Runs side by side", data, needs="runs")
def chart(rows: Rows) -> Chart:
    """Panels of horizontal bars that share their runs; each name has its accuracy below it."""
    score = measures(row["method"] for row in rows)
    names = distinct("\n".join([*textwrap.wrap(row["label"], 46), percent(row["mean"])]) for row in rows)
    rows = [{**row, "name": name} for row, name in zip(rows, names, strict=True)]
    every = [row[key] for row in rows for key in COLUMNS.values() if placed(row[key])]
    epsilons = [one for one in every if one <= LARGEST] or every
    panels = [Panel(x=Axis(title=f"{score} (percent)", percent=True, low=0, high=1), y=named(names))]
    series = [marks(rows, "mean", "name", name=score, kind="bars", legend=False)]
    series += intervals(rows, "name", slot=NEUTRAL)
    if epsilons:
        x = Axis(title="ε (logarithmic)", scale="log", low=min(epsilons) / 2, high=max(epsilons) * 2)
        panels.append(Panel(x=x, y=named(names, labels=False)))
        for kind in ("published", "sound", "audited"):  # what is proved is hidden by no published mark
            if held := [row for row in rows if placed(row[COLUMNS[kind]]) and row[COLUMNS[kind]] <= max(epsilons)]:
                series.append(marks(held, COLUMNS[kind], "name", epsilon=kind, panel=1, size=11))
    if told := [row for row in rows if row["seconds"] is not None]:
        look: Look = {"name": "time", "slot": 1, "shape": 0, "panel": len(panels), "legend": False}
        panels.append(Panel(x=Axis(title="time (seconds)", low=0), y=named(names, labels=False)))
        text = tuple(f"{number(row['seconds'])} s" for row in told)
        series.append(marks(told, "seconds", "name", kind="bars", text=text, **look))
    carried = flags({Flag.CUT: epsilons != every, Flag.MIXED_GRAPHS: len({row["graph"] for row in rows}) > 1})
    return pairs(panels, series, columns=3, flags=carried)
