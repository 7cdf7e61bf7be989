"""Budget used against queries answered: the epsilon that each weight has spent, and the limit."""

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, flags
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import empty, grouped, level, marks, one_of, single, table
from privgraph_workbench.figures.teachers.ensembles import MEASURES, groups, limit_measure, shared, spent
from privgraph_workbench.theme import EPSILONS, NEUTRAL
from privgraph_workbench.words.numbers import rounded_delta


def data(ensemble: Ensemble, measure: str = "sound") -> list[Row]:
    """Rows for each group of weights and number of queries (0 to Q, at most 200 of them): group, place,
    weight (the group's largest), teachers, queries, answered (so far), epsilon (by that `measure`, of the
    group's teacher that spent most), guaranteed (sound epsilon of the group; None for the data-dependent
    measure, which guarantees nothing), limit (None: none, or rows against the other measure), delta, measure,
    data_dependent, private (whether the weights were made of private nodes). Raises `ValueError` for an
    unknown measure."""
    one_of("measure", measure, MEASURES)
    (names, own), epsilons = groups(ensemble), spent(ensemble, measure)
    asked = epsilons.shape[1] - 1
    answered = np.concatenate([[0], (ensemble.released >= 0).cumsum()])
    points = np.unique(np.linspace(0, asked, min(asked, 200) + 1).round().astype(int))
    limited = math.isfinite(ensemble.limit) and limit_measure(ensemble) == measure
    told = {"limit": ensemble.limit if limited else None, "delta": ensemble.delta, **shared(ensemble, measure)}
    rows: list[Row] = []
    for place, name in enumerate(names):
        held = own == place
        group = {"group": name, "place": place, "weight": float(ensemble.weights[held].max())}
        group |= {"teachers": int(held.sum()), "queries": points, "answered": answered[points]}
        group |= {"epsilon": epsilons[held].max(axis=0)[points]}
        group |= {"guaranteed": float(ensemble.sound[held].max()) if measure == "sound" else None}
        rows += table(group | told)
    return rows


def alike(points: Sequence[tuple[int, float]], delta: float) -> list[Row]:
    """The same rows where all private nodes pay the same: sound epsilon after so many answered queries, the
    last of which is guaranteed; `teachers` is None."""
    counts, epsilons = (list(one) for one in zip((0, 0.0), *points, strict=True))
    told: Row = {"group": "every private node", "place": 0, "weight": None, "teachers": None, "queries": counts}
    told |= {"answered": counts, "epsilon": epsilons, "guaranteed": epsilons[-1], "limit": None, "delta": delta}
    return table({**told, "measure": "sound", "data_dependent": False, "private": False})


@figure("budget", "Budget used, query by query", data, needs="ensemble")
def chart(rows: Rows) -> Chart:
    last, first, series = max(row["queries"] for row in rows), rows[0], []
    if not last or any(math.isinf(row["epsilon"]) for row in rows):
        return empty("no query was asked, or there was no noise")
    for (place, name), own in grouped(rows, "place", "group").items():
        series.append(marks(own, "queries", "epsilon", name=name, kind="line", slot=place, group=name))
        if own[0]["guaranteed"] is not None and math.isfinite(own[0]["guaranteed"]):
            look: Look = {"epsilon": "sound", "size": 11, "legend": False, "group": name}
            series.append(marks(own[-1:], (last,), "guaranteed", name=f"{name}: {EPSILONS['sound'].title}", **look))
    if first["limit"] is not None:
        series.append(level((0, last), first["limit"], "limit", NEUTRAL, shape=1))
    carried = flags({Flag.PRIVATE: first["private"], Flag.UNGUARANTEED: first["guaranteed"] == math.inf})
    y = Axis(title=f"{MEASURES[first['measure']]} spent, at δ = {rounded_delta(first['delta'])}", low=0)
    return single(Axis(title="queries asked", low=0, high=1.04 * last), y, series, flags=carried)
