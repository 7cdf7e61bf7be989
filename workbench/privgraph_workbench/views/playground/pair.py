"""Two worlds of which one is the true one, with the noise that hides which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from privgraph_workbench.facts import world as worlds
from privgraph_workbench.facts.world import World

DRAWS = 3000
"""Releases of each world, of which the histograms are made."""
Evidence = tuple[NDArray[np.float64], NDArray[np.float64]]


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
        if self.friend is not None:
            return self.world.without_friendship(self.who, self.friend)
        return self.world.without(self.who, hint=self.protects != "edges")

    @property
    def b(self) -> float:
        """The scale of the noise."""
        return worlds.scale(self.protects, self.epsilon, self.hops)

    @property
    def names(self) -> tuple[str, str]:
        """What the two worlds are called."""
        if self.friend is not None:
            what = "the friendship"
        else:
            what = f"{worlds.name(self.who)}'s friendships" if self.protects == "edges" else worlds.name(self.who)
        return f"with {what}", f"without {what}"

    @property
    def claims(self) -> tuple[str, str]:
        """What somebody says who takes the first world for the true one, and who takes the second."""
        name = worlds.name(self.who)
        if self.friend is not None:
            both = f"{name} and {worlds.name(self.friend)}"
            return f"{both} were friends", f"{both} were not friends"
        if self.protects == "edges":
            return f"{name}'s friendships were in the data", f"{name}'s friendships were not"
        return f"{name} was in the data", f"{name} was not"

    @property
    def gone(self) -> int:
        """How many friendships the second world lacks."""
        return len(self.world.friends) - len(self.other.friends)

    @property
    def promised(self) -> bool:
        """Whether epsilon is about these two worlds: not about several friendships where one is protected."""
        return self.protects == "people" or self.gone <= 1

    @property
    def most(self) -> float:
        """What no evidence exceeds here."""
        return worlds.largest_evidence(self.world, self.other, self.b, self.hops)


@lru_cache(maxsize=32)
def drawn(pair: Pair) -> Evidence:
    """Evidence for the first world, where it is the true one and where the second is."""
    return worlds.both(pair.world, pair.other, pair.b, pair.hops, DRAWS, pair.seed)
