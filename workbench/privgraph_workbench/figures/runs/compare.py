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
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import EPSILONS, NEUTRAL
from privgraph_workbench.words import settings
from privgraph_workbench.words.measures import measures
from privgraph_workbench.words.naming import (
    graph_of,
    method_title,
    options_read,
    run_labels,
    settings_of,
    unit_of,
)
from privgraph_workbench.words.numbers import number, percent

LARGEST = 1000.0
"""The axis ends there: beyond it an epsilon promises nothing to anybody."""
LINE = 46
"""The longest line of a run's name beside its bars."""


def data(records: Iterable[RunRecord]) -> list[Row]:
    """One row per setting, or per run where all are of one (`naming.settings_of`): runs (their ids), seeds
    (their number), seed (None: several), label, method, title, dataset, graph (in words), state (None:
    several), unit, epsilon, epsilon_as_published, epsilon_audited (the largest over the runs), delta,
    data_dependent, test_accuracy, val_accuracy, train_accuracy (in [0, 1], means over the runs that have
    one), low, high (95% confidence of the first over seeds; None for fewer than three), seconds (mean), batch
    (True: these are of all runs that were trained together), peak_memory_mb (largest), device, evaluator (an
    accuracy is among them), composed (how many of all these runs read the same people), and each option in
    which they differ (prefixed `option `). None: no such number, or an option that nothing reads."""
    chosen = list(records)
    groups, together = settings_of(chosen), composed(chosen)
    firsts = [group[0] for group in groups]
    options = [options_read(record) for record in firsts]
    names = {name for one in options for name in one} - {"unit"}
    differing = sorted(name for name in names if len({str(one.get(name)) for one in options}) > 1)
    labels = run_labels(firsts, seeds=all(len(group) == 1 for group in groups))
    rows = []
    for group, read, label in zip(groups, options, labels, strict=True):
        first, shown = group[0], settings.shown(group[0])
        said = [one.statement for one in group if one.statement is not None]
        tested = [one.metrics["test_accuracy"] for one in group if "test_accuracy" in one.metrics]
        _, low, high = confidence(tested, most=1.0) if tested else (None, None, None)
        rows.append(
            {
                "runs": " ".join(one.id for one in group),
                "seeds": len(group),
                "seed": first.spec.seed if len(group) == 1 else None,
                "label": label,
                "method": first.spec.method,
                "title": method_title(first.spec.method),
                "dataset": first.spec.dataset,
                "graph": graph_of(first),
                "state": first.state if len({one.state for one in group}) == 1 else None,
                "unit": unit_of(first),
                **{name: _largest(getattr(one, name) for one in said) for name in COLUMNS.values()},
                "delta": _largest(one.delta for one in said),
                "data_dependent": any(one.data_dependent for one in said),
                **{
                    f"{part}_accuracy": _mean(one.metrics.get(f"{part}_accuracy") for one in group)
                    for part in ("test", "val", "train")
                },
                "low": low,
                "high": high,
                "seconds": _mean(one.seconds for one in group),
                "batch": any(one.batch for one in group),
                "peak_memory_mb": _largest(one.peak_memory_mb for one in group),
                "device": first.device,
                "evaluator": any(name.endswith("_accuracy") for one in group for name in one.metrics),
                "composed": together[first.id],
                **{f"option {name}": shown[name] if name in read else None for name in differing},
            }
        )
    return rows


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _mean(values: Iterable[float | None]) -> float | None:
    held = [value for value in values if value is not None]
    return fmean(held) if held else None


@figure("compare", "Runs side by side", data, needs=RUNS)
def chart(rows: Sequence[Row]) -> Chart:
    """Panels of horizontal bars that share their runs: accuracy, epsilon, and seconds where they are told."""
    if not rows:
        return empty("no run is selected")
    score = measures(row["method"] for row in rows)
    labels = distinct("\n".join(textwrap.wrap(row["label"], LINE)) for row in rows)
    rows = [{**row, "name": label} for row, label in zip(rows, labels, strict=True)]
    every = [row[key] for row in rows for key in COLUMNS.values() if placed(row[key])]
    epsilons = [one for one in every if one <= LARGEST] or every
    panels = [Panel(x=Axis(title=f"{score} (percent)", percent=True, low=0, high=1), y=named(labels))]
    told = ["" if row["low"] is not None else percent(row["test_accuracy"]) for row in rows]  # behind an interval
    series = [marks(rows, "test_accuracy", "name", name=score, kind="bars", legend=False, text=tuple(told))]
    series += intervals(rows, "name", slot=NEUTRAL)
    if sure := [row for row in rows if row["low"] is not None]:
        text = tuple(f" {percent(row['test_accuracy'])}" for row in sure)
        series.append(marks(sure, "high", "name", name="mean", slot=NEUTRAL, size=1, legend=False, text=text))
    if epsilons:
        x = Axis(title="ε (logarithmic)", scale="log", low=min(epsilons) / 2, high=max(epsilons) * 2)
        panels.append(Panel(x=x, y=named(labels, labels=False)))
        for kind in ("published", "sound", "audited"):  # what is proved is hidden by no published mark
            key, title = COLUMNS[kind], EPSILONS[kind].title
            if held := [row for row in rows if placed(row[key]) and row[key] <= max(epsilons)]:
                series.append(marks(held, key, "name", name=title, epsilon=kind, panel=1, size=11))
    if any(row["seconds"] is not None for row in rows):
        panels.append(Panel(x=Axis(title="time (seconds)", low=0), y=named(labels, labels=False)))
        text = tuple("" if row["seconds"] is None else f"{number(row['seconds'])} s" for row in rows)
        look: Look = {"slot": 1, "shape": 0, "panel": len(panels) - 1, "legend": False}
        series.append(marks(rows, "seconds", "name", name="time", kind="bars", text=text, **look))
    flags = {Flag.CUT: epsilons != every, Flag.MIXED_GRAPHS: len({row["graph"] for row in rows}) > 1}
    return Chart(
        panels=tuple(panels),
        series=tuple(series),
        flags=tuple(flag for flag, there in flags.items() if there),
        height=200 + sum(max(34, 18 * (label.count("\n") + 1)) for label in labels),
    )
