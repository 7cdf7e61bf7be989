"""The interface of methods: one plan for one configuration on one graph, and no other noise is drawn."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest
from tests.methods.toy_graphs import toy_graph

from privgraph.data.spec import PublicFacts
from privgraph.methods import base
from privgraph.methods.aggregation.progap.config import Config
from privgraph.methods.base import MethodConfig
from privgraph.methods.training import Context, Member, planned
from privgraph.options import OptionError
from privgraph.registry import METHODS

FACTS = PublicFacts(nodes=400, edges=900, entries=1800, features=8, classes=3, train_nodes=200)
FINAL = [name for name, value in vars(MethodConfig).items() if getattr(value, "__final__", False)]


def test_a_plan_of_other_options_is_refused() -> None:
    """The noise that was shown is the noise that is drawn: a trainer cannot be given another's."""
    graph, config = toy_graph(), Config(epsilon=1.0)
    weaker = replace(config, epsilon=8.0).plan(graph.facts)
    with pytest.raises(ValueError, match="made for other options"):
        Member(config=config, plan=weaker, graph=graph, context=Context())


def test_a_plan_for_other_sizes_is_refused() -> None:
    graph, config = toy_graph(), Config(epsilon=1.0)
    with pytest.raises(ValueError, match="made for a graph of other sizes"):
        Member(config=config, plan=config.plan(FACTS), graph=graph, context=Context())


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


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("facts", [FACTS, replace(FACTS, nodes=1, edges=0, entries=0, train_nodes=0)])
def test_a_plan_says_what_its_parts_say(name: str, facts: PublicFacts) -> None:
    for unit in METHODS[name].units:
        config = METHODS[name].load_config()(unit=unit)
        reason = config.refuses(facts)
        if reason is not None:
            for ask in (config.plan, config.scale, lambda sizes, config=config: config.at(sizes, 1.0)):
                with pytest.raises(OptionError) as raised:
                    ask(facts)
                assert str(raised.value) == reason
            continue
        plan = config.plan(facts)
        assert (plan.config, plan.facts) == (config, facts)
        assert plan.scale == config.scale(facts)
        assert plan.statement.ledger == plan.entries
        assert plan.statement == config.statement(facts, plan.scale, plan.entries)
        assert config.at(facts, plan.scale) == plan.statement
        assert plan.steps > 0
        assert plan.memory_mb > 0


def test_caches_are_bounded() -> None:
    for cached in (base._scale, base._plan):
        assert cached.cache_info().maxsize == 512
