"""The words and numbers of pages, forms and jobs."""

from __future__ import annotations

import math
import shlex

import pytest

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


@pytest.mark.parametrize("kind", Neighbours)
def test_whoever_opts_out_is_said_where_samples_are_frozen(kind: Neighbours) -> None:
    frozen = (Neighbours.FROZEN_ROSTER, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
    assert ("opts out" in meaning.protected("node", kind)) == (kind in frozen)
    assert numbers.chance(meaning.guess(30.0, 0.0)) == "over 99.99%"
