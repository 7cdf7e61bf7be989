"""How epsilon is distributed over weighted teachers: sound, or data-dependent as the paper reports it."""

import math

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, Rule, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, histogram, marks, one_of, single, steps_to, table
from privgraph_workbench.figures.teachers.ensembles import GROUPINGS, MEASURES, groups, shared
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import number, rounded_delta

VIEWS = {
    "histogram": "how many teachers have which epsilon",
    "strip": "a point a teacher, by centrality",
    "cumulative": "share of teachers with at most that epsilon",
}


def data(ensemble: Ensemble, measure: str = "sound", by: str = "weight", view: str = "histogram") -> list[Row]:
    """One row per teacher: teacher (its number), weight, size (labelled nodes), centrality (both None where
    they are not drawn: they are private), group, place (of the group), epsilon (of that `measure`: sound or
    data-dependent), delta, limit (None: none), measure, by, view, data_dependent, private (whether something
    that was read from private nodes is drawn). Raises `ValueError` for an unknown measure, grouping or
    view."""
    for what, word, words in (("measure", measure, MEASURES), ("by", by, GROUPINGS), ("view", view, VIEWS)):
        one_of(what, word, words)
    (names, own), nodes = groups(ensemble, by), view == "strip" or by == "centrality"
    told: Row = {"teacher": np.arange(len(own)), "weight": ensemble.weights}
    told |= {"size": ensemble.sizes if nodes else None, "centrality": ensemble.centrality if nodes else None}
    told |= {"group": [names[place] for place in own], "place": own}
    told |= {"epsilon": ensemble.sound if measure == "sound" else ensemble.dependent, "delta": ensemble.delta}
    told |= {"limit": ensemble.limit if math.isfinite(ensemble.limit) else None, "measure": measure, "by": by}
    told |= {"view": view, **shared(ensemble, measure)}
    return table({**told, "private": nodes or told["private"]})


@figure("teacher_epsilons", "Epsilon of each teacher", data, needs="ensemble")
def chart(rows: Rows) -> Chart:
    first, limit = rows[0], rows[0]["limit"]
    held = sorted((row for row in rows if math.isfinite(row["epsilon"])), key=lambda row: int(row["place"]))
    if not held:
        return empty("no ε of teachers is finite")
    edges = steps_to(max(row["epsilon"] for row in held))
    seen = limit is not None and limit <= 5 * edges[-1]
    end = max(edges[-1], limit) if seen else edges[-1]
    x = Axis(title=f"{MEASURES[first['measure']]} at δ = {rounded_delta(first['delta'])}", low=0, high=1.02 * end)
    if first["view"] == "histogram":
        # an end is in its bin, and the start is not: who is at the limit is not beyond it
        at = {name: [row["epsilon"] - 1e-9 * edges[1] for row in own] for name, own in grouped(held, "group").items()}
        y, series = Axis(title="teachers (count)", low=0), histogram(edges, at, stacked=True)
    elif first["view"] == "strip":
        look: Look = {"size": 8, "hover": "teacher epsilon weight size centrality"}
        groups = grouped(held, "place", "group").items()
        y = Axis(title=GROUPINGS["centrality"])
        series = [marks(own, "epsilon", "centrality", name=name, slot=place, **look) for (place, name), own in groups]
    else:
        title = "teachers with at most this ε (percent)"
        y, series = Axis(title=title, percent=True, low=-0.02, high=1.02), _stairs(held, end)
    rules = [Rule(x=limit, label=f"limit {number(limit)}", side="left")] * seen
    return single(x, y, series, rules=rules, flags=(Flag.PRIVATE,) * first["private"])


def _stairs(rows: Rows, end: float) -> list[Series]:
    """Of all teachers, and of each group where there are several."""
    groups, drawn = grouped(rows, "place", "group"), []
    for (place, name), own in {**(groups if len(groups) > 1 else {}), (NEUTRAL, "all teachers"): rows}.items():
        x = (0.0, *sorted(row["epsilon"] for row in own), end)
        y = (*(count / len(own) for count in range(len(own) + 1)), 1.0)
        drawn.append(Series(name=name, kind="steps", x=x, y=y, slot=place))
    return drawn
