"""Published formulas against second routes, and demonstrations of where they fail."""

import itertools
import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from privgraph.papers import dp_gnn, privgnn, progap
from privgraph.papers import heter_poisson as heterpoisson
from privgraph.privacy.accountants import PLDAccountant, RenyiAccountant
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.events import Repeated

# --- ProGAP, GAP -------------------------------------------------------------------------------------------


@given(depth=st.integers(1, 6), sigma=st.floats(0.5, 50), log_delta=st.floats(-20, -3))
def test_theorem_4_1_is_the_best_renyi_order(depth: int, sigma: float, log_delta: float) -> None:
    delta = math.exp(log_delta)
    numeric = RenyiAccountant(conversion="mironov", continuous=True).epsilon(progap.edge_event(depth, sigma), delta)
    assert progap.theorem_4_1(depth, sigma, delta) == pytest.approx(numeric, rel=1e-6)


def test_exact_composition_needs_1_2_times_less_noise_than_theorem_4_1() -> None:
    delta = 1e-7
    exact = calibrate(lambda scale: progap.edge_event(3, scale), 1.0, delta, tolerance=1e-6)
    printed = progap.theorem_4_1(3, exact, delta)
    assert printed > 1.0
    ratio = 9.9843 / exact  # the golden case with Theorem 4.1 equal to 1
    assert progap.theorem_4_1(3, 9.9843, delta) == pytest.approx(1.0, abs=1e-5)
    assert ratio == pytest.approx(1.23, abs=0.01)
    assert progap.theorem_4_1(0, 1.0, delta) == 0


def test_theorem_4_2_is_the_printed_sum() -> None:
    """Equation 11, term by term, with the exponent of its general term at l = 2 as well."""
    K, T, q, s, delta = 2, 773, 0.0129, 1.1, 1e-5
    best = math.inf
    for a in range(2, 31):  # the best order is near 4; higher ones overflow in this plain form
        total = (1 - q) ** (a - 1) * (a * q - q + 1)
        total += sum(
            math.comb(a, k) * (1 - q) ** (a - k) * q**k * math.exp((k - 1) * k / (2 * s**2)) for k in range(2, a + 1)
        )
        best = min(best, (K + 1) * T * math.log(total) / (a - 1) + K * a / (2 * s**2) + math.log(1 / delta) / (a - 1))
    event = progap.node_event(
        aggregations=K, aggregation_multiplier=s, steps=(K + 1) * T, rate=q, gradient_multiplier=s
    )
    assert progap.theorem_4_2_accountant().epsilon(event, delta) == pytest.approx(best, rel=1e-9)


# --- DP-GNN -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("nodes", "batch", "degree", "hops"), [(3000, 256, 10, 1), (3000, 256, 5, 2), (40, 20, 7, 1)])
def test_dp_gnn_is_the_papers_sum(nodes: int, batch: int, degree: int, hops: int) -> None:
    """gamma = 1/(a-1) log E_rho exp(a (a-1) 2 rho^2 C^2/sigma^2), rho hypergeometric, sigma = lambda 2 C N(K,
    r)."""
    terms = dp_gnn.affected_terms(degree, hops)
    noise, clip = 1.7, 0.3
    sigma = noise * 2 * clip * terms
    event = dp_gnn.step_event(noise_multiplier=noise, nodes=nodes, batch=batch, terms=terms)
    rho = np.arange(terms + 1)
    chances = stats.hypergeom.logpmf(rho, nodes, terms, batch)
    for order in (1.5, 2.0, 9.0):
        wanted = special.logsumexp(chances + order * (order - 1) * 2 * rho**2 * clip**2 / sigma**2) / (order - 1)
        assert RenyiAccountant([order]).rdp(event)[0] == pytest.approx(wanted, rel=1e-7)
    assert PLDAccountant().epsilon(Repeated(event=event, count=50), 1e-5) < dp_gnn.published_accountant().epsilon(
        Repeated(event=event, count=50), 1e-5
    )


def test_dp_gnn_counts_the_terms_of_a_tree() -> None:
    """N(K, r) is the size of a complete K-ary tree of depth r: count its nodes."""
    for degree, hops in itertools.product((1, 2, 5), (0, 1, 3)):
        level, size = 1, 1
        for _ in range(hops):
            level *= degree
            size += level
        assert dp_gnn.affected_terms(degree, hops) == size
    with pytest.raises(ValueError, match="affected_terms"):
        dp_gnn.affected_terms(0, 1)


# --- PrivGNN ----------------------------------------------------------------------------------------------


def argmax_law(posterior: np.ndarray, noise: float) -> np.ndarray:
    """P(argmax = j) of a posterior with Laplace noise of scale 1/noise, by integration for each label."""

    def cdf(x: float) -> float:
        return 0.5 * math.exp(noise * x) if x < 0 else 1 - 0.5 * math.exp(-noise * x)

    chances = []
    for winner, own in enumerate(posterior):
        others = np.delete(posterior, winner)

        def density(t: float, own: float = own, others: np.ndarray = others) -> float:
            return 0.5 * noise * math.exp(-noise * abs(t - own)) * math.prod(cdf(t - other) for other in others)

        knots = sorted({-40 / noise, *map(float, posterior), 1 + 40 / noise})
        chances.append(sum(integrate.quad(density, *ends)[0] for ends in itertools.pairwise(knots)))
    return np.array(chances)


