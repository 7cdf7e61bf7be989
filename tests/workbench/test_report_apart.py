"""Figures of one title in a report are told apart by what they were drawn at, never by seeds."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting import Drawn, told_apart

KNOWN = {"unit": "edge", "graph": "Cora", "dataset": "cora", "method": "gap", "asked": 1.0, "seed": 0}
"""What a row of a figure tells of its runs."""


def _names(*told: dict[str, object], titles: Sequence[str] = ()) -> list[str]:
    """The titles of figures whose rows differ in that alone; `told`: that of each."""
    figures = [
        Drawn(figure="degrees", rows=_rows({**KNOWN, **own}), title=title)
        for own, title in zip(told, titles or [""] * len(told), strict=True)
    ]
    return [one.name for one in told_apart(figures)]


def _rows(known: Row) -> list[Row]:
    return [{"low": 1, "high": 1, "nodes": 1, "share": 1.0, **known}]


def test_a_figure_alone_keeps_its_title() -> None:
    assert _names({}) == [Drawn(figure="degrees", rows=_rows(KNOWN)).name]


def test_namesakes_have_what_differs_behind_their_title() -> None:
    (one,) = _names({})
    assert _names({}, {"method": "progap"}) == [f"{one}: GAP", f"{one}: ProGAP"]
    assert _names({}, {"asked": 2.0}) == [f"{one}: ε 1", f"{one}: ε 2"]
    assert _names({}, {"method": "progap", "asked": 2.0}) == [f"{one}: GAP, ε 1", f"{one}: ProGAP, ε 2"]


def test_where_nothing_differs_they_are_counted_and_no_seed_is_told() -> None:
    (one,) = _names({})
    assert _names({}, {"seed": 7}) == [f"{one}: 1 of 2", f"{one}: 2 of 2"]
    assert _names({}, {"seed": 7}, {"asked": 2.0}) == [f"{one}: ε 1, 1 of 3", f"{one}: ε 1, 2 of 3", f"{one}: ε 2"]


def test_what_an_author_has_called_a_figure_stays() -> None:
    assert _names({}, {"asked": 2.0}, titles=("Mine", "Mine")) == ["Mine", "Mine"]
