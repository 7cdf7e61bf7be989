"""What a method's noise costs, without training: the same as its plan says, and one way only along what moves
it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.figures.made_accounts import FACTS

from privgraph.options import OptionError, Parameter, Scalar, parameters
from privgraph.privacy.kinds import MechanismKind
from privgraph.registry import METHODS
from privgraph_workbench.facts import method_costs
from privgraph_workbench.figures.costs import ledger

PAIRS = [(name, unit) for name, spec in METHODS.items() for unit in spec.units if unit != "none"]
GIVEN_NOISE = {"lam", "vote_sigma"}
"""Options that are the noise itself: the page has an input of its own for it."""
ELSEWHERE = {("dp-gpl", "preset"), ("relational", "pairing"), *((name, "pretrain_on") for name in METHODS)}
"""A preset whose noise is given, a pairing that is refused with privacy, and names of graphs, which a run
looks up and a price does not."""


ASKED: dict[str, dict[str, Scalar]] = {"privgnn": {"release": "votes"}}
"""Options with which a method has all its levers."""


def _setting(name: str, unit: str, **options: Scalar) -> method_costs.Setting:
    return method_costs.setting(name, {"unit": unit, **options}, FACTS)


@pytest.mark.parametrize("delta", [0.0, 1e-7])
@pytest.mark.parametrize(("name", "unit"), PAIRS)
def test_every_private_method_is_priced_as_it_plans(name: str, unit: str, delta: float) -> None:
    assert unit in method_costs.private_units(name)
    found = _setting(name, unit, delta=delta)
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
    curve = method_costs.along_noise(found, noise)
    assert curve.complete
    assert len(curve.points) >= 5
    assert [point.x for point in curve.points if point.chosen] == [noise]
    for less, more in pairwise(curve.points):
        assert more.epsilon < less.epsilon
        if less.published is None:
            assert more.published is None, "there is a formula at one noise, and none at another"
            continue
        assert more.published is not None
        assert more.published < less.published


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "option"),
    [("dp-mlp", "epochs"), ("dp-gnn", "max_degree"), ("gap", "max_degree"), ("gap", "depth"), ("privgnn", "rate"),
     ("pate", "queries")],
)  # fmt: skip
def test_more_of_what_reads_costs_more(name: str, option: str) -> None:
    setting = _setting(name, "node", **ASKED.get(name, {}))
    lever = next(one for one in setting.price.levers if one.option == option)
    noise = setting.noise()
    curve = method_costs.along(setting, lever, noise)
    own = next(point for point in curve.points if point.chosen)
    assert own.x == lever.value
    assert own.epsilon == setting.at(noise).epsilon
    epsilons = [point.epsilon for point in curve.points]
    assert epsilons == sorted(epsilons)
    assert epsilons[-1] > 1.2 * epsilons[0]


def test_a_degree_bound_moves_while_the_noise_on_sums_stays() -> None:
    setting = _setting("gap", "node")
    lever = next(one for one in setting.price.levers if one.option == "max_degree")
    assert lever.held is not None
    changed = replace(setting.config, max_degree=4 * setting.config.max_degree)
    noise = setting.noise()
    before, after = setting.at(noise), lever.held(changed, FACTS, noise)
    assert [entry.noise_std for entry in after.ledger] == [entry.noise_std for entry in before.ledger]
    sums = [entry.sensitivity for entry in after.ledger if entry.kind is MechanismKind.AGGREGATION]
    assert sums == pytest.approx([math.sqrt(4 * setting.config.max_degree)] * 2)


def test_a_curve_without_time_grows_each_time_and_ends() -> None:
    method_costs._at.cache_clear()
    setting = _setting("gap", "edge", depth=3)
    noise = setting.noise()
    begun = method_costs.along_noise(setting, noise, until=-math.inf)
    assert not begun.complete
    assert [point.chosen for point in begun.points] == [True], "the setting itself comes first"
    for known in range(2, 100):
        more = method_costs.along_noise(setting, noise, until=-math.inf)
        assert len(more.points) == known
        if more.complete:
            break
    assert more.points == method_costs.along_noise(setting, noise).points


def test_places_that_are_refused_do_not_hold_a_curve_up() -> None:
    found = _setting("edge-rand", "edge", epsilon=0.02)
    noise = found.noise()
    passes = [method_costs.along_noise(found, noise, until=-math.inf) for _ in range(20)]
    assert passes[-1].complete
    assert "odds lie between" in passes[-1].refused


def test_what_cannot_be_is_said() -> None:
    found = _setting("edge-rand", "edge")
    for noise, words in ((0.0, "positive"), (math.inf, "positive"), (2.0, "at most 1"), (1.0, "odds lie between")):
        with pytest.raises(OptionError, match=words):
            found.at(noise)
    with pytest.raises(OptionError, match="epochs must be at least 1"):
        _setting("dp-mlp", "node", epochs=0)


@pytest.mark.long
def test_places_of_a_curve_lie_within_what_the_option_and_the_graph_admit() -> None:
    batch = _setting("dp-mlp", "node", batch_size=1200)
    lever = next(one for one in batch.price.levers if one.option == "batch_size")
    assert max(point.x for point in method_costs.along(batch, lever, batch.noise()).points) <= FACTS.train_nodes
    rate = _setting("privgnn", "node", release="votes")
    lever = next(one for one in rate.price.levers if one.option == "rate")
    assert max(point.x for point in method_costs.along(rate, lever, rate.noise()).points) == 1.0


def test_a_table_has_no_lever_but_its_noise() -> None:
    """One table answers everything: no number of queries and no sample moves its price."""
    found = _setting("privgnn", "node")
    assert found.config.release == "table"
    assert not found.price.levers
    more = _setting("privgnn", "node", queries=3, rate=0.9)
    assert more.at(2.0).epsilon == found.at(2.0).epsilon


def test_noise_without_a_proof_costs_without_end() -> None:
    found = _setting("privgnn", "node", release="log-posterior", accounting="published")
    curve = method_costs.along_noise(found, found.noise())
    assert all(math.isinf(point.epsilon) for point in curve.points)
    assert all(point.published and math.isfinite(point.published) for point in curve.points)
    assert "log-probabilities" in method_costs.unprotected(found.at(found.noise()).ledger)[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "options", "tolerance"),
    [("dp-gpl", {"gate_sigma": 40.0}, 0.02), ("privgnn", {"release": "votes", "gate": 1.0, "gate_noise": 1.0}, 0.06)],
)
@pytest.mark.parametrize("wanted", [0.2, 0.6])
def test_a_border_lands_where_it_was_let_go(
    name: str, options: dict[str, Scalar], tolerance: float, wanted: float
) -> None:
    setting = _setting(name, "node", **options)
    border = setting.price.split
    assert border is not None

    def share(one: method_costs.Setting) -> float:
        said = one.at(one.noise())
        return float(ledger.data(said.ledger, said.delta)[0]["share"])

    moved = border.moved(wanted, share(setting))
    again = _setting(name, "node", **{**options, border.option: moved})
    assert share(again) == pytest.approx(wanted, abs=tolerance)
    assert again.at(again.noise()).epsilon == pytest.approx(setting.config.epsilon, rel=2e-3)


def test_parts_of_a_budget_and_what_is_left_without_them() -> None:
    found = _setting("gap", "node")
    said = found.at(found.noise())
    parts = method_costs.parts(said.ledger, said.delta)
    assert [part.entry for part in parts] == list(said.ledger)
    for part in parts:
        assert 0 < part.alone < said.epsilon
        assert 0 < part.without < said.epsilon
        assert part.alone + part.without > said.epsilon, "what is spent together is more than each by itself"
    edge = _setting("gap", "edge")
    undirected = edge.at(edge.noise())
    assert any(entry.event != entry.event_as_published for entry in undirected.ledger)
    assert method_costs.cost(undirected.ledger, undirected.delta) == pytest.approx(undirected.epsilon)
