"""How well relations of the domain that no run has read are predicted: PREC@1 and MRR of runs, of their base
encoder, and of guessing (section 4 of the paper, Tables 1 and 2)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from privgraph.methods.relations.options import CANDIDATES
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import COLUMNS
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import graph_of, labels, setting, unit_of
from privgraph_workbench.words.numbers import percent

MEASURE = "PREC@1: partner ranked first (percent)"
LINE = 30
INTERVAL = "95% confidence over seeds"
HOVER = ("label", "accuracy", "accuracy_low", "accuracy_high", "mrr", "seeds")
DARK = 5
"""A slot that stands out from the bars."""
RANDOMISED = "relation-rand"
"""The method that randomises the relations before it reads them."""
SLOTS = {"to compare with": NEUTRAL, "randomised relations": 2, "private": 0, "without privacy": 1}
"""By what stands behind a bar; the slots of `moved`."""


def data(
    records: Iterable[RunRecord],
    others: Iterable[RunRecord] = (),
    texts: int | None = None,
) -> list[Row]:
    """One row for guessing, one for each base encoder, one for each run with its repetitions among the
    `others`, which differ in the seed alone; runs that were judged otherwise are left out. `texts`: how many
    the domain has that is predicted in, where that is known: guessing is among so many at most.

    label, kind (guessing, base or run), run, graph (in words), accuracy and mrr (in [0, 1], means over seeds;
    with `_low` and `_high`: 95% confidence, None for fewer than three seeds), seeds, relations (how many were
    asked), method, unit, epsilon, epsilon_as_published, epsilon_audited, evaluator, composed (runs of the
    same people).
    """
    chosen = [one for one in records if _judged(one)]
    known = list({one.id: one for one in (*chosen, *(one for one in others if _judged(one)))}.values())
    alike = {one.id: [more for more in known if setting(more) == setting(one)] for one in chosen}
    together = composed({more.id: more for one in chosen for more in alike[one.id]}.values())
    rows: list[Row] = []
    for found in dict.fromkeys(_candidates(one, texts) for one in chosen):
        if found is not None:
            different, asked = found
            # a text stands there once for each relation of its own, and counts as often where it is nearer
            guessed = sum(1 / (1 + place * asked / different) for place in range(different)) / different
            rows.append(_row("guessing", f"guessing among {different}", [(1 / different, guessed)]))
    bases: dict[str, dict[tuple[float, float], None]] = {}
    for one in (more for run in chosen for more in alike[run.id]):
        encoder = str(one.spec.options.get("encoder", ""))
        bases.setdefault(encoder, {})[one.metrics["base_accuracy"], one.metrics["base_mrr"]] = None
    rows += [_row("base", f"base encoder {encoder}", list(reached)) for encoder, reached in bases.items()]
    repeated = len({setting(one) for one in chosen}) < len(chosen)
    for record, title in zip(chosen, labels(chosen, seeds=repeated), strict=True):
        same = [(one.metrics["test_accuracy"], one.metrics["test_mrr"]) for one in alike[record.id]]
        rows.append(
            _row("run", title, same)
            | {"run": record.id, "method": record.spec.method, "graph": graph_of(record), "unit": unit_of(record)}
            | {"relations": record.metrics.get("test_relations"), "composed": together[record.id]}
            | {name: getattr(record.statement, name, None) for name in COLUMNS.values()}
        )
    return rows


def _judged(record: RunRecord) -> bool:
    return {"test_accuracy", "test_mrr", "base_accuracy", "base_mrr"} <= set(record.metrics)


def _row(kind: str, label: str, found: Sequence[tuple[float, float]]) -> Row:
    """Of what was `found` with each seed: accuracy and MRR."""
    row: Row = {"label": label, "kind": kind, **dict.fromkeys(("run", "graph"))}
    for at, name in enumerate(("accuracy", "mrr")):
        mean, low, high = confidence([one[at] for one in found], most=1.0)
        row |= {name: mean, f"{name}_low": low, f"{name}_high": high}
    row |= {"seeds": len(found)} | dict.fromkeys(("relations", "method", *COLUMNS.values()))
    return row | {"unit": "none", "evaluator": True, "composed": 0}


def _candidates(record: RunRecord, texts: int | None) -> tuple[int, int] | None:
    """Among how many different texts a partner was looked for, and how many relations brought them."""
    metrics = record.metrics
    chance = metrics.get("guessing_accuracy", 0.0)
    if chance <= 0:
        return None
    different = round(1 / chance)
    asked = max(different, round(min(CANDIDATES, metrics.get("test_relations", different))))
    return min(different, texts or different), asked


@figure(
    "relation_ranking",
    "How well relations are predicted",
    data,
    needs=RUNS,
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """Horizontal bars of PREC@1 with their intervals over seeds: guessing and the base encoder in grey, runs
    in colours as in `moved`. MRR stands in the labels."""
    if not rows:
        return empty("no run here was judged by relations")
    scores = [f"{percent(row['accuracy'])}, MRR {percent(row['mrr'])}" for row in rows]
    told = zip(rows, scores, strict=True)
    labels = distinct("\n".join([*textwrap.wrap(str(row["label"]), LINE), score]) for row, score in told)
    rows = [{**row, "name": label} for row, label in zip(rows, labels, strict=True)]
    most = max(row[key] or 0.0 for row in rows for key in ("accuracy", "accuracy_high"))
    series = []
    for name, slot in SLOTS.items():
        own = [row for row in rows if _side(row) == name]
        look: Look = {"slot": slot, "shape": 0, "legend": False, "hover": HOVER}
        series += [marks(own, "accuracy", "name", name=name, kind="bars", **look)] if own else []
    series += intervals(rows, "name", "accuracy_low", "accuracy_high", name=INTERVAL, slot=DARK)
    return single(
        Axis(title=MEASURE, percent=True, low=0, high=min(1.0, 1.08 * most) or 1.0),
        named(labels),
        series,
        height=190 + sum(max(34, 18 * (label.count("\n") + 1)) for label in labels),
        legend=max(int(row["seeds"]) for row in rows) > 1,
    )


def _side(row: Row) -> str:
    """What stands behind a bar."""
    if row["kind"] != "run":
        return "to compare with"
    if row["method"] == RANDOMISED:
        return "randomised relations"
    return "without privacy" if row["unit"] == "none" else "private"
