"""Published claims beside what an attack has shown of the same noise, over many rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privgraph_workbench.facts.games import GAMES
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import lower, number

TITLE = "Claimed, and shown by an attack"
ROOM = 0.04
"""Left of zero, as a share of what is drawn: a mark at zero does not lie on the name of its row."""


def data(epsilon: float = 1.0, rounds: int = 20_000, seed: int = 0, games: Sequence[str] = tuple(GAMES)) -> list[Row]:
    """One row per game of `facts.games.GAMES`: game, published (the claimed epsilon), audited (a lower bound
    at 95% confidence), right and wrong (how often the attacker said "with" where it was so, and where not),
    rounds (in each world). Raises `ValueError` for an unknown game."""
    rows: list[Row] = []
    for game in games:
        if game not in GAMES:
            raise ValueError(f"game must be one of {', '.join(GAMES)} (got {game})")
        played = GAMES[game](epsilon, rounds, np.random.default_rng(seed))
        rows.append(
            {
                "game": game,
                "published": played.claimed,
                "audited": played.shown,
                "right": played.right,
                "wrong": played.wrong,
                "rounds": played.rounds,
            }
        )
    return rows


@figure("claims_played", "Claimed, and shown by an attack", data, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """Two marks on a line for each game: the claim, and the bound that refutes it."""
    if not rows:
        return empty("no game was played")
    games = tuple(row["game"] for row in rows)
    reach = max(max(row["published"], row["audited"]) for row in rows)
    series = (
        Series(
            name=f"{EPSILONS['published'].title} (claimed)",
            kind="points",
            x=tuple(row["published"] for row in rows),
            y=games,
            epsilon="published",
            size=12,
            hover=tuple(f"{row['game']}\nclaimed: {number(row['published'])}" for row in rows),
        ),
        Series(
            name=f"{EPSILONS['audited'].title} (at least)",
            kind="points",
            x=tuple(row["audited"] for row in rows),
            y=games,
            epsilon="audited",
            size=12,
            hover=tuple(
                f"{row['game']}\nat least {lower(row['audited'])}\nsaid “with” {row['right']:,} times where it was so, "
                f"{row['wrong']:,} times where not, of {row['rounds']:,} each"
                for row in rows
            ),
        ),
    )
    return Chart(
        panels=(
            Panel(
                x=Axis(title="ε (privacy budget)", low=-ROOM * reach),
                y=Axis(title="", scale="category", categories=games),
            ),
        ),
        series=series,
        height=150 + 60 * len(rows),
        legend=True,
    )


plot = plotted(chart)
