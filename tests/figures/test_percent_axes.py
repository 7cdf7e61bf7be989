"""An axis of accuracies: neighbouring ticks never read alike, and it stays within 0 to 100 percent."""

import pytest

from privgraph_workbench.figures.chart import Axis, Chart, Panel, Series
from privgraph_workbench.figures.drawing.with_matplotlib import draw

ROOM = 0.03
SHAPES: tuple[tuple[float, ...], ...] = ((0.8,), (1.0,), (0.0,), (0.7, 0.7), (1.0, 1.0), (0.0, 1.0), (0.02, 0.99))
"""Accuracies of a figure: a single one, all alike, and such as reach both ends."""


def shaped(values: tuple[float, ...], low: float | None = None) -> Chart:
    points = Series(name="accuracy", kind="path", x=tuple(map(float, range(len(values)))), y=values)
    panel = Panel(x=Axis(title="epsilon"), y=Axis(title="accuracy (percent)", percent=True, low=low))
    return Chart(title="Accuracy", panels=(panel,), series=(points,))


@pytest.mark.parametrize("low", [None, 0.0])
@pytest.mark.parametrize("values", SHAPES)
def test_a_printed_axis_stays_within_a_hundred_percent(values: tuple[float, ...], low: float | None) -> None:
    drawn = draw(shaped(values, low))
    drawn.canvas.draw()
    first, last = drawn.axes[0].get_ylim()
    assert -ROOM <= first < last <= 1 + ROOM
    assert first <= min(values)
    assert last >= max(values)
