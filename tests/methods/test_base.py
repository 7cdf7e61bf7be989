"""The interface of methods: one plan for one configuration on one graph, and no other noise is drawn."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

import pytest
from tests.methods.toy_graphs import toy_graph

from privgraph.data.spec import PublicFacts
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.base import MethodConfig, filled_in, refusal
from privgraph.methods.training import Context, Member, planned
from privgraph.options import Option, OptionError, Scalar, build, left, values
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.testing.methods import TEXT_FACTS as FACTS

FINAL = [name for name, value in vars(MethodConfig).items() if getattr(value, "__final__", False)]


def test_a_plan_that_was_changed_is_refused() -> None:
    graph, config = toy_graph(), Config(epsilon=1.0)
    plan = config.plan(graph.facts)
    for changed in (
        replace(plan, scale=plan.scale / 1000),
        replace(plan, entries=plan.entries[:-1]),
        replace(plan, statement=replace(plan.statement, epsilon=0.001)),
    ):
        with pytest.raises(ValueError, match="as it is"):
            Member(config=config, plan=changed, graph=graph, context=Context())


@dataclass(frozen=True, kw_only=True)
class Loud(Config):
    """A method whose author left an option out of comparisons."""

    loudness: Annotated[float, Option("how loud", low=0)] = field(default=1.0, compare=False)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return tuple(replace(entry, note=f"{self.loudness}") for entry in super().entries(facts, scale))


def test_configurations_that_compare_equal_share_no_plan() -> None:
    quiet, loud = Loud(epsilon=1.0), Loud(epsilon=1.0, loudness=50.0)
    assert quiet == loud
    assert {entry.note for one in (quiet, loud) for entry in one.plan(FACTS).entries} == {"1.0", "50.0"}


def wrong(**changed: object) -> type[Config]:
    """A method whose statement says something else than its entries and options."""

    class Wrong(Config):
        def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
            return replace(super().statement(facts, scale, entries), **changed)  # type: ignore[arg-type]

    return Wrong


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"unit": "node"}, "unit"), ({"ledger": ()}, "ledger"), ({"delta": 1e-9}, "delta"), ({"epsilon": 1.01}, "cost")],
)
def test_a_statement_that_is_not_that_of_its_plan_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        wrong(**changed)(epsilon=1.0).plan(FACTS)


@pytest.mark.parametrize("change", [{"delta": 1e-9}, {"accounting": "published"}, {"unit": "node"}, {"depth": 3}])
def test_a_plan_that_differs_in_any_option_is_refused(change: dict[str, Scalar]) -> None:
    graph, config = toy_graph(), Config(epsilon=1.0)
    other = build(Config, {**values(config), **change})
    with pytest.raises(ValueError, match="made for other options"):
        Member(config=config, plan=other.plan(graph.facts), graph=graph, context=Context())


OTHER_SIZES: list[dict[str, Any]] = [
    *({name: 7} for name in ("edges", "entries", "features", "classes", "train_nodes")),
    {"nodes": 401},
    {"undirected": False},
    {"domains": ("one",), "entities": (5,), "relations": (3,)},
]


@pytest.mark.parametrize("change", OTHER_SIZES, ids=lambda change: next(iter(change)))
def test_a_plan_that_differs_in_any_size_is_refused_and_is_another_plan(change: dict[str, Any]) -> None:
    graph, config = toy_graph(), Config(epsilon=1.0)
    other = replace(graph.facts, **change)
    assert other != graph.facts
    assert config.plan(other) is not config.plan(graph.facts)
    with pytest.raises(ValueError, match="made for a graph of other sizes"):
        Member(config=config, plan=config.plan(other), graph=graph, context=Context())


def test_every_size_and_every_option_decides_which_plan_it_is() -> None:
    """Plans are kept by what is equal: a field that is not compared would give one run another's noise."""
    assert {name for change in OTHER_SIZES for name in change} == {item.name for item in fields(PublicFacts)}
    kinds: list[Any] = [PublicFacts, *(row.load_config() for row in METHODS.values())]
    for kind in kinds:
        assert all(item.compare and item.hash is not False for item in fields(kind)), kind


def test_only_a_refusal_is_taken_for_one() -> None:
    """What else goes wrong in a method is no property of the graph."""

    def refusing() -> None:
        raise OptionError("a graph of one node")

    def wrong() -> None:
        raise ValueError("a bug")

    assert refusal(lambda: 1) is None
    assert refusal(refusing) == "a graph of one node"
    with pytest.raises(ValueError, match="a bug"):
        refusal(wrong)


def test_a_plan_is_computed_once() -> None:
    config = Config(epsilon=1.37)
    assert config.plan(FACTS) is replace(config).plan(replace(FACTS))
    assert planned(config, toy_graph()).plan is config.plan(toy_graph().facts)


@pytest.mark.parametrize("name", METHODS)
def test_no_method_overrides_what_is_the_same_for_all(name: str) -> None:
    kind = METHODS[name].load_config()
    assert {"scale", "plan", "at"} <= set(FINAL)
    assert not inspect.isabstract(kind)
    for final in FINAL:
        assert getattr(kind, final) is getattr(MethodConfig, final)


@pytest.mark.parametrize("name", list(METHODS))
def test_what_is_left_to_a_method_could_have_been_said(name: str) -> None:
    config: Any = build(METHODS[name].load_config(), {})
    planned = config.plan(FACTS)
    filled = filled_in(config, planned.statement)
    assert set(filled) == set(left(config)) - ({"delta"} if planned.statement.unit == "none" else set())
    said = type(config)(**{**values(config), **filled})
    again = said.plan(FACTS)
    assert again.noise == pytest.approx(dict(planned.noise))
    assert again.statement.epsilon == pytest.approx(planned.statement.epsilon)
    assert again.steps == planned.steps
    assert not filled_in(said, again.statement).keys() - {name for name, value in filled.items() if value == 0}
