"""Where nothing is known nothing is drawn; and what is known of one step alone is seen."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Series, band
from privgraph_workbench.figures.drawing import with_matplotlib, with_plotly


def test_a_band_breaks_where_a_point_has_no_interval() -> None:
    """One seed between settings of three: the band must not pass through it as if it were known."""
    rows = [
        {"x": x, "low": low, "high": high}
        for x, low, high in ((0.5, 0.1, 0.2), (1.0, 0.2, 0.3), (2.0, None, None), (4.0, 0.5, 0.6), (8.0, 0.6, 0.7))
    ]
    pieces = band(rows, "x", slot=0, panel=0, group="one")
    assert [piece.x for piece in pieces] == [(0.5, 1.0), (4.0, 8.0)]
    assert [piece.low for piece in pieces] == [(0.1, 0.2), (0.5, 0.6)]
    assert band(rows[1:4], "x", slot=0, panel=0, group="one") == []


@pytest.mark.parametrize("steps", [1, 2])
def test_a_curve_of_one_step_is_a_mark(steps: int) -> None:
    series = Series(name="loss", kind="line", x=tuple(range(steps)), y=(0.5,) * steps, slot=0)
    panels = (Panel(x=Axis(title="step"), y=Axis(title="loss")),)
    chart = Chart(title="Loss", panels=panels, series=(series,))
    trace = with_plotly.draw(chart, "light").data[0]
    assert trace.mode == ("markers" if steps == 1 else "lines")
    figure = with_matplotlib.draw(chart, "light")
    (line,) = [one for one in figure.axes[0].lines if len(one.get_xdata()) == steps]
    assert (line.get_marker() not in (None, "None", "")) == (steps == 1)
    plt.close(figure)


def test_a_mark_on_the_edge_of_its_axes_is_seen_whole() -> None:
    marks = Series(name="right", kind="path", x=(0, 1), y=(0.5, 1.0))
    curve = Series(name="loss", kind="line", x=(0, 1), y=(0.5, 1.0))
    panels = (Panel(x=Axis(title="step"), y=Axis(title="share", low=0.0, high=1.0)),)
    chart = Chart(title="Shares", panels=panels, series=(marks, curve))
    assert [trace.cliponaxis for trace in with_plotly.draw(chart, "light").data] == [False, True]
