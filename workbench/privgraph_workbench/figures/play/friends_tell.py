"""How often somebody's group is guessed from their friends, against how alike friends are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from privgraph_workbench.facts import world as worlds
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.words.numbers import percent

TITLE = "What friends tell"
PLACES = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
WORLDS = 5
FURTHER = {2: "with friends of friends", 3: "with their friends, too"}


def data(alike: float = 0.85, people: int = 300, hops: int = 1) -> list[Row]:
    """One row per share of friendships within groups: alike, hops, right (share of people whose group is
    guessed from the hints of those so many hops away or less, without noise, mean over worlds), friends (the
    same from friends alone), blind (guessing without looking), asked (the share that is pointed out)."""
    places = sorted({*PLACES, round(alike, 2)})
    return [
        {
            "alike": place,
            "hops": hops,
            "right": _right(people, place, hops),
            "friends": _right(people, place, 1),
            "blind": 1 / worlds.GROUPS,
            "asked": round(alike, 2),
        }
        for place in places
    ]


@lru_cache(maxsize=256)
def _right(people: int, alike: float, hops: int) -> float:
    found = []
    for seed in range(WORLDS):
        world = worlds.make_world(people, alike, seed)
        guessed = worlds.guesses(worlds.published(world, 0.0, hops, 1, np.random.default_rng()))
        found.append((guessed == world.groups).mean())
    return float(np.mean(found))


@figure("friends_tell", "What friends tell", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """A curve, above a line for blind guesses; where it looks further than friends, what friends alone tell
    stands behind it."""
    if not rows:
        return empty("no world was made")
    asked, hops = rows[0]["asked"], rows[0]["hops"]
    curves = [("friends", "friends' hints alone", 2)] if hops > 1 else []
    curves.append(("right", "guessed from friends' hints" if hops == 1 else FURTHER.get(hops, f"{hops} hops"), 0))
    series = (
        *(
            Series(
                name=name,
                kind="path",
                x=tuple(row["alike"] for row in rows),
                y=tuple(row[key] for row in rows),
                slot=slot,
                faint=slot > 0,
                hover=tuple(f"{name}\n{percent(row['alike'])} alike\n{percent(row[key])} right" for row in rows),
            )
            for key, name, slot in curves
        ),
        Series(
            name="guessed blindly", kind="level", x=(rows[0]["alike"], rows[-1]["alike"]), y=(rows[0]["blind"],), slot=1
        ),
    )
    return Chart(
        panels=(
            Panel(
                x=Axis(title="share of friendships within one group", percent=True),
                y=Axis(title="people guessed right", percent=True, low=0.2, high=1.0),
                rules=(Rule(x=asked, label="chosen"),),
            ),
        ),
        series=series,
        height=340,
        legend=True,
    )


plot = plotted(chart)
