"""Each graph has its own range of accuracies, and the figure says so; panels of one graph are comparable."""

from __future__ import annotations

from tests.figures.made_tradeoffs import plainly, point

from privgraph_workbench.figures.runs import tradeoff, tradeoff_axes


def _rows(*graphs: tuple[str, float, float]) -> list[dict[str, object]]:
    """Of each graph two settings of each unit: in one unit as accurate as that, in the other a tenth less."""
    return [
        point(at, mean - less, graph=graph, unit=unit, runs=f"{graph}-{unit}-{at:g}")
        for graph, *means in graphs
        for unit, less in (("edge", 0.0), ("node", 0.1))
        for at, mean in zip((1.0, 4.0), means, strict=True)
    ]


def _ranges(rows: list[dict[str, object]]) -> dict[str, set[tuple[float | None, float | None]]]:
    found: dict[str, set[tuple[float | None, float | None]]] = {}
    for panel in tradeoff.chart(plainly(rows)).panels:
        found.setdefault(panel.title.partition(",")[0], set()).add((panel.y.low, panel.y.high))
    return found


def test_panels_of_one_graph_share_a_range_that_is_no_other_graphs() -> None:
    found = _ranges(_rows(("easy", 0.85, 0.95), ("hard", 0.25, 0.4)))
    ((easy,), (hard,)) = found["easy"], found["hard"]
    assert float(easy[0] or 0) > float(hard[1] or 1), "neither is squeezed into a part of its panel"
    assert float(hard[0] or 1) < 0.15 < 0.4 < float(hard[1] or 0)


def test_another_graph_changes_nothing() -> None:
    alone, beside = _ranges(_rows(("hard", 0.25, 0.4))), _ranges(_rows(("hard", 0.25, 0.4), ("easy", 0.85, 0.95)))
    assert alone["hard"] == beside["hard"]


def test_it_is_said_where_there_are_several_graphs_and_only_there() -> None:
    several, one = (
        tradeoff.chart(plainly(rows))
        for rows in (_rows(("easy", 0.85, 0.95), ("hard", 0.25, 0.4)), _rows(("hard", 0.25, 0.4)))
    )
    assert tradeoff_axes.OWN_RANGE in several.notes
    assert tradeoff_axes.OWN_RANGE not in one.notes
    assert all(panel.y.title for panel in several.panels), "every axis says what it measures"


def test_a_graph_of_default_size_keeps_its_size_above_its_panel() -> None:
    rows = [point(1, 0.5, graph="Made-up products", dataset="products", nodes=None)]
    assert tradeoff.chart(rows).panels[0].title.startswith("Made-up products (products 1000, ")
    other = [{**rows[0], "graph": "Made-up products (products 200)"}]
    assert tradeoff.chart(other).panels[0].title.startswith("Made-up products (products 200)")
