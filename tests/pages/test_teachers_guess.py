"""How often a guess about one node is right at most: on the page Teachers, for every run of the gallery that
says so."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from statistics import NormalDist

import pytest
from tests.pages.kept_runs import KARATE

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.options import Scalar
from privgraph.privacy.events import Gaussian
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import plans
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.teachers import alike, by_weight, other_noise, payers, run_price
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import at_most

Lines = list[dict[str, str]]


@pytest.fixture(scope="module")
def shipped() -> RunStore:
    """The examples."""
    return queue.examples()


def _settings(store: RunStore, *methods: str) -> list[RunRecord]:
    """One run of each setting."""
    found = store.find(RunQuery(methods=methods, states=("done",), limit=1000))
    return list({json.dumps([one.spec.method, one.spec.options], sort_keys=True): one for one in found}.values())


def _share(line: dict[str, str], column: str) -> float:
    return float(line[column].removeprefix("at most ").removesuffix("%")) / 100


def _holds(lines: Lines) -> bool:
    """Whether both bounds are shown, after it was asserted that the exact one is the smaller in each line."""
    exact = [by_weight.EXACT in line for line in lines]
    assert all(exact) or not any(exact)
    for line in lines if all(exact) else []:
        assert _share(line, by_weight.EXACT) <= _share(line, by_weight.FROM_EPSILON), line
    return all(exact)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_line_of_fewer_queries_has_the_guess_from_these_alone(shipped: RunStore, every: bool) -> None:
    tables, exact = 0, 0
    found = _settings(shipped, "pate", "privgnn")
    kinds = {(one.spec.method, one.spec.options.get("noise"), one.spec.options.get("release")): one for one in found}
    for record in found if every else kinds.values():
        points = alike.spent(record)
        if record.statement is None or record.spec.options.get("release") == "table" or len(points) < 2:
            continue
        lines = alike.lines(record, points)
        tables += 1
        if not _holds(lines):
            assert record.spec.options.get("noise") != "gaussian"
            continue
        exact += 1
        told = [_share(line, by_weight.EXACT) for line in lines]
        assert all(before < after for before, after in pairwise(told)), "more answers, a surer guess"
        std = next(entry.noise_std for entry in record.statement.ledger if entry.noise_std)
        by_hand = [NormalDist().cdf(math.sqrt(2 * count) / std / 2) for count, _ in points]
        assert told == pytest.approx(by_hand, abs=1e-3)
    assert exact >= 1
    assert tables > exact, "of Laplace noise and of samples, no such guess is told"


def test_a_line_of_a_weight_has_the_guess_at_that_weight(shipped: RunStore) -> None:
    exact = 0
    for record in _settings(shipped, "dp-gpl"):
        ensemble = payers.load(shipped.folder(record.id))
        if not isinstance(ensemble, Ensemble) or not by_weight.differ(ensemble):
            continue
        lines = by_weight.lines(ensemble)
        if _holds(lines):
            exact += 1
            told = [_share(line, by_weight.EXACT) for line in lines]
            assert all(before < after for before, after in pairwise(told)), "a heavier vote, a surer guess"
            heaviest = float(ensemble.weights.max())
            mu = heaviest * math.sqrt(2 * len(ensemble.queries)) / ensemble.vote_sigma
            assert told[-1] == pytest.approx(NormalDist().cdf(mu / 2), abs=1e-3)
    assert exact >= 1


def test_the_price_of_a_run_has_the_guess_of_who_pays(shipped: RunStore) -> None:
    """One run, one word: that of epsilon and delta, and with plain Gaussian noise one number more."""
    exact, other = 0, 0
    for record in _settings(shipped, "pate", "privgnn", "dp-gpl"):
        plan = other_noise.priced(record)
        assert plan is not None
        said, sound = run_price.risk(plan), plan.statement
        if math.isinf(sound.epsilon):
            assert said.startswith("Nothing is guaranteed"), "under no key either"
            other += 1
            continue
        assert said.startswith("Somebody who knows everything else guesses ")
        verdicts = re.findall(r"(strong|moderate|weak|next to no) protection", said)
        assert verdicts == [meaning.strength(sound.epsilon, sound.delta)], "one word"
        if other_noise.moved_in(plan) is None:
            other += 1
            told = meaning.risk("node", sound.epsilon, sound.delta, sound.neighbours)
            assert said == told
            assert "Gaussian" not in said
            continue
        exact += 1
        (entry,) = plan.entries
        assert isinstance(entry.event, Gaussian), "not of a sample, nor through a gate"
        best = NormalDist().cdf(math.sqrt(entry.count) / entry.event.noise_multiplier / 2)
        assert f" protection; with this Gaussian noise in fact {at_most(best)}." in said
        if record.spec.method == "pate":
            assert at_most(best) == alike.lines(record, alike.spent(record))[-1][by_weight.EXACT]
        ensemble = payers.load(shipped.folder(record.id))
        if isinstance(ensemble, Ensemble) and by_weight.differ(ensemble):
            assert at_most(best) == by_weight.lines(ensemble)[-1][by_weight.EXACT]
    assert exact > 3
    assert other > 3


def test_a_gate_a_sample_and_other_noise_have_the_guess_of_epsilon_alone() -> None:
    cases: tuple[tuple[str, dict[str, Scalar]], ...] = (
        ("pate", {"noise": "laplace", "epsilon": 4.0}),
        ("privgnn", {"release": "votes", "epsilon": 4.0}),
        ("privgnn", {"release": "votes", "epsilon": 4.0, "gate": 1.0, "gate_noise": 2.0, "answers": 5}),
        ("dp-gpl", {"epsilon": 4.0, "gate_sigma": 50.0, "queries": 8, "teachers": 8}),
    )
    for method, options in cases:
        plan = plans.plan(method, options, KARATE)
        assert other_noise.moved_in(plan) is None, method
        sound = plan.statement
        told = meaning.risk("node", sound.epsilon, sound.delta, sound.neighbours)
        assert run_price.risk(plan) == told
    plain = plans.plan("dp-gpl", {"epsilon": 4.0, "queries": 8, "teachers": 8}, KARATE)
    assert other_noise.moved_in(plain) is not None
