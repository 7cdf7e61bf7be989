"""Published claims beside what an attack has shown of the same noise, over many rounds."""

from collections.abc import Sequence

import numpy as np

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks, named, one_of, single
from privgraph_workbench.play.games import GAMES
from privgraph_workbench.theme import Epsilon

KINDS: tuple[Epsilon, ...] = ("published", "audited")


def data(epsilon: float = 1.0, rounds: int = 20_000, seed: int = 0, games: Sequence[str] = tuple(GAMES)) -> list[Row]:
    """One row per game of `play.games.GAMES`: game, published (the claimed epsilon), audited (a lower bound
    at 95% confidence), right and wrong (how often the attacker said "with" where it was so, and where not),
    rounds (in each world). Raises `ValueError` for an unknown game."""
    for game in games:
        one_of("game", game, GAMES)
    played = [GAMES[game](epsilon, rounds, np.random.default_rng(seed)) for game in games]
    return [
        {"game": game, "published": one.claimed, "audited": one.shown}
        | {"right": one.right, "wrong": one.wrong, "rounds": one.rounds}
        for game, one in zip(games, played, strict=True)
    ]


@figure("claims_played", "Claimed, and shown by an attack", data, settings=True)
def chart(rows: Rows) -> Chart:
    reach = max(row[kind] for row in rows for kind in KINDS)
    series = [marks(rows, kind, "game", epsilon=kind, size=12) for kind in KINDS]
    # a mark at zero does not lie on the name of its row
    x, y = Axis(title="ε (privacy budget)", low=-0.04 * reach), named(row["game"] for row in rows)
    return single(x, y, series)
