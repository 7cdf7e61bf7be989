"""A lower bound on epsilon from who trained and who did not, where that was drawn by our own coin.

Training nodes are n of T nodes, drawn uniformly. Pair each node of the smaller side with one of the other
side, drawn uniformly: given the unordered pairs, which node of a pair is the member is a fair coin,
independent of the other pairs. (All ways to turn the m pairs are equally likely: each is a set of n members
with one matching, and all sets and all matchings of a set are equally likely.) So the pairs are m canaries of
one run, and both bounds of `audits.one_run` hold for the loss between a pair and the same pair turned round:
nodes a and b exchange their places.

A turn is a walk of `steps` neighbouring datasets, so that a run that is (epsilon, delta)-private is
(k epsilon, delta_k)-private with respect to it, k = `steps`, delta_k = delta (e^(k epsilon) - 1)/(e^epsilon -
1) (group privacy; Dwork and Roth 2014, Theorem 2.2, and Vadhan 2017, Lemma 2.2, for delta).
"""

import math

import numpy as np

from privgraph.attacks.options import Attacked
from privgraph.attacks.signals import Array, Bools
from privgraph.audits import one_run
from privgraph.audits.one_run import LARGEST, SHARES
from privgraph.privacy.kinds import Neighbours
from privgraph.registry import method

STEPS = 2
"""How many neighbouring datasets lie between a pair of records and the same pair with exchanged places: one
leaves, and one comes."""


def walk(subject: Attacked) -> int | None:
    """How many neighbouring datasets lie between two nodes of the run and the same two with exchanged places.

    Where nothing is protected, datasets that differ by one record that trains are called neighbours. A method
    that reads no edges is a function of the records that train, at the rate and the steps that the roster
    fixed: on a roster with a training place for either node, one empties its place and the other fills its
    own. None elsewhere: who is exchanged stays in the graph, and others read them.
    """
    neighbours = subject.statement.neighbours
    records = neighbours in (Neighbours.FROZEN_ROSTER, Neighbours.NODE_RECORD)
    walks = neighbours is Neighbours.NONE or (records and not method(subject.method).uses_edges)
    return STEPS if walks else None


def implies(subject: Attacked) -> bool:
    """Whether an attack on who trained bounds the epsilon that the run promises: its nodes are protected,
    training nodes were drawn by our coin, and there is a walk."""
    drawn = subject.split in ("random", "inductive") and subject.statement.unit == "node"
    return drawn and walk(subject) is not None


def differences(scores: Array, members: Bools, random: np.random.Generator) -> tuple[Array, Bools]:
    """Scores (m,) and coins (m,) of random pairs of a member and another: first minus second score, and
    whether the first is the member. Which of a pair is first is a fair coin of its own."""
    present, absent = np.flatnonzero(members), np.flatnonzero(~members)
    pairs = min(len(present), len(absent))
    one, other = random.permutation(present)[:pairs], random.permutation(absent)[:pairs]
    first = random.random(pairs) < 0.5
    gap = np.asarray(scores, dtype=np.float64)[one] - np.asarray(scores, dtype=np.float64)[other]
    return np.where(first, gap, -gap), first


def exchange_bound(gaps: Array, first: Bools, *, steps: int, delta: float, confidence: float) -> float:
    """A lower bound on epsilon at `delta`, right with chance `confidence`, from `differences`.

    The pairs of largest gap are guessed, each share of `one_run.SHARES` at its part of what the confidence
    leaves. Raises `ValueError` for fewer than two pairs.
    """
    if len(gaps) < 2 or gaps.shape != first.shape:
        raise ValueError(f"a bound needs a gap and a coin each of two pairs or more (got {gaps.shape}, {first.shape})")
    order = np.argsort(gaps, kind="stable")
    best = 0.0
    for share in SHARES:
        half = max(1, int(share * len(gaps)) // 2)
        right = int(first[order[-half:]].sum() + (~first[order[:half]]).sum())
        best = max(best, _largest(len(gaps), 2 * half, right, steps, delta, (1 - confidence) / len(SHARES)))
    return best


def _largest(pairs: int, guesses: int, right: int, steps: int, delta: float, level: float) -> float:
    """The largest epsilon that so many right guesses refute: bisection, the p-value grows with epsilon."""

    def refuted(epsilon: float) -> bool:
        return one_run.refuted(pairs, guesses, right, steps * epsilon, group_delta(epsilon, delta, steps), level)

    low, high = 0.0, LARGEST / steps
    if not refuted(0.0):
        return 0.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def group_delta(epsilon: float, delta: float, steps: int) -> float:
    """delta of a walk of so many steps, each (epsilon, delta)-private; at most 1.

    >>> group_delta(0.0, 0.001, 4), round(group_delta(1.0, 0.001, 2), 6)
    (0.004, 0.003718)
    """
    return min(1.0, delta * sum(math.exp(min(700.0, step * epsilon)) for step in range(steps)))
