"""Two worlds of which one is the true one, and a game of guessing which. No Streamlit."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from privgraph_workbench.play import world as worlds
from privgraph_workbench.play.world import Evidence, Rows, World
from privgraph_workbench.words.meaning import guess

DRAWS = 3000
"""Releases of each world, of which the histograms are made."""
ROUNDS, AUTOMATIC = 10, 2000
LEVEL = 0.025
"""On either side of a confidence interval of 95%."""


@dataclass(frozen=True)
class Pair:
    """What was taken out of a world of `people` with a share `alike` of friendships within groups: all
    friendships of `who`, with the hint unless hints are public, or that with `friend` alone."""

    people: int
    alike: float
    protects: str
    epsilon: float
    hops: int
    seed: int
    who: int
    friend: int | None

    @property
    def world(self) -> World:
        return worlds.make_world(self.people, self.alike)

    @cached_property
    def other(self) -> World:
        return self.world.without(self.who, self.friend, hint=self.protects != "edges")

    @property
    def b(self) -> float:
        return worlds.scale(self.protects, self.epsilon, self.hops)

    @property
    def names(self) -> tuple[str, str]:
        what = f"{worlds.name(self.who)}'s friendships" if self.protects == "edges" else worlds.name(self.who)
        what = what if self.friend is None else "the friendship"
        return f"with {what}", f"without {what}"

    @property
    def several(self) -> int:
        """How many times epsilon is promised: as often as friendships are gone, where one is protected."""
        gone = len(self.world.friends) - len(self.other.friends)
        return 1 if self.protects == "people" else max(1, gone)

    @property
    def limit(self) -> float:  # of right guesses
        return guess(self.epsilon * self.several, 0.0)


@lru_cache(maxsize=32)
def drawn(pair: Pair) -> tuple[Evidence, Evidence]:
    """Evidence for the first world, where it is the true one and where the second is."""
    return worlds.both(pair.world, pair.other, pair.b, pair.hops, DRAWS, pair.seed)


@dataclass
class Game:
    """Rounds of guessing (guess and truth of each), how often whoever goes by the evidence was right in
    the same rounds (`best`), and in how many of `AUTOMATIC` others.

    Of the open round: which world is the `truth`, its release `told`, the `evidence` for the first world, and
    what was `said`; None until the guess.
    """

    pair: Pair
    rounds: list[tuple[bool, bool]] = field(default_factory=list)
    best: int = 0
    automatic: int | None = None
    truth: bool = field(init=False)
    told: list[Rows] = field(init=False)
    evidence: float = field(init=False)
    said: bool | None = field(init=False)

    def __post_init__(self) -> None:
        self.deal()

    def deal(self) -> None:
        draw, pair = np.random.default_rng(), self.pair
        self.truth, self.said = bool(draw.integers(2)), None
        self.told = worlds.published(pair.world if self.truth else pair.other, pair.b, pair.hops, 1, draw)
        self.evidence = float(worlds.evidence(self.told, pair.world, pair.other, pair.b)[0])

    def answer(self, said: bool) -> None:
        """Count a guess; the round stays to be looked at until the next is dealt."""
        if self.said is None:  # else a second click, which came before the page was drawn again
            self.said = said
            self.rounds.append((said, self.truth))
            self.best += (self.evidence > 0) == self.truth

    def play_by_itself(self) -> None:
        self.automatic = automatic(self.pair)


def automatic(pair: Pair, rounds: int = AUTOMATIC) -> int:
    """How many of so many rounds a guesser gets right who goes by the evidence, and by a coin without any."""
    draw = np.random.default_rng()
    ones, right = int(draw.binomial(rounds, 0.5)), 0
    for true, count, sign in ((pair.world, ones, 1.0), (pair.other, rounds - ones, -1.0)):
        told = worlds.published(true, pair.b, pair.hops, count, draw)
        found = sign * worlds.evidence(told, pair.world, pair.other, pair.b)
        right += int((found > 0).sum() + draw.binomial(int((found == 0).sum()), 0.5))
    return right
