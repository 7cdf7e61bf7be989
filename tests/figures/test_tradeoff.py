"""Accuracy against epsilon: what is averaged, where it is placed, and what must not be compared."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from tests.figures import made_runs
from tests.figures.made_relations import made_pair

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.drawing import with_matplotlib, with_plotly
from privgraph_workbench.figures.drawing.looks import look
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.notes import mixed_units
from privgraph_workbench.figures.palette import ORDER, slots
from privgraph_workbench.figures.runs import compare, curve_names, tradeoff, tradeoff_marks, tradeoff_shown
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import LIGHT, MARKERS, NEUTRAL
from privgraph_workbench.words.naming import method_title


def _plain(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows of the figure with sound epsilons alone, and without the front."""
    return tradeoff.shown(rows, published=False, front=False)


def test_one_row_per_setting_with_both_epsilons(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    assert len(rows) == 2 * 4 + 2
    assert all(row["seeds"] == 3 for row in rows)
    assert {row["unit"] for row in rows} == {"edge", "none"}
    one = next(row for row in rows if row["method"] == "progap" and row["asked"] == 1.0 and row["unit"] == "edge")
    runs = [record for record in swept if record.id in one["runs"].split()]
    assert len(runs) == 3
    assert one["mean"] == pytest.approx(np.mean([record.metrics["test_accuracy"] for record in runs]))
    assert one["low"] < one["mean"] < one["high"]
    statement = runs[0].statement
    assert statement is not None
    assert one["epsilon"] == statement.epsilon
    assert one["epsilon_as_published"] == statement.epsilon_as_published
    assert one["epsilon_as_published"] < one["epsilon"]


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


def test_what_protects_nothing_or_everything_is_a_reference(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    references = {row["method"]: row["epsilon"] for row in rows if row["reference"]}
    assert references == {"progap": math.inf, "mlp": 0.0}
    levels = [series for series in tradeoff.chart(rows).series if series.kind == "level"]
    assert [series.name for series in levels] == ["MLP (ignores edges), ε = 0", "ProGAP, not private"]


def test_the_two_epsilons_of_one_run_are_linked(swept: list[RunRecord]) -> None:
    rows = [row for row in tradeoff.data(swept) if row["method"] == "progap" and row["unit"] == "edge"]
    series = tradeoff.chart(rows).series
    sound, published = (
        next(one for one in series if one.epsilon == kind and one.panel == 0) for kind in ("sound", "published")
    )
    links = next(one for one in series if one.kind == "links" and one.faint)
    assert sound.group == published.group
    assert series.index(sound) > series.index(published), "the sound mark is drawn last: nothing hides it"
    assert sorted(links.x) == sorted([*sound.x, *published.x])
    assert all(left == right for left, right in zip(links.y[::2], links.y[1::2], strict=True))
    assert all(earlier < later for earlier, later in pairwise(sound.x))


def test_the_plain_figure_has_the_sound_epsilon_alone_in_the_colour_of_the_method(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    plain, full = tradeoff.chart(_plain(rows)), tradeoff.chart(rows)
    assert {one.epsilon for one in full.series} == {None, "sound", "published"}
    assert {one.epsilon for one in plain.series} == {None, "sound"}
    assert not {tradeoff_marks.FRONT, tradeoff_marks.SAME_RUN} & {one.name for one in plain.series}
    lines = {one.group: one.slot for one in plain.series if one.kind == "line"}
    marks = {one.group: (one.slot, one.x) for one in plain.series if one.kind == "points"}
    assert {group: slot for group, (slot, _) in marks.items()} == lines
    for group, (_, places) in marks.items():
        assert list(places) == [row["epsilon"] for row in rows if curve_names.curve_of(row) == group and row["epsilon"]]
    assert [one.name for one in plain.series if one.kind == "level"] == [
        one.name for one in full.series if one.kind == "level"
    ]
    assert all(one.keys for one in plain.series if one.kind == "points"), "points can still be opened"


def test_the_plain_figure_has_no_room_for_what_it_leaves_out(swept: list[RunRecord]) -> None:
    rows = [{**row, "epsilon_as_published": 80.0} if not row["reference"] else row for row in tradeoff.data(swept)]
    wide, narrow = (tradeoff.chart(one).panels[0].x.high for one in (rows, _plain(rows)))
    assert wide is not None
    assert narrow is not None
    assert wide >= 80 > 20 > narrow


def test_private_curves_come_first_into_a_legend_that_has_no_room_for_all(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    level = next(row for row in rows if row["reference"])
    many = [*rows, *({**level, "variant": f"layers {place}"} for place in range(tradeoff.ENTRIES + 5))]
    shown = {one.group for one in tradeoff.chart(many).series if one.legend}
    assert {curve_names.curve_of(row) for row in rows if not row["reference"]} <= shown


def test_what_is_not_proved_is_named_and_not_drawn_as_if_it_were(store: RunStore, swept: list[RunRecord]) -> None:
    said = replace(made_runs.statement(made_runs.node_entries(4.0), "node"), epsilon=math.inf)
    record = made_runs.finish(store, made_runs.spec("privgnn", unit="node", lam=0.4), 0.6, said)
    plain = tradeoff.chart(_plain(tradeoff.data([*swept, record])))
    assert not [one for one in plain.series if "PrivGNN" in one.name]
    (note,) = (one for one in plain.notes if one.startswith("No ε is proved for"))
    assert "PrivGNN" in note


def test_a_method_has_one_colour_whatever_stands_beside_it(swept: list[RunRecord]) -> None:
    def slot(records: list[RunRecord]) -> int:
        (found,) = {
            one.slot
            for one in tradeoff.chart(tradeoff.data(records)).series
            if one.kind == "line" and one.name.startswith("GAP")
        }
        return found

    alone = [one for one in swept if one.spec.method == "gap"]
    assert slot(alone) == slot(swept) == list(METHODS).index("gap")
    crowd = slots({f"{name}, {unit}": name for name in METHODS for unit in ("edge", "node")})
    assert len(set(crowd.values())) == len(crowd), "no two curves of a figure look alike"
    single = {name: slots({name: name})[name] for name in METHODS}
    assert all(crowd[f"{name}, edge"] == single[name] for name in METHODS), "whatever stands beside it"
    assert all(crowd[f"{name}, edge"] == place for place, name in enumerate(list(METHODS)[:NEUTRAL]))


def test_a_method_looks_alike_whichever_unit_it_protects_and_its_mark_is_in_the_legend() -> None:
    made = [
        {**_row(at, 0.5 + at / 20, title="GAP"), "unit": unit, "method": "gap"}
        for unit in ("edge", "node")
        for at in (1.0, 2.0)
    ]
    chart = tradeoff.chart(_plain(made))
    assert {one.slot for one in chart.series if one.kind == "line"} == {list(METHODS).index("gap")}
    keys = [one for one in chart.series if one.legend]
    assert {(one.kind, one.x, one.slot) for one in keys} == {("path", (None, None), list(METHODS).index("gap"))}
    assert tradeoff.plot(_plain(made)).data[0].mode == "lines+markers"


def test_each_point_of_three_seeds_has_its_interval(swept: list[RunRecord]) -> None:
    """As a bar of its own, also where no neighbour has one for a band; and so has a level."""
    sparse = [one for one in swept if one.spec.asked_epsilon == 1.0 or one.spec.seed == 0 or one.spec.unit == "none"]
    rows = [row for row in tradeoff.data(sparse) if row["method"] == "progap"]
    sure = [row for row in rows if row["low"] is not None]
    assert [row["asked"] for row in sure if not row["reference"]] == [1.0]
    series = tradeoff.chart(rows).series
    bars = next(one for one in series if one.kind == "links" and not one.faint)
    (row,) = (row for row in sure if not row["reference"])
    ends = [*zip(bars.x, bars.y, strict=True)]
    assert ends[:2] == [(row["epsilon"], row["low"]), (row["epsilon"], row["high"])]
    caps = [(x, y) for x, y in ends[2:] if x is not None]
    assert [y for _, y in caps] == [row["low"]] * 2 + [row["high"]] * 2, "each end of a bar is closed"
    assert all(0.9 < float(x) / row["epsilon"] < 1.1 for x, _ in caps)
    (band,) = (one for one in series if one.kind == "band")
    (level,) = (one for one in series if one.kind == "level")
    (bare,) = (row for row in sure if row["reference"])
    assert (set(band.low), set(band.y), band.x) == ({bare["low"]}, {bare["high"]}, level.x)
    assert band.slot == level.slot == NEUTRAL != bars.slot


def test_a_file_says_what_marks_and_bars_are(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    said = "Each mark is the mean over 3 seeds: bars and bands are 95% confidence intervals of that mean (Student's t)."
    assert f"\n{said}\n" in export("tradeoff", rows, {}, "txt").decode()
    assert said in export("tradeoff", rows, {}, "svg").decode()
    alone = tradeoff.data([one for one in swept if one.spec.seed == 0])
    assert "\nEach mark is the mean over 1 seed.\n" in export("tradeoff", alone, {}, "txt").decode()


def test_few_seeds_have_smaller_marks_beside_three(swept: list[RunRecord]) -> None:
    sparse = [one for one in swept if one.spec.asked_epsilon == 1.0 or one.spec.seed == 0]
    rows = [row for row in tradeoff.data(sparse) if row["method"] == "progap" and not row["reference"]]
    chart = tradeoff.chart(rows)
    sizes = {one.size: len(one.x) for one in chart.series if one.epsilon == "sound" and one.hover}
    assert sizes == {9: 1, 5: len(rows) - 1}
    assert chart.notes[0].endswith("smaller marks have fewer than three seeds.")
    alone = [row for row in rows if row["low"] is None]
    assert {one.size for one in tradeoff.chart(alone).series if one.epsilon == "sound" and one.hover} == {9}


def _row(epsilon: float, mean: float, **other: object) -> dict[str, object]:
    row = {
        **dict.fromkeys(("asked", "epsilon_as_published", "low", "high")),
        **dict.fromkeys(("reference", "data_dependent"), False),
        **{"method": "gap", "title": "GAP", "graph": "karate", "nodes": 34, "network": "", "unit": "edge"},
        **{"variant": "", "epsilon": epsilon, "mean": mean, "seeds": 1, "test_nodes": 5, "composed": 1},
        **{"metric": "test_accuracy", "evaluator": True, "runs": f"run-{epsilon:g}"},
    }
    return {**row, **other}


def test_the_front_is_what_nothing_else_dominates() -> None:
    rows = [_row(1, 0.5), _row(2, 0.7), _row(3, 0.6), _row(4, 0.7), _row(8, 0.9), _row(1, 0.8, test_nodes=9)]
    rows += [_row(1, 0.9, unit="node"), _row(math.inf, 0.99, reference=True)]
    for row in rows:
        row["front"] = tradeoff._on_front(row, rows)
    assert [row["epsilon"] for row in rows if row["front"]] == [1, 2, 8, 1, 1], "on other nodes, or of others: apart"
    chart = tradeoff.chart(rows)
    (steps,) = (one for one in chart.series if one.name == tradeoff_marks.FRONT)
    assert (steps.panel, steps.x[:4], steps.y[:4]) == (0, (1, 2, 2, 2), (0.5, 0.5, 0.5, 0.7))
    assert steps.y[-1] == 0.9


def test_in_a_crowd_marks_and_lines_stand_at_their_epsilon_and_each_bar_within_its_mark() -> None:
    """A mark beside its epsilon is read as another promise; bars that lie on each other are no bars."""
    titles = ("ProGAP", "GAP", "EdgeRand", "HeterPoisson")
    asked = (0.25, 1.0, 8.0)
    for count in (2, 3, 4):
        rows = [
            _row(at, 0.5 + place / 10, title=title, low=0.4, high=0.95, seeds=3)
            for place, title in enumerate(titles[:count])
            for at in asked
        ]
        chart = tradeoff.chart(rows)
        drawn = [one for one in chart.series if one.kind == "line" or (one.epsilon == "sound" and one.hover)]
        assert len(drawn) == 2 * count
        assert {one.x for one in drawn} == {asked}
        bars = [one.x[::6] for one in chart.series if one.name == "95% confidence of each point"]
        assert len(set(bars)) == (count if count > 2 else 1), "side by side"
        low, high = chart.panels[0].x.low, chart.panels[0].x.high
        reach = math.log(high / low) * tradeoff_marks.REACH
        for places in bars:
            assert all(abs(math.log(float(x) / at)) <= reach + 1e-9 for x, at in zip(places, asked, strict=True))


def test_a_point_says_what_its_promise_is() -> None:
    (text,) = (
        one.hover[0]
        for one in tradeoff.chart([_row(1, 0.5, delta=1e-6, released="the weights alone")]).series
        if one.epsilon == "sound" and one.hover
    )
    assert "δ 1e-06; may be released:\nthe weights alone" in text


def test_a_model_that_reads_no_edge_is_said_to_protect_no_person(store: RunStore) -> None:
    made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.7, made_runs.statement((), unit="none"))
    (level,) = (one for one in tradeoff.chart(tradeoff.data(store.find())).series if one.kind == "level")
    assert level.name == "MLP (ignores edges), protects no person"


def test_a_crowded_panel_is_drawn_in_outline_at_first() -> None:
    """One curve a method, of the setting with most points; two levels; all on the same nodes."""
    rows = [_row(at, 0.5, variant=f"depth {depth}") for depth in range(7) for at in (1, 2)]
    rows += [_row(4, 0.6, variant="depth 3"), _row(1, 0.4, method="progap", title="ProGAP")]
    rows += [_row(1, 0.9, method="pate", title="PATE", test_nodes=99)]
    bare = {"reference": True, "unit": "none"}
    rows += [
        _row(math.inf, 0.8 + one / 100, method="gnn", title="GNN", variant=f"conv {one}", **bare) for one in (1, 2)
    ]
    rows += [_row(math.inf, 0.7, method=name, title=name, **bare) for name in ("mlp", "gap")]
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
    rows += [_row(math.inf, 0.9, method="gnn", title="GNN", variant=f"layers {one}", **bare) for one in range(9)]
    rows += [_row(at, 0.9, variant=f"hops {hops}") for hops in range(20) for at in (1, 2, 4, 8)]
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


def test_a_few_graphs_stand_side_by_side_at_first_the_chosen_one_before_them() -> None:
    rows = [
        _row(at, 0.5, graph=f"graph {name}") for place, name in enumerate("abcdefghij") for at in range(1, 3 + place)
    ]
    shown = tradeoff_shown.first_panels(rows, "graph b")
    assert list(dict.fromkeys(row["graph"] for row in shown)) == [f"graph {name}" for name in "bjih"]
    assert len(tradeoff.chart(shown).panels) == tradeoff_shown.PANELS


def test_a_graph_with_a_single_epsilon_takes_no_panel_beside_curves() -> None:
    rows = [_row(at, 0.5, graph="graph a") for at in (1, 2)] + [_row(1, 0.5, graph="graph b")]
    assert {row["graph"] for row in tradeoff_shown.first_panels(rows)} == {"graph a"}
    assert {row["graph"] for row in tradeoff_shown.first_panels(rows, "graph b")} == {"graph a", "graph b"}, "asked for"
    alone = [_row(1, 0.5, graph=f"graph {name}") for name in "ab"]
    assert tradeoff_shown.first_panels(alone) == alone, "else nothing would be drawn"


def test_a_legend_says_what_tells_curves_apart_and_nothing_that_they_share() -> None:
    """Settings that differ in two options are told apart by one; marks say all when they are pointed at."""
    said = "delta 0.1, {0}, objective own, preset {1}"
    both = [said.format("depth 1", "x"), said.format("depth 2", "y"), said.format("depth 3", "y")]
    rows = [_row(at, 0.5, variant=one) for one in both for at in (1, 2)]
    rows += [_row(1, 0.4, method="progap", title="ProGAP"), _row(math.inf, 0.9, reference=True, unit="none")]
    chart = tradeoff.chart(rows)
    entries = list(dict.fromkeys(one.name for one in chart.series if one.legend and one.kind in ("path", "level")))
    assert entries == ["GAP, depth 1", "GAP, depth 2", "GAP, depth 3", "ProGAP", "GAP, not private"]
    hovers = [one.hover[0] for one in chart.series if one.epsilon == "sound" and one.hover]
    assert hovers[0].endswith(f"\n{both[0]}")
    two = [*rows, _row(1, 0.4, unit="node")]
    assert "GAP, edge-level, depth 1" in curve_names.names(two).values(), "the unit where there are two"


def test_points_of_ones_own_are_ringed_where_others_are_of_the_gallery() -> None:
    """A run of one's own takes the place of the gallery's: the figure says where."""
    rows = [_row(1, 0.5, seeds=3, gallery=3), _row(2, 0.6, seeds=3, gallery=2), _row(4, 0.7, seeds=3, gallery=0)]
    for asked in (rows, _plain(rows)):
        series = tradeoff.chart(asked).series
        rings, key = (one for one in series if one.name == tradeoff_marks.OWN)
        assert (rings.x, rings.hollow) == ((2.0, 4.0), True)
        assert (rings.legend, key.legend, key.x) == (False, True, (None,)), "named once, behind the methods"
        said = [text for one in series for text in one.hover if one.kind == "points" and one.panel == 0]
        assert sum(text.endswith("1 of 3 runs are your own") for text in said) >= 1
    alone = [{**row, "gallery": 0} for row in rows]
    assert tradeoff_marks.OWN not in {one.name for one in tradeoff.chart(alone).series}, "nothing to tell them from"


def test_a_graph_without_a_curve_has_no_panel_beside_one_that_has() -> None:
    rows = [_row(1, 0.5), _row(math.inf, 0.9, reference=True, unit="none", graph="other")]
    assert tradeoff_shown.with_curves(rows) == rows[:1]
    assert tradeoff_shown.with_curves(rows[1:]) == rows[1:]


def test_the_front_and_published_epsilons_are_asked_for_by_themselves(swept: list[RunRecord]) -> None:
    rows = tradeoff.data(swept)
    for published, front in product((False, True), repeat=2):
        asked = tradeoff.shown(rows, published=published, front=front)
        names = {trace.name for trace in tradeoff.plot(asked).data}
        assert (tradeoff_marks.KEYS["published"] in names, tradeoff_marks.FRONT in names) == (published, front)
        assert tradeoff.table(asked) == rows, "a CSV has the same rows whatever is drawn"


def test_a_file_says_what_to_take_and_its_axis_names_the_epsilons_tried(swept: list[RunRecord]) -> None:
    rows = [row if row["reference"] else {**row, "epsilon": row["asked"]} for row in tradeoff.data(swept)]
    at = {(row["title"], row["asked"]): str(row["runs"]) for row in rows if row["unit"] == "edge"}
    low, *_, high = sorted({asked for _, asked in at})
    said = {at["ProGAP", low]: "take (GAP not ruled out)", at["ProGAP", high]: "may be best"}
    shown = tradeoff.shown(rows, published=False, front=False, advice=said)
    text = export("tradeoff", shown, {}, "json").decode()
    assert f"Advice: take ProGAP (GAP not ruled out) at ε {low:g}." in text
    assert f"Advice, without a clear winner: one of ProGAP at ε {high:g}." in text
    assert "may be best" in export("tradeoff", shown, {}, "csv").decode()
    assert "Advice" not in export("tradeoff", _plain(rows), {}, "json").decode(), "where nothing is advised"
    drawn = tradeoff.chart(shown)
    assert drawn.panels[0].x.ticks == tuple(sorted({asked for _, asked in at}))
    named = [f"{asked:g}" for asked in drawn.panels[0].x.ticks]
    assert list(with_plotly.draw(drawn).layout.xaxis.ticktext) == named
    (axes,) = with_matplotlib.draw(drawn).axes
    assert [f"{place:g}" for place in axes.get_xticks()] == named


def test_a_point_knows_its_runs() -> None:
    rows = [_row(1, 0.5, front=True), _row(2, 0.7, front=True)]
    (marks,) = (one for one in tradeoff.chart(rows).series if one.keys)
    assert marks.keys == ("run-1", "run-2")
    assert [tuple(trace.customdata) for trace in tradeoff.plot(rows).data if trace.customdata is not None] == [
        marks.keys
    ]


def test_an_epsilon_that_promises_nothing_does_not_stretch_the_axis() -> None:
    chart = tradeoff.chart([_row(1, 0.5), _row(8, 0.7), _row(30_000, 0.9)])
    assert float(chart.panels[0].x.high or 0) < 20
    assert any(badge.startswith("1 setting with ε over 1,000: out of sight") for badge in chart.badges)
    chart = tradeoff.chart([_row(1, 0.5, epsilon_as_published=2), _row(8, 0.7, epsilon_as_published=115_000)])
    assert any(badge.startswith("1 setting with ε as published over 1,000: out of sight") for badge in chart.badges)
    (link,) = (one for one in chart.series if one.name == tradeoff_marks.SAME_RUN)
    assert link.x == (1, 2), "no line leads to a mark that is not drawn"


def test_a_legend_has_room_for_so_many() -> None:
    rows = [_row(1, 0.5, variant=f"depth {depth}") for depth in range(19)]
    rows.append(_row(math.inf, 0.9, reference=True, title="MLP"))
    chart = tradeoff.chart(rows)
    named = {one.group for one in chart.series if one.legend and one.group}
    assert len(named) == tradeoff.ENTRIES
    assert any(name.startswith("MLP") for name in named), "what there is to compare with is always named"
    assert chart.notes[-1] == "4 more curves have no room in the legend."
    assert not any(one.kind == "band" for one in chart.series)


def test_a_guess_is_a_level_where_it_is_in_sight(swept: list[RunRecord]) -> None:
    """Not below all that is drawn: it would press the curves together."""
    for guess, drawn in ((0.6, True), (0.2, False)):
        known = [replace(one, metrics={**one.metrics, "majority_class_accuracy": guess}) for one in swept]
        rows = tradeoff.data(known)
        assert [row["guess"] for row in rows] == pytest.approx([guess] * len(rows))
        for chart in (tradeoff.chart(rows), tradeoff.chart(_plain(rows))):
            levels = [one.y for one in chart.series if one.name == tradeoff_marks.GUESS]
            assert levels == ([pytest.approx((guess,))] if drawn else [])
    assert {row["guess"] for row in tradeoff.data(swept)} == {None}


def test_different_test_nodes_of_one_panel_are_pointed_to(swept: list[RunRecord]) -> None:
    rows = [{**row, "test_nodes": 300} for row in tradeoff.data(swept)]
    assert not any("test nodes" in badge for badge in tradeoff.chart(rows).badges)
    rows[0]["test_nodes"] = 1254
    (badge,) = (badge for badge in tradeoff.chart(rows).badges if "test nodes" in badge)
    assert "(300 to 1,254 of them)" in badge
    elsewhere = [{**row, "graph": "another"} if row is rows[0] else row for row in rows]
    assert not any("test nodes" in badge for badge in tradeoff.chart(elsewhere).badges), "in another panel"


def test_a_single_line_has_a_legend(swept: list[RunRecord]) -> None:
    rows = [row for row in tradeoff.data(swept) if row["reference"] and row["method"] == "mlp"]
    assert tradeoff.plot(rows).layout.showlegend
    assert with_matplotlib.draw(tradeoff.chart(rows)).subfigs[1].legends


def test_the_epsilon_is_the_letter_and_the_axis_has_its_unit(swept: list[RunRecord]) -> None:
    chart = tradeoff.chart(tradeoff.data(swept))
    assert "ε" in chart.panels[0].x.title
    assert "privacy budget" in chart.panels[0].x.title
    assert "percent of nodes" in chart.panels[0].y.title


def test_units_are_never_mixed_without_a_warning(store: RunStore, swept: list[RunRecord]) -> None:
    assert mixed_units(tradeoff.data(swept)) is None
    node = made_runs.finish(
        store,
        made_runs.spec(unit="node", epsilon=8.0),
        0.66,
        made_runs.statement(made_runs.node_entries(0.9), "node"),
    )
    rows = tradeoff.data([*swept, node])
    warning = mixed_units(rows)
    assert warning is not None
    assert "edge-level and node-level" in warning
    assert warning in tradeoff.chart(rows).badges
    chart = tradeoff.chart(rows)
    assert [panel.x.title.partition(" (priv")[0] for panel in chart.panels] == ["ε per edge", "ε per person (node)"]
    assert {one.panel for one in chart.series if "node-level" in one.name} == {1}, "never on one axis"
    assert {one.panel for one in chart.series if one.kind == "level"} == {0, 1}, "levels stand in both"
    curves = {one.name for one in chart.series if one.name.endswith(": sound ε")}
    assert {"ProGAP, edge-level: sound ε", "ProGAP, node-level: sound ε"} <= curves


def test_other_options_split_a_curve_and_name_it(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    records = [made_runs.finish(store, made_runs.spec(depth=depth), 0.7, said) for depth in (1, 2)]
    assert [row["variant"] for row in tradeoff.data(records)] == ["depth 1", "depth 2"]


def test_the_same_noise_under_either_accounting_is_one_curve(store: RunStore) -> None:
    records = [
        made_runs.finish(
            store,
            made_runs.spec(accounting=accounting),
            0.7,
            made_runs.statement(made_runs.edge_entries(noise)),
        )
        for accounting, noise in (("sound", 11.0), ("published", 8.0))
    ]
    rows = tradeoff.data(records)
    assert [row["variant"] for row in rows] == ["", ""]
    assert len([one for one in tradeoff.chart(rows).series if one.name.endswith(": sound ε")]) == 1


def test_a_curve_has_one_entry_and_each_epsilon_one(store: RunStore) -> None:
    """Lines are methods, marks are epsilons, however many there are."""
    said = made_runs.statement(made_runs.edge_entries(9))
    depths = range(1, 8)
    records = [made_runs.finish(store, made_runs.spec(depth=depth), 0.7, said) for depth in depths]
    for count in (1, 7):
        chart = tradeoff.chart(tradeoff.data(records[:count]))
        entries = list(dict.fromkeys(one.group or one.name for one in chart.series if one.legend))
        variants = [f", depth {depth}" for depth in depths][:count] if count > 1 else [""]
        assert entries == [*(f"ProGAP, edge-level{one}" for one in variants), *tradeoff_marks.KEYS.values()]
        lines = [one for one in chart.series if one.kind == "line"]
        assert len({one.slot for one in lines}) == count
        assert {one.epsilon for one in lines} == {None}


def test_a_lone_point_lies_on_a_line_of_its_method(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    rows = tradeoff.data([made_runs.finish(store, made_runs.spec(), 0.7, said)])
    (line,) = (one for one in tradeoff.chart(rows).series if one.kind == "line")
    left, right = (float(x or 0) for x in line.x)
    assert left < rows[0]["epsilon"] < right
    assert line.y == (0.7, 0.7)


def _two_graphs(store: RunStore, *accuracies: tuple[float, float]) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, make_spec("gap", data, {"unit": "edge", "epsilon": 1.0 + place}), accuracy, said)
        for data, pair in zip(("karate", "digits"), accuracies, strict=True)
        for place, accuracy in enumerate(pair)
    ]


def test_panels_share_one_range_of_accuracies(store: RunStore) -> None:
    chart = tradeoff.chart(tradeoff.data(_two_graphs(store, (0.5, 0.6), (0.8, 0.9))))
    assert len({(panel.y.low, panel.y.high) for panel in chart.panels}) == 1
    assert float(chart.panels[0].y.low or 1) < 0.5 < 0.9 < float(chart.panels[0].y.high or 0)


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


def test_one_graph_has_one_guess_whatever_the_seeds_of_a_setting(store: RunStore) -> None:
    for unit, seeds in (("edge", range(5)), ("node", range(3))):
        for seed in seeds:
            entries = made_runs.edge_entries(9) if unit == "edge" else made_runs.node_entries(2.0)
            said = made_runs.statement(entries, unit=unit)
            made_runs.finish(store, made_runs.spec("gap", unit=unit, seed=seed), 0.7, said)
    records = [
        replace(one, metrics={**one.metrics, "majority_class_accuracy": 0.3 + one.spec.seed / 100})
        for one in store.find()
    ]
    assert [row["guess"] for row in tradeoff.data(records)] == [pytest.approx(0.32)] * 2


class TestGivenNoise:
    """Runs whose noise was given (lambda) do not use the budget that their options hold."""

    NOISE = ((0.1, 30.0), (0.4, 9.0), (1.0, 4.0))

    def _runs(self, store: RunStore, **options: float) -> list[RunRecord]:
        return [
            made_runs.finish(
                store,
                made_runs.spec("privgnn", unit="node", epsilon=2.0, lam=lam, seed=seed, **options),
                0.4 + lam / 3 + seed / 100,
                made_runs.statement(made_runs.node_entries(noise), "node"),
            )
            for lam, noise in self.NOISE
            for seed in (0, 1)
        ]

    def test_they_stand_at_their_sound_epsilon_on_one_curve(self, store: RunStore) -> None:
        records = self._runs(store)
        rows = tradeoff.data(records)
        assert [row["seeds"] for row in rows] == [2, 2, 2]
        assert [row["asked"] for row in rows] == [None] * 3
        (sound,) = [one for one in tradeoff.chart(rows).series if one.name.endswith(": sound ε")]
        stated = sorted({record.statement.epsilon for record in records if record.statement})
        assert list(sound.x) == stated
        assert 2.0 not in sound.x
        assert all(earlier < later for earlier, later in pairwise(sound.y))

    def test_other_options_are_curves_of_their_own(self, store: RunStore) -> None:
        records = [*self._runs(store, queries=500), *self._runs(store, queries=1000)]
        names = [one.name for one in tradeoff.chart(tradeoff.data(records)).series if one.name.endswith(": sound ε")]
        title = method_title("privgnn")
        assert names == [f"{title}, queries {count}: sound ε" for count in (1000, 500)]

    def test_a_budget_that_was_not_used_makes_no_other_setting(self, store: RunStore) -> None:
        said = made_runs.statement(made_runs.node_entries(4.0), "node")
        records = [
            made_runs.finish(store, made_runs.spec("privgnn", unit="node", epsilon=epsilon, lam=0.4), 0.6, said)
            for epsilon in (1.0, 8.0)
        ]
        (row,) = tradeoff.data(records)
        assert row["seeds"] == 2

    def test_a_calibrated_run_joins_the_curve(self, store: RunStore) -> None:
        said = made_runs.statement(made_runs.node_entries(6.0), "node")
        calibrated = made_runs.finish(store, made_runs.spec("privgnn", unit="node", epsilon=1.5, lam=0.0), 0.6, said)
        rows = tradeoff.data([*self._runs(store), calibrated])
        assert sorted(row["asked"] for row in rows if row["asked"] is not None) == [1.5]
        assert len([one for one in tradeoff.chart(rows).series if one.name.endswith(": sound ε")]) == 1

    def test_ordinary_networks_are_levels_with_the_name_of_their_setting(self, store: RunStore) -> None:
        open_ = made_runs.statement((), unit="none")
        references = [
            made_runs.finish(store, made_runs.spec("gnn", unit="none", setting=setting), accuracy, open_)
            for setting, accuracy in (("B1", 0.84), ("B2", 0.86))
        ]
        rows = tradeoff.data([*self._runs(store), *references])
        levels = [one for one in tradeoff.chart(rows).series if one.kind == "level"]
        assert [(one.name.rsplit(", ")[-1], one.y) for one in levels] == [
            ("setting B1", (0.84,)),
            ("setting B2", (0.86,)),
        ]

    def test_noise_that_protects_nobody_names_a_level(self, store: RunStore) -> None:
        open_ = made_runs.statement((), unit="none")
        references = [
            made_runs.finish(store, made_runs.spec("gnn", unit="none", lam=lam), accuracy, open_)
            for lam, accuracy in ((0.1, 0.3), (1.0, 0.7))
        ]
        levels = tradeoff.chart(tradeoff.data(references)).series
        assert [one.name.rsplit(", ")[-1] for one in levels] == ["lam 0.1", "lam 1.0"]

    def test_without_a_guarantee_only_the_published_epsilon_is_drawn(self, store: RunStore) -> None:
        said = replace(made_runs.statement(made_runs.node_entries(4.0), "node"), epsilon=math.inf)
        record = made_runs.finish(store, made_runs.spec("privgnn", unit="node", lam=0.4), 0.6, said)
        drawn = tradeoff.chart(tradeoff.data([record])).series
        assert {one.epsilon for one in drawn} == {None, "published"}
        assert {one.kind for one in drawn if one.epsilon is None} == {"path", "line"}


def test_unfinished_runs_are_left_out(store: RunStore) -> None:
    store.submit(made_runs.spec())
    assert tradeoff.data(store.find()) == []
    assert tradeoff.chart([]).panels[0].title == "no finished run to compare yet"


class TestConfidence:
    def test_it_covers_the_mean_about_as_often_as_it_says(self) -> None:
        generator = np.random.default_rng(3)
        covered = 0
        for _ in range(200):
            low, high = confidence(list(generator.normal(0.5, 0.1, size=30)))[1:]
            assert low is not None
            assert high is not None
            covered += low <= 0.5 <= high
        assert 0.88 <= covered / 200 <= 0.99

    @pytest.mark.parametrize("seeds", [3, 4, 10])
    def test_it_covers_as_often_for_few_seeds(self, seeds: int) -> None:
        """Which the percentile bootstrap does not: three seeds cover in three of four cases."""
        generator = np.random.default_rng(seeds)
        draws = [confidence(list(generator.normal(0.5, 0.05, size=seeds))) for _ in range(1000)]
        covered = sum(low <= 0.5 <= high for _, low, high in draws if low is not None and high is not None)
        assert 0.93 <= covered / 1000 <= 0.97

    def test_it_stays_among_what_is_possible(self) -> None:
        _, low, high = confidence([0.9, 1.0, 0.95], most=1.0)
        assert low is not None
        assert 0.8 < low < 0.9
        assert high == 1.0
        assert confidence([0.0, 0.1, 0.02])[1] == 0.0

    def test_it_is_the_same_each_time(self) -> None:
        assert confidence([0.1, 0.4, 0.2]) == confidence([0.1, 0.4, 0.2])

    def test_one_seed_has_no_interval(self) -> None:
        assert confidence([0.4]) == (0.4, None, None)

    def test_no_seed_has_no_mean(self) -> None:
        with pytest.raises(ValueError, match="at least one"):
            confidence([])


def test_an_interval_needs_three_seeds() -> None:
    assert confidence([0.4, 0.6]) == (0.5, None, None)
    mean, low, high = confidence([0.4, 0.5, 0.6])
    assert low is not None
    assert high is not None
    assert low < mean < high


def test_an_axis_spans_a_decade_at_least(swept: list[RunRecord]) -> None:
    private = next(record for record in swept if record.spec.options.get("unit") == "edge")
    (panel,) = tradeoff.chart(tradeoff.data([private])).panels
    assert panel.x.high is not None
    assert panel.x.low is not None
    assert panel.x.high / panel.x.low >= 10


def test_of_methods_that_predict_relations_the_axis_says_what_was_measured(store: RunStore) -> None:
    chart = tradeoff.chart(tradeoff.data(made_pair(store)))
    assert chart.panels[0].y.title == "PREC@1 (percent of relations)"


def test_every_method_has_a_slot_of_its_own_and_those_that_are_compared_a_colour() -> None:
    found = slots({name: name for name in METHODS})
    assert len(set(found.values())) == len(METHODS) == len(ORDER)
    assert all(slot % len(LIGHT.lines) != NEUTRAL for slot in found.values()), "grey belongs to no method"
    together = ("progap", "gap", "edge-rand", "dp-mlp", "dp-gnn", "heter-poisson")
    assert len({found[name] % len(LIGHT.lines) for name in together}) == len(together)
    assert len({found[name] % len(MARKERS) for name in together}) == len(together), "and a mark"


def test_what_has_no_epsilon_is_grey_and_its_dash_says_which_it_is() -> None:
    """No level has the colour of a curve: that of the same method without privacy neither."""
    bare = {"reference": True, "unit": "none", "low": 0.07, "high": 0.35, "seeds": 3}
    rows = [_row(1.0, 0.5), _row(math.inf, 0.2, **bare), _row(math.inf, 0.9, method="gnn", title="N", **bare)]
    series = tradeoff.chart(_plain(rows)).series
    levels = [one for one in series if one.kind == "level"]
    assert {one.slot for one in levels} == {NEUTRAL}
    assert len({look(one, LIGHT).dash for one in levels}) == len(levels) == 2
    bands = [one for one in series if one.kind == "band"]
    assert {(one.slot, one.faint) for one in bands} == {(NEUTRAL, True)}
    assert max(map(series.index, bands)) < min(series.index(one) for one in series if one.kind == "line"), "behind"
    painted = [trace.fillcolor for trace in tradeoff.plot(_plain(rows)).data if trace.fill == "toself"]
    assert all(colour.endswith(",0.09)") for colour in painted)


def test_a_mark_keeps_its_methods_look_at_either_epsilon_filled_and_hollow(swept: list[RunRecord]) -> None:
    series = tradeoff.chart(tradeoff.data(swept)).series
    lines = {one.group: look(one, LIGHT).colour for one in series if one.kind == "line"}
    assert len(set(lines.values())) == 2
    for group, colour in lines.items():
        marks = {one.epsilon: look(one, LIGHT) for one in series if one.group == group and one.epsilon}
        assert {one.colour for one in marks.values()} == {colour}
        assert len({one.symbol for one in marks.values()}) == 1
        assert {kind: one.hollow for kind, one in marks.items()} == {"sound": False, "published": True}


def test_settings_that_protect_different_units_are_not_ranked(store: RunStore) -> None:
    records = [
        made_runs.finish(store, made_runs.spec(unit=unit), 0.7, made_runs.statement(entries, unit))
        for unit, entries in (("edge", made_runs.edge_entries(9)), ("node", made_runs.node_entries(4.0)))
    ]
    assert "Highest" in tradeoff.chart(tradeoff.data(records[:1])).summary
    assert "Highest" not in tradeoff.chart(tradeoff.data(records)).summary
    assert "Highest" in compare.chart(compare.data(records[:1])).summary
    assert "Highest" not in compare.chart(compare.data(records)).summary
