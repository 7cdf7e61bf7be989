"""What answers would cost, and what their noise means, before anything is trained."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from scipy.stats import norm

from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.papers.privgnn import argmax_atoms
from privgraph_workbench.facts import answer_costs

FACTS = PublicFacts(nodes=2000, edges=9000, entries=18000, features=32, classes=7, train_nodes=1500)


@pytest.mark.parametrize(
    "options",
    [
        *({"release": release} for release in ("table", "votes", "posterior", "log-posterior")),
        *({"release": "ensemble", "maximum": maximum} for maximum in ("gaussian", "laplace", "exponential", "gumbel")),
        {"release": "votes", "sampling": "once"},
        {"release": "votes", "gate": 1.0, "gate_noise": 2.0, "answers": 50},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_the_quote_is_what_the_run_will_state(options: dict[str, object]) -> None:
    config = Config(lam=0.3, queries=200, delta=1e-4, **options)  # type: ignore[arg-type]
    said, quote = config.plan(FACTS).statement, answer_costs.quote(config, FACTS)
    assert quote.epsilon == pytest.approx(said.epsilon)
    assert quote.epsilon_as_published == pytest.approx(said.epsilon_as_published)
    assert (quote.delta, quote.asked) == (said.delta, 200)
    alone = Config(lam=0.3, queries=1, delta=1e-4, **options).plan(FACTS).statement  # type: ignore[arg-type]
    assert quote.one == (None if config.release == "table" else pytest.approx(alone.epsilon))


def test_the_curve_grows_and_passes_through_the_quote() -> None:
    config = Config(release="posterior", lam=0.3, queries=200)
    points = answer_costs.curve(config, FACTS)
    quote = answer_costs.quote(config, FACTS)
    assert (0.3, quote.epsilon, quote.epsilon_as_published) in points
    for before, after in pairwise(points):
        assert all(low < high for low, high in zip(before, after, strict=True))


@pytest.mark.parametrize("classes", [2, 6, 41])
@pytest.mark.parametrize("lam", [0.2, 1.0, 5.0])
def test_chances_agree_with_formulas_of_their_own(lam: float, classes: int) -> None:
    scale, near = 1 / lam, {"abs": 2e-4}
    assert answer_costs.winning_chance("laplace", scale, 1.0, classes) == pytest.approx(
        argmax_atoms(lam, classes).upper[0], **near
    )
    odds = math.exp(3 / scale)
    assert answer_costs.winning_chance("gumbel", scale, 3.0, classes) == pytest.approx(
        odds / (odds + classes - 1), **near
    )


def test_chances_between_two_classes() -> None:
    assert answer_costs.winning_chance("gaussian", 2.0, 3.0, 2) == pytest.approx(
        norm.cdf(3 / (2 * math.sqrt(2))), abs=1e-4
    )
    assert answer_costs.winning_chance("exponential", 2.0, 3.0, 2) == pytest.approx(1 - math.exp(-1.5) / 2, abs=1e-4)


@pytest.mark.parametrize("law", ["gaussian", "laplace", "exponential", "gumbel"])
def test_the_needed_lead_is_the_smallest(law: str) -> None:
    lead = answer_costs.needed_lead(law, 4.0, 10)
    assert answer_costs.winning_chance(law, 4.0, lead, 10) >= answer_costs.SURE
    assert answer_costs.winning_chance(law, 4.0, 0.99 * lead, 10) < answer_costs.SURE


def test_what_the_noise_means() -> None:
    def said(**options: object) -> str:
        return answer_costs.meaning(Config(lam=0.5, **options), FACTS)  # type: ignore[arg-type]

    assert "All 1,000 private nodes are in the table" in said(release="table")
    assert "About 300 private nodes vote on a query" in said(release="votes", rate=0.3)
    assert "standard deviation 2." in said(release="votes")
    assert "Where all 8 teachers agree" in said(release="ensemble", teachers=8)
    assert "right 14.3% of the time" in said(release="posterior"), "blind guessing among seven"
    assert "nothing is guaranteed" in said(release="log-posterior")
