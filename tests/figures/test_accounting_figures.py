"""Figures of the Accounting page: costs along a setting, shares of a budget, shapes of noise, terms,
precision."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from privgraph.papers import heter_poisson as heterpoisson
from privgraph_workbench.figures.chart import Chart, Series
from privgraph_workbench.figures.costs import cost, ledger, split
from privgraph_workbench.figures.noise import noise_shapes, precision, revealed_scale, terms

POINTS = [(2.0, 4.0, 3.0), (1.0, 9.0, 7.0), (20.0, 0.3, 0.2)]


def _series(chart: Chart, name: str, kind: str) -> Series:
    return next(one for one in chart.series if one.name == name and one.kind == kind)


class TestCost:
    def test_rows_ascend_and_mark_the_setting(self) -> None:
        rows = cost.data(POINTS, 2.0, "noise")
        assert [row["x"] for row in rows] == [1.0, 2.0, 20.0]
        assert [row["chosen"] for row in rows] == [False, True, False]

    def test_two_lines_that_differ_in_more_than_colour(self) -> None:
        chart = cost.chart(cost.data(POINTS, 2.0, "noise"))
        sound, published = (_series(chart, name, "path") for name in ("sound ε", "ε as published"))
        assert sound.y == (9.0, 4.0, 0.3)
        assert published.y == (7.0, 3.0, 0.2)
        assert (sound.epsilon, published.epsilon) == ("sound", "published")
        assert _series(chart, "sound ε", "points").y == (4.0,)
        assert chart.panels[0].x.scale == "log"

    def test_without_a_proof_the_published_line_stands_alone_and_says_so(self) -> None:
        rows = cost.data([(x, math.inf, published) for x, _, published in POINTS], 2.0, "noise")
        chart = cost.chart(rows)
        assert {one.name for one in chart.series} == {"ε as published"}
        assert not cost.chart(cost.data([(1.0, math.inf, None)], 1.0, "noise")).series


def test_a_bar_of_shares_ends_at_all() -> None:
    shares = [
        {"mechanism": "gate", "stage": "", "share": 0.25},
        {"mechanism": "votes", "stage": "labels", "share": 0.75},
    ]
    rows = split.data(shares, movable=True)
    assert [(row["low"], row["high"]) for row in rows] == [(0.0, 0.25), (0.25, 1.0)]
    chart = split.chart(rows)
    assert chart.panels[0].x.title == ledger.SHARE, "a share has one name"
    assert [one.x for one in chart.series if not one.legend] == [(1.0,), (0.25,)], "the first piece lies in front"
    assert [one.name for one in chart.series if one.legend] == ["gate: 25.0%", "votes, labels: 75.0%"]
    assert [(rule.x, rule.handle) for rule in chart.panels[0].rules] == [(0.25, split.HANDLE)]
    assert not split.chart(split.data(shares, movable=False)).panels[0].rules
    assert not split.chart(split.data([{**shares[0], "share": 0.0}], movable=True)).series


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
    rows = {round(epsilon, 6): rest for epsilon, *rest in revealed_scale.one_release(1 / math.sqrt(2), 12.0)}
    assert rows[1.0][0] == pytest.approx(0.187, abs=0.002)
    assert rows[8.0][0] == pytest.approx(0.031, abs=0.001)
    assert [rows[place][1] for place in (1.0, 8.0)] == pytest.approx([0.0, 0.0], abs=1e-15)
    assert rows[8.0][2] < 1e-12, "a Gaussian keeps what it promises"


def test_terms_in_powers_of_ten() -> None:
    ten = math.log(10)
    found = [(0.0, -1.0 * ten, 0.0, 0.0), (1000.0, -3000 * ten, 500 * ten, 9000 * ten), (5.0, -math.inf, 0.0, 0.0)]
    rows = terms.data(found, 2.0)
    assert [(row["k"], row["laplace"], row["gaussian"]) for row in rows] == [
        (0.0, pytest.approx(-1), pytest.approx(-1)),
        (1000.0, pytest.approx(-2500), pytest.approx(6000)),
    ]
    chart = terms.chart(rows)
    assert {one.panel for one in chart.series} == {0, 1}
    assert not terms.chart([]).series


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
        assert next(one for one in chart.series if one.kind == "level").y == (0.7,)
        assert (chart.panels[0].x.high or 0) >= 20
