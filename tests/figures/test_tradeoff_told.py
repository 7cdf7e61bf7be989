"""What a figure of accuracy against epsilon says of itself: refuted epsilons, runs that are drawn, the front
of what protects edges, a guess out of sight, what more it would draw."""

from __future__ import annotations

import math
from dataclasses import replace

from tests.figures.made_tradeoffs import plainly, point

from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.drawing import with_matplotlib
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.palette import COLOURS
from privgraph_workbench.figures.runs import tradeoff, tradeoff_marks, tradeoff_shown

MLP = point(math.inf, 0.6, method="mlp", title="MLP", unit="none", reference=True)


def _steps(rows: list[dict[str, object]]) -> list[tuple[tuple[object, ...], tuple[object, ...]]]:
    for row in rows:
        row["front"] = tradeoff._on_front(row, rows)
    drawn = tradeoff.chart(rows).series
    return [(one.x, one.y) for one in drawn if one.name == tradeoff_marks.FRONT]


def test_of_edges_the_front_begins_with_what_reads_none() -> None:
    rows = [point(1, 0.5), point(2, 0.55), point(8, 0.9), dict(MLP)]
    ((x, y),) = _steps(rows)
    assert (y[0], y[-1]) == (0.6, 0.9)
    assert float(str(x[0])) < 1, "at the left end of the axis, before any ε"
    assert set(y) == {0.6, 0.9}, "below the level nothing is on the front"
    assert [row["front"] for row in rows] == [False, False, True, True]
    ((_, flat),) = _steps([point(1, 0.5), point(2, 0.55), dict(MLP)])
    assert set(flat) == {0.6}, "where all is beaten by it, it alone is the front"


def test_of_people_it_does_not_for_it_hides_none() -> None:
    rows = [point(1, 0.5, unit="node"), point(8, 0.9, unit="node"), dict(MLP)]
    ((_, y),) = _steps(rows)
    assert y[0] == 0.5
    assert [row["front"] for row in rows] == [True, True, False]


def test_a_level_on_other_test_nodes_begins_no_front() -> None:
    ((_, y),) = _steps([point(1, 0.5), point(8, 0.9), {**MLP, "test_nodes": 99}])
    assert y[0] == 0.5


def test_the_last_digits_of_an_epsilon_do_not_decide_what_is_on_the_front() -> None:
    rows = [point(0.999588, 0.378), point(0.999637, 0.549), point(0.9, 0.5), point(1.5, 0.549)]
    _steps(rows)
    assert [row["front"] for row in rows] == [False, True, True, False]


def test_the_front_is_drawn_as_no_level_is() -> None:
    rows = [point(1, 0.5), point(8, 0.9), dict(MLP)]
    _steps(rows)
    drawn = tradeoff.chart(rows).series
    widths = {one.name == tradeoff_marks.FRONT: one.width for one in drawn if one.kind in ("level", "links")}
    assert widths[True] is not None
    assert widths[False] is None
    (line,) = (one.line for one in tradeoff.plot(rows).data if one.name == tradeoff_marks.FRONT)
    assert line.width > 2 * max(one.line.width for one in tradeoff.plot(rows).data if one.name.startswith("MLP"))
    assert tradeoff_marks.FRONT in export("tradeoff", rows, {}, "svg").decode()


REFUTED = {"title": "GAP", "asked": 8.0, "epsilon_as_published": 5.71, "epsilon_audited": 6.438}


def test_a_published_epsilon_that_an_attack_refutes_is_named_where_it_is_drawn() -> None:
    rows = [point(1, 0.5, epsilon_as_published=0.9, epsilon_audited=0.2), point(8.0, 0.7, **REFUTED)]
    rows[1]["audit_premise"] = "if the noise is Gaussian"
    rows.append({**rows[1], "title": "ProGAP", "method": "progap"})
    said = (
        "an attack refutes the published ε, if the noise is Gaussian: at least 6.43 was shown, 5.71 published (GAP at "
        "edge ε 8, ProGAP at edge ε 8)"
    )
    full = tradeoff.chart(tradeoff.shown(rows, published=True, front=False))
    assert said in full.badges
    assert not any("refutes" in one for one in tradeoff.chart(plainly(rows)).badges), "of a number that is not drawn"
    held = export("tradeoff", rows, {}, "csv").decode()
    assert "epsilon_audited" in held.partition("\n")[0].split(",")
    assert "audit_premise" not in held.partition("\n")[0]


def test_a_file_of_the_sound_epsilons_says_what_attacks_refute(statement: PrivacyStatement) -> None:
    bare = replace(statement, ledger=(), epsilon=8.0, epsilon_as_published=5.71, adversary=Adversary.OUTSIDER)
    fell, stands = replace(bare, epsilon_audited=6.438), replace(bare, epsilon_audited=5.17)
    lines = notes.short({"GAP on Cora, edge ε 8": fell, "ProGAP on Cora, edge ε 8": stands})
    assert any("; audited: at least 5.17 to 6.43; δ" in line for line in lines)
    (said,) = (line for line in lines if "refutes" in line)
    assert said == (
        "GAP, edge ε 8: an attack refutes the published ε: at least 6.43 was shown, 5.71 published; the sound ε stands."
    )
    rest = {f"GAP on Cora, edge ε {at}": replace(bare, epsilon_audited=None) for at in (1, 2)}
    (line,) = (one for one in notes.short({"GAP on Cora, edge ε 8": stands, **rest}) if "audited" in one)
    assert "audited: at ε 8: at least 5.17; the other 2 not audited" in line


