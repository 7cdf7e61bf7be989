"""Which private node sits with which teacher, and how much each teacher's vote weighs. NumPy only.

A node's slot must be its own business: if somebody's leaving moved others to other teachers, many votes would
change, and not one. Two of the three ways keep that (proofs with each), the published one does not
(`by_private_centrality`).

Random numbers belong to node numbers of the whole graph, private or not, and come from streams of the seed
that know nothing of the data. |V| nodes, N teachers, S slots each. `roster` (n,) int64 are the numbers of all
private nodes, which are public; `present` (|V|,) bool says who has stayed: everybody in a run, all but one in
a neighbouring one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.streams import Secret

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

EMPTY = -1


@dataclass(frozen=True, kw_only=True, eq=False)
class Assignment:
    """slots (N, S) int64: node numbers, or `EMPTY`; weights (N,) float64, of average 1."""

    slots: Ints
    weights: Floats

    @property
    def sizes(self) -> Ints:
        """(N,) how many nodes each teacher has."""
        taken: Ints = (self.slots != EMPTY).sum(1)
        return taken

    def averages(self, centrality: Floats) -> Floats:
        """(N,) average of `centrality` (|V|,) over each teacher's nodes, 0 where it has none."""
        shown = np.where(self.slots == EMPTY, 0.0, centrality[self.slots])
        mean: Floats = shown.sum(1) / np.maximum(self.sizes, 1)
        return mean


@dataclass(frozen=True, kw_only=True)
class Room:
    """How many teachers, slots and taught nodes there are: public numbers."""

    teachers: int
    slots: int
    taught: int

    @staticmethod
    def of(private: int, teachers: int, shots: int, *, drawn: bool) -> Room:
        """For `private` private nodes, `shots` a teacher (0: all are shared out).

        Where each node draws its teacher, a teacher gets more or fewer than the average; two standard
        deviations more fit in, and who comes later is left out.
        """
        taught = min(private, teachers * shots) if shots else private
        mean = taught / teachers
        return Room(
            teachers=teachers,
            slots=min(taught, math.ceil(mean + 2 * math.sqrt(mean))) if drawn else math.ceil(mean),
            taught=taught,
        )


Draws = Callable[[str], Secret]
"""Secret streams by name, from their start: those of `Context.shared_secret`."""


def places(nodes: int, draws: Draws) -> Ints:
    """(|V|,) each node's place in one random order of all node numbers, which no data have a say in: every
    tie-break here."""
    return np.argsort(draws("sampling/seats").order(nodes))


def taught_nodes(roster: Ints, order: Ints, room: Room) -> Ints:
    """The first `room.taught` nodes of the roster in the random order; who has left keeps the place."""
    return roster[np.argsort(order[roster])][: room.taught]


def uniform(roster: Ints, present: Mask, room: Room, draws: Draws) -> Assignment:
    """DP-GPL: the i-th node of the random order sits with teacher i mod N, on slot i div N.

    Unit: one private node; relation: it leaves, `roster` stays. Who sits where is a function of the roster
    and the draws; who leaves empties one slot of one teacher.
    """
    order = places(len(present), draws)
    slots = np.full(room.slots * room.teachers, EMPTY)
    taught = taught_nodes(roster, order, room)
    slots[: len(taught)] = np.where(present[taught], taught, EMPTY)
    return Assignment(slots=slots.reshape(room.slots, room.teachers).T.copy(), weights=np.ones(room.teachers))


