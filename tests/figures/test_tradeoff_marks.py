"""The marks of accuracy against epsilon: which colours, bars and rings are drawn, and what they say."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

from tests.figures import made_runs
from tests.figures.made_tradeoffs import plainly, point
from tests.figures.test_figure_only import SVG

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.drawing.looks import look
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.palette import SLOTS, slots
from privgraph_workbench.figures.runs import curve_names, tradeoff, tradeoff_marks
from privgraph_workbench.theme import LIGHT, MARKERS, NEUTRAL


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
    plain, full = tradeoff.chart(plainly(rows)), tradeoff.chart(rows)
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
    wide, narrow = (tradeoff.chart(one).panels[0].x.high for one in (rows, plainly(rows)))
    assert wide is not None
    assert narrow is not None
    assert wide >= 80 > 20 > narrow


def test_what_is_not_proved_is_named_and_not_drawn_as_if_it_were(store: RunStore, swept: list[RunRecord]) -> None:
    said = replace(made_runs.statement(made_runs.node_entries(4.0), "node"), epsilon=math.inf)
    record = made_runs.finish(store, made_runs.spec("privgnn", unit="node", lam=0.4), 0.6, said)
    plain = tradeoff.chart(plainly(tradeoff.data([*swept, record])))
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


def test_a_method_looks_alike_whichever_unit_it_protects_and_its_mark_is_in_the_legend() -> None:
    made = [
        {**point(at, 0.5 + at / 20, title="GAP"), "unit": unit, "method": "gap"}
        for unit in ("edge", "node")
        for at in (1.0, 2.0)
    ]
    chart = tradeoff.chart(plainly(made))
    assert {one.slot for one in chart.series if one.kind == "line"} == {list(METHODS).index("gap")}
    keys = [one for one in chart.series if one.legend]
    assert {(one.kind, one.x, one.slot) for one in keys} == {("path", (None, None), list(METHODS).index("gap"))}
    assert tradeoff.plot(plainly(made)).data[0].mode == "lines+markers"


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
    said = "Means over 3 seeds; bars and bands: 95% confidence (Student's t); a line: one method at several ε."
    assert f"\n{said}\n" in export("tradeoff", rows, {}, "txt").decode()
    seen = ElementTree.fromstring(export("tradeoff", rows, {}, "svg", whole=False)).iter(f"{SVG}text")
    assert said in [one.text for one in seen], "in the picture of the figure alone, too, in one line"
    alone = tradeoff.data([one for one in swept if one.spec.seed == 0])
    assert "\nMeans over 1 seed; a line: one method at several ε.\n" in export("tradeoff", alone, {}, "txt").decode()


def test_few_seeds_have_smaller_marks_beside_three(swept: list[RunRecord]) -> None:
    sparse = [one for one in swept if one.spec.asked_epsilon == 1.0 or one.spec.seed == 0]
    rows = [row for row in tradeoff.data(sparse) if row["method"] == "progap" and not row["reference"]]
    chart = tradeoff.chart(rows)
    sizes = {one.size: len(one.x) for one in chart.series if one.epsilon == "sound" and one.hover}
    assert sizes == {9: 1, 7: len(rows) - 1}
    assert "; smaller marks: fewer than three seeds; " in chart.reading
    alone = [row for row in rows if row["low"] is None]
    assert {one.size for one in tradeoff.chart(alone).series if one.epsilon == "sound" and one.hover} == {9}


def test_in_a_crowd_marks_and_lines_stand_at_their_epsilon_and_each_bar_within_its_mark() -> None:
    """A mark beside its epsilon is read as another promise; bars that lie on each other are no bars."""
    titles = ("ProGAP", "GAP", "EdgeRand", "HeterPoisson")
    asked = (0.25, 1.0, 8.0)
    for count in (2, 3, 4):
        rows = [
            point(at, 0.5 + place / 10, title=title, low=0.4, high=0.95, seeds=3)
            for place, title in enumerate(titles[:count])
            for at in asked
        ]
        chart = tradeoff.chart(rows)
        drawn = [one for one in chart.series if one.kind == "line" or (one.epsilon == "sound" and one.hover)]
        assert len(drawn) == 2 * count
        assert {one.x for one in drawn} == {asked}
        bars = [one.x[::6] for one in chart.series if one.name == "95% confidence of each point"]
        assert len(set(bars)) == count, "side by side"
        low, high = chart.panels[0].x.low, chart.panels[0].x.high
        reach = math.log(high / low) * tradeoff_marks.REACH
        for places in bars:
            assert all(abs(math.log(float(x) / at)) <= reach + 1e-9 for x, at in zip(places, asked, strict=True))


def test_a_point_says_what_its_promise_is() -> None:
    (text,) = (
        one.hover[0]
        for one in tradeoff.chart([point(1, 0.5, delta=1e-6, released="the weights alone")]).series
        if one.epsilon == "sound" and one.hover
    )
    assert "δ 1e-06; may be released:\nthe weights alone" in text


def test_a_point_of_public_noise_is_for_the_evaluators_eyes() -> None:
    (text,) = (
        one.hover[0]
        for one in tradeoff.chart([point(1, 0.5, delta=1e-6, released="the weights", noise_public=True)]).series
        if one.epsilon == "sound" and one.hover
    )
    said = " ".join(text.split())
    assert "the noise is public: this point is for the evaluator's eyes, nothing of it may be released" in said
    assert "the weights" not in said


def test_points_of_ones_own_are_ringed_where_others_are_of_the_gallery() -> None:
    """A run of one's own takes the place of the gallery's: the figure says where."""
    rows = [
        point(1, 0.5, seeds=3, gallery=3),
        point(2, 0.6, seeds=3, gallery=2),
        point(4, 0.7, seeds=3, gallery=0),
    ]
    for asked in (rows, plainly(rows)):
        series = tradeoff.chart(asked).series
        rings, key = (one for one in series if one.name == tradeoff_marks.OWN)
        assert (rings.x, rings.hollow) == ((2.0, 4.0), True)
        assert (rings.legend, key.legend, key.x) == (False, True, (None,)), "named once, behind the methods"
        said = [text for one in series for text in one.hover if one.kind == "points" and one.panel == 0]
        assert sum(text.endswith("1 of 3 runs are own") for text in said) >= 1
    alone = [{**row, "gallery": 0} for row in rows]
    assert tradeoff_marks.OWN not in {one.name for one in tradeoff.chart(alone).series}, "nothing to tell them from"


def test_a_point_knows_its_runs() -> None:
    rows = [point(1, 0.5, front=True), point(2, 0.7, front=True)]
    (marks,) = (one for one in tradeoff.chart(rows).series if one.keys)
    assert marks.keys == ("run-1", "run-2")
    assert [tuple(trace.customdata) for trace in tradeoff.plot(rows).data if trace.customdata is not None] == [
        marks.keys
    ]


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
        curves = [one for one in chart.series if one.kind == "path"]
        assert len({one.slot for one in curves}) == count
        assert {one.epsilon for one in curves} == {None}


def test_a_lone_point_is_a_mark_without_a_line(store: RunStore) -> None:
    """A dash through it would be taken for an interval of epsilon."""
    said = made_runs.statement(made_runs.edge_entries(9))
    rows = tradeoff.data([made_runs.finish(store, made_runs.spec(), 0.7, said)])
    series = tradeoff.chart(rows).series
    assert not [one for one in series if one.kind == "line"]
    (mark,) = (one for one in series if one.epsilon == "sound" and one.hover)
    assert (mark.x, mark.y) == ((rows[0]["epsilon"],), (0.7,))


def test_every_method_has_a_slot_of_its_own_and_those_that_are_compared_a_colour() -> None:
    found = slots({name: name for name in METHODS})
    assert len(set(found.values())) == len(METHODS) == len(SLOTS)
    assert all(slot % len(LIGHT.lines) != NEUTRAL for slot in found.values()), "grey belongs to no method"
    together = ("progap", "gap", "edge-rand", "dp-mlp", "dp-gnn", "heter-poisson")
    assert len({found[name] % len(LIGHT.lines) for name in together}) == len(together)
    assert len({found[name] % len(MARKERS) for name in together}) == len(together), "and a mark"


def test_what_has_no_epsilon_is_grey_and_its_dash_says_which_it_is() -> None:
    """No level has the colour of a curve: that of the same method without privacy neither."""
    bare = {"reference": True, "unit": "none", "low": 0.07, "high": 0.35, "seeds": 3}
    rows = [
        point(1.0, 0.5),
        point(2.0, 0.6),
        point(math.inf, 0.2, **bare),
        point(math.inf, 0.9, method="gnn", title="N", **bare),
    ]
    series = tradeoff.chart(plainly(rows)).series
    levels = [one for one in series if one.kind == "level"]
    assert {one.slot for one in levels} == {NEUTRAL}
    assert len({look(one, LIGHT).dash for one in levels}) == len(levels) == 2
    bands = [one for one in series if one.kind == "band"]
    assert {(one.slot, one.faint) for one in bands} == {(NEUTRAL, True)}
    assert max(map(series.index, bands)) < min(series.index(one) for one in series if one.kind == "line"), "behind"
    painted = [trace.fillcolor for trace in tradeoff.plot(plainly(rows)).data if trace.fill == "toself"]
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


def test_a_point_whose_seeds_agree_has_the_bar_that_its_test_nodes_leave() -> None:
    """Without any it would look the surest of all."""
    rows = [
        point(1, 24 / 45, low=24 / 45, high=24 / 45, seeds=3, test_nodes=45, own=0),
        point(2, 0.5, low=0.45, high=0.55, seeds=3, test_nodes=45, own=0),
    ]
    chart = tradeoff.chart(rows)
    (bar,) = (one for one in chart.series if one.name == "95% confidence of each point")
    assert [round(y, 3) for y in bar.y[:2]] == [0.379, 0.683]
    assert list(bar.y[6:8]) == [0.45, 0.55], "of others the interval over seeds"
    hover = "\n".join(text for one in chart.series if one.kind == "points" for text in one.hover or ())
    assert "same in all 3 seeds; 45 test nodes alone leave 37.9% to 68.3%" in hover
    assert any("Where all seeds agree, a bar is what the number of test nodes" in one for one in chart.notes)
    level = tradeoff_marks.widened({**rows[0], "reference": True})
    assert (round(level["low"], 3), round(level["high"], 3)) == (0.379, 0.683)
    assert tradeoff_marks.widened({**rows[0], "test_nodes": None})["low"] == 24 / 45, "nothing is known of it"


def test_one_seed_has_the_bar_that_its_test_nodes_leave() -> None:
    """A single mark without any looks the surest of all; no bar of it is one over seeds."""
    one = point(1.0, 0.6, low=None, high=None, seeds=1, test_nodes=400)
    wide = tradeoff_marks.of_one_seed(one)
    assert 0.54 < wide["low"] < 0.56
    assert 0.64 < wide["high"] < 0.66
    assert tradeoff_marks.of_one_seed({**one, "seeds": 2}) == {**one, "seeds": 2}
    assert tradeoff_marks.of_one_seed({**one, "test_nodes": None})["low"] is None
    bars = [
        series
        for rows in ([one], [{**one, "test_nodes": None}])
        for series in tradeoff.chart(plainly(rows)).series
        if series.name == "95% confidence of each point"
    ]
    assert len(bars) == 1
    reading = [note for note in tradeoff.chart(plainly([one, point(2.0, 0.6)])).notes if "Student's t" in note]
    assert all("of one seed by its test nodes" in note for note in reading)
