"""The two records of a run's votes, for study on the machine that trains. NumPy only."""

import math

import numpy as np

from privgraph.methods.prompts.dp_gpl.config import Config
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.prompts.dp_gpl.partition import Assignment, Floats, Ints
from privgraph.methods.prompts.dp_gpl.querying import Outcome, Rules
from privgraph.methods.teachers.answers import Answers
from privgraph.papers.dp_gpl_votes import dependent_epsilons


def record_ensemble(
    config: Config,
    nodes: int,
    rules: Rules,
    *,
    assignment: Assignment,
    centrality: Floats,
    votes: Ints,
    queries: Ints,
    truth: Ints,
    outcome: Outcome,
    accuracy: Floats,
    classes: int,
) -> Ensemble:
    """The `Ensemble` of a run on a graph of `nodes` nodes; centrality (|V|,), the rest as there."""
    asked = rules.asked
    dependent = dependent_epsilons(
        outcome.counts,
        outcome.answered,
        assignment.weights,
        vote_sigma=asked.vote_sigma,
        gate_sigma=asked.gate_sigma,
        threshold=rules.threshold,
        delta=rules.delta,
        voting=outcome.voting,
    )
    return Ensemble(
        votes=votes,
        weights=assignment.weights,
        sizes=assignment.sizes,
        centrality=assignment.averages(centrality),
        queries=queries,
        truth=truth,
        voting=outcome.voting,
        passed=outcome.passed,
        released=outcome.released,
        accuracy=accuracy,
        sound=config.guarantees(nodes, assignment.weights),
        dependent=dependent,
        classes=classes,
        vote_sigma=asked.vote_sigma,
        gate_sigma=asked.gate_sigma,
        threshold=rules.threshold,
        limit=config.limit or math.inf,
        delta=rules.delta,
        per_teacher=config.per_teacher,
    )


def record_answers(ensemble: Ensemble, outcome: Outcome, seconds: float) -> Answers:
    """The record for study; all teachers answer every query, so that none has private nodes of its own."""
    asked = len(ensemble.queries)
    nobody = np.zeros(asked + 1, dtype=np.int64)
    return Answers(
        kind="counts",
        queries=ensemble.queries,
        before=outcome.counts.astype(np.float32),
        after=outcome.noisy.astype(np.float32),
        noise_std=ensemble.vote_sigma,
        released=ensemble.released,
        truth=ensemble.truth,
        seconds=np.full(asked, seconds / asked),
        pointers=nobody,
        neighbours=np.zeros(0, dtype=np.int64),
        weights=np.zeros(0, dtype=np.float32),
        edge_pointers=nobody,
        edges=np.zeros((2, 0), dtype=np.int64),
    )
