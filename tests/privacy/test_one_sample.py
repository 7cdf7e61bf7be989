"""One sample for a whole composition: against listing every outcome, against integration, alone and
composed."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy import routes, strategies

from privgraph.privacy.accountants import PLDAccountant, PRVAccountant, RenyiAccountant, tight
from privgraph.privacy.composition import amplified, flatten, pure_epsilon
from privgraph.privacy.events import (
    Atoms,
    Composed,
    Gaussian,
    NonPrivate,
    Nothing,
    PoissonSampled,
    PureDP,
    Repeated,
    SampledOnce,
)

Array = np.ndarray
LOPSIDED = Atoms(upper=(0.6, 0.3, 0.1), lower=(0.1, 0.5, 0.4))
MIRRORED = Atoms(upper=(0.5, 0.2, 0.2, 0.1), lower=(0.2, 0.5, 0.2, 0.1))


def once(rate: float, event: Gaussian | Atoms | PureDP | PoissonSampled, count: int) -> SampledOnce:
    return SampledOnce(rate=rate, event=Repeated(event=event, count=count))


def product(law: tuple[float, ...] | Array, count: int) -> Array:
    """The joint law of independent copies, every outcome listed."""
    joint = np.ones(1)
    for _ in range(count):
        joint = np.outer(joint, law).ravel()
    return joint


def with_and_without(atoms: Atoms, rate: float, count: int) -> tuple[Array, Array]:
    """Joint laws of the answers to `count` queries on one sample, with the unit in the data and without."""
    upper, lower = product(atoms.upper, count), product(atoms.lower, count)
    return (1 - rate) * lower + rate * upper, lower


def hockey_stick(p: Array, q: Array, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


# --- the theorem itself -----------------------------------------------------------------------------------


@pytest.mark.parametrize("atoms", [LOPSIDED, MIRRORED])
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_removal_is_the_formula_and_addition_is_below_it(atoms: Atoms, rate: float, count: int) -> None:
    mixed, lower = with_and_without(atoms, rate, count)
    upper = product(atoms.upper, count)
    for inner in (0.0, 0.2, 1.0, 2.5):
        outer = amplified(inner, rate)
        assert hockey_stick(mixed, lower, outer) == pytest.approx(rate * hockey_stick(upper, lower, inner), abs=1e-12)
        assert hockey_stick(lower, mixed, outer) <= rate * hockey_stick(lower, upper, inner) + 1e-12


@given(atoms=strategies.atoms(), rate=st.floats(0.01, 0.99), count=st.integers(1, 3), inner=st.floats(0, 5))
def test_the_proof_of_both_directions_holds_for_any_atoms(atoms: Atoms, rate: float, count: int, inner: float) -> None:
    mixed, lower = with_and_without(atoms, rate, count)
    upper = product(atoms.upper, count)
    worst = max(hockey_stick(upper, lower, inner), hockey_stick(lower, upper, inner))
    outer = amplified(inner, rate)
    assert max(hockey_stick(mixed, lower, outer), hockey_stick(lower, mixed, outer)) <= rate * worst + 1e-12


# --- the accountants --------------------------------------------------------------------------------------


@pytest.mark.parametrize("atoms", [LOPSIDED, MIRRORED])
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_atoms_on_one_sample_cost_what_listing_says(atoms: Atoms, rate: float, count: int) -> None:
    delta = 1e-3

    def exact(queries: int) -> float:
        p, q = with_and_without(atoms, rate, queries)
        return routes.epsilon_of(lambda epsilon: max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)), delta)

    accounted = tight().epsilon(once(rate, atoms, count), delta)
    assert exact(count) - 1e-9 <= accounted <= exact(count) * 1.002 + 1e-9
    assert abs(exact(count + 1) - accounted) > 0.01 * accounted  # one query more is another number
    fresh = tight().epsilon(Repeated(event=PoissonSampled(rate=rate, event=atoms), count=count), delta)
    assert fresh < accounted - 0.05
    assert accounted <= RenyiAccountant().epsilon(once(rate, atoms, count), delta)


@pytest.mark.parametrize("factor", [2 / 3, 1.0, 3 / 2])
def test_gaussians_on_one_sample_are_one_sampled_gaussian(factor: float) -> None:
    """Plain Gaussians compose to one; one sample of that is a mixture on the line. Other noise is another
    number."""
    rate, sigma, count, delta = 0.2, 5.0, 30, 1e-5
    p, q, knots = routes.sampled_pair("gaussian", factor * sigma / math.sqrt(count), rate)
    found = tight().epsilon(once(rate, Gaussian(noise_multiplier=sigma), count), delta)
    exact = max(routes.hockey_stick(p, q, found, knots), routes.hockey_stick(q, p, found, knots))
    assert (exact == pytest.approx(delta, rel=1e-6)) == (factor == 1.0)


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize(("atoms", "slack"), [(MIRRORED, 1.001), (LOPSIDED, 1.04)])
def test_samples_compose_with_one_another(atoms: Atoms, slack: float, copies: int) -> None:
    """Never below what listing says; at most a little above, where the two directions inside differ."""
    rate, count, delta = 0.3, 3, 1e-3
    p, q = with_and_without(atoms, rate, count)
    many_p, many_q = product(p, copies), product(q, copies)
    wanted = routes.epsilon_of(
        lambda epsilon: max(hockey_stick(many_p, many_q, epsilon), hockey_stick(many_q, many_p, epsilon)), delta
    )
    found = PLDAccountant().epsilon(
        Composed((Repeated(event=once(rate, atoms, count), count=copies), Gaussian(noise_multiplier=1e5))), delta
    )
    assert wanted - 1e-9 <= found <= wanted * slack + 1e-4


def test_a_sample_composes_with_what_is_not_sampled() -> None:
    """A sample of Gaussians beside a Gaussian: a mixture in the plane, integrated on a grid."""
    rate, inner, outer, delta = 0.3, 1.5, 2.0, 1e-3
    event = Composed((once(rate, Gaussian(noise_multiplier=inner), 1), Gaussian(noise_multiplier=outer)))
    epsilon = PLDAccountant().epsilon(event, delta)
    steps = np.linspace(-9, 9, 1201)
    cell = (steps[1] - steps[0]) ** 2
    x, y = np.meshgrid(steps * inner, steps * outer, indexing="ij")

    def normal(z: Array) -> Array:
        return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)

    p = ((1 - rate) * normal(x / inner) + rate * normal((x - 1) / inner)) * normal((y - 1) / outer) * cell
    q = normal(x / inner) * normal(y / outer) * cell
    delta_at = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
    assert delta_at == pytest.approx(delta, rel=5e-3)
    assert epsilon <= RenyiAccountant().epsilon(event, delta)


@pytest.mark.parametrize("order", [1.5, 2.0, 6.0])
def test_the_renyi_bound_lies_above_both_directions(order: float) -> None:
    for atoms, rate in itertools.product((LOPSIDED, MIRRORED), (0.1, 0.6)):
        p, q = with_and_without(atoms, rate, 3)
        exact = max(math.log(float(np.sum(a**order * b ** (1 - order)))) / (order - 1) for a, b in ((p, q), (q, p)))
        assert RenyiAccountant([order]).rdp(once(rate, atoms, 3))[0] >= exact


# --- edge cases -------------------------------------------------------------------------------------------


def test_what_a_sample_comes_to() -> None:
    gauss = Gaussian(noise_multiplier=3.0)
    assert flatten(once(1.0, gauss, 4)) == ((gauss, 4),)
    assert flatten(SampledOnce(rate=0.5, event=Repeated(event=Nothing(), count=9))) == ()
    assert flatten(Composed((once(0.5, gauss, 4), Nothing(), once(0.5, gauss, 4)))) == ((once(0.5, gauss, 4), 2),)
    exposed = SampledOnce(rate=0.5, event=Repeated(event=NonPrivate(reason="all of it"), count=2))
    for accountant in (tight(), PLDAccountant(), RenyiAccountant()):
        assert accountant.epsilon(exposed, 1e-5) == math.inf
    assert not PRVAccountant().supports(once(0.5, gauss, 4))


def test_a_sample_rarer_than_delta_is_free_and_a_pure_one_needs_no_delta() -> None:
    assert tight().epsilon(once(0.0099, Gaussian(noise_multiplier=0.02), 100), 0.01) == 0
    assert tight().epsilon(once(0.02, Gaussian(noise_multiplier=0.02), 100), 0.01) > 1
    event = once(0.2, PureDP(epsilon=0.5), 6)
    assert pure_epsilon(event) == pytest.approx(math.log1p(0.2 * math.expm1(3.0)))
    assert tight().epsilon(event, 0.0) == pytest.approx(pure_epsilon(event))
