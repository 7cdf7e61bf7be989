"""What one epsilon leaves of accuracy where it protects a friendship, and where it protects a person."""

from functools import lru_cache

import numpy as np

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, level, marks, single
from privgraph_workbench.play import world as worlds

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
NAMES = {"edges": "one friendship is protected", "people": "one person is protected"}


def data(epsilon: float = 4.0, hops: int = 2, people: int = 120) -> list[Row]:
    """One row per promise and epsilon: protects (edges, people), epsilon, b (of the noise), right (share of
    people guessed right, a mean over draws), bare (the same without noise), asked."""
    scales = {(name, at): worlds.scale(name, at, hops) for name in NAMES for at in sorted({*EPSILONS, epsilon})}
    bare = _right(people, 0.0, hops, 1)
    return [
        {"protects": protects, "epsilon": place, "b": b, "right": _right(people, b, hops, 150)}
        | {"bare": bare, "asked": epsilon}
        for (protects, place), b in scales.items()
    ]


@lru_cache(maxsize=256)
def _right(people: int, b: float, hops: int, draws: int) -> float:
    world = worlds.make_world(people, 0.85)
    told = worlds.published(world, b, hops, draws, np.random.default_rng(0))
    return float((worlds.guesses(told) == world.groups).mean())


@figure("edges_or_people", "The same ε, two promises", data, settings=True)
def chart(rows: Rows) -> Chart:
    groups, ends = grouped(rows, "protects"), [row["epsilon"] for row in rows]
    series = [
        marks(own, "epsilon", "right", name=NAMES[protects], kind="path", slot=slot)
        for slot, (protects, own) in enumerate(groups.items())
    ]
    series += [level(ends, rows[0]["bare"], "no noise", 2), level(ends, 1 / worlds.GROUPS, "guessed blindly", 3)]
    x = Axis(title="ε (privacy budget; logarithmic)", scale="log", ticks=EPSILONS)
    y = Axis(title="people guessed right", percent=True, low=0.2, high=1.0)
    return single(x, y, series, rules=[Rule(x=rows[0]["asked"], label="chosen")])
