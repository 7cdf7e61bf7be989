"""The price of weighted votes: one-sided, exact, adaptive; limits that nobody passes; the cost as published,
term by term."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY

from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.teachers.privgnn import teachers
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.methods.training import Context
from privgraph.papers import dp_gpl as dpgpl
from privgraph.papers.dp_gpl_votes import (
    Asked,
    Filter,
    dependent_epsilons,
    dependent_trail,
    entries,
    epsilon_at,
    largest_squared_mu,
    squared_mu,
    teacher_epsilon,
    vote_sigma_for,
)
from privgraph.privacy.accountants import tight
from privgraph.privacy.calibration import CalibrationError
from privgraph.privacy.composition import gaussian_delta
from privgraph.privacy.ledger import Ledger

Array = NDArray[np.float64]

DELTA = 1.5e-4


# --- the price --------------------------------------------------------------------------------------------


@given(epsilon=st.floats(0.01, 30), delta=st.floats(1e-9, 0.1))
@settings(max_examples=60, deadline=None)
def test_the_largest_mu_is_one_sided_and_no_smaller_than_need_be(epsilon: float, delta: float) -> None:
    found = largest_squared_mu(epsilon, delta)
    assert epsilon_at(found, delta) <= epsilon
    assert epsilon_at(found * (1 + 1e-6), delta) > epsilon
    assert gaussian_delta(epsilon_at(found, delta), math.sqrt(found)) <= delta


@pytest.mark.parametrize("gate_sigma", [0.0, 40.0])
@pytest.mark.parametrize("weight", [0.5, 1.0, 1.7])
def test_calibrated_noise_keeps_epsilon_in_the_ledger_as_well(weight: float, gate_sigma: float) -> None:
    """The default: no gate, and noise for epsilon 2; never above it, and never much below."""
    sigma = vote_sigma_for(2.0, DELTA, queries=50, answers=50, gate_sigma=gate_sigma, weight=weight)
    asked = Asked(queries=50, answers=50, vote_sigma=sigma, gate_sigma=gate_sigma)
    found = teacher_epsilon(asked, weight, DELTA)
    assert 2 - 1e-6 < found <= 2
    assert 2 - 1e-6 < tight().epsilon(Ledger(entries(asked, weight)).event(), DELTA) <= 2
    less = Asked(queries=50, answers=50, vote_sigma=sigma * 0.999, gate_sigma=gate_sigma)
    assert teacher_epsilon(less, weight, DELTA) > 2
    assert (weight, gate_sigma) != (1.0, 0.0) or sigma == pytest.approx(16.86, abs=0.01)


def test_tests_alone_can_be_too_dear() -> None:
    with pytest.raises(CalibrationError, match=r"50 tests with noise 1 alone cost epsilon 49\.8"):
        vote_sigma_for(2.0, DELTA, queries=50, answers=50, gate_sigma=1.0)


def test_ledgers_hold_what_is_asked_and_nothing_else() -> None:
    asked = Asked(queries=50, answers=20, vote_sigma=30, gate_sigma=10)
    gates, votes = entries(asked, 2.0)
    assert (gates.count, votes.count) == (50, 20)
    assert (gates.sensitivity, votes.sensitivity) == (2.0, pytest.approx(2 * math.sqrt(2)))
    assert (gates.noise_std, votes.noise_std) == (10, 30)
    (alone,) = entries(Asked(queries=50, answers=20, vote_sigma=30), 2.0)
    assert alone == votes
    assert entries(Asked(queries=0, answers=0, vote_sigma=1)) == ()
    assert teacher_epsilon(Asked(queries=0, answers=0, vote_sigma=1), 1.0, DELTA) == 0
    assert squared_mu(asked, 2.0) == pytest.approx(4 * (50 / 100 + 2 * 20 / 900))
    assert epsilon_at(math.inf, DELTA) == math.inf


def test_what_cannot_be_is_refused() -> None:
    for wrong in ({"answers": 6}, {"answers": -1}, {"vote_sigma": 0.0}, {"gate_sigma": -1.0}, {"gate_sigma": math.inf}):
        with pytest.raises(ValueError, match="Asked"):
            Asked(**{"queries": 5, "answers": 5, "vote_sigma": 1.0, **wrong})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="weight must be positive"):
        entries(Asked(queries=1, answers=1, vote_sigma=1.0), 0.0)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        largest_squared_mu(0.0, DELTA)
    with pytest.raises(ValueError, match="delta must lie"):
        largest_squared_mu(1.0, 0.0)
    with pytest.raises(ValueError, match="must not be negative"):
        epsilon_at(-1.0, DELTA)


# --- limits -----------------------------------------------------------------------------------------------


def test_nobody_passes_a_limit_and_a_calibrated_limit_is_used_up() -> None:
    sigma = vote_sigma_for(2.0, DELTA, queries=50, answers=50, weight=2.0)
    limit = largest_squared_mu(2.0, DELTA)
    weights = np.array([0.5, 1.0, 2.0, 4.0])
    budget = Filter(weights, vote_sigma=sigma, limit_squared_mu=limit)
    asked = np.zeros(4, dtype=int)
    for _ in range(60):
        asked += budget.may_vote()
        budget.charge(gate=False, answered=True)
        assert (budget.spent <= limit).all()
        assert (budget.epsilons(DELTA) <= 2).all()
    assert asked.tolist() == [60, 60, 50, 12], "a weight of 2 fits its 50 answers, one of 4 a quarter of them"
    assert not budget.may_vote()[2:].any()
    with pytest.raises(ValueError, match="reached its limit"):
        budget.charge(np.ones(4, dtype=bool), gate=False, answered=True)


def test_a_refused_query_costs_its_test_and_who_sits_out_pays_nothing() -> None:
    budget = Filter([1.0, 2.0, 3.0], vote_sigma=10, gate_sigma=5, limit_squared_mu=1.1)
    budget.charge(np.array([True, True, False]), gate=True, answered=False)
    assert budget.spent == pytest.approx([1 / 25, 4 / 25, 0])
    budget.charge(np.array([True, False, True]), gate=True, answered=True)
    assert budget.spent == pytest.approx([2 / 25 + 2 / 100, 4 / 25, 9 / 25 + 18 / 100])
    assert budget.may_vote().tolist() == [True, True, True]
    budget.charge(gate=True, answered=True)
    assert budget.may_vote().tolist() == [True, True, False], "one more test and answer would be 1.62"
    assert Filter([1.0], vote_sigma=1.0).may_vote().all(), "no limit"
    with pytest.raises(ValueError, match="limit_squared_mu must be positive"):
        Filter([1.0], vote_sigma=1.0, limit_squared_mu=0.0)


Strategy = Callable[[Array, int], NDArray[np.bool_]]
"""From the privacy loss so far of each play, and the number of the query: whether it is answered."""

STRATEGIES: dict[str, Strategy] = {
    "everything": lambda loss, query: np.ones(len(loss), dtype=bool),
    "while it pays": lambda loss, query: loss > 0,
    "while it does not": lambda loss, query: loss <= 0.5,
    "after a look": lambda loss, query: (loss > 0.3) & (query > 3),
}


def losses(strategy: Strategy, weight: float, limit: float, plays: int) -> Array:
    """The privacy loss of each play with the node present, where who is asked depends on what was released.

    Each play is a teacher of its own in one filter; a test and an answer release their Gaussians whole.
    """
    generator, gate_sigma, vote_sigma = np.random.default_rng(17), 6.0, 5.0
    budget = Filter(np.full(plays, weight), vote_sigma=vote_sigma, gate_sigma=gate_sigma, limit_squared_mu=limit)
    loss = np.zeros(plays)
    for query in range(200):
        may = budget.may_vote()
        if not may.any():
            break
        for mu, took_part in ((weight / gate_sigma, may), (weight * math.sqrt(2) / vote_sigma, None)):
            taking = strategy(loss, query) & may if took_part is None else took_part
            loss += np.where(taking, mu * (mu + generator.normal(size=plays)) - mu**2 / 2, 0.0)
        budget.charge(taking, gate=True, answered=True)
        budget.charge(may & ~taking, gate=True, answered=False)
    return loss


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_adaptive_strategy_beats_the_limit(name: str) -> None:
    """delta(epsilon) = E[(1 - e^(epsilon - loss))_+] over plays, against the Gaussian of the limit."""
    limit, plays = 1.0, 60_000
    loss = losses(STRATEGIES[name], 1.5, limit, plays)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        gained = np.maximum(-np.expm1(epsilon - loss), 0)
        error = 4 * float(gained.std()) / math.sqrt(plays)
        bound = gaussian_delta(epsilon, math.sqrt(limit))
        assert gained.mean() <= bound + error
        assert name != "everything" or gained.mean() > 0.7 * bound


@pytest.mark.parametrize("name", STRATEGIES)
def test_which_queries_are_answered_may_hang_on_what_came_before(name: str) -> None:
    """12 tests and at most 4 answers, at the strategy's choice: within the fixed composition of all of
    them."""
    asked, plays, weight = Asked(queries=12, answers=4, vote_sigma=5.0, gate_sigma=6.0), 60_000, 1.5
    generator, loss, answered = np.random.default_rng(19), np.zeros(plays), np.zeros(plays, dtype=int)
    for query in range(asked.queries):
        for mu, test in ((weight / asked.gate_sigma, True), (weight * math.sqrt(2) / asked.vote_sigma, False)):
            taking = np.ones(plays, dtype=bool) if test else STRATEGIES[name](loss, query) & (answered < asked.answers)
            loss += np.where(taking, mu * (mu + generator.normal(size=plays)) - mu**2 / 2, 0.0)
            answered += 0 if test else taking
    for epsilon in (0.0, 1.0, 2.0):
        gained = np.maximum(-np.expm1(epsilon - loss), 0)
        error = 4 * float(gained.std()) / math.sqrt(plays)
        bound = gaussian_delta(epsilon, math.sqrt(squared_mu(asked, weight)))
        assert gained.mean() <= bound + error
        assert name != "everything" or gained.mean() > 0.9 * bound - error


def test_a_filter_that_undercharges_is_seen() -> None:
    """The check above can fail: weights charged as half of what they are."""
    loss = losses(STRATEGIES["everything"], 1.5, 4.0, 20_000)
    gained = np.maximum(-np.expm1(1.0 - loss), 0)
    assert gained.mean() > 2 * gaussian_delta(1.0, 1.0)


# --- as published -----------------------------------------------------------------------------------------


def by_hand(counts: Array, answered: list[bool], weight: float, delta: float) -> float:
    """One teacher, one query and one order after another, by the scalar functions."""
    best = math.inf
    for order in dpgpl.ORDERS:
        cost = 0.0
        for row, went_out in zip(counts, answered, strict=True):
            log_q = float(dpgpl.log_unlikely(float(row.max()), 150.0, 5.0))
            cost += dpgpl.dependent_rdp(log_q, math.sqrt(2) * 5.0 / weight, float(order))
            if went_out:
                cost += dpgpl.dependent_rdp(float(dpgpl.log_wrong(row, 30.0)), 30.0 / weight, float(order))
        best = min(best, cost + math.log(1 / delta) / (order - 1))
    return best


COUNTS = np.array([[180.0, 15, 5], [120, 60, 20], [199, 1, 0], [151, 30, 19]])
ANSWERED = [True, False, True, True]


@pytest.mark.long
def test_dependent_costs_are_the_published_ones_term_by_term() -> None:
    weights = [0.5, 1.0, 2.0, 1.0]
    found = dependent_epsilons(
        COUNTS, np.array(ANSWERED), weights, vote_sigma=30, gate_sigma=5, threshold=150, delta=DELTA
    )
    assert found == pytest.approx([by_hand(COUNTS, ANSWERED, weight, DELTA) for weight in weights])
    assert found[1] == found[3]
    assert dpgpl.gnmax_rdp(COUNTS[0], 30.0, 6.0) == dpgpl.dependent_rdp(
        float(dpgpl.log_wrong(COUNTS[0], 30.0)), 30.0, 6.0
    )


def test_the_trail_grows_and_ends_at_the_total_and_abstaining_is_free() -> None:
    common = {"vote_sigma": 30.0, "gate_sigma": 5.0, "threshold": 150.0, "delta": DELTA}
    answered = np.array(ANSWERED)
    trail = dependent_trail(COUNTS, answered, [1.0, 2.0], **common)
    assert trail.shape == (4, 2)
    assert (np.diff(trail, axis=0) >= 0).all()
    assert np.array_equal(trail[-1], dependent_epsilons(COUNTS, answered, [1.0, 2.0], **common))
    part = dependent_trail(COUNTS[:2], answered[:2], [1.0, 2.0], **common)
    assert trail[:2] == pytest.approx(part)
    voting = np.array([[True, True, False, False], [False] * 4])
    some = dependent_trail(COUNTS, answered, [1.0, 1.0], voting=voting, **common)
    assert some[:, 0] == pytest.approx([trail[0, 0], trail[1, 0], trail[1, 0], trail[1, 0]])
    assert (some[:, 1] == 0).all()
    assert dependent_epsilons(COUNTS[:0], answered[:0], [1.0], **common).tolist() == [0.0]


def test_dependent_costs_are_never_above_the_independent_ones() -> None:
    """Over tables of every kind, at every order; and where votes agree, far below."""
    generator = np.random.default_rng(2)
    tables = generator.multinomial(200, generator.dirichlet([0.3] * 5, size=40)).astype(float)
    orders = np.array([1.5, 2.0, 8.0, 40.0])
    for sigma, weight in itertools.product((5.0, 40.0), (0.5, 2.0)):
        votes = dpgpl.dependent_rdps(dpgpl.log_wrong(tables, sigma), sigma / weight, orders)
        assert (votes <= orders * weight**2 / sigma**2 * (1 + 1e-12)).all()
        assert votes.min() < 0.5 * votes.max()
        assert (votes >= 0).all()


def answers(monkeypatch: pytest.MonkeyPatch, config: Config, left_out: tuple[int, int] | None) -> np.ndarray:
    """Votes before noise, all coins as they fell but for one node's in one query, which is made tails."""
    real = teachers.coins

    def without(queries: int, nodes: int, rate: float, generator: np.random.Generator) -> np.ndarray:
        sampled = real(queries, nodes, rate, generator)
        if queries and left_out is not None:
            assert sampled[left_out]
            sampled[left_out] = False
        return sampled

    monkeypatch.setattr(teachers, "coins", without)
    parts = split_parts(toy_graph(nodes=40), config)
    queries = parts.public.train_mask.nonzero().squeeze(1).numpy()[:6]
    context = Context(seed=1, noise_key=KEY)
    asking = teachers.ask_teachers(parts, queries, config, context, "answers")
    while True:
        try:
            next(asking)
        except StopIteration as end:
            monkeypatch.setattr(teachers, "coins", real)
            return np.asarray(end.value.before)


