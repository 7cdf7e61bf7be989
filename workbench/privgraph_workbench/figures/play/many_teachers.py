"""How often a noisy vote of teachers names the right class, against how many teachers there are."""

import math

import numpy as np

from privgraph.mechanisms.noisy_max import label_chances
from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import level, marks, single
from privgraph_workbench.play.games import shift_at
from privgraph_workbench.words.numbers import number

PLACES = (10, 20, 50, 100, 150, 200, 300, 500)
OTHERS = 2
"""Wrong classes, which share the other votes evenly."""


def vote_sigma(epsilon: float, queries: int) -> float:
    """The noise on each count at which so many answers cost epsilon at `DELTA`: a moved vote changes two
    counts by 1, sqrt 2 in L2, and the answers compose to one Gaussian of mu = sqrt(2 queries)/sigma."""
    return math.sqrt(2 * queries) / shift_at(epsilon) * (1 + 1e-9)  # more than what rounding may have taken


def data(epsilon: float = 2.0, teachers: int = 200, queries: int = 50, agree: float = 0.7) -> list[Row]:
    """One row per number of teachers: teachers, right (chance that the noisy winner is the class that a share
    `agree` of them names), sigma (noise on each count), asked, epsilon, queries. Raises `ValueError` where
    epsilon, queries or agree are out of range."""
    if not (epsilon > 0 and queries >= 1 and 0 < agree <= 1):
        raise ValueError("epsilon must be positive, queries at least 1, and agree a share above 0")
    sigma, votes = vote_sigma(epsilon, queries), np.array([agree, *[(1 - agree) / OTHERS] * OTHERS])
    return [  # a sum of areas, which rounding exceeds
        {"teachers": count, "right": min(1.0, float(label_chances(votes * count, sigma)[0])), "sigma": sigma}
        | {"asked": teachers, "epsilon": epsilon, "queries": queries}
        for count in sorted({*PLACES, teachers})
    ]


@figure("many_teachers", "Many teachers, one noisy vote", data, settings=True)
def chart(rows: Rows) -> Chart:
    first, places = rows[0], [row["teachers"] for row in rows]
    name = f"noise for ε {number(first['epsilon'])} and {first['queries']} answers"
    curve = marks(rows, "teachers", "right", name=name, kind="path")
    x = Axis(title="teachers (each with its own data)")
    y = Axis(title="chance that the answer is right", percent=True, low=0.2, high=1.0)
    series = [curve, level(places, 1 / (1 + OTHERS), "guessed blindly", 1)]
    return single(x, y, series, rules=[Rule(x=first["asked"], label="chosen")])
