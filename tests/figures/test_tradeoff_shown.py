"""What a figure of accuracy against epsilon has room for: panels, axes, legends, and what waits."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import product

from tests.figures import made_runs
from tests.figures.made_tradeoffs import plainly, point

from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import composition
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.drawing import with_matplotlib, with_plotly
from privgraph_workbench.figures.export import below, export
from privgraph_workbench.figures.runs import curve_names, tradeoff, tradeoff_marks, tradeoff_shown
from privgraph_workbench.theme import EPSILONS


def test_a_panel_of_one_setting_does_not_take_half_the_figure(swept: list[RunRecord]) -> None:
    alone = tradeoff.data([one for one in swept if one.spec.method == "progap" and one.spec.asked_epsilon == 1.0][:1])
    small = [{**alone[0], "graph": "social (nodes 600)", "nodes": 600}]
    rows = [*tradeoff.data(swept), *small]
    assert [panel.share for panel in tradeoff.chart(rows).panels] == [1.0, tradeoff.SMALL]
    wide, narrow = (
        drawn.domain[1] - drawn.domain[0]
        for drawn in (lambda f: (f.layout.xaxis, f.layout.xaxis2))(tradeoff.plot(rows))
    )
    assert narrow < 0.5 * wide
    assert [panel.share for panel in tradeoff.chart([*alone, *small]).panels] == [1.0, 1.0]


def test_private_curves_come_first_into_a_legend_that_has_no_room_for_all(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    level = next(row for row in rows if row["reference"])
    many = [*rows, *({**level, "variant": f"layers {place}"} for place in range(tradeoff.ENTRIES + 5))]
    shown = {one.group for one in tradeoff.chart(many).series if one.legend}
    assert {curve_names.curve_of(row) for row in rows if not row["reference"]} <= shown


def test_a_crowded_panel_is_drawn_in_outline_at_first() -> None:
    """One curve a method, of the setting with most points; two levels; all on the same nodes."""
    rows = [point(at, 0.5, variant=f"depth {depth}") for depth in range(7) for at in (1, 2)]
    rows += [point(4, 0.6, variant="depth 3"), point(1, 0.4, method="progap", title="ProGAP")]
    rows += [point(1, 0.9, method="pate", title="PATE", test_nodes=99)]
    bare = {"reference": True, "unit": "none"}
    rows += [
        point(math.inf, 0.8 + one / 100, method="gnn", title="GNN", variant=f"conv {one}", **bare) for one in (1, 2)
    ]
    rows += [point(math.inf, 0.7, method=name, title=name, **bare) for name in ("mlp", "gap")]
    shown = tradeoff_shown.outline(rows)
    assert [(row["method"], row["epsilon"]) for row in shown] == [
        *(("gap", at) for at in (1, 2, 4)),
        ("progap", 1),
        ("gnn", math.inf),
        ("mlp", math.inf),
    ]
    assert {row["variant"] for row in shown} == {""}, "what is alone needs no more than its method's name"
    assert [row.get("setting") for row in shown] == [*["depth 3"] * 3, None, "conv 2", None]
    (mark,) = (one for one in tradeoff.chart(shown).series if one.hover and one.name.startswith("GAP"))
    assert mark.hover[0].endswith("\ndepth 3"), "and says all of it when it is pointed at"
    rows += [point(math.inf, 0.9, method="gnn", title="GNN", variant=f"layers {one}", **bare) for one in range(9)]
    rows += [point(at, 0.9, variant=f"hops {hops}") for hops in range(20) for at in (1, 2, 4, 8)]
    more = tradeoff_shown.fitting(rows)
    drawn, all_drawn = (
        {(row["method"], row.get("setting", row["variant"]), row["epsilon"]) for row in some}
        for some in (tradeoff_shown.outline(rows), more)
    )
    assert drawn <= all_drawn, "more takes nothing away"
    assert len({curve_names.curve_of(row) for row in more if not row["reference"]}) == tradeoff_shown.LINES
    assert len([row for row in more if row["reference"]]) == tradeoff_shown.LEVELS
    few = [row for row in rows if row["variant"] in ("depth 1", "depth 2")]
    assert tradeoff_shown.outline(few) == few, "where there is room, everything is drawn"


def test_a_few_graphs_stand_side_by_side_at_first_in_the_order_that_is_asked_for() -> None:
    rows = [
        point(at, 0.5, graph=f"graph {name}") for place, name in enumerate("abcdefghij") for at in range(1, 3 + place)
    ]
    shown = tradeoff_shown.first_panels(rows, ("graph b", "graph d"))
    assert list(dict.fromkeys(row["graph"] for row in shown)) == [f"graph {name}" for name in "bdjihgfe"]
    assert len(tradeoff.chart(shown).panels) == tradeoff_shown.PANELS


def test_a_graph_with_a_single_epsilon_has_a_panel_beside_curves() -> None:
    rows = [point(at, 0.5, graph="graph a") for at in (1, 2)] + [point(1, 0.5, graph="graph b")]
    assert {row["graph"] for row in tradeoff_shown.first_panels(rows)} == {"graph a", "graph b"}


def test_a_graph_with_two_units_is_drawn_whole_or_not_at_all() -> None:
    rows = [point(1, 0.5, graph=f"graph {name}", unit=unit) for name in "abc" for unit in ("edge", "node")]
    shown = tradeoff_shown.first_panels(rows, ("graph c",), most=5)
    assert list(dict.fromkeys(row["graph"] for row in shown)) == ["graph c", "graph a"]


def test_a_legend_says_what_tells_curves_apart_and_nothing_that_they_share() -> None:
    """Settings that differ in two options are told apart by one; marks say all when they are pointed at."""
    said = "delta 0.1, {0}, objective own, preset {1}"
    both = [said.format("depth 1", "x"), said.format("depth 2", "y"), said.format("depth 3", "y")]
    rows = [point(at, 0.5, variant=one) for one in both for at in (1, 2)]
    rows += [point(1, 0.4, method="progap", title="ProGAP"), point(math.inf, 0.9, reference=True, unit="none")]
    chart = tradeoff.chart(rows)
    entries = list(dict.fromkeys(one.name for one in chart.series if one.legend and one.kind in ("path", "level")))
    assert entries == ["GAP, depth 1", "GAP, depth 2", "GAP, depth 3", "ProGAP", "GAP, not private"]
    hovers = [one.hover[0] for one in chart.series if one.epsilon == "sound" and one.hover]
    assert hovers[0].endswith(f"\n{both[0]}")
    two = [*rows, point(1, 0.4, unit="node")]
    assert "GAP, edge-level, depth 1" in curve_names.names(two).values(), "the unit where there are two"


def test_a_graph_without_a_curve_has_no_panel_beside_one_that_has() -> None:
    rows = [point(1, 0.5), point(math.inf, 0.9, reference=True, unit="none", graph="other")]
    assert tradeoff_shown.with_curves(rows) == rows[:1]
    assert tradeoff_shown.with_curves(rows[1:]) == rows[1:]


def test_a_level_beside_a_single_point_makes_no_panel_of_it() -> None:
    curve = [point(epsilon, 0.6, graph="B", runs=f"b{epsilon}") for epsilon in (1, 2)]
    alone = point(1, 0.5, graph="A", runs="a1")
    level = {**alone, "reference": True, "asked": None, "runs": "a2"}
    assert tradeoff_shown.thin([*curve, alone, level]) == {"A": alone}


def test_the_front_and_published_epsilons_are_asked_for_by_themselves(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    for published, front in product((False, True), repeat=2):
        asked = tradeoff.shown(rows, published=published, front=front)
        names = {trace.name for trace in tradeoff.plot(asked).data}
        assert (tradeoff_marks.KEYS["published"] in names, tradeoff_marks.FRONT in names) == (published, front)
        assert tradeoff.table(asked) == tradeoff.table(rows), "a CSV has the same rows whatever is drawn"


def test_a_file_says_what_to_take_and_its_axis_names_the_epsilons_tried(swept: list[RunRecord]) -> None:
    rows = [row if row["reference"] else {**row, "epsilon": row["asked"]} for row in tradeoff.data(swept)]
    at = {(row["title"], row["asked"]): str(row["runs"]) for row in rows if row["unit"] == "edge"}
    low, *_, high = sorted({asked for _, asked in at})
    said = {at["ProGAP", low]: "take: clear", at["ProGAP", high]: "take: tie of 2"}
    advised = "To hide edges:\nε 1 | ProGAP | 60.0%"
    shown = tradeoff.shown(rows, published=False, front=False, advice=said, advised=advised)
    notes_of = json.loads(export("tradeoff", shown, {}, "json"))["notes"]
    lines = export("tradeoff", shown, {}, "txt").decode().split("\n")
    for line in advised.split("\n"):
        assert notes_of.count(line) == lines.count(line) == 1, "each a line of its own"
    composed = f"All together. 4 private runs have shown composed {EPSILONS['sound'].title} = 9."
    finished = [{**row, tradeoff.TOGETHER: composed} for row in shown]
    assert composed in export("tradeoff", finished, {}, "txt").decode()
    assert tradeoff.TOGETHER not in export("tradeoff", finished, {}, "csv").decode().partition("\n")[0].split(",")
    assert any(composed in line for line in below(tradeoff.chart(finished), finished, {})), "below a PNG or PDF, too"
    assert "take: tie of 2" in export("tradeoff", shown, {}, "csv").decode()
    assert "advised" not in export("tradeoff", shown, {}, "csv").decode().partition("\n")[0]
    assert "To hide" not in export("tradeoff", plainly(rows), {}, "json").decode(), "where nothing is advised"
    drawn = tradeoff.chart(shown)
    assert drawn.panels[0].x.ticks == tuple(sorted({asked for _, asked in at}))
    named = [f"{asked:g}" for asked in drawn.panels[0].x.ticks]
    assert list(with_plotly.draw(drawn).layout.xaxis.ticktext) == named
    (axes,) = with_matplotlib.draw(drawn).axes
    assert [f"{place:g}" for place in axes.get_xticks()] == named


def test_an_epsilon_that_promises_nothing_does_not_stretch_the_axis() -> None:
    chart = tradeoff.chart([point(1, 0.5), point(8, 0.7), point(30_000, 0.9)])
    assert float(chart.panels[0].x.high or 0) < 20
    assert any(badge.startswith("1 setting with ε over 1,000: out of sight") for badge in chart.badges)
    chart = tradeoff.chart([point(1, 0.5, epsilon_as_published=2), point(8, 0.7, epsilon_as_published=115_000)])
    assert any(badge.startswith("1 setting with ε as published over 1,000: out of sight") for badge in chart.badges)
    (link,) = (one for one in chart.series if one.name == tradeoff_marks.SAME_RUN)
    assert link.x == (1, 2), "no line leads to a mark that is not drawn"


def test_a_legend_has_room_for_so_many() -> None:
    rows = [point(1, 0.5, variant=f"depth {depth}") for depth in range(19)]
    rows.append(point(math.inf, 0.9, reference=True, title="MLP"))
    chart = tradeoff.chart(rows)
    named = {one.group for one in chart.series if one.legend and one.group}
    assert len(named) == tradeoff.ENTRIES
    assert any(name.startswith("MLP") for name in named), "what there is to compare with is always named"
    assert chart.notes[-1] == "4 more curves have no room in the legend."
    assert not any(one.kind == "band" for one in chart.series)


def test_a_single_line_has_a_legend(swept: list[RunRecord]) -> None:
    rows = [row for row in tradeoff.data(swept) if row["reference"] and row["method"] == "mlp"]
    assert tradeoff.plot(rows).layout.showlegend
    assert with_matplotlib.draw(tradeoff.chart(rows)).subfigs[1].legends


def test_the_epsilon_is_the_letter_and_the_axis_has_its_unit(swept: list[RunRecord]) -> None:
    chart = tradeoff.chart(tradeoff.data(swept))
    assert "ε" in chart.panels[0].x.title
    assert "more private" in chart.panels[0].x.title, "which way is which"
    assert len(chart.panels[0].x.title) < 50, "on one line beside the table of a page"
    assert "percent of nodes" in chart.panels[0].y.title


def _two_graphs(store: RunStore, *accuracies: tuple[float, float]) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, make_spec("gap", data, {"unit": "edge", "epsilon": 1.0 + place}), accuracy, said)
        for data, pair in zip(("karate", "digits"), accuracies, strict=True)
        for place, accuracy in enumerate(pair)
    ]


def test_a_range_that_would_flatten_a_panel_is_not_shared(store: RunStore) -> None:
    chart = tradeoff.chart(tradeoff.data(_two_graphs(store, (0.50, 0.51), (0.2, 0.9))))
    assert {(panel.y.low, panel.y.high) for panel in chart.panels} == {(None, None)}


def test_a_panel_names_graph_size_and_network(store: RunStore) -> None:
    said = made_runs.statement((), unit="none")
    records = [*_two_graphs(store, (0.5, 0.6), (0.8, 0.9))]
    records += [
        made_runs.finish(store, make_spec("gnn", "digits", {"unit": "none", "conv": conv}), 0.9, said)
        for conv in ("gcn", "gat")
    ]
    records.append(
        made_runs.finish(store, make_spec("gnn", "social", {"unit": "none"}, data_options={"nodes": 600}), 0.9, said)
    )
    titles = [panel.title for panel in tradeoff.chart(tradeoff.data(records)).panels]
    assert titles == [
        "Handwritten digits, 1,797 nodes",  # GAP beside them leaves no choice of a network
        "Karate club, 34 nodes",
        "Made-up social network, 600 nodes, network sage",
    ]


def test_an_axis_spans_a_decade_at_least(swept: list[RunRecord]) -> None:
    private = next(record for record in swept if record.spec.options.get("unit") == "edge")
    (panel,) = tradeoff.chart(tradeoff.data([private])).panels
    assert panel.x.high is not None
    assert panel.x.low is not None
    assert panel.x.high / panel.x.low >= 10


def test_statements_of_secret_noise_are_not_cut_off_behind_public_ones() -> None:
    own = made_runs.statement(made_runs.edge_entries(9))
    public = replace(own, assumptions=(*own.assumptions, NOISE_IS_PUBLIC))
    said = {f"GAP {place}, edge ε {place} on Cora, x": replace(public, delta=place / 1e6) for place in range(1, 30)}
    lines = notes.block({**said, "ZZZ of my own on Cora, x": own})
    assert lines[1].startswith("ZZZ of my own"), "it is last by its name"
    assert not any(line.startswith("ZZZ") for line in notes.block(said))


def test_what_all_runs_have_shown_is_named_in_plain_text(swept: list[RunRecord]) -> None:
    said = composition.plain(swept)
    assert re.search(rf"27 private runs have shown composed {EPSILONS['sound'].title} = \d+", said)
    assert not {"*", "\\", "\n"} & set(said)
