"""How often somebody's group is guessed from their friends, against how alike friends are."""

from functools import lru_cache

import numpy as np

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows, Rule
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import level, marks, single
from privgraph_workbench.play import world as worlds


def data(alike: float = 0.85, people: int = 300, hops: int = 1) -> list[Row]:
    """One row per share of friendships within groups: alike, hops, right (share of people whose group is
    guessed from the hints of those so many hops away or less, without noise, mean over worlds), friends (the
    same from friends alone), blind (guessing without looking), asked (the share that is pointed out)."""
    asked = round(alike, 2)
    return [
        {"alike": place, "hops": hops, "right": _right(people, place, hops), "friends": _right(people, place, 1)}
        | {"blind": 1 / worlds.GROUPS, "asked": asked}
        for place in sorted({0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, asked})
    ]


@lru_cache(maxsize=256)
def _right(people: int, alike: float, hops: int) -> float:
    made = [worlds.make_world(people, alike, seed) for seed in range(5)]
    told = [worlds.guesses(worlds.published(world, 0.0, hops, 1, np.random.default_rng())) for world in made]
    return float(np.mean([(guessed == world.groups).mean() for world, guessed in zip(made, told, strict=True)]))


@figure("friends_tell", "What friends tell", data, settings=True)
def chart(rows: Rows) -> Chart:
    """Where the curve looks further than friends, what friends alone tell stands behind it."""
    names = {1: "friends' hints", 2: "with friends of friends", 3: "with their friends, too"}
    hops, places = rows[0]["hops"], [row["alike"] for row in rows]
    friends = marks(rows, "alike", "friends", name="friends' hints alone", kind="path", slot=2, faint=True)
    right = marks(rows, "alike", "right", name=names.get(hops, f"{hops} hops"), kind="path")
    series = [*[friends] * (hops > 1), right, level(places, rows[0]["blind"], "guessed blindly", 1)]
    x = Axis(title="share of friendships within one group", percent=True)
    y = Axis(title="people guessed right", percent=True, low=0.2, high=1.0)
    return single(x, y, series, rules=[Rule(x=rows[0]["asked"], label="chosen")])
