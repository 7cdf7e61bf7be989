"""How well relations of the domain that no run has read are predicted: PREC@1 and MRR of runs, of their base
encoder, and of guessing (section 4 of the paper, Tables 1 and 2)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of, composed
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import graph_of, run_labels, unit_of
from privgraph_workbench.words.numbers import percent

TITLE = "How well relations are predicted"
MEASURES = {
    "accuracy": "PREC@1: partner ranked first (percent)",
    "mrr": "MRR: mean of one over its rank (percent)",
}
LINE = 30
EVALUATOR = "evaluator only: asked are relations that no run has read"
SLOTS = {"to compare with": NEUTRAL, "without privacy": 1, "private": 0}
"""By what stands behind a bar; the slots of `moved`."""


def data(records: Iterable[RunRecord]) -> list[Row]:
    """One row for guessing, one for each base encoder, one for each run: label, kind (guessing, base or run),
    run, graph (in words), accuracy and mrr (in [0, 1]), relations (how many were asked; None for guessing),
    unit, epsilon, epsilon_as_published, epsilon_audited, evaluator (True: the relations are an evaluator's),
    composed (how many of these runs read the same people). Runs that were judged otherwise are left out."""
    chosen = [one for one in records if {"test_accuracy", "test_mrr", "base_accuracy", "base_mrr"} <= set(one.metrics)]
    together = composed(chosen)
    rows: list[Row] = []
    for candidates in dict.fromkeys(_candidates(one) for one in chosen):
        if candidates is not None:
            guessed = sum(1 / rank for rank in range(1, candidates + 1)) / candidates
            rows.append(_row("guessing", f"guessing among {candidates}", 1 / candidates, guessed))
    for encoder, accuracy, mrr in dict.fromkeys(
        (str(one.spec.options.get("encoder", "")), one.metrics["base_accuracy"], one.metrics["base_mrr"])
        for one in chosen
    ):
        rows.append(_row("base", f"base encoder {encoder}", accuracy, mrr))
    for record, label in zip(chosen, run_labels(chosen), strict=True):
        said, metrics = record.statement, record.metrics
        rows.append(
            _row("run", label, metrics["test_accuracy"], metrics["test_mrr"])
            | {
                "run": record.id,
                "graph": graph_of(record),
                "relations": metrics.get("test_relations"),
                "unit": unit_of(record),
                "epsilon": said.epsilon if said else None,
                "epsilon_as_published": said.epsilon_as_published if said else None,
                "epsilon_audited": said.epsilon_audited if said else None,
                "composed": together[record.id],
            }
        )
    return rows


def _row(kind: str, label: str, accuracy: float, mrr: float) -> Row:
    return {
        "label": label,
        "kind": kind,
        "run": None,
        "graph": None,
        "accuracy": accuracy,
        "mrr": mrr,
        "relations": None,
        "unit": "none",
        "epsilon": None,
        "epsilon_as_published": None,
        "epsilon_audited": None,
        "evaluator": True,
        "composed": 0,
    }


def _candidates(record: RunRecord) -> int | None:
    """Among how many a partner was looked for."""
    chance = record.metrics.get("guessing_accuracy", 0.0)
    return round(1 / chance) if chance > 0 else None


def chart(rows: Sequence[Row]) -> Chart:
    """Two panels of horizontal bars: guessing and the base encoder in grey, runs in colours as in `moved`."""
    if not rows:
        return empty(TITLE, "no run here was judged by relations")
    labels = distinct("\n".join(textwrap.wrap(str(row["label"]), LINE)) for row in rows)
    panels, series = [], []
    for place, (measure, title) in enumerate(MEASURES.items()):
        most = max(row[measure] for row in rows)
        panels.append(
            Panel(
                x=Axis(title=title, percent=True, low=0, high=min(1.0, 1.3 * most) or 1.0),
                y=Axis(title="", scale="category", categories=labels, labels=place == 0),
            )
        )
        for name, slot in SLOTS.items():
            held = [(row, label) for row, label in zip(rows, labels, strict=True) if _side(row) == name]
            if held:
                series.append(
                    Series(
                        name=name,
                        kind="bars",
                        x=tuple(row[measure] for row, _ in held),
                        y=tuple(label for _, label in held),
                        slot=slot,
                        shape=0,
                        panel=place,
                        legend=False,
                        text=tuple(percent(row[measure]) for row, _ in held),
                        hover=tuple(
                            f"{row['label']}\nPREC@1 {percent(row['accuracy'])}, MRR {percent(row['mrr'])}"
                            for row, _ in held
                        ),
                    )
                )
    best = max(rows, key=lambda row: float(row["mrr"]))
    return Chart(
        title=TITLE,
        panels=tuple(panels),
        series=tuple(series),
        summary=(
            f"PREC@1 and MRR of {sum(row['kind'] == 'run' for row in rows)} runs beside guessing and the base "
            f"encoder. Highest MRR: {best['label']}, {percent(best['mrr'])}."
        ),
        badges=(EVALUATOR, *badges_of([row | {"evaluator": False} for row in rows])),
        height=190 + sum(max(34, 18 * (label.count("\n") + 1)) for label in labels),
    )


plot = plotted(chart)


def _side(row: Row) -> str:
    if row["kind"] != "run":
        return "to compare with"
    return "without privacy" if row["unit"] == "none" else "private"
