"""DP-GPL's questions: gates, noise, limits, and what noisy counts say together. No torch."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from tests.secrets_made_here import secret

from privgraph.methods.prompts.dp_gpl.pooling import centred, pool
from privgraph.methods.prompts.dp_gpl.querying import Outcome, Rules, ask, histogram
from privgraph.papers.dp_gpl_votes import Asked, squared_mu

TEACHERS, QUERIES, CLASSES = 20, 30, 3


@pytest.fixture(scope="module")
def votes() -> np.ndarray:
    """The first half of the queries have a clear majority."""
    found = np.random.default_rng(0).integers(CLASSES, size=(TEACHERS, QUERIES))
    found[:18, : QUERIES // 2] = 1
    return found


def asked(votes: np.ndarray, weights: np.ndarray | None = None, seed: int = 0, **given: object) -> Outcome:
    noise = {"queries": QUERIES, "answers": QUERIES, "vote_sigma": 0.01, "gate_sigma": 0.0}
    known = {"threshold": 0.0, "limit_squared_mu": math.inf, "dependent_limit": math.inf, "at_limit": "stop"}
    rules = Rules(
        asked=Asked(**{name: given.pop(name, value) for name, value in noise.items()}),  # type: ignore[arg-type]
        **{**known, **given},  # type: ignore[arg-type]
        delta=1e-4,
    )
    streams = (secret(seed, name) for name in ("noise/gate", "noise/votes"))
    return ask(votes, np.ones(len(votes)) if weights is None else weights, CLASSES, rules, *streams)


def test_a_moved_vote_moves_its_weight_and_no_more(votes: np.ndarray) -> None:
    weights = np.linspace(0.5, 1.5, TEACHERS)
    whole = histogram(votes, weights, CLASSES)
    for teacher in range(TEACHERS):
        other = votes.copy()
        other[teacher] = (other[teacher] + 1) % CLASSES
        change = np.linalg.norm(histogram(other, weights, CLASSES) - whole, axis=1)
        assert change == pytest.approx(weights[teacher] * math.sqrt(2))


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (2 / 3, False), (3 / 2, False)])
def test_the_gates_noise_has_its_scale_and_no_other(factor: float, accepted: bool) -> None:
    """One standard deviation below the threshold a query passes with chance Phi(-1); drawn with `factor`
    times the noise."""
    sigma, queries = 6.0, 3000
    unanimous = np.zeros((TEACHERS, queries), dtype=np.int64)
    found = asked(unanimous, queries=queries, answers=queries, gate_sigma=sigma * factor, threshold=TEACHERS + sigma)
    chance = binomtest(int(found.passed.sum()), queries, norm.cdf(-1)).pvalue
    assert (chance > 1e-4) == accepted


def test_a_gate_refuses_what_is_not_clear(votes: np.ndarray) -> None:
    found = asked(votes, gate_sigma=0.1, threshold=17.0)
    assert found.answered[: QUERIES // 2].all()
    assert not found.answered[QUERIES // 2 :].any()
    assert (found.released[: QUERIES // 2] == 1).all()
    assert (found.released[QUERIES // 2 :] == -1).all()
    assert not asked(votes, gate_sigma=0.1, threshold=200.0).answered.any()


def test_no_more_answers_than_are_paid_for(votes: np.ndarray) -> None:
    found = asked(votes, answers=4)
    assert found.answered.tolist() == [True] * 4 + [False] * (QUERIES - 4)
    assert not found.voting[:, 4:].any()


def test_noise_of_a_query_does_not_hang_on_what_became_of_others(votes: np.ndarray) -> None:
    one = asked(votes, vote_sigma=2.0)
    other = asked(votes, vote_sigma=2.0, gate_sigma=0.1, threshold=17.0)
    assert (one.noisy - one.counts) == pytest.approx(other.noisy - other.counts)


@pytest.mark.parametrize("at_limit", ["stop", "drop"])
def test_nobody_passes_the_limit(at_limit: str, votes: np.ndarray) -> None:
    weights = np.repeat([0.5, 1.5], TEACHERS // 2)
    one = squared_mu(Asked(queries=1, answers=1, vote_sigma=5.0, gate_sigma=5.0), 1.0)
    limit = 1.5**2 * one * 4.5
    outcome = asked(
        votes, weights, vote_sigma=5.0, gate_sigma=5.0, limit_squared_mu=limit, at_limit=at_limit, threshold=-1e6
    )
    taken = outcome.voting.sum(1)
    assert (taken * one * weights**2 <= limit).all()
    if at_limit == "stop":
        assert (taken == 4).all(), "all end when the heaviest has reached it"
        assert outcome.answered.sum() == 4
    else:
        assert (taken[weights > 1] == 4).all()
        assert (taken[weights < 1] == QUERIES).all()
        assert outcome.counts[10].sum() == pytest.approx(5), "the heavy ones vote no more"


def test_a_published_limit_ends_all(votes: np.ndarray) -> None:
    free = asked(votes, vote_sigma=5.0)
    held = asked(votes, vote_sigma=5.0, dependent_limit=3.0)
    assert 0 < held.answered.sum() < free.answered.sum()


def test_pooled_counts_say_more_than_each() -> None:
    """Classes are regions of a plane; each query's own noise outweighs its lead."""
    generator = np.random.default_rng(1)
    truth = generator.integers(CLASSES, size=400)
    features = centred(np.eye(CLASSES)[truth] + 0.3 * generator.normal(size=(400, CLASSES)))
    rows = generator.permutation(400)[:60]
    counts = 15.0 + 40 * np.eye(CLASSES)[truth[rows]]

    def right(std: float) -> tuple[float, float]:
        noisy = counts + std * generator.normal(size=counts.shape)
        pooled = pool(noisy, rows, features, std)
        assert pooled.chances.sum(1) == pytest.approx(1, abs=1e-5)
        assert pooled.chances.mean(0) == pytest.approx(pooled.shares, abs=0.02)
        return float((noisy.argmax(1) == truth[rows]).mean()), float((pooled.chances.argmax(1) == truth).mean())

    alone, together = right(40.0)
    assert alone < 0.75
    assert together > alone + 0.1
    assert right(1e-3)[1] > 0.9
    assert right(4000.0)[1] < 0.6, "noise alone teaches nothing"
