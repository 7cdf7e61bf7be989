"""What a method's noise costs, without training: the same as its plan says, and one way only along what moves
it."""

import math
from itertools import pairwise

import pytest

from privgraph.data.spec import PublicFacts
from privgraph.options import Parameter, Scalar, parameters
from privgraph.registry import METHODS
from privgraph_workbench.facts import method_costs

FACTS = PublicFacts(
    nodes=2000, edges=9000, entries=18000, features=32, classes=7, train_nodes=1500,
    domains=("one", "two"), entities=(1000, 1000), relations=(4500, 4500),
)  # fmt: skip
PAIRS = [(name, unit) for name, spec in METHODS.items() for unit in spec.units if unit != "none"]
GIVEN_NOISE = {"lam", "vote_sigma"}
"""Options that are the noise itself: the page has an input of its own for it."""
ELSEWHERE = {("dp-gpl", "preset"), ("relational", "pairing"), *((name, "pretrain_on") for name in METHODS)}
"""A preset whose noise is given, a pairing that is refused with privacy, and names of graphs, which a run
looks up and a price does not."""


def _setting(name: str, unit: str, **options: Scalar) -> method_costs.Setting:
    return method_costs.setting(name, {"unit": unit, **options}, FACTS)


@pytest.mark.parametrize(("name", "unit"), PAIRS)
def test_every_private_method_is_priced_as_it_plans(name: str, unit: str) -> None:
    assert unit in method_costs.PRIVATE[name]
    found = _setting(name, unit)
    planned = found.config.plan(FACTS).statement
    said = found.at(found.noise())
    assert said.epsilon == pytest.approx(planned.epsilon, rel=1e-9)
    assert said.epsilon_as_published == pytest.approx(planned.epsilon_as_published)
    assert (said.delta, said.unit) == (planned.delta, unit)
    assert len(said.ledger) == len(planned.ledger)


def test_how_a_limit_is_counted_is_part_of_its_price() -> None:
    """By the paper's own count the number of answers tells votes: nothing is guaranteed at any noise."""
    sound, published = (_setting("dp-gpl", "node", limit=1.0, accounting=kind) for kind in ("sound", "published"))
    assert math.isfinite(sound.at(5.0).epsilon)
    assert math.isinf(published.at(5.0).epsilon)


def _other(parameter: Parameter) -> Scalar | None:
    """Another value that the option admits, and not a far one."""
    option, held = parameter.option, parameter.default
    if isinstance(held, bool):
        return not held
    if option.choices:
        return next((choice for choice in option.choices if choice != held), None)
    if isinstance(held, str):
        return None
    for value in (held / 2, held + 1, held - 1, 0.9 * held):
        whole = int(value) if parameter.type is int else value
        low, high = option.low, option.high
        if whole != held and (low is None or whole > low) and (high is None or whole < high):
            return whole
    return None


@pytest.mark.parametrize(("name", "unit"), PAIRS)
@pytest.mark.long
def test_options_that_are_not_asked_for_have_no_part_in_the_price(name: str, unit: str) -> None:
    first = _setting(name, unit)
    asked = {
        *method_costs.PRIVACY,
        *first.price.options,
        *GIVEN_NOISE,
        *(one for owner, one in ELSEWHERE if owner == name),
    }
    noise, price = first.noise(), first.at(first.noise()).epsilon
    for parameter in parameters(type(first.config)):
        other = None if parameter.name in asked else _other(parameter)
        if other is None:
            continue
        second = _setting(name, unit, **{parameter.name: other})
        assert second.noise() == pytest.approx(noise, nan_ok=True), parameter.name
        assert second.at(second.noise()).epsilon == pytest.approx(price, rel=1e-6), parameter.name


@pytest.mark.parametrize(("name", "unit"), [pair for pair in PAIRS if pair != ("mlp", "edge")])
@pytest.mark.long
def test_more_noise_costs_less(name: str, unit: str) -> None:
    found = _setting(name, unit)
    noise = found.noise()
    points, _ = method_costs.along(found, noise)
    assert len(points) >= 5
    assert noise in [place for place, _, _ in points]
    for (_, less, less_published), (_, more, more_published) in pairwise(points):
        assert more < less
        if less_published is None:
            assert more_published is None, "there is a formula at one noise, and none at another"
            continue
        assert more_published < less_published


def test_noise_without_a_proof_costs_without_end() -> None:
    found = _setting("privgnn", "node", release="log-posterior", accounting="published")
    points, _ = method_costs.along(found, found.noise())
    assert all(math.isinf(epsilon) and published and math.isfinite(published) for _, epsilon, published in points)
