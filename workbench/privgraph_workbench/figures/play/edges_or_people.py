"""What one epsilon leaves of accuracy where it protects a friendship, and where it protects a person."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from privgraph_workbench.facts import world as worlds
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.words.numbers import number, percent

TITLE = "The same ε, two promises"
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
DRAWS = 150
NAMES = {"edges": "one friendship is protected", "people": "one person is protected"}


def data(epsilon: float = 4.0, hops: int = 2, people: int = 120) -> list[Row]:
    """One row per promise and epsilon: protects (edges, people), epsilon, b (of the noise), right (share of
    people guessed right, a mean over draws), bare (the same without noise), asked."""
    world = worlds.make_world(people, 0.85)
    bare = float(
        (worlds.guesses(worlds.published(world, 0.0, hops, 1, np.random.default_rng())) == world.groups).mean()
    )
    return [
        {
            "protects": protects,
            "epsilon": place,
            "b": worlds.scale(protects, place, hops),
            "right": _right(people, protects, place, hops),
            "bare": bare,
            "asked": epsilon,
        }
        for protects in NAMES
        for place in sorted({*EPSILONS, epsilon})
    ]


@lru_cache(maxsize=256)
def _right(people: int, protects: str, epsilon: float, hops: int) -> float:
    world, b = worlds.make_world(people, 0.85), worlds.scale(protects, epsilon, hops)
    told = worlds.published(world, b, hops, DRAWS, np.random.default_rng(0))
    return float((worlds.guesses(told) == world.groups).mean())


@figure("edges_or_people", "The same ε, two promises", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two curves between blind guesses and no noise."""
    if not rows:
        return empty("nothing is protected")
    series: list[Series] = []
    for slot, (protects, name) in enumerate(NAMES.items()):
        own = [row for row in rows if row["protects"] == protects]
        series.append(
            Series(
                name=name,
                kind="path",
                x=tuple(row["epsilon"] for row in own),
                y=tuple(row["right"] for row in own),
                slot=slot,
                hover=tuple(
                    f"{name}\nε {number(row['epsilon'])}, scale {number(row['b'])}\n{percent(row['right'])} right"
                    for row in own
                ),
            )
        )
    series.append(
        Series(name="no noise", kind="level", x=(rows[0]["epsilon"], rows[-1]["epsilon"]), y=(rows[0]["bare"],), slot=2)
    )
    series.append(
        Series(
            name="guessed blindly",
            kind="level",
            x=(rows[0]["epsilon"], rows[-1]["epsilon"]),
            y=(1 / worlds.GROUPS,),
            slot=3,
        )
    )
    return Chart(
        panels=(
            Panel(
                x=Axis(title="ε (privacy budget; logarithmic)", scale="log", ticks=EPSILONS),
                y=Axis(title="people guessed right", percent=True, low=0.2, high=1.0),
                rules=(Rule(x=rows[0]["asked"], label="chosen"),),
            ),
        ),
        series=tuple(series),
        height=360,
        legend=True,
    )


plot = plotted(chart)
