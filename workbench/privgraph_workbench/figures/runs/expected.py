"""What accuracy to expect of a method on a graph, over epsilon, between guessing and no privacy."""

from collections.abc import Sequence

from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import banded, empty, level, marks, single
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import option, percent

LEVELS = {
    "bare": "without privacy",
    "blind": "MLP, which reads no edge",
    "majority": "naming the largest class",
    "partner": "guessing a partner",
}
"""What the accuracy is read beside, the best first; of relations the last one takes no learning."""


def data(told: Outlook, epsilons: Sequence[float] = ()) -> list[Row]:
    """One row per measured budget (kind "reached"), per level to read it beside (`LEVELS`) and per budget
    that is asked for ("asked").

    kind, epsilon (the target; None for a level), mean, low, high (95% confidence over seeds; None for fewer
    than three), seeds, evaluator (True: test labels are private). Of a budget that is asked for `mean` is
    what is expected there (None: no run of these options tells).
    """
    guess = None if told.majority is None else {"mean": told.majority}
    found: list[tuple[str, Row | None, float | None]] = [("reached", one, one["asked"]) for one in told.points]
    found += [("bare", told.bare, None), ("blind", told.blind, None)]
    found.append(("partner" if told.relations else "majority", guess, None))
    found += [("asked", {"mean": (told.expected(one) or {}).get("mean")}, one) for one in epsilons]
    blank: Row = {"mean": None, "low": None, "high": None, "seeds": 0}
    return [
        {"kind": kind, "epsilon": epsilon, **{name: one.get(name, blank[name]) for name in blank}, "evaluator": True}
        for kind, one, epsilon in found
        if one is not None
    ]


@figure("expected", "Accuracy to expect", data, needs="outlook", settings=True)
def chart(rows: Rows) -> Chart:
    reached = [row for row in rows if row["kind"] == "reached" and row["epsilon"] is not None]
    levels = [row for kind in LEVELS for row in rows if row["kind"] == kind]
    asked = [row for row in rows if row["kind"] == "asked"]
    if not reached and not levels:
        return empty("no run tells yet")
    places = [float(row["epsilon"]) for row in (*reached, *asked)] or [1.0]
    low, high = min(places) / 1.3, max(places) * 1.3
    look: Look = {"name": "finished runs, mean over seeds", "kind": "path", "slot": 0}
    look["hover"] = "mean low high seeds"
    series = banded(reached, "epsilon", "mean", **look) if reached else []
    for place, row in enumerate(levels, 1):
        slot = place if row["kind"] in ("bare", "blind") else NEUTRAL
        series.append(
            level((low, high), row["mean"], f"{LEVELS[row['kind']]} ({percent(row['mean'])})", slot, shape=place)
        )
    if known := [row for row in asked if row["mean"] is not None]:
        series.append(marks(known, "epsilon", "mean", name="yours, as expected", shape=4, hollow=True, size=15))
    relations = any(row["kind"] == "partner" for row in levels)
    x = Axis(title="ε asked for (logarithmic; left is more private)", scale="log", low=low, high=high)
    y = Axis(title="PREC@1: partner ranked first (percent)" if relations else "test accuracy (percent)", percent=True)
    rules = (Rule(x=row["epsilon"], label=f"ε {option(row['epsilon'])}") for row in asked)
    return single(x, y, series, rules=rules)
