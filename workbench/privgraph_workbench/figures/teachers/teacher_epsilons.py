"""The point of weighted teachers: how epsilon is distributed over them. Sound, or data-dependent as the paper
reports it."""

from __future__ import annotations

import math

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, Rule, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, marks, named, one_of, single, stacked
from privgraph_workbench.figures.teachers.answers import round_step
from privgraph_workbench.figures.teachers.ensembles import GROUPINGS, MEASURES, by_teacher, groups, shared
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
    that was read from private nodes is drawn).

    Raises `ValueError` for an unknown measure, grouping or view.
    """
    for what, word, words in (("measure", measure, MEASURES), ("by", by, GROUPINGS), ("view", view, VIEWS)):
        one_of(what, word, words)
    (names, own), nodes = groups(ensemble, by), view == "strip" or by == "centrality"
    told: Row = {"delta": ensemble.delta, "limit": ensemble.limit if math.isfinite(ensemble.limit) else None}
    told |= {"measure": measure, "by": by, "view": view, **shared(ensemble, measure)}
    told |= {"private": nodes or told["private"]}
    epsilons = ensemble.sound if measure == "sound" else ensemble.dependent
    columns = [ensemble.weights, ensemble.sizes, ensemble.centrality, own, epsilons]
    return [
        {"teacher": teacher, "weight": weight, "size": size if nodes else None}
        | {"centrality": centrality if nodes else None, "group": names[place], "place": place, "epsilon": epsilon}
        | told
        for teacher, (weight, size, centrality, place, epsilon) in enumerate(by_teacher(*columns))
    ]


@figure("teacher_epsilons", "Epsilon of each teacher", data, needs="ensemble")
def chart(rows: Rows) -> Chart:
    first, limit = rows[0], rows[0]["limit"]
    held = sorted((row for row in rows if math.isfinite(row["epsilon"])), key=lambda row: int(row["place"]))
    if not held:
        return empty("no ε of teachers is finite")
    high = max(row["epsilon"] for row in held)
    step, title = round_step(high), f"{MEASURES[first['measure']]} at δ = {rounded_delta(first['delta'])}"
    end = step * (math.ceil(high / step - 1e-9) + 1)
    x, at, told = Axis(title=title, low=0, high=end), limit, limit is not None and limit <= end
    if first["view"] == "histogram":
        names = [f"{number(step * one, 4)}–{number(step * (one + 1), 4)}" for one in range(round(end / step))]
        x, y, series = named(names, title), Axis(title="teachers (count)", low=0), _histogram(held, names, step)
        at = limit / step - 0.5 if told else limit
    elif first["view"] == "strip":
        y, series = Axis(title=GROUPINGS["centrality"]), _strip(held)
    else:
        share = "teachers with at most this ε (percent)"
        y, series = Axis(title=share, percent=True, low=-0.02, high=1.02), _stairs(held, end)
    label = f"limit {number(limit)}"
    return single(
        x,
        y,
        series,
        rules=[Rule(x=at, label=label)] * told,
        of=label * (limit is not None and not told),
        flags=(Flag.PRIVATE,) * first["private"],
        height=340,
    )


def _histogram(rows: Rows, names: list[str], step: float) -> list[Series]:
    """An end is in its bin, and the start is not: who is at the limit is not beyond it."""
    counts = {}
    for (place, name), own in grouped(rows, "place", "group").items():
        counts[name, place] = [0] * len(names)
        for row in own:
            counts[name, place][max(0, math.ceil(row["epsilon"] / step - 1e-9) - 1)] += 1
    return stacked(names, counts)


def _strip(rows: Rows) -> list[Series]:
    """A point a teacher."""
    look: Look = {"size": 8, "hover": ("teacher", "epsilon", "weight", "size", "centrality")}
    groups = grouped(rows, "place", "group").items()
    return [marks(own, "epsilon", "centrality", name=name, slot=place, **look) for (place, name), own in groups]


def _stairs(rows: Rows, end: float) -> list[Series]:
    """Of all teachers, and of each group where there are several."""
    groups, drawn = grouped(rows, "place", "group"), []
    for (place, name), own in {**(groups if len(groups) > 1 else {}), (NEUTRAL, "all teachers"): rows}.items():
        values = sorted(row["epsilon"] for row in own)
        x = (0.0, *(one for one in values for _ in range(2)), end)
        y = tuple(count / len(values) for count in range(len(values) + 1) for _ in range(2))
        drawn.append(Series(name=name, kind="line", x=x, y=y, slot=place))
    return drawn
