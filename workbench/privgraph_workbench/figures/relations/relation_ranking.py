"""How well unread relations are predicted: PREC@1 and MRR (section 4 of the paper, Tables 1 and 2)."""

import textwrap
from collections.abc import Iterable, Sequence

from privgraph.methods.relations.options import CANDIDATES
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import COLUMNS, Axis, Chart, Look, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, grouped, intervals, marks, named, single
from privgraph_workbench.figures.settings import composed
from privgraph_workbench.summary import confidence
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import graph_of, labels, setting, unit_of
from privgraph_workbench.words.numbers import percent

INTERVAL = "95% confidence over seeds"
JUDGED = {"test_accuracy", "test_mrr", "base_accuracy", "base_mrr"}


def data(records: Iterable[RunRecord], others: Iterable[RunRecord] = (), texts: int | None = None) -> list[Row]:
    """One row for guessing, one for each base encoder, one for each run with its repetitions among the
    `others`, which differ in the seed alone; runs that were judged otherwise are left out. `texts`: how many
    the domain has that is predicted in, where that is known: guessing is among so many at most.

    label, kind (guessing, base or run), run, graph (in words), accuracy and mrr (in [0, 1], means over seeds;
    with `_low` and `_high`: 95% confidence, None for fewer than three seeds), seeds, relations (how many were
    asked), method, unit, epsilon, epsilon_as_published, epsilon_audited, evaluator, composed (runs of the
    same people).
    """
    chosen, more = ([one for one in held if set(one.metrics) >= JUDGED] for held in (records, others))
    known = {one.id: one for one in (*chosen, *more)}.values()
    alike = {one.id: [more for more in known if setting(more.spec) == setting(one.spec)] for one in chosen}
    every = [more for one in chosen for more in alike[one.id]]
    together = composed({one.id: one for one in every}.values())
    rows: list[Row] = []
    for different, asked in dict.fromkeys(_candidates(one, texts) for one in chosen):
        if different:
            # a text stands there once for each relation of its own, and counts as often where it is nearer
            guessed = sum(1 / (1 + place * asked / different) for place in range(different)) / different
            rows.append(_row("guessing", f"guessing among {different}", [(1 / different, guessed)]))
    told = ((one.spec.options.get("encoder", ""), one.metrics) for one in every)
    bases = grouped(
        ({"encoder": name, "found": (own["base_accuracy"], own["base_mrr"])} for name, own in told), "encoder"
    )
    for encoder, held in bases.items():
        rows.append(_row("base", f"base encoder {encoder}", list(dict.fromkeys(row["found"] for row in held))))
    repeated = len({setting(one.spec) for one in chosen}) < len(chosen)
    for record, title in zip(chosen, labels(chosen, seeds=repeated), strict=True):
        same = [(one.metrics["test_accuracy"], one.metrics["test_mrr"]) for one in alike[record.id]]
        own = {"run": record.id, "graph": graph_of(record), "relations": record.metrics.get("test_relations")}
        own |= {"method": record.spec.method, "unit": unit_of(record), "composed": together[record.id]}
        own |= {name: getattr(record.statement, name, None) for name in COLUMNS.values()}
        rows.append(_row("run", title, same) | own)
    return rows


def _row(kind: str, label: str, found: Sequence[tuple[float, float]]) -> Row:
    """Of what was `found` with each seed: accuracy and MRR."""
    row: Row = {"label": label, "kind": kind, "run": None, "graph": None}
    for name, values in zip(("accuracy", "mrr"), zip(*found, strict=True), strict=True):
        row |= zip((name, f"{name}_low", f"{name}_high"), confidence(values, most=1.0), strict=True)
    row |= {"seeds": len(found)} | dict.fromkeys(("relations", "method", *COLUMNS.values()))
    return row | {"unit": "none", "evaluator": True, "composed": 0}


def _candidates(record: RunRecord, texts: int | None) -> tuple[int, int]:
    """Among how many different texts a partner was looked for (0: not known), and how many relations brought
    them."""
    chance = record.metrics.get("guessing_accuracy", 0.0)
    if chance <= 0:
        return 0, 0
    different = round(1 / chance)
    asked = max(different, round(min(CANDIDATES, record.metrics.get("test_relations", different))))
    return min(different, texts or different), asked


@figure("relation_ranking", "How well relations are predicted", data, needs="runs", settings=True)
def chart(rows: Rows) -> Chart:
    """Guessing and the base encoder in grey, runs in colours as in `moved`. MRR stands in the labels."""
    said = (f"{percent(row['accuracy'])}, MRR {percent(row['mrr'])}" for row in rows)
    names = distinct("\n".join([*textwrap.wrap(row["label"], 30), one]) for row, one in zip(rows, said, strict=True))
    rows = [{**row, "name": name} for row, name in zip(rows, names, strict=True)]
    most = max(row[key] or 0.0 for row in rows for key in ("accuracy", "accuracy_high"))
    look: Look = {"kind": "bars", "shape": 0, "legend": False}
    look["hover"] = "label accuracy accuracy_low accuracy_high mrr seeds"
    series = []
    for (kind, method, unit), own in grouped(rows, "kind", "method", "unit").items():
        slot = NEUTRAL if kind != "run" else 2 if method == "relation-rand" else int(unit == "none")
        series.append(marks(own, "accuracy", "name", slot=slot, **look))
    series += intervals(rows, "name", "accuracy_low", "accuracy_high", name=INTERVAL, slot=5)  # dark
    high = min(1.0, 1.08 * most) or 1.0
    x = Axis(title="PREC@1: partner ranked first (percent)", percent=True, low=0, high=high)
    return single(x, named(names), series)