def by_public_centrality(
    roster: Ints, present: Mask, public_degree: Ints, room: Room, weights: Floats, teacher_rank: Ints, draws: Draws
) -> Assignment:
    """Ours, for DP-GPL+W: a node draws among the teachers of its own rank, and reads nobody else's record to
    know it.

    public_degree (|V|,): public neighbours of each node. A node's rank says where its number of public
    neighbours falls among those of the public nodes, in groups of equal size (ties by the random order).
    teacher_rank (N,): the rank that each teacher is for; weights (N,): one weight a rank. Both are options,
    and no data.

    Unit: one private node; relation: it leaves, with its edges. Its number of public neighbours is a function
    of its own record, and no other private node's is touched by its leaving, nor is any public node's (public
    neighbours alone count). So every other node keeps its rank, its draw and its teacher. Where a teacher is
    drawn by more nodes than it has slots, the first in the random order sit: a slot that falls free goes to
    another node of the same teacher. One teacher changes.
    """
    order = places(len(present), draws)
    luck = draws("sampling/teachers").words(len(present))
    known = np.ones(len(present), dtype=bool)
    known[roster] = False
    ranks = ranks_of(public_degree, order, known, int(teacher_rank.max()) + 1)
    slots = np.full((room.teachers, room.slots), EMPTY)
    taken = np.zeros(room.teachers, dtype=np.int64)
    for node in taught_nodes(roster, order, room):
        if present[node]:
            choice = np.flatnonzero(teacher_rank == ranks[node])
            teacher = choice[int(luck[node]) * len(choice) >> 64]
            if taken[teacher] < room.slots:
                slots[teacher, taken[teacher]] = node
                taken[teacher] += 1
    return Assignment(slots=slots, weights=weights)


def ranks_of(public_degree: Ints, order: Ints, known: Mask, ranks: int) -> Ints:
    """(|V|,) in [0, ranks): the quantile of each node's number of public neighbours among the nodes `known`
    to all."""
    keys = public_degree + order / len(order)
    below = np.searchsorted(np.sort(keys[known]), keys)
    found: Ints = np.minimum(below * ranks // max(int(known.sum()), 1), ranks - 1)
    return found


def by_private_centrality(
    roster: Ints, present: Mask, centrality: Floats, room: Room, w_min: float, w_max: float, scores: str, draws: Draws
) -> Assignment:
    """As published: sorted by degree centrality in the private graph, cut into consecutive groups, weights by
    Algorithm 2.

    centrality (|V|,): degree / (n - 1) in the graph of those present (section 4.2). There is no per-teacher
    guarantee: who leaves shifts everybody behind to the next slot, changes the degrees of its neighbours, and
    all weights through their sum.
    """
    order = places(len(present), draws)
    taught = taught_nodes(roster, order, room)
    taught = taught[present[taught]]
    ranked = taught[np.lexsort((order[taught], centrality[taught]))]
    slots = np.full((room.teachers, room.slots), EMPTY)
    for teacher, group in enumerate(np.array_split(ranked, room.teachers)):
        slots[teacher, : len(group)] = group
    alone = Assignment(slots=slots, weights=np.ones(room.teachers))
    return Assignment(slots=slots, weights=algorithm_2(alone.averages(centrality), w_min, w_max, scores))


def algorithm_2(scores: Floats, w_min: float, w_max: float, reading: str) -> Floats:
    """(N,) the paper's Algorithm 2: w_min + (w_max - w_min) s, then scaled to sum N.

    With `reading` stretched, s is moved and scaled to fill [0, 1] first, without which no printed range comes
    out. After the scaling the weights need not lie in [w_min, w_max], which the algorithm promises.
    """
    if reading == "stretched":
        reach = scores.max() - scores.min()
        scores = (scores - scores.min()) / reach if reach > 0 else np.zeros_like(scores)
    raw = w_min + (w_max - w_min) * scores
    scaled: Floats = raw * len(raw) / raw.sum()
    return scaled


def rank_weights(teachers: int, ranks: int, w_min: float, w_max: float) -> tuple[Floats, Ints]:
    """Weights (N,) and the rank that each teacher is for (N,): as many teachers a rank as possible alike,
    rising weights.

    Algorithm 2 with the score k/(K-1) for rank k of K: numbers that no data has a say in.
    """
    ranks = min(ranks, teachers)
    teacher_rank = np.arange(teachers) * ranks // teachers
    return algorithm_2(teacher_rank / max(ranks - 1, 1), w_min, w_max, "printed"), teacher_rank
