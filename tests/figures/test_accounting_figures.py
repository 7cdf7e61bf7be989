"""Figures of the Accounting page: costs, shares of a budget, shapes of noise, terms, precision."""

import math
from functools import partial

import numpy as np
import pytest
from tests.figures import made_runs

from privgraph.papers import heter_poisson as heterpoisson
from privgraph.papers.heter_poisson_gaps import shown_delta
from privgraph.privacy.composition import gaussian_delta
from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import LedgerEntry
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.noise import noise_shapes, precision


class TestNoiseShapes:
    def test_all_have_one_standard_deviation(self) -> None:
        generator = np.random.default_rng(0)
        for kind in noise_shapes.KINDS:
            found = noise_shapes.draws(kind, 200_000, 2, generator)
            assert found.std(axis=0) == pytest.approx([1.0, 1.0], abs=0.02)
        with pytest.raises(ValueError, match="kind must be one of"):
            noise_shapes.draws("uniform", 1, 1, generator)

    def test_the_other_coordinate_reveals_the_scale_of_spherical_laplace_noise_alone(self) -> None:
        generator = np.random.default_rng(1)

        def told(kind: str) -> float:
            first, second = np.square(noise_shapes.draws(kind, 200_000, 2, generator)).T
            return float(first[second > 4].mean() / first[second < 0.01].mean())

        assert told("spherical Laplace") > 2
        assert told("Gaussian") == pytest.approx(1, abs=0.15)
        assert told("independent Laplace") == pytest.approx(1, abs=0.25)


def test_the_papers_numbers_of_its_equation_3() -> None:
    """Section 4.3: |G| = 10^4 + 1, q_b = 0.01, M = 1, order 2, sigma 1: a Gaussian needs sigma 84 for the
    same last term."""
    at = partial(heterpoisson.terms, rate=0.01, neighbours=1, out_degree=10_000, order=2.0)
    (k, chance, laplace, _), (*_, gaussian) = (at(sigma=sigma)[-1] for sigma in (1.0, 84.0))
    assert k == 10_000
    assert laplace == pytest.approx(gaussian, rel=0.01)
    assert chance == pytest.approx(10_000 * math.log(1e-6) + math.log(0.99), rel=1e-6)


def test_the_chances_of_equation_3_are_those_of_a_binomial() -> None:
    found = heterpoisson.terms(rate=0.3, neighbours=2, out_degree=12, sigma=2.0, order=3.0)
    assert [k for k, *_ in found] == list(range(13))
    assert sum(math.exp(chance) for _, chance, _, _ in found) == pytest.approx(0.7)
    mean = sum(k * math.exp(chance) for k, chance, _, _ in found) / 0.7
    assert mean == pytest.approx(0.3 * 2)
    alone = heterpoisson.terms(rate=0.3, neighbours=0, out_degree=12, sigma=2.0, order=3.0)
    assert [k for k, chance, _, _ in alone if math.isfinite(chance)] == [0.0]


def test_one_release_claimed_at_1_is_not_private_there() -> None:
    """sigma = sqrt 2 k: pure epsilon 1 is claimed. In the limit of many coordinates delta(1) = 0.187 and
    delta(8) = 0.031."""
    shift = 1 / math.sqrt(2)
    assert shown_delta(1.0, shift) == pytest.approx(0.187, abs=0.002)
    assert shown_delta(8.0, shift) == pytest.approx(0.031, abs=0.001)
    assert gaussian_delta(8.0, shift) < 1e-12, "a Gaussian keeps what it promises"


class TestPrecision:
    def test_the_papers_example(self) -> None:
        (mark,) = [row for row in precision.data(10, 1e-5, {"example": 2.0}) if row["kind"] == "mark"]
        assert mark["precision"] == pytest.approx(math.exp(2) / (9 + math.exp(2)), abs=1e-4)

    def test_from_blind_guessing_to_everything(self) -> None:
        rows = precision.data(4, 0.0, {"weak": 20.0, "none proved": math.inf}, share=0.7)
        bound = [row["precision"] for row in rows if row["kind"] == "bound"]
        assert bound == sorted(bound)
        assert bound[0] == pytest.approx(0.7)
        assert bound[-1] == pytest.approx(1, abs=1e-6)
        assert [row["name"] for row in rows if row["kind"] == "mark"] == ["weak"], "what is not bounded has no place"
        chart = precision.chart(rows)
        assert next(one for one in chart.series if one.name == "blind guessing").y == (0.7, 0.7)
        assert (chart.panels[0].x.high or 0) >= 20


def gaussian(multiplier: float, count: int = 1, name: str = "noise") -> LedgerEntry:
    return LedgerEntry(
        kind=MechanismKind.AGGREGATION,
        mechanism=name,
        stage="stage 1",
        event=Gaussian(noise_multiplier=multiplier),
        count=count,
    )


def test_shares_of_gaussians_go_as_count_over_squared_noise() -> None:
    rows = ledger.data([gaussian(2, name="first"), gaussian(4, 3, name="second")], 1e-5)
    first, second = 1 / 4, 3 / 16
    assert [row["share"] for row in rows] == pytest.approx([first / (first + second), second / (first + second)])


def test_shares_add_up_under_sampling() -> None:
    rows = ledger.data(made_runs.node_entries(0.9), 1e-5)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert rows[1]["sampling_rate"] == 0.05
    assert rows[1]["noise_multiplier"] == 0.9
    assert rows[1]["count"] == 100


def test_what_is_not_private_takes_everything() -> None:
    exposed = LedgerEntry(
        kind=MechanismKind.UNPROTECTED, mechanism="training", stage="", event=NonPrivate(reason="no noise")
    )
    rows = ledger.data([gaussian(2), exposed], 1e-5)
    assert [row["share"] for row in rows] == [0, 1]
