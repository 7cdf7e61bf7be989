"""The words and numbers of pages, forms and jobs."""

from __future__ import annotations

import math
import shlex

import numpy as np
import pytest

from privgraph.data.spec import PublicFacts
from privgraph.options import build, parameters
from privgraph.privacy.kinds import Neighbours
from privgraph.registry import METHODS
from privgraph.runs.spec import make_spec
from privgraph_workbench.commands.parser import make_parser, parse
from privgraph_workbench.commands.values import method_options, pairs, whole
from privgraph_workbench.facts import plans
from privgraph_workbench.forms import fields, widgets
from privgraph_workbench.words import meaning, numbers


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.5, 0.0), (1.0, 1e-5), (3.0, 0.01), (8.0, 1e-6)])
def test_the_best_guess_is_the_likelihood_ratio_bound(epsilon: float, delta: float) -> None:
    """Against the optimum of a linear program: errors (a, b) with a + e^eps b >= 1 - delta and e^eps a + b >=
    1 - delta."""
    best = min(
        (a + max(0.0, (1 - delta - a) / math.exp(epsilon), 1 - delta - math.exp(epsilon) * a)) / 2
        for a in (step / 20_000 for step in range(20_001))
    )
    assert meaning.guess(epsilon, delta) == pytest.approx(1 - best, abs=1e-4)


def test_risk_never_promises_what_does_not_hold() -> None:
    assert "Nothing is guaranteed" in meaning.risk("none", math.inf, 0.0, Neighbours.NONE)
    assert "Nothing is guaranteed" in meaning.risk("edge", math.inf, 1e-5, Neighbours.DIRECTED_EDGE)
    assert "next to no protection" in meaning.risk("node", 50.0, 1e-5, Neighbours.NODE)
    assert numbers.chance(meaning.guess(30.0, 0.0)) == "over 99.99%"
    assert "says nothing" in meaning.delta(1e-4, math.inf)
    assert "what is added to the bound" in meaning.delta(1e-4, 1.0)
    assert "not small" in meaning.delta(0.01, 1.0)
    assert "not small" not in meaning.delta(1e-4, 1.0)
    for epsilon in (0.01, 0.5, 1.0, 2.0, 4.0, 7.7):
        said = meaning.risk("node", epsilon, 1e-5, Neighbours.NODE)
        shown = float(said.split("at most ")[1].split("%")[0])
        assert 0 <= shown - 100 * meaning.guess(epsilon, 1e-5) <= 0.1


def test_the_verdict_fits_the_number_of_the_wager() -> None:
    """Nobody who may be found out 19 times of 20 is moderately protected, whatever the size of epsilon."""
    for epsilon in (0.1, 0.5, 1.0, 1.2, 2.0, 2.3, 3.0, 4.5, 5.0, 8.0, 20.0):
        for delta in (0.0, 1e-5, 0.05):
            said = meaning.risk("node", epsilon, delta, Neighbours.NODE)
            percent = 100.0 if "every time" in said else float(said.split("at most ")[1].split("%")[0])
            word = said.removesuffix(" protection.").rsplit("That is ")[1]
            most = {word: 100 * bound for bound, word in meaning.STRENGTHS}
            least = {"strong": 50.0, "moderate": 75.0, "weak": 90.0, "next to no": 99.0}
            assert least[word] <= percent <= most[word] + 0.1, said
    assert meaning.risk("edge", 3.0, 0.0, Neighbours.DIRECTED_EDGE).endswith(
        "a coin is right in 50% of cases, they are right in at most 95.3%. That is weak protection."
    )
    assert "they may be right every time. That is next to no" in meaning.risk("edge", 16.0, 0.0, Neighbours.NODE)


FROZEN = (Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)


@pytest.mark.parametrize("kind", Neighbours)
def test_the_wager_says_for_whom_it_holds(kind: Neighbours) -> None:
    """In the one sentence that gives the chance: whoever was never in the graph is not meant where roles, a
    sample or degrees are frozen."""
    (wager,) = [text for text in meaning.risk("node", 1.0, 0.0, kind).split(". ") if "73.2%" in text]
    assert ("never in the graph" in wager) == (kind in (*FROZEN, Neighbours.REPLACED_RECORD))
    assert ("opted out" in wager) == (kind in FROZEN)


@pytest.mark.parametrize("name", ["gap", "progap", "dp-gnn", "heter-poisson", "dp-mlp", "privgnn", "pate", "dp-gpl"])
def test_methods_with_frozen_samples_or_degrees_make_that_wager(name: str) -> None:
    facts = PublicFacts(nodes=2708, edges=5278, entries=10556, features=50, classes=7, train_nodes=2031)
    said = METHODS[name].load_config()(unit="node", epsilon=4.0).plan(facts).statement
    assert "never in the graph" in meaning.risk(said.unit, said.epsilon, said.delta, said.neighbours)


def test_a_log_slider_has_round_marks_within_its_bounds() -> None:
    grid = fields.log_grid(0.01, 1000, [3.7])
    assert grid[0] == 0.01
    assert grid[-1] == 1000
    assert grid == sorted(set(grid))
    assert {0.1, 1.0, 2.0, 3.7, 8.0, 100.0} <= set(grid)
    assert 5e3 not in fields.log_grid(0.01, 1000, [5e3])


@pytest.mark.parametrize("method", list(METHODS))
def test_the_address_of_a_form_gives_the_form_back(method: str) -> None:
    config = METHODS[method].load_config()
    values = {parameter.name: parameter.default for parameter in parameters(config)}
    assert build(config, widgets.address(values)) == build(config, values)


def test_the_command_line_makes_the_same_run() -> None:
    spec = make_spec(
        "progap",
        "social",
        {"unit": "node", "epsilon": 3.25, "delta": 1e-6, "accounting": "published", "depth": 3, "learning_rate": 0.005},
        data_options={"nodes": 500, "homophily": 0.7},
        split="inductive",
        seed=7,
        device="cpu",
    )
    program, *arguments = shlex.split(plans.command_line(spec))
    assert program == "privgraph"
    parsed = parse(make_parser(), arguments)
    again = make_spec(
        parsed.method,
        parsed.data,
        method_options(parsed),
        data_options=pairs(parsed.data_set, "--data-set"),
        split=parsed.split,
        seed=whole("seed", parsed.seed),
        device=parsed.device,
    )
    assert again == spec


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (2.5, 0.05), (8.0, 1e-4), (0.3, 0.4)])
def test_the_most_often_that_the_right_one_of_two_is_picked_is_the_area_under_the_frontier(
    epsilon: float, delta: float
) -> None:
    false = np.linspace(0, 1, 200_001)
    highest = np.minimum(1, np.minimum(np.exp(epsilon) * false + delta, 1 - np.exp(-epsilon) * (1 - delta - false)))
    area = float(np.trapezoid(highest, false))
    assert meaning.ranked(epsilon, delta) == pytest.approx(area, abs=1e-6)
    assert meaning.ranked(epsilon, delta) >= meaning.guess(epsilon, delta) - 1e-12
