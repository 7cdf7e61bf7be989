"""A thumbnail is a small picture without words, in the theme of the page."""

from __future__ import annotations

import io

import pytest
from matplotlib.image import imread
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import thumbnail
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.theme import theme


def _corner(png: bytes) -> str:
    """The colour of its upper left pixel."""
    red, green, blue = (round(255 * float(part)) for part in imread(io.BytesIO(png))[0, 0, :3])
    return f"#{red:02x}{green:02x}{blue:02x}"


@pytest.mark.parametrize("name", ["light", "dark"])
def test_it_is_small_and_has_the_ground_of_its_theme(store: RunStore, name: str) -> None:
    rows = tradeoff.data([store.get(keep(store, spec(epsilon=epsilon))) for epsilon in (1.0, 2.0)])
    made = thumbnail.png("tradeoff", rows, name)
    assert imread(io.BytesIO(made)).shape[:2] == tuple(round(thumbnail.DPI * side) for side in thumbnail.INCHES[::-1])
    assert len(made) < 40_000
    assert _corner(made) == theme(name).background
    assert made == thumbnail.png("tradeoff", rows, name), "equal figures have equal pictures"


def test_titles_make_no_difference(store: RunStore) -> None:
    """Nobody can read words at this size: two graphs of one shape look the same."""
    rows = tradeoff.data([store.get(keep(store, spec(epsilon=1.0)))])
    assert thumbnail.png("tradeoff", rows) == thumbnail.png("tradeoff", [{**row, "graph": "Other"} for row in rows])


def test_an_unknown_figure_or_theme_is_refused() -> None:
    with pytest.raises(ValueError, match="no such"):
        thumbnail.png("no such", [])
    with pytest.raises(ValueError, match="theme must be one of"):
        thumbnail.png("degrees", [{"low": 1, "high": 1, "nodes": 1, "share": 1.0}], "grey")
