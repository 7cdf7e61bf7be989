"""Noisy labels: sensitivities by listing, events against direct computation, gates by listing strategies,
prices."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy import integrate

from privgraph.papers import privgnn
from privgraph.papers import privgnn_releases as noisy_labels
from privgraph.privacy import pld
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import (
    Atoms,
    BoundedRange,
    Composed,
    Gaussian,
    Laplace,
    NonPrivate,
    PoissonSampled,
    PureDP,
    Repeated,
    SampledOnce,
)

Array = np.ndarray


# --- sensitivities, by listing ----------------------------------------------------------------------------


def test_one_teacher_moves_one_vote() -> None:
    """All ensembles of four teachers and three classes: what changes when any one teacher votes otherwise."""
    teachers, classes = 4, 3
    worst = np.zeros(4)
    for votes in itertools.product(range(classes), repeat=teachers):
        before = np.bincount(votes, minlength=classes)
        for teacher, vote in itertools.product(range(teachers), range(classes)):
            changed = list(votes)
            changed[teacher] = vote
            after = np.bincount(changed, minlength=classes)
            move = (after - before).astype(float)
            sizes = [np.linalg.norm(move), np.abs(move).sum(), np.abs(move).max(), abs(after.max() - before.max())]
            worst = np.maximum(worst, sizes)
    assert worst == pytest.approx([math.sqrt(2), 2, 1, 1])
    assert noisy_labels.ensemble_answer("gaussian", 3.0) == Gaussian(noise_multiplier=3.0 / math.sqrt(2))
    assert noisy_labels.ensemble_answer("laplace", 3.0) == Laplace(noise_multiplier=1.5)
    assert noisy_labels.ensemble_answer("exponential", 4.0) == PureDP(epsilon=0.5)
    assert noisy_labels.ensemble_answer("gumbel", 4.0) == BoundedRange(epsilon=0.5)


def test_one_node_adds_one_weight() -> None:
    """Weighted votes of a few nodes, each left out in turn: one coordinate moves, by at most 1; so does the
    largest."""
    generator = np.random.default_rng(5)
    worst = 0.0
    for _ in range(300):
        labels, weights = generator.integers(0, 3, 6), generator.choice([-1.0, 1.0, 0.3], 6)
        whole = np.bincount(labels, weights, minlength=3)
        for left_out in range(6):
            rest = np.bincount(np.delete(labels, left_out), np.delete(weights, left_out), minlength=3)
            move = whole - rest
            assert np.count_nonzero(np.abs(move) > 1e-12) == 1
            assert abs(whole.max() - rest.max()) <= 1 + 1e-12
            worst = max(worst, float(np.linalg.norm(move)))
    assert worst == pytest.approx(1.0)
    assert noisy_labels.votes_answer(3.0) == Gaussian(noise_multiplier=3.0)


# --- noisy maxima against their own laws ------------------------------------------------------------------


def maximum_law(counts: Array, maximum: str, scale: float) -> Array:
    """P(label) of the noisy maximum, by a softmax or by integration of each label's chance to win."""
    if maximum == "gumbel":
        return np.exp(counts / scale - np.logaddexp.reduce(counts / scale))
    x = np.linspace(counts.min() - 12 * scale, counts.max() + 40 * scale, 12_001)
    z = (x[None, :] - counts[:, None]) / scale
    if maximum == "exponential":
        density, below = (
            np.where(z >= 0, np.exp(-np.maximum(z, 0)), 0),
            np.where(z >= 0, -np.expm1(-np.maximum(z, 0)), 0),
        )
    elif maximum == "laplace":
        tail = np.exp(-np.abs(z)) / 2
        density, below = tail, np.where(z < 0, tail, 1 - tail)
    else:
        from scipy.special import ndtr

        density, below = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), ndtr(z)
    chances = [
        integrate.trapezoid(density[j] * np.prod(np.delete(below, j, axis=0), axis=0), x) / scale
        for j in range(len(counts))
    ]
    return np.array(chances) / np.sum(chances)