def test_the_number_of_runs_in_a_figure_is_that_of_its_rows() -> None:
    rows = [point(at, 0.5, composed=698, runs=f"a{at} b{at}") for at in (1, 2)]
    (said,) = (one for one in notes.badges(rows, {}) if one.startswith("Composition"))
    assert said.startswith("Composition: 4 runs in this figure, of 698 runs on the same data.")
    all_drawn = [{**row, "composed": 4} for row in rows]
    (said,) = (one for one in notes.badges(all_drawn, {}) if one.startswith("Composition"))
    assert said.startswith("Composition: 4 runs on the same data.")


def test_what_lies_out_of_sight_as_published_is_told_where_that_is_drawn() -> None:
    rows = [point(1, 0.5, epsilon_as_published=2), point(8, 0.7, epsilon_as_published=115_000)]

    def told(published: bool) -> bool:
        badges = tradeoff.chart(tradeoff.shown(rows, published=published, front=False)).badges
        return any("out of sight" in one for one in badges)

    assert told(True)
    assert not told(False)


def test_ticks_are_the_epsilons_that_were_asked_for() -> None:
    rows = [point(at, 0.5, asked=at) for at in (2.0, 8.0)]
    assert tradeoff.chart(plainly(rows)).panels[0].x.ticks == (2.0, 8.0)
    far = [{**row, "epsilon_as_published": 900.0} for row in rows]
    ticks = tradeoff.chart(tradeoff.shown(far, published=True, front=False)).panels[0].x.ticks
    assert {2.0, 8.0} < set(ticks), "beyond them the usual ones"
    assert max(ticks) > 100


def test_a_guess_below_the_axis_is_told() -> None:
    low = [point(at, 0.7, guess=0.307) for at in (1, 8)]
    assert "A guess: 30.7% on average over seeds, below all marks." in tradeoff.chart(low).notes
    both = [*low, *({**row, "unit": "node"} for row in low)]
    assert "A guess: 30.7% on average over seeds, below all marks." in tradeoff.chart(both).notes
    apart = [*low, *({**row, "unit": "node", "guess": 0.2} for row in low)]
    said = "A guess, on average over seeds, below all marks of its panel: "
    each = "30.7% on karate, where edges are protected; 20.0% on karate, where people are protected."
    assert said + each in tradeoff.chart(apart).notes
    made = "Made-up social network (nodes 600, classes 3)"
    graphs = [*low, *({**row, "graph": made, "nodes": 600, "guess": 0.2} for row in low)]
    words = "30.7% on karate; 20.0% on Made-up social network, 600 nodes."
    assert said + words in tradeoff.chart(graphs).notes, "as the panels call them"
    seen = [point(1, 0.3, guess=0.307), point(8, 0.7, guess=0.307)]
    assert not any("below all marks" in one for one in tradeoff.chart(seen).notes), "it has a line"


def test_settings_of_one_method_have_colours_of_their_own_where_it_stands_alone() -> None:
    def colours(rows: list[dict[str, object]]) -> list[int]:
        return [one.slot % COLOURS for one in tradeoff.chart(rows).series if one.kind == "path"]

    rows = [point(at, 0.5, variant=f"hops {hops}") for hops in range(4) for at in (1, 2)]
    assert len(set(colours(rows))) == 4
    beside = [*rows, point(1, 0.4, method="progap", title="ProGAP")]
    assert len(set(colours(beside))) == 2, "a method has one colour beside others"


def test_more_is_drawn_of_other_methods_before_further_settings_of_the_same() -> None:
    rows = [point(at, 0.5, variant=f"hops {hops}") for hops in range(12) for at in (1, 2, 4)]
    rows += [point(1, 0.4, method="pate", title="PATE", test_nodes=9)]
    whole, outlined = tradeoff_shown.fitting(rows), tradeoff_shown.outline(rows)
    assert "PATE" in {row["title"] for row in whole}
    assert tradeoff_shown.added(whole, outlined) == (7, "GAP with other options, PATE")
    assert tradeoff_shown.added(outlined, outlined) == (0, "")


def test_in_a_picture_of_two_units_the_legend_has_a_column_for_each() -> None:
    rows = [point(at, 0.5, method=name, title=name) for name in ("a", "d") for at in (1, 2)]
    rows += [point(at, 0.5, unit="node", method=name, title=name) for name in ("a", "b", "c") for at in (1, 2)]
    rows += [dict(MLP)]
    chart = tradeoff.chart(plainly(rows))
    drawn = with_matplotlib.draw(chart)
    (legend,) = (one for part in drawn.subfigs for one in part.legends)
    names = [text.get_text() for text in legend.get_texts()]
    half = (len(names) + 1) // 2
    first, second = names[:half], names[half:]
    if "node" in " ".join(first):
        first, second = second, first
    assert any("edge" in name for name in first)
    assert not any("node-level" in name for name in first)
    assert not any("edge-level" in name for name in second)
    assert sum("node-level" in name for name in second) == 3
