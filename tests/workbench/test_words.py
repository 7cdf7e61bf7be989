"""The words and numbers of pages, forms and jobs."""

import math
import re
import shlex
from pathlib import Path

import pytest

from privgraph.runs.spec import make_spec
from privgraph_workbench.commands.parser import make_parser, parse
from privgraph_workbench.commands.values import method_options
from privgraph_workbench.facts import plans
from privgraph_workbench.text import page
from privgraph_workbench.words import meaning


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.5, 0.0), (1.0, 1e-5), (3.0, 0.01), (8.0, 1e-6)])
def test_the_best_guess_is_the_likelihood_ratio_bound(epsilon: float, delta: float) -> None:
    """Against the optimum of a linear program: errors (a, b) with a + e^eps b >= 1 - delta and e^eps a + b >=
    1 - delta."""
    best = min(
        (a + max(0.0, (1 - delta - a) / math.exp(epsilon), 1 - delta - math.exp(epsilon) * a)) / 2
        for a in (step / 20_000 for step in range(20_001))
    )
    assert meaning.guess(epsilon, delta) == pytest.approx(1 - best, abs=1e-4)


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
        data_options=dict(parsed.data_set),
        split=parsed.split,
        seed=parsed.seed,
        device=parsed.device,
    )
    assert again == spec


def test_whatever_explains_a_page_says_something() -> None:
    root = Path(__file__).parents[2]
    sources = [*root.glob("pages/*.py"), *root.glob("workbench/privgraph_workbench/parts/*.py")]
    named = {name for path in sources for name in re.findall(r'reading\("(\w+)"\)', path.read_text())}
    assert len(named) > 10
    assert all(page(name)[1] for name in named)