def moved_votes() -> list[tuple[Array, Array]]:
    """Counts of five votes over three labels before and after each move of one vote, labels renamed."""
    pairs = []
    for counts in itertools.product(range(6), repeat=3):
        if sum(counts) == 5 and counts == tuple(sorted(counts)):
            for source, target in itertools.permutations(range(3), 2):
                if counts[source]:
                    moved = np.array(counts, dtype=float)
                    moved[source] -= 1
                    moved[target] += 1
                    pairs.append((np.array(counts, dtype=float), moved))
    return pairs


@pytest.mark.long
@pytest.mark.parametrize("maximum", noisy_labels.MAXIMA)
def test_no_moved_vote_exceeds_its_event(maximum: str) -> None:
    """Both sampled directions of every move stay below the event's curve; noise counted twice as large is
    exceeded."""
    scale, rate, epsilon = 1.5, 0.4, 0.35
    worst = 0.0
    for before, after in moved_votes():
        without, with_unit = maximum_law(before, maximum, scale), maximum_law(after, maximum, scale)
        mixed = (1 - rate) * without + rate * with_unit
        for p, q in ((mixed, without), (without, mixed)):
            worst = max(worst, float(np.maximum(p - math.exp(epsilon) * q, 0).sum()))

    def bound(counted: float) -> float:
        event = noisy_labels.ensemble_event(maximum=maximum, scale=counted, rate=rate, queries=1).event
        assert isinstance(event, PoissonSampled)
        return float(pld.distribution(event, 1e-4).get_delta_for_epsilon(epsilon))

    assert 0 < worst <= bound(scale) + 1e-6
    assert worst > bound(scale) / 5  # some votes come near
    assert worst > bound(2 * scale) + 1e-4


def test_a_laplace_vector_is_no_worse_than_one_coordinate_moved_by_all() -> None:
    """Two coordinates that move by 1 each, sampled: integrated in the plane, below one that moves by 2."""
    scale, rate = 1.3, 0.4
    edges = np.concatenate([np.linspace(-25, 0, 1200), np.linspace(0, 1, 400)[1:], np.linspace(1, 26, 1200)[1:]])
    middle, width = (edges[:-1] + edges[1:]) / 2, np.diff(edges)

    def law(shift: float) -> Array:
        return np.exp(-np.abs(middle - shift) / scale) / (2 * scale) * width

    without = np.outer(law(0), law(0)).ravel()
    mixed = (1 - rate) * without + rate * np.outer(law(1), law(1)).ravel()
    grid = pld.distribution(PoissonSampled(rate=rate, event=Laplace(noise_multiplier=scale / 2)), 1e-4)
    narrow = pld.distribution(PoissonSampled(rate=rate, event=Laplace(noise_multiplier=scale)), 1e-4)
    for epsilon in (0.05, 0.2, 0.5):
        removed = float(np.maximum(mixed - math.exp(epsilon) * without, 0).sum())
        added = float(np.maximum(without - math.exp(epsilon) * mixed, 0).sum())
        assert narrow._pmf_remove.get_delta_for_epsilon(epsilon) < removed
        assert removed <= grid._pmf_remove.get_delta_for_epsilon(epsilon) + 1e-4
        assert added <= grid._pmf_add.get_delta_for_epsilon(epsilon) + 1e-4


# --- gates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.2, 0.8, 1.0, 1.3, 3.0])
def test_an_order_chosen_on_the_way_costs_no_more_than_a_fixed_one(ratio: float) -> None:
    """Every strategy that interleaves up to three tests and two answers, choosing after each outcome, by
    recursion.

    H_c of the best strategy equals H_c of tests first and answers last. A strategy that may use one answer
    more, as one without a limit would, exceeds it.
    """
    gate = (np.array([0.55, 0.45]), np.array([0.4, 0.6]))
    answer = (np.array([0.5, 0.2, 0.3]), np.array([0.2, 0.5, 0.3]))

    @cache
    def best(gates: int, answers: int, c: float) -> float:
        if not gates and not answers:
            return max(1 - c, 0.0)
        divergence = 0.0
        for (p, q), left in ((gate, (gates - 1, answers)), (answer, (gates, answers - 1))):
            if min(left) >= 0:
                # H_c = E_q[r H_(c/r)(the rest)], the rest chosen anew for each outcome.
                divergence = max(
                    divergence, sum(float(a) * best(*left, c * float(b / a)) for a, b in zip(p, q, strict=True))
                )
        return divergence

    def fixed(gates: int, answers: int) -> float:
        p, q = np.ones(1), np.ones(1)
        for here, there in [gate] * gates + [answer] * answers:
            p, q = np.outer(p, here).ravel(), np.outer(q, there).ravel()
        return float(np.maximum(p - ratio * q, 0).sum())

    assert best(3, 2, ratio) == pytest.approx(fixed(3, 2), abs=1e-12)
    assert best(3, 3, ratio) > fixed(3, 2) + 1e-3


