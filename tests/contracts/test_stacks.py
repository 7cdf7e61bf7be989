"""Whoever is trained beside others is trained as if alone, in whatever one thing they differ.

A stack may share what its members have in common: a graph, a backbone, votes before noise. Here its members
differ in one thing at a time: the seed, the split, a key, and each option that the stacking key leaves free.
Where something is kept for the next, the plain member stands between any two, so that it is kept of it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.observer.cases import SEED, SPLIT_SEED, Case, cases

from privgraph.data.graph import Graph
from privgraph.data.splits import with_split
from privgraph.methods.keys import in_company
from privgraph.methods.training import Context, Member, planned, train_one
from privgraph.options import OptionError, Parameter, parameters
from privgraph.progress import Event, Metric, Result
from privgraph.registry import METHODS

KEYS = b"the noise of one run, no secret here", b"the noise of another, no secret here"
SHARED = b"what runs share, no secret here", b"what others share, no secret here"
KEEPS = ("dp-gpl",)
"""Methods that keep something of a member for the next."""
ALONE = ("prompt-dpsgd", "relational", "relation-rand")
"""Methods that train one member after another, slowly, and keep nothing: `MethodContract` asks them."""
CASES = [case for case in cases() if not case.changed and case.method not in ALONE]
UNVARIED = ("unit", "delta", "preset", "accounting", "most_edges", "most_relations")
"""Options that stand for others, are of the account alone, or refuse."""


@dataclass(frozen=True, kw_only=True)
class Beside:
    """A member: the plain one, but for one thing."""

    what: str
    config: Any
    graph: Graph
    seed: int = SEED
    noise: bytes = KEYS[0]
    shared: bytes = SHARED[0]

    def member(self) -> Member[Any]:
        context = Context(seed=self.seed, noise_key=self.noise, shared_key=self.shared)
        return planned(self.config, self.graph, context)


def others(case: Case) -> Iterator[Beside]:
    """Members that differ from the plain one in one thing each, and may be trained with it."""
    plain, graph = case.config(), case.graph
    yield Beside(what="seed", config=plain, graph=graph, seed=SEED + 1)
    yield Beside(what="split", config=plain, graph=with_split(graph, SPLIT_SEED + 1))
    yield Beside(what="noise", config=plain, graph=graph, noise=KEYS[1])
    yield Beside(what="shared", config=plain, graph=graph, shared=SHARED[1])
    for parameter in parameters(type(plain)):
        for value in _values(parameter, getattr(plain, parameter.name)):
            try:
                config = case.config(**{parameter.name: value})
                config.plan(graph.facts)
            except OptionError:
                continue
            if config.stack_key() == plain.stack_key():
                yield Beside(what=f"{parameter.name}={value}", config=config, graph=graph)


def _values(parameter: Parameter, now: Any) -> list[Any]:
    """Other values of an option that are as good as its own."""
    if parameter.name in UNVARIED:
        return []
    if parameter.type is bool:
        return [not now]
    if parameter.option.choices:
        return [value for value in parameter.option.choices if value != now]
    if parameter.type is int:
        return [now + 1]
    return [now * 1.25] if parameter.type is float and now else []


def told(events: list[Event]) -> list[tuple[str, float]]:
    """What a run came to, number by number, without how far it is and what pre-training told: that is done
    once."""
    curves = [event for event in events if isinstance(event, Metric) and "train" not in event.stage]
    found = [(event.name, event.value) for event in curves]
    return found + [pair for event in events if isinstance(event, Result) for pair in sorted(event.metrics.items())]


def differing(case: Case, beside: list[Beside]) -> list[str]:
    """Which members come to something else in a stack than alone."""
    plain = Beside(what="", config=case.config(), graph=case.graph)
    kept = case.method in KEEPS
    stacked = [one for other in beside for one in (plain, other)] if kept else [plain, *beside]
    train = METHODS[case.method].load_train()
    stories: list[list[Event]] = [[] for _ in stacked]
    for index, event in train([one.member() for one in stacked]):
        stories[index].append(event)
    wrong = []
    for one, story in zip(stacked, stories, strict=True):
        if one.what:
            alone = told(list(train_one(train, one.config, one.graph, one.member().context)))
            if not _close(told(story), alone, one.graph):
                wrong.append(one.what)
    return wrong


def _close(here: list[tuple[str, float]], there: list[tuple[str, float]], graph: Graph) -> bool:
    """But for the rounding of a stack, which may tip the prediction of a node."""
    if [name for name, _ in here] != [name for name, _ in there]:
        return False
    node = 1.5 / int(graph.test_mask.sum())
    return all(
        math.isclose(one, other, rel_tol=1e-3, abs_tol=node if "accuracy" in name else 1e-3)
        for (name, one), (_, other) in zip(here, there, strict=True)
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_member_is_itself_whatever_one_thing_is_another_beside_it(case: Case) -> None:
    assert differing(case, list(others(case))) == []


def company_keys(*runs: str) -> bytes:
    return in_company(KEYS[0], runs)


def test_a_run_has_other_noise_with_every_other_company() -> None:
    """Others of the same number, the same in another order, and fewer."""
    companies = [("a",), ("a", "b"), ("a", "c"), ("b", "a"), ("a", "b", "c"), ("a", "c", "b"), ("ab",)]
    keys = {company_keys(*company) for company in companies}
    assert len(keys) == len(companies)
    assert KEYS[0] not in keys
    assert company_keys("a", "b") == company_keys("a", "b"), "the same company repeats"


def test_each_run_of_one_company_has_noise_of_its_own() -> None:
    assert in_company(KEYS[0], ("a", "b")) != in_company(KEYS[1], ("a", "b"))