@pytest.mark.parametrize("release", ["ensemble", "posterior"])
def test_a_node_that_silences_a_teacher_leaves_all_others_as_they_were(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups so small that one node decides whether there is a teacher: the other queries' teachers start as
    before."""
    config = Config(release=release, teachers=3, queries=6, rate=0.25, epochs=4, hidden=4, neighbours=5)
    whole = answers(monkeypatch, config, None)
    parts = split_parts(toy_graph(nodes=40), config)
    context = Context(seed=1, noise_key=KEY)
    queries = parts.public.train_mask.nonzero().squeeze(1).numpy()[:6]
    slots, _, _ = teachers.assign(parts, queries, config, context, "answers")
    smallest = min((one for one in slots if one.queries[0] < 3), key=lambda one: len(one.nodes))
    query = int(smallest.queries[0])
    for node in smallest.nodes[:2]:
        left = answers(monkeypatch, config, (query, int(node)))
        others = np.arange(len(queries)) != query
        assert left[others] == pytest.approx(whole[others], abs=1e-5)
        if release == "ensemble":
            move = left[query] - whole[query]
            assert np.abs(move).max() <= 1
            assert np.abs(move).sum() <= 2


def test_a_teacher_that_diverged_is_uniform() -> None:
    rows = teachers.posterior(np.array([[np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0], [-1.0, -2.0, -np.log(4)]]))
    assert rows[:2] == pytest.approx(1 / 3)
    assert rows.sum(axis=1) == pytest.approx(1.0)
    assert np.argmax(rows[2]) == 0


def test_the_test_sees_teachers_named_by_a_running_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were teachers named by their number among all, another query's answer would change: the check can
    fail."""
    config = Config(release="posterior", queries=6, rate=0.25, epochs=4, hidden=4, neighbours=5)
    real = teachers._slots
    counted = iter(range(10**6))

    def numbered(*arguments: object) -> list[teachers.Slot]:
        return [
            teachers.Slot(slot.nodes, slot.queries, str(next(counted) % 97))
            for slot in real(*arguments)  # type: ignore[arg-type]
        ]

    monkeypatch.setattr(teachers, "_slots", numbered)
    first = answers(monkeypatch, config, None)
    second = answers(monkeypatch, config, None)  # the same coins, other numbers
    assert np.abs(first - second).max() > 1e-3