def test_a_gate_is_paid_for_every_query_and_answers_are_limited() -> None:
    answer = noisy_labels.votes_answer(10.0)
    event = noisy_labels.gated_event(answer, gate_sigma=20.0, queries=100, answers=30, rate=0.3)
    gate = Repeated(event=PoissonSampled(rate=0.3, event=Gaussian(noise_multiplier=20.0)), count=100)
    assert event == Composed((gate, Repeated(event=PoissonSampled(rate=0.3, event=answer), count=30)))
    assert tight().epsilon(gate, 1e-4) < tight().epsilon(event, 1e-4)
    everything = noisy_labels.gated_event(answer, gate_sigma=20.0, queries=100, answers=10**6, rate=0.3)
    assert everything.events[1] == noisy_labels.votes_event(sigma=10.0, rate=0.3, queries=100)


# --- releases and prices ----------------------------------------------------------------------------------


def test_every_release_has_its_event() -> None:
    sizes = {"scale": 2.5, "rate": 0.3, "queries": 100, "classes": 10}
    assert noisy_labels.release_event("posterior", **sizes) == privgnn.argmax_event(  # type: ignore[arg-type]
        queries=100, rate=0.3, noise=0.4, classes=10
    )
    assert noisy_labels.release_event("votes", **sizes) == noisy_labels.votes_event(  # type: ignore[arg-type]
        sigma=2.5, rate=0.3, queries=100
    )
    assert noisy_labels.release_event("table", **sizes) == Gaussian(noise_multiplier=2.5)  # type: ignore[arg-type]
    assert isinstance(noisy_labels.release_event("log-posterior", **sizes), NonPrivate)  # type: ignore[arg-type]
    once = noisy_labels.release_event("posterior", **sizes, once=True)  # type: ignore[arg-type]
    assert isinstance(once, SampledOnce)
    assert isinstance(once.event, Repeated)
    assert isinstance(once.event.event, Atoms)
    for wrong, message in (
        ({"release": "oracle"}, "release must be one of"),
        ({"release": "ensemble", "maximum": "median"}, "maximum must be one of"),
        ({"release": "votes", "once": True, "gate_sigma": 3.0}, "a gate needs a fresh sample"),
        ({"release": "table", "once": True}, "a table has no samples and no gate"),
        ({"release": "table", "gate_sigma": 3.0}, "a table has no samples and no gate"),
    ):
        with pytest.raises(ValueError, match=message):
            noisy_labels.release_event(**{**sizes, **wrong})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lambda must be positive"):
        noisy_labels.price("votes", 0.0, 0.3, 100, 10, 1e-4)


def test_a_table_has_one_price_for_any_number_of_queries() -> None:
    one = noisy_labels.price("table", 0.2, 0.3, 1, 10, 1e-4)
    assert noisy_labels.price("table", 0.2, 0.9, 10**6, 41, 1e-4) == one
    assert one[0] == tight().epsilon(Gaussian(noise_multiplier=5.0), 1e-4)
    assert noisy_labels.price("votes", 0.2, 1.0, 1, 10, 1e-4)[0] == pytest.approx(one[0], rel=1e-3), "one full sample"


def test_the_convention_of_the_tables_is_at_ten_times_delta() -> None:
    event = privgnn.query_event(queries=500, rate=0.3, noise=0.2)
    paper = privgnn.paper_accountant()
    assert paper.supports(event)
    assert paper.epsilon(event, 1e-4) == privgnn.table_accountant().epsilon(event, 1e-3)
    assert paper.epsilon(event, 0.4) == privgnn.table_accountant().epsilon(event, 0.5)
