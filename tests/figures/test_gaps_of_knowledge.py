"""Where nothing is known nothing is drawn; and what is known of one step alone is seen."""

from __future__ import annotations

from privgraph_workbench.figures.chart import band


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
