"""Ensembles of weighted teachers, made through the record that methods write, with real noise and a real
limit."""

import math
from dataclasses import replace

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, Filter, dependent_epsilons, largest_squared_mu, teacher_epsilon

CLASSES, DELTA = 4, 1e-4


def ensemble(
    *,
    teachers: int = 40,
    queries: int = 20,
    weights: tuple[float, ...] = (0.5, 1.0, 1.5),
    vote_sigma: float = 20.0,
    gate_sigma: float = 30.0,
    threshold: float = 18.0,
    limit: float = math.inf,
    at_limit: str = "drop",
    published: bool = False,
    answers: int = 0,
    seed: int = 0,
) -> Ensemble:
    """Teachers whose weights rise in equal groups (scaled to average 1), better where they are heavier.

    `published`: querying ends when a data-dependent epsilon reaches the limit, and nothing is guaranteed.
    `answers`: the most that are given (0: no bound).
    """
    draw = np.random.default_rng(seed)
    own = np.array(weights)[np.arange(teachers) * len(weights) // teachers]
    own = own * teachers / own.sum()
    truth = draw.integers(0, CLASSES, size=queries)
    hard = draw.uniform(0.3, 1.0, size=queries)
    right = draw.random((teachers, queries)) < hard * np.clip(0.5 + 0.25 * own, 0, 0.95)[:, None]
    votes = np.where(right, truth, draw.integers(0, CLASSES, size=(teachers, queries)))
    judge = Filter(
        own,
        vote_sigma=vote_sigma,
        gate_sigma=gate_sigma,
        limit_squared_mu=math.inf if math.isinf(limit) or published else largest_squared_mu(limit, DELTA),
    )
    voting = np.zeros((teachers, queries), dtype=np.bool_)
    passed, released = np.zeros(queries, dtype=np.bool_), np.full(queries, -1)
    counts = np.zeros((queries, CLASSES))

    def dependent() -> np.ndarray:
        return dependent_epsilons(
            counts,
            released >= 0,
            own,
            vote_sigma=vote_sigma,
            gate_sigma=gate_sigma,
            threshold=threshold,
            delta=DELTA,
            voting=voting,
        )

    for place in range(queries):
        voting[:, place] = judge.may_vote() & (judge.may_vote().all() or at_limit == "drop")
        if not voting[:, place].any() or (answers and passed.sum() == answers):
            voting[:, place] = False
            break
        counts[place] = np.bincount(votes[:, place], weights=own * voting[:, place], minlength=CLASSES)
        passed[place] = gate_sigma == 0 or counts[place].max() + draw.normal(scale=gate_sigma) > threshold
        if passed[place]:
            released[place] = int((counts[place] + draw.normal(scale=vote_sigma, size=CLASSES)).argmax())
        judge.charge(voting[:, place], gate=gate_sigma > 0, answered=bool(passed[place]))
        if published and dependent().max() >= limit:
            break
    asked = Asked(queries=queries, answers=answers or queries, vote_sigma=vote_sigma, gate_sigma=gate_sigma)
    guaranteed = [min(limit, teacher_epsilon(asked, float(weight), DELTA)) for weight in own]
    return Ensemble(
        votes=votes,
        weights=own,
        sizes=draw.integers(1, 6, size=teachers),
        centrality=own * 3 + draw.random(teachers),
        queries=100 + draw.permutation(queries),
        truth=truth,
        voting=voting,
        passed=passed,
        released=released,
        accuracy=right.mean(axis=1),
        sound=np.array([math.inf] * teachers if published else guaranteed),
        dependent=dependent(),
        classes=CLASSES,
        vote_sigma=vote_sigma,
        gate_sigma=gate_sigma,
        threshold=threshold,
        limit=limit,
        delta=DELTA,
        per_teacher=True,
    )


def moved_by_all(found: Ensemble) -> Ensemble:
    """The same run, where one node may have moved every vote: every node is charged all of them."""
    asked = Asked(
        queries=len(found.queries), answers=len(found.queries), vote_sigma=found.vote_sigma, gate_sigma=found.gate_sigma
    )
    epsilon = teacher_epsilon(asked, float(found.weights.sum()), DELTA)
    return replace(found, sound=np.full(len(found.weights), epsilon), limit=math.inf, per_teacher=False)
