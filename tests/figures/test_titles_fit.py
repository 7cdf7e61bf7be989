"""Titles and warnings of pictures stay on them, whatever a graph is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.text import Text

from privgraph_workbench.figures import export, figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.drawing import fitting
from privgraph_workbench.figures.drawing.with_matplotlib import draw
from privgraph_workbench.figures.flags import Flag

GRAPH = "made-up social network (nodes 600, classes 3, degree 16, homophily 0.85, signal 1)"
LONG = f"Where its accuracy stands: GAP MWM on {GRAPH}, edge ε 4"


def _beyond(figure: Any) -> list[str]:
    """The texts that reach over an edge of the picture at a side."""
    wide = figure.bbox.width
    places = ((one.get_text(), one.get_window_extent()) for one in figure.findobj(Text) if one.get_text().strip())
    return [said for said, box in places if box.x1 > wide or box.x0 < 0]


def _heads(figure: Any) -> list[str]:
    """Titles of the picture and of its panels, and warnings."""
    return [one.get_text() for one in figure.findobj(Text) if one.get_fontsize() in (14, 11.5, 9.5) and one.get_text()]


def test_the_title_of_every_figure_is_wrapped_to_it(every_figure: Mapping[str, list[Row]]) -> None:
    cut = {}
    with export.drawing():
        for name, rows in every_figure.items():
            chart = figure_of(name).chart(rows)
            few = len(chart.panels) <= chart.columns  # in many small ones nothing would be left of a picture
            panels = tuple(replace(one, title=GRAPH) if few and one.title else one for one in chart.panels)
            figure = draw(replace(chart, title=LONG.upper(), panels=panels, flags=tuple(Flag)))
            beyond = _beyond(figure)
            if found := [one for one in _heads(figure) if one in beyond]:
                cut[name] = found
    assert cut == {}


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_no_word_of_a_long_title_is_lost(kind: str, every_figure: Mapping[str, list[Row]]) -> None:
    made = export.pictures("standing", every_figure["standing"], {}, [kind], title=LONG)[kind]
    assert made
    if kind == "svg":
        lines = fitting.lines(LONG, 14, 8 * 0.976, bold=True)
        assert len(lines) > 1
        assert " ".join(lines) == LONG
        assert all(line.encode() in made for line in lines), "each is a line of the picture"


def test_lines_are_as_wide_as_their_letters_and_a_long_word_is_broken() -> None:
    assert len(fitting.lines("W" * 60, 14, 8, bold=True)) > len(fitting.lines("i" * 60, 14, 8, bold=True))
    for said in ("W" * 200, "iW " * 60, LONG):
        lines = fitting.lines(said, 14, 4, bold=True)
        assert max(fitting.measured(one, 14, bold=True) for one in lines) <= 4 * 72
        assert "".join(lines).replace(" ", "") == said.replace(" ", "")
    assert not any(line.endswith("ε") for line in fitting.lines("edge ε 4 " * 30, 14, 3))
