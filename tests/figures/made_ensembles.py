"""Ensembles of weighted teachers, made through the record that methods write, with real noise and a real
limit."""

import math
from dataclasses import replace

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, Filter, dependent_epsilons, largest_squared_mu, teacher_epsilon

CLASSES, DELTA = 4, 1e-4
TEACHERS, QUERIES, VOTE_SIGMA, THRESHOLD = 40, 20, 20.0, 18.0


def ensemble(*, gate_sigma: float = 30.0, limit: float = math.inf) -> Ensemble:
    """Teachers whose weights rise in three groups (scaled to average 1), better where they are heavier.

    Who has reached the limit votes no more.
    """
    draw = np.random.default_rng(0)
    own = np.array((0.5, 1.0, 1.5))[np.arange(TEACHERS) * 3 // TEACHERS]
    own = own * TEACHERS / own.sum()
    truth = draw.integers(0, CLASSES, size=QUERIES)
    hard = draw.uniform(0.3, 1.0, size=QUERIES)
    right = draw.random((TEACHERS, QUERIES)) < hard * np.clip(0.5 + 0.25 * own, 0, 0.95)[:, None]
    votes = np.where(right, truth, draw.integers(0, CLASSES, size=(TEACHERS, QUERIES)))
    judge = Filter(
        own,
        vote_sigma=VOTE_SIGMA,
        gate_sigma=gate_sigma,
        limit_squared_mu=math.inf if math.isinf(limit) else largest_squared_mu(limit, DELTA),
    )
    voting = np.zeros((TEACHERS, QUERIES), dtype=np.bool_)
    passed, released = np.zeros(QUERIES, dtype=np.bool_), np.full(QUERIES, -1)
    counts = np.zeros((QUERIES, CLASSES))
    for place in range(QUERIES):
        voting[:, place] = judge.may_vote()
        if not voting[:, place].any():
            break
        counts[place] = np.bincount(votes[:, place], weights=own * voting[:, place], minlength=CLASSES)
        passed[place] = gate_sigma == 0 or counts[place].max() + draw.normal(scale=gate_sigma) > THRESHOLD
        if passed[place]:
            released[place] = int((counts[place] + draw.normal(scale=VOTE_SIGMA, size=CLASSES)).argmax())
        judge.charge(voting[:, place], gate=gate_sigma > 0, answered=bool(passed[place]))
    asked = Asked(queries=QUERIES, answers=QUERIES, vote_sigma=VOTE_SIGMA, gate_sigma=gate_sigma)
    dependent = dependent_epsilons(
        counts,
        released >= 0,
        own,
        vote_sigma=VOTE_SIGMA,
        gate_sigma=gate_sigma,
        threshold=THRESHOLD,
        delta=DELTA,
        voting=voting,
    )
    return Ensemble(
        votes=votes,
        weights=own,
        sizes=draw.integers(1, 6, size=TEACHERS),
        centrality=own * 3 + draw.random(TEACHERS),
        queries=100 + draw.permutation(QUERIES),
        truth=truth,
        voting=voting,
        passed=passed,
        released=released,
        accuracy=right.mean(axis=1),
        sound=np.array([min(limit, teacher_epsilon(asked, float(weight), DELTA)) for weight in own]),
        dependent=dependent,
        classes=CLASSES,
        vote_sigma=VOTE_SIGMA,
        gate_sigma=gate_sigma,
        threshold=THRESHOLD,
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
