"""Everything drawn can be seen, and the three epsilons told apart: contrast, colour blindness, marks."""

import itertools
import tomllib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from privgraph_workbench.figures import catalogue, figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.theme import DARK, DASHES, EPSILONS, LIGHT, MARKERS, Theme

# Machado, Oliveira and Fernandes (2009), severity 1, in linear RGB.
SIGHTS = {
    "all cones": np.eye(3),
    "no long-wave cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no medium-wave cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no short-wave cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour: str) -> NDArray[np.float64]:
    """The channels of #rrggbb in linear RGB."""
    channels = np.array([int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted(linear(colour) @ (0.2126, 0.7152, 0.0722) for colour in (one, other))
    return float((high + 0.05) / (low + 0.05))


def seen(colour: str, sight: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE Lab of #rrggbb as somebody with that sight sees it."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(sight @ linear(colour), 0, 1) / np.array([0.95047, 1.0, 1.08883])
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("one", [LIGHT, DARK], ids=lambda one: one.name)
class TestContrast:
    def test_lines_stand_out_from_both_backgrounds_and_words_can_be_read(self, one: Theme) -> None:
        words = (one.text, one.muted, one.warning, *(getattr(one, kind) for kind in EPSILONS))
        for colours, least in ((one.lines, 3), (words, 4.5)):
            for colour, behind in itertools.product(colours, (one.background, one.surface)):
                assert contrast(colour, behind) >= least, (colour, behind)

    @pytest.mark.parametrize("sight", SIGHTS)
    def test_lines_differ_for_every_sight(self, one: Theme, sight: str) -> None:
        drawn = [*one.lines, *(getattr(one, kind) for kind in EPSILONS)]
        views = [seen(colour, SIGHTS[sight]) for colour in drawn]
        apart = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(views, 2))
        assert apart >= 15  # a just noticeable difference is about 2.3


def test_no_slot_looks_like_one_of_the_three_epsilons() -> None:
    marks = EPSILONS.values()
    assert not {mark.symbol for mark in marks} & set(MARKERS)
    assert {mark.dash for mark in marks} & set(DASHES) <= {"solid"}
    for channel in ("symbol", "dash", "pattern", "glyph", "ink"):
        assert len({getattr(mark, channel) for mark in marks}) == 3


Rows = Mapping[str, list[Row]]

SHOWN = tomllib.loads(Path(__file__).with_name("figures.toml").read_text())["epsilons"]


@pytest.mark.parametrize("figure", catalogue())
def test_what_shows_one_of_them_says_which(figure: str, every_figure: Rows) -> None:
    chart = figure_of(figure).chart(every_figure[figure])
    assert {one.epsilon for one in chart.series} - {None} == set(SHOWN.get(figure, ()))
    for series in chart.series:
        named = [kind for kind, mark in EPSILONS.items() if mark.title in series.name]
        assert series.epsilon in (named or [None, "sound"] if figure == "entry_costs" else named or [None]), series.name