@pytest.mark.parametrize(("noise", "classes"), [(0.4, 3), (3.0, 4)])
def test_the_argmax_atoms_dominate_every_pair_of_posteriors(noise: float, classes: int) -> None:
    atoms = privgnn.argmax_atoms(noise, classes)
    upper, lower = np.array(atoms.upper), np.array(atoms.lower)
    first, second = np.eye(classes)[:2]
    assert argmax_law(first, noise)[0] == pytest.approx(upper[0], rel=1e-7)
    assert argmax_law(first, noise)[1] == pytest.approx(upper[1], rel=1e-7)
    generator = np.random.default_rng(0)
    pairs = [(first, second), *(generator.dirichlet(np.full(classes, 0.4), 2) for _ in range(25))]
    for p, q in pairs:
        here, there = argmax_law(p, noise), argmax_law(q, noise)
        for scale in (0.3, 0.9, 1.0, 1.1, 1.5):
            bound = np.maximum(upper - scale * lower, 0).sum()
            assert np.maximum(here - scale * there, 0).sum() <= bound + 1e-9
    assert math.fsum(atoms.upper) == pytest.approx(1.0)


def test_argmax_atoms_refuse_what_is_no_argmax() -> None:
    for noise, classes in ((0.0, 3), (1.0, 1)):
        with pytest.raises(ValueError, match="argmax_atoms"):
            privgnn.argmax_atoms(noise, classes)


def test_equation_2_of_privgnn_is_false() -> None:
    """At sensitivity 1 it promises 17.511 at delta 1e-4; a grid that rounds losses down still needs 18.4."""
    promised = privgnn.theorem_7(queries=1000, rate=0.3, noise=0.4, delta=1e-4)
    assert promised == pytest.approx(17.511, abs=5e-4)
    optimistic = privacy_loss_distribution.from_laplace_mechanism(
        2.5, sampling_prob=0.3, pessimistic_estimate=False, use_connect_dots=False, value_discretization_interval=1e-3
    ).self_compose(1000, tail_mass_truncation=0)
    assert optimistic.get_epsilon_for_delta(1e-4) > promised + 0.3


def test_pate_moments() -> None:
    """Independent of the votes where they are close, nearly free where they agree, never above the bound."""
    close, clear = [26, 25, 25], [250, 0, 0]
    for moment in (1, 4, 8):
        bound = min(2 * 0.1**2 * moment * (moment + 1), 2 * 0.1 * moment)
        assert privgnn.pate_moment(close, 0.1, moment) == bound
        assert 0 < privgnn.pate_moment(clear, 0.1, moment) < bound / 1e3
    assert privgnn.pate_dependent([close] * 5, noise=0.1, delta=1e-4) == pytest.approx(
        privgnn.pate_independent(queries=5, noise=0.1, delta=1e-4)
    )
    assert privgnn.pate_moment([1e6, 0], 0.1, 3) == 0


# --- DP-GPL -----------------------------------------------------------------------------------------------


# --- HeterPoisson -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("printed", [False, True])
def test_heterpoisson_is_the_sum_over_counts(printed: bool) -> None:
    q, M, D, T, sigma, delta = 0.2, 2, 60, 30, 6.0, 1e-5
    t = math.sqrt(2) / sigma
    counts = np.arange(D + 1)
    chances = np.append((1 - q) * stats.binom.pmf(counts, D, q * M / D), q)
    shifts = np.append(counts, 0.5)
    best = math.inf
    for a in heterpoisson.ORDERS:
        second = 0.5 if printed else (a - 1) / (2 * a - 1) * np.exp(-a * shifts * t)
        moment = float(np.sum(chances * (a / (2 * a - 1) * np.exp((a - 1) * shifts * t) + second)))
        converted = T * math.log(moment) / (a - 1) + math.log1p(-1 / a) - (math.log(delta) + math.log(a)) / (a - 1)
        best = min(best, converted)
    sizes = {"central_rate": q, "neighbours": M, "out_degree": D, "steps": T, "delta": delta}
    assert heterpoisson.epsilon(sigma=sigma, printed=printed, **sizes) == pytest.approx(best, rel=1e-9)  # type: ignore[arg-type]
    assert heterpoisson.epsilon(sigma=sigma * 2 / 3, printed=printed, **sizes) > best * 1.2  # type: ignore[arg-type]
    assert heterpoisson.epsilon(sigma=sigma, **{**sizes, "out_degree": 0}) < best  # type: ignore[arg-type]


@pytest.mark.parametrize(("noise", "classes"), [(0.5, 2), (5.0, 3), (100.0, 10), (600.0, 41)])
def test_the_chances_of_an_argmax_are_those_of_the_integrals_in_closed_form(noise: float, classes: int) -> None:
    """By the binomial theorem, in 60 digits: the smaller one is never found too large, and the pair never too
    hard to tell apart."""
    with mpmath.workdps(60):
        lam, others = mpmath.mpf(noise), classes - 2
        least = mpmath.exp(-lam)

        def alternating(count: int, term: Callable[[int], mpmath.mpf]) -> mpmath.mpf:
            return sum(mpmath.binomial(count, k) * mpmath.mpf(-0.5) ** k * term(k) for k in range(count + 1))

        below = least / 4 / mpmath.mpf(2) ** others / (2 + others)
        inside = least / 4 * alternating(others, lambda k: (1 - mpmath.exp(-lam * k)) / k if k else lam)
        above = least / 2 * alternating(others, lambda k: least**k * (1 / mpmath.mpf(k + 1) - 0.5 / mpmath.mpf(k + 2)))
        loses = below + inside + above
    found = privgnn.argmax_atoms(noise, classes).upper[1]
    assert float(1 - found / loses) == pytest.approx(1e-10, rel=0.01)
