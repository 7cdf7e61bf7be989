"""Where a run's accuracy stands: between guessing, reading no edge, and no privacy."""

import math
from collections.abc import Sequence

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import METRIC, Outlook
from privgraph_workbench.facts.references import interval
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import intervals, marks, named, single
from privgraph_workbench.summary import confidence
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import PREC, measure
from privgraph_workbench.words.numbers import percent

LABELS = {"guess": "Guessing", "base": "Base encoder", "blind": "MLP, no edges", "own": "Mean", "bare": "No privacy"}
"""What bars are called, from what takes no learning to what no noise hinders."""
SEEDS = "Single seeds"


def data(record: RunRecord, siblings: Sequence[RunRecord], told: Outlook) -> list[Row]:
    """One row per level (kind guess, base, blind, own, bare) that is known, and one per run of the same
    setting (kind seed; `mine` where it is this one).

    kind, measure (what the accuracy is called), seed (None for a level), mean, low, high (95% confidence: of
    three seeds or more, of the mean over seeds; of one, of the test nodes; None: not known), seeds, evaluator
    (True: test labels are private).
    """
    if METRIC not in record.metrics:
        return []
    done = [one for one in siblings if METRIC in one.metrics] or [record]
    mean, low, high = confidence([one.metrics[METRIC] for one in done], most=1.0)
    if len(done) == 1:
        low, high = interval(record.metrics) or (low, high)
    means = {"guess": told.majority, "base": record.metrics.get("base_accuracy")}
    levels: dict[str, Row | None] = {kind: None if one is None else {"mean": one} for kind, one in means.items()}
    own = {"mean": mean, "low": low, "high": high, "seeds": len(done)}
    levels |= {"blind": told.blind, "own": own, "bare": told.bare}
    blank: Row = {"seed": None, "low": None, "high": None, "seeds": 0, "measure": measure(record.spec.method)}
    rows = [
        {**blank, "kind": kind, "evaluator": True, **{name: one[name] for name in own if name in one}}
        for kind, one in levels.items()
        if one is not None
    ]
    blank |= {"kind": "seed", "evaluator": True, "seeds": 1}
    return rows + [
        {**blank, "seed": one.spec.seed, "mean": one.metrics[METRIC], "mine": one.id == record.id} for one in done
    ]


@figure("standing", "Where its accuracy stands", data, needs="siblings")
def chart(rows: Rows) -> Chart:
    seeds = [{**row, "name": SEEDS} for row in rows if row["kind"] == "seed"]
    titles = LABELS if len(seeds) > 1 else {**LABELS, "own": "This run"}
    levels = [row for kind in LABELS for row in rows if row["kind"] == kind]
    levels = [{**row, "name": f"{titles[row['kind']]}: {percent(row['mean'])}"} for row in levels]
    own, names = next(row for row in levels if row["kind"] == "own"), [row["name"] for row in levels]
    bars: Look = {"kind": "bars", "shape": 0, "legend": False, "hover": "name low high seeds"}
    series = [marks([row], "mean", "name", slot=0 if row is own else NEUTRAL, **bars) for row in levels]
    series += intervals([own], "name", slot=4)
    if len(seeds) > 1:
        names.insert(names.index(own["name"]) + 1, SEEDS)
        for mine, size in ((False, 9), (True, 12)):
            look: Look = {"shape": 7, "hollow": not mine, "legend": False, "size": size, "hover": "seed mean"}
            series.append(marks([row for row in seeds if row["mine"] == mine], "mean", "name", **look))
    most = max(max(float(row["mean"]), float(row["high"] or 0.0)) for row in rows)
    high = min(1.0, math.ceil(round(most * 1.1 * 20, 9)) / 20) if own["measure"] == PREC else 1
    x = Axis(title=f"{own['measure']} (percent)", percent=True, low=0, high=high)
    return single(x, named(names), series)
