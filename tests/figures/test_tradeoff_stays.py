"""Lines of accuracy against epsilon keep their look when a sweep brings more of them."""

from __future__ import annotations

import math

from tests.figures.made_tradeoffs import point

from privgraph_workbench.figures.runs import tradeoff, tradeoff_marks, tradeoff_shown

BARE: dict[str, object] = {"reference": True, "unit": "none", "gallery": 1}
BEFORE = [
    *(point(at, 0.5 + at / 20, gallery=1) for at in (0.25, 1.0, 4.0)),
    point(math.inf, 0.8, method="gnn", title="GNN", runs="gnn", **BARE),
    point(math.inf, 0.7, method="mlp", title="MLP", runs="mlp", **BARE),
]
SWEPT = [
    point(1.0, 0.6, variant="depth 0", gallery=0, runs="swept"),
    point(math.inf, 0.75, method="gap", title="GAP", runs="bare", **{**BARE, "gallery": 0}),
    point(math.inf, 0.79, method="gnn", title="GNN", variant="conv 0", runs="other", **{**BARE, "gallery": 0}),
]
"""A sweep of one's own: another setting of the same method, it without noise, and another network."""


def _looks(rows: list[dict[str, object]]) -> dict[tuple[str, float], tuple[int, int]]:
    """Slot and dash of each curve by its method's name and of each level by its height."""
    drawn = [one for one in tradeoff.chart(rows).series if one.kind in ("line", "level")]
    return {(one.group, one.y[0]): (one.slot, one.shape) for one in drawn}


def test_curves_and_levels_keep_colour_and_dash_after_a_sweep() -> None:
    before, after = _looks(BEFORE), _looks([*SWEPT, *BEFORE])
    assert before
    assert {line: after[line] for line in before} == before
    dashes = [look for line, look in after.items() if line[1] in (0.8, 0.7, 0.75, 0.79)]
    assert len(set(dashes)) == len(dashes), "each level has a dash of its own"


def test_a_sweep_takes_no_level_away_that_was_drawn() -> None:
    for rows in (BEFORE, [*BEFORE, *SWEPT[:2]], [*BEFORE, *({**SWEPT[1], "variant": f"hops {at}"} for at in range(9))]):
        levels = {row["runs"] for row in tradeoff_shown.outline(rows) if row["reference"]}
        assert levels == {"gnn", "mlp"}


def test_ticks_stay_where_a_new_epsilon_has_no_room_among_them() -> None:
    def ticks(*tried: float) -> tuple[float, ...]:
        return tradeoff_marks.ticks([{"asked": one, "epsilon": one} for one in tried], 0.2, 10.0)

    assert ticks(0.25, 1.0, 4.0) == ticks(0.25, 1.0, 1.1, 4.0) == (0.25, 1.0, 4.0)
    assert ticks(0.25, 1.0, 3.0) == (0.25, 1.0, 3.0)
