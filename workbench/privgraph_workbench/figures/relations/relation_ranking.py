"""How well relations of the domain that no run has read are predicted: PREC@1 and MRR of runs, of their base
encoder, and of guessing (section 4 of the paper, Tables 1 and 2)."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence

from privgraph.methods.relations.options import CANDIDATES
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.marks import intervals, marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.seeds import confidence, ratio, standard_error
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import graph_of, run_labels, setting, unit_of
from privgraph_workbench.words.numbers import percent

MEASURE = "PREC@1: partner ranked first (percent)"
LINE = 30
INTERVAL = "95% confidence over seeds"
CHOSEN = "the chosen run"
HOVER = ("label", "accuracy", "accuracy_low", "accuracy_high", "mrr", "seeds")
OTHERWISE = "trained with other options than the chosen run"
HATCHED = 1
"""A shape whose bars are hatched."""
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
    marked: Collection[str] | None = None,
    otherwise: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> list[Row]:
    """One row for guessing, one for each base encoder, one for each run with its repetitions among the
    `others`, which differ in the seed alone. `texts`: how many the domain has that is predicted in, where
    that is known; guessing is among so many at most. `otherwise`: what else than privacy differs from
    the chosen run, by run. `titles`: what runs are called, by run.

    label, kind (guessing, base or run), run, graph (in words), accuracy and mrr (in [0, 1], means over
    seeds), accuracy_error (standard error of that mean), accuracy_low, accuracy_high, mrr_low, mrr_high
    (95% confidence intervals of these means, Student's over seeds; None for fewer than three seeds),
    seeds, gain and gain_error (of PREC@1 above the base encoder with the same seed: mean and its standard
    error), own_accuracy and own_mrr (of the run itself, where it is marked), relations (how many were asked;
    None for guessing), chosen (it is marked), otherwise (of those given, or ""), kept, kept_low, kept_high
    (the share of the gain without privacy, once `shared` has filled it in), method, unit, epsilon,
    epsilon_as_published, epsilon_audited (of the run), evaluator (True: the relations are an evaluator's),
    composed (how many of all these runs read the same people).
    Runs that were judged otherwise are left out.
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
    for record, title in zip(chosen, run_labels(chosen, privacy_too=True, seeds=repeated), strict=True):
        apart = (otherwise or {}).get(record.id, "")
        told = all(one in title for one in apart.split(", "))
        label = (titles or {}).get(record.id) or (title if told else f"{title} ({apart})")
        said, metrics = record.statement, record.metrics
        gains = [one.metrics["test_accuracy"] - one.metrics["base_accuracy"] for one in alike[record.id]]
        own = marked is None or record.id in marked
        rows.append(
            _row("run", label, [(one.metrics["test_accuracy"], one.metrics["test_mrr"]) for one in alike[record.id]])
            | {
                "gain": sum(gains) / len(gains),
                "gain_error": standard_error(gains),
                "own_accuracy": metrics["test_accuracy"] if own else None,
                "own_mrr": metrics["test_mrr"] if own else None,
                "chosen": marked is not None and own,
                "otherwise": apart,
                "run": record.id,
                "method": record.spec.method,
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


def _judged(record: RunRecord) -> bool:
    return {"test_accuracy", "test_mrr", "base_accuracy", "base_mrr"} <= set(record.metrics)


def _row(kind: str, label: str, found: Sequence[tuple[float, float]]) -> Row:
    """Of what was `found` with each seed: accuracy and MRR."""
    (accuracy, low, high), (mrr, mrr_low, mrr_high) = (confidence(one, most=1.0) for one in zip(*found, strict=True))
    return {
        "label": label,
        "kind": kind,
        "run": None,
        "graph": None,
        "accuracy": accuracy,
        "accuracy_low": low,
        "accuracy_high": high,
        "accuracy_error": standard_error([one for one, _ in found]),
        "mrr": mrr,
        "mrr_low": mrr_low,
        "mrr_high": mrr_high,
        "seeds": len(found),
        "gain": None,
        "gain_error": None,
        "own_accuracy": None,
        "own_mrr": None,
        "chosen": False,
        "otherwise": "",
        "kept": None,
        "kept_low": None,
        "kept_high": None,
        "relations": None,
        "method": None,
        "unit": "none",
        "epsilon": None,
        "epsilon_as_published": None,
        "epsilon_audited": None,
        "evaluator": True,
        "composed": 0,
    }


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
    needs=RUNS.also("runs of relational or relation-rand: a list of privgraph.Run"),
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """Horizontal bars of PREC@1 with their intervals over seeds: guessing and the base encoder in grey, runs
    in colours as in `moved`, and those that differ from the chosen one in more than privacy hatched. The
    chosen run is a hollow mark. MRR stands in the labels."""
    if not rows:
        return empty("no run here was judged by relations")
    scores = [f"{percent(row['accuracy'])}, MRR {percent(row['mrr'])}" for row in rows]
    told = zip(rows, scores, strict=True)
    labels = distinct("\n".join([*textwrap.wrap(str(row["label"]), LINE), score]) for row, score in told)
    rows = [{**row, "name": label} for row, label in zip(rows, labels, strict=True)]
    most = max(row[key] or 0.0 for row in rows for key in ("accuracy", "accuracy_high", "own_accuracy"))
    series = []
    for name, slot in SLOTS.items():
        for hatched in (False, True):
            own = [row for row in rows if _side(row) == name and bool(row["otherwise"]) == hatched]
            look: Look = {"slot": slot, "shape": HATCHED if hatched else 0, "legend": False, "hover": HOVER}
            title = f"{name}, {OTHERWISE}" if hatched else name
            series += [marks(own, "accuracy", "name", name=title, kind="bars", **look)] if own else []
    series += intervals(rows, "name", "accuracy_low", "accuracy_high", name=INTERVAL, slot=DARK)
    marked = [row for row in rows if row["own_accuracy"] is not None and (row["seeds"] > 1 or row["chosen"])]
    if marked:
        series.append(marks(marked, "own_accuracy", "name", name=CHOSEN, slot=DARK, hollow=True, size=10))
    return single(
        Axis(title=MEASURE, percent=True, low=0, high=min(1.0, 1.08 * most) or 1.0),
        named(labels),
        series,
        height=190 + sum(max(34, 18 * (label.count("\n") + 1)) for label in labels),
        legend=max(int(row["seeds"]) for row in rows) > 1 or any(row["chosen"] for row in rows),
    )


def kept(one: Row, whole: Row) -> tuple[float, float | None, float | None] | None:
    """The share of the second row's gain above the base encoder that the first one has, and its 95%
    confidence interval (`seeds.ratio`), None where there are too few seeds for one. None where the second
    row shows no gain."""
    if whole["gain"] <= 0 or (whole["gain_error"] is not None and _unsure(whole)):
        return None
    if one["gain_error"] is None or whole["gain_error"] is None:
        return one["gain"] / whole["gain"], None, None
    first, second = ((row["gain"], row["gain_error"], row["seeds"]) for row in (one, whole))
    return ratio(first, second)


def shared(rows: Iterable[Row], shares: Mapping[str, tuple[float, float | None, float | None]]) -> list[Row]:
    """The rows with the share of the gain that each run keeps (`kept`), by its id."""
    return [
        row | dict(zip(("kept", "kept_low", "kept_high"), shares.get(str(row["run"]), (None,) * 3), strict=True))
        for row in rows
    ]


def _unsure(row: Row) -> bool:
    """Whether the seeds do not show that the row's gain is above 0."""
    return ratio((0.0, 0.0, row["seeds"]), (row["gain"], row["gain_error"], row["seeds"]))[1] is None


def _side(row: Row) -> str:
    return side(row["method"], row["unit"]) if row["kind"] == "run" else "to compare with"


def side(method: str, unit: str) -> str:
    """On which side a run stands, by which it has its colour (`SLOTS`)."""
    if method == RANDOMISED:
        return "randomised relations"
    return "without privacy" if unit == "none" else "private"
