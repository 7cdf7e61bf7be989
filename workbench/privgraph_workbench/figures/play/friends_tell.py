"""How often somebody's group is guessed from their friends, against how alike friends are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privgraph_workbench.facts import world as worlds
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.words.numbers import percent

TITLE = "What friends tell"
PLACES = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
WORLDS = 5


def data(alike: float = 0.85, people: int = 300, hops: int = 1) -> list[Row]:
    """One row per share of friendships within groups: alike, right (share of people whose group is guessed
    from friends' hints, without noise, mean over worlds), blind (guessing without looking), asked (the share
    that is pointed out)."""
    places = sorted({*PLACES, round(alike, 2)})
    return [
        {
            "alike": place,
            "right": float(np.mean([_right(people, place, hops, seed) for seed in range(WORLDS)])),
            "blind": 1 / worlds.GROUPS,
            "asked": round(alike, 2),
        }
        for place in places
    ]


def _right(people: int, alike: float, hops: int, seed: int) -> float:
    world = worlds.make_world(people, alike, seed)
    guessed = worlds.guesses(worlds.published(world, 0.0, hops, 1, np.random.default_rng()))
    return float((guessed == world.groups).mean())


def chart(rows: Sequence[Row]) -> Chart:
    """A curve, above a line for blind guesses."""
    if not rows:
        return empty(TITLE, "no world was made")
    asked = rows[0]["asked"]
    series = (
        Series(
            name="guessed from friends' hints",
            kind="path",
            x=tuple(row["alike"] for row in rows),
            y=tuple(row["right"] for row in rows),
            hover=tuple(f"{percent(row['alike'])} within groups\n{percent(row['right'])} right" for row in rows),
        ),
        Series(
            name="guessed blindly", kind="level", x=(rows[0]["alike"], rows[-1]["alike"]), y=(rows[0]["blind"],), slot=1
        ),
    )
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(title="share of friendships within one group", percent=True),
                y=Axis(title="people guessed right", percent=True, low=0.2, high=1.0),
                rules=(Rule(x=asked, label="chosen"),),
            ),
        ),
        series=series,
        summary="; ".join(f"{percent(row['alike'])} alike: {percent(row['right'])} right" for row in rows),
        height=340,
        legend=True,
    )


plot = plotted(chart)
