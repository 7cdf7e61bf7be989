"""Selected runs side by side: accuracy, the three epsilons, time."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import COLUMNS, placed
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of, composed, mixed_units
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import settings
from privgraph_workbench.words.naming import graph_of, method_title, options_read, run_labels, unit_of
from privgraph_workbench.words.numbers import number, percent, stated

TITLE = "Runs side by side"
LINE = 46
"""The longest line of a run's name beside its bars."""


def data(records: Iterable[RunRecord]) -> list[Row]:
    """One row per run: run, label, method, title, dataset, graph (in words), seed, state, unit, epsilon,
    epsilon_as_published, epsilon_audited, delta, data_dependent, test_accuracy, val_accuracy, train_accuracy
    (in [0, 1]), seconds, batch (True: these are of all runs that were trained together), peak_memory_mb,
    device, evaluator (an accuracy is among them), composed (how many of these runs read the same people), and
    each option in which the runs differ (prefixed `option `). None: no such number, or an option that nothing
    reads."""
    chosen = list(records)
    options = [options_read(record) for record in chosen]
    names = {name for one in options for name in one} - {"unit"}
    differing = sorted(name for name in names if len({str(one.get(name)) for one in options}) > 1)
    rows, together = [], composed(chosen)
    for record, read, label in zip(chosen, options, run_labels(chosen), strict=True):
        statement, shown = record.statement, settings.shown(record)
        rows.append(
            {
                "run": record.id,
                "label": label,
                "method": record.spec.method,
                "title": method_title(record.spec.method),
                "dataset": record.spec.dataset,
                "graph": graph_of(record),
                "seed": record.spec.seed,
                "state": record.state,
                "unit": unit_of(record),
                "epsilon": statement.epsilon if statement else None,
                "epsilon_as_published": statement.epsilon_as_published if statement else None,
                "epsilon_audited": statement.epsilon_audited if statement else None,
                "delta": statement.delta if statement else None,
                "data_dependent": bool(statement and statement.data_dependent),
                **{f"{part}_accuracy": record.metrics.get(f"{part}_accuracy") for part in ("test", "val", "train")},
                "seconds": record.seconds,
                "batch": bool(record.batch),
                "peak_memory_mb": record.peak_memory_mb,
                "device": record.device,
                "evaluator": any(name.endswith("_accuracy") for name in record.metrics),
                "composed": together[record.id],
                **{f"option {name}": shown[name] if name in read else None for name in differing},
            }
        )
    return rows


def chart(rows: Sequence[Row]) -> Chart:
    """Three panels of horizontal bars that share their runs: accuracy, epsilon, seconds."""
    if not rows:
        return empty(TITLE, "no run is selected")
    labels = distinct("\n".join(textwrap.wrap(row["label"], LINE)) for row in rows)
    epsilons = [row[key] for row in rows for key in COLUMNS.values() if placed(row[key])]
    panels = [
        Panel(
            x=Axis(title="test accuracy (percent)", percent=True, low=0, high=1),
            y=Axis(title="", scale="category", categories=labels),
        )
    ]
    series = [
        Series(
            name="test accuracy",
            kind="bars",
            x=tuple(row["test_accuracy"] for row in rows),
            y=labels,
            legend=False,
            text=tuple("" if row["test_accuracy"] is None else percent(row["test_accuracy"]) for row in rows),
            hover=tuple(_hover(row) for row in rows),
        )
    ]
    if epsilons:
        panels.append(
            Panel(
                x=Axis(
                    title="ε (logarithmic)",
                    scale="log",
                    low=min(epsilons) / 2,
                    high=max(epsilons) * 2,
                ),
                y=Axis(title="", scale="category", categories=labels, labels=False),
            )
        )
        for kind, key in COLUMNS.items():
            held = [(row, label) for row, label in zip(rows, labels, strict=True) if placed(row[key])]
            if held:
                series.append(
                    Series(
                        name=EPSILONS[kind].title + (" (at least)" if kind == "audited" else ""),
                        kind="points",
                        x=tuple(row[key] for row, _ in held),
                        y=tuple(label for _, label in held),
                        epsilon=kind,
                        panel=1,
                        size=11,
                        hover=tuple(_hover(row) for row, _ in held),
                    )
                )
    panels.append(
        Panel(
            x=Axis(title=f"time (seconds{', whole batch' if any(row['batch'] for row in rows) else ''})", low=0),
            y=Axis(title="", scale="category", categories=labels, labels=False),
        )
    )
    series.append(
        Series(
            name="time",
            kind="bars",
            x=tuple(row["seconds"] for row in rows),
            y=labels,
            slot=1,
            shape=0,
            panel=len(panels) - 1,
            legend=False,
            text=tuple("" if row["seconds"] is None else f"{number(row['seconds'])} s" for row in rows),
            hover=tuple(_hover(row) for row in rows),
        )
    )
    warning = mixed_units(rows)
    badges = [warning] if warning else []
    if any(row["data_dependent"] for row in rows):
        badges.append("an ε shown here depends on the private data itself")
    if len({row["graph"] for row in rows}) > 1:
        badges.append("runs on different graphs stand side by side: their accuracies say nothing of each other")
    scored = [row for row in rows if row["test_accuracy"] is not None]
    best = max(scored, key=lambda row: float(row["test_accuracy"]), default=None)
    said = f" Highest test accuracy: {best['label']}, {percent(best['test_accuracy'])}." if best else ""
    return Chart(
        title=TITLE,
        panels=tuple(panels),
        series=tuple(series),
        summary=f"{len(rows)} runs side by side.{said}",
        badges=(*badges, *badges_of(rows)),
        height=200 + sum(max(34, 18 * (label.count("\n") + 1)) for label in labels),
    )


plot = plotted(chart)


def _hover(row: Row) -> str:
    return f"{row['label']}\ntest accuracy {percent(row['test_accuracy'])}\n" + ", ".join(
        f"{EPSILONS[kind].title} {stated(kind, row[key])}" for kind, key in COLUMNS.items()
    )
