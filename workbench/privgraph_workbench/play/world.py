"""The playground's small world: invented people, whom a network sums up through noise. NumPy alone.

Everybody belongs to one of three groups, gives a hint which (right with probability `RIGHT`), and has at most
`FRIENDS` friends. The network guesses groups from the hints of friends: K times (hops) it sums over them,

    R_k = A N(R_(k-1)) + Lap(b),    R_0 = hints as unit vectors,    b = K s / epsilon,

where N divides a row by its L1 norm, and takes the largest of N(R_1) + ... + N(R_K). All R_k are published;
they compose, epsilon/K each. Delta is 0, so that no evidence for one of two neighbours exceeds epsilon.

Unit "edges", one friendship added or removed: hints are public. Sensitivity s = 2 (L1, one hop): the two rows
of the friends move by a row of norm at most 1 each.

Unit "people", one person's hint and friendships there or blank: names are public. s = 2 `FRIENDS`: the rows
of as many friends move by a row of norm at most 1 each, and the own row, a sum of such rows, by all of them.

Noise is drawn by NumPy's ordinary generator, for a picture of people who do not exist.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

GROUPS, FRIENDS, MEAN_FRIENDS, RIGHT = 3, 8, 6.0, 0.6
"""Groups; the most friends that anybody has, and their mean; how often a hint is right."""
ASPECT = 0.6
"""Height of the picture over its width."""
SENSITIVITY = {"edges": 2, "people": 2 * FRIENDS, "nobody": 0}
"""L1, of what one hop publishes; proved above."""
NAMES = """
Ada Ben Cleo Dan Eva Finn Gia Hugo Ida Jon Kim Leo Mia Nils Ona Paul Quin Rosa Sam Tess Ugo Vera Will Xena Yara
Zoe Amir Bela Cem Dora Emil Fay Greg Hana Ivo Jana Kai Lena Milo Nora Omar Pia Ravi Sina Tom Uma Vito Wanda Yann Zita
"""
Rows = NDArray[np.float32]
"""Published numbers: (draws, people, groups)."""
Evidence = NDArray[np.float64]
"""How much likelier each draw is in one world than in the other, as a logarithm: (draws,)."""


@dataclass(frozen=True)
class World:
    """Groups and hints (people,), a friendship a row of `friends` (friendships, 2), the smaller number
    first. A hint of -1 is blank."""

    groups: NDArray[np.int64]
    hints: NDArray[np.int64]
    friends: NDArray[np.int64]

    @property
    def people(self) -> int:
        return len(self.groups)

    @property
    def adjacency(self) -> Rows:
        """Who is whose friend, (people, people)."""
        found = np.zeros((self.people, self.people), np.float32)
        found[self.friends[:, 0], self.friends[:, 1]] = found[self.friends[:, 1], self.friends[:, 0]] = 1
        return found

    def friends_of(self, who: int) -> list[int]:
        """The friends of a person, in order."""
        rows = self.friends[(self.friends == who).any(1)]
        return sorted(int(one) for one in rows.sum(1) - who)

    def without(self, who: int, friend: int | None = None, *, hint: bool = True) -> World:
        """The world without a person's friendships and, unless hints are public, with a blank `hint`; or
        without the friendship with one `friend` alone."""
        if friend is not None:
            return replace(self, friends=self.friends[(self.friends != sorted((who, friend))).any(1)])
        hints = self.hints.copy()
        hints[who] = -1 if hint else hints[who]
        return World(self.groups, hints, self.friends[(self.friends != who).all(1)])


def name(who: int) -> str:
    """What a person is called.

    >>> name(0), name(50), name(101)
    ('Ada', 'Ada 2', 'Ben 3')
    """
    known = NAMES.split()
    again, place = divmod(who, len(known))
    return known[place] + (f" {again + 1}" if again else "")


@lru_cache(maxsize=64)
def make_world(people: int, homophily: float, seed: int = 0) -> World:
    """People in groups of equal sizes, about a share `homophily` of whose friendships lies within a group."""
    draw = np.random.default_rng([seed, people])
    groups = np.arange(people) % GROUPS
    wrong = (groups + draw.integers(1, GROUPS, people)) % GROUPS
    hints = np.where(draw.random(people) < RIGHT, groups, wrong)
    wanted, count = int(people * MEAN_FRIENDS / 2), np.zeros(people, int)
    found: set[tuple[int, int]] = set()
    for _ in range(50 * wanted):
        if len(found) == wanted:
            break
        one, other = draw.integers(people, size=2)
        within = groups[one] == groups[other]
        if one == other or max(count[one], count[other]) >= FRIENDS:
            continue
        # of all pairs a third lies within a group: pairs between groups are taken half as often
        if draw.random() >= (homophily if within else (1 - homophily) / (GROUPS - 1)):
            continue
        pair = (int(min(one, other)), int(max(one, other)))
        if pair not in found:
            found.add(pair)
            count[[one, other]] += 1
    return World(groups, hints, np.array(sorted(found), int).reshape(-1, 2))


def scale(protects: str, epsilon: float, hops: int) -> float:
    """b of the Laplace noise of each hop; 0 where nobody is protected."""
    return hops * SENSITIVITY[protects] / epsilon


def places(world: World) -> NDArray[np.float64]:
    """Where people stand, (people, 2) in a unit square that is drawn `ASPECT` times as high as wide: each
    group on a spiral of its own."""
    turn = math.pi * (3 - math.sqrt(5))
    found = np.zeros((world.people, 2))
    for middle, group in zip(((0.19, 0.66), (0.5, 0.34), (0.81, 0.66)), range(GROUPS), strict=True):
        members = np.flatnonzero(world.groups == group)
        at = np.arange(len(members)) + 0.5
        radius = 0.17 * np.sqrt(at / len(members))[:, None]
        found[members] = middle + radius * np.stack([np.cos(at * turn), np.sin(at * turn) / ASPECT], 1)
    return found


def first_rows(world: World) -> Rows:
    """Hints as unit vectors, (1, people, groups); a blank one is zeros."""
    rows: Rows = (world.hints[:, None] == np.arange(GROUPS)).astype(np.float32)[None]
    return rows


def unit(rows: Rows) -> Rows:
    """Rows divided by their L1 norm; zeros stay zeros."""
    norms = np.abs(rows).sum(-1, keepdims=True)
    divided: Rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return divided


def published(world: World, b: float, hops: int, draws: int, draw: np.random.Generator) -> list[Rows]:
    """What each hop publishes, `draws` times."""
    rows, found, adjacency = first_rows(world), [], world.adjacency
    for _ in range(hops):
        rows = adjacency @ unit(rows)
        rows = np.broadcast_to(rows, (draws, *rows.shape[1:])).copy()
        if b:
            rows += draw.laplace(scale=b, size=rows.shape).astype(np.float32)
        found.append(rows)
    return found


def guesses(told: list[Rows]) -> NDArray[np.int64]:
    """The guessed groups, (draws, people)."""
    found: NDArray[np.int64] = sum(map(unit, told[1:]), start=unit(told[0])).argmax(-1)
    return found


def evidence(told: list[Rows], world: World, other: World, b: float) -> Evidence:
    """The evidence of `told` for `world` against `other`: all that anybody can use who knows both.

    Of each hop the means in both worlds follow from what was published before it, which both share.
    """
    here, there = first_rows(world), first_rows(other)
    moved = np.flatnonzero((world.adjacency != other.adjacency).any(1) | (world.hints != other.hints))
    moved = np.union1d(moved, np.flatnonzero(world.adjacency[:, moved].any(1)))
    one, two = world.adjacency[moved], other.adjacency[moved]
    found = np.zeros(len(told[0]))
    for said in told:
        seen = said[:, moved]
        apart = np.abs(seen - two @ unit(there)) - np.abs(seen - one @ unit(here))
        found += apart.sum((1, 2), dtype=np.float64) / b
        here = there = said
    return found


def both(world: World, other: World, b: float, hops: int, draws: int, seed: int) -> tuple[Evidence, Evidence]:
    """Evidence for `world` where it is the true one, and where `other` is."""
    draw = np.random.default_rng(seed)
    first, second = (evidence(published(true, b, hops, draws, draw), world, other, b) for true in (world, other))
    return first, second


def largest_evidence(world: World, other: World, b: float, hops: int) -> float:
    """What no evidence exceeds: hop by hop, the L1 distance of the means over b at most.

    Exact for one hop; of later hops it takes the most that any published rows could do.
    """
    first = np.abs(world.adjacency @ first_rows(world) - other.adjacency @ first_rows(other)).sum()
    later = np.abs(world.adjacency - other.adjacency).sum()
    return float((first + (hops - 1) * later) / b)


def guessed(with_: Evidence, without: Evidence) -> float:
    """How often whoever guesses by evidence is right, in [0.5, 1]; where there is none, by a coin."""
    return float(np.mean([np.where(one == 0, 0.5, one > 0).mean() for one in (with_, -without)]))
