"""Files of the figure of accuracy against epsilon say to take what the page says, each unit by itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advice_lines, advised, advising
from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.figures import set_tables
from privgraph_workbench.figures.export import export
from privgraph_workbench.figures.runs import tradeoff

SHARED = "53.3% (same in all 3 seeds; 90 test nodes alone leave 42.5% to 63.9%)"


@pytest.fixture
def records() -> list[RunRecord]:
    """At one epsilon, of edges one method is the best, and of people all seeds of one agree."""
    store = RunStore.open()
    edge = made_runs.statement(made_runs.edge_entries(9.0))
    node = made_runs.statement(made_runs.node_entries(2.0), unit="node")
    bare = made_runs.statement((), unit="none")
    for seed, off in enumerate((-0.004, 0.0, 0.004)):
        for name, mean in (("progap", 0.9), ("gap", 0.7)):
            made_runs.finish(store, made_runs.spec(name, epsilon=4.0, seed=seed), mean + off, edge)
        made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=seed), 0.5 + off, bare)
        made_runs.finish(store, made_runs.spec("gnn", unit="none", seed=seed), 0.95 + off, bare)
        for name, reached in (("dp-mlp", 48 / 90), ("gap", 0.53 + 2 * off)):
            made_runs.finish(store, made_runs.spec(name, epsilon=4.0, seed=seed, unit="node"), reached, node)
    more = {"majority_class_accuracy": 0.3, "test_nodes": 90.0}
    return [replace(one, metrics={**one.metrics, **more}) for one in store.find()]


@pytest.fixture
def said(records: list[RunRecord]) -> list[Verdict]:
    return [
        advising.verdict([one for one in records if one.spec.unit in (unit, "none")], unit) for unit in ("edge", "node")
    ]


def test_edges_and_people_have_a_block_each_with_every_row_of_the_page(said: list[Verdict]) -> None:
    lines = advice_lines.blocks(said)
    heads = [place for place, line in enumerate(lines) if line.startswith("To hide ")]
    assert [lines[place].partition(" (")[0] for place in heads] == ["To hide edges", "To hide people"]
    edges, people = lines[heads[0] : heads[1]], lines[heads[1] :]
    for one, block in zip(said, (edges, people), strict=True):
        rows = [line.split(set_tables.APART) for line in block if line.startswith("ε ")][1:]
        groups = advised.table(one)
        assert len(rows) == sum(map(len, groups)) > 0
        for group in groups:
            for shown in group:
                cells, rows = rows[0], rows[1:]
                own = shown[1:5] if shown is group[0] else shown
                assert cells == [f"ε {group[0][0]}", *own, *group[0][-2:]], "in the page's words, each row for itself"
    assert not any("DP-MLP" in line for line in edges), "which protects people alone"
    assert any(" | ProGAP | 90.0% " in line and " | clear | " in line for line in edges)
    assert lines[-1] == advising.CHOOSING
    assert lines.count(advising.CHOOSING) == 1


def test_an_interval_without_width_is_told_by_the_test_nodes(records: list[RunRecord], said: list[Verdict]) -> None:
    rows = tradeoff.shown(tradeoff.data(records), published=False, front=False, advised=advice_lines.plain(said))
    text = export("tradeoff", rows, {}, "txt").decode()
    for part in ("53.3% (same in all 3 seeds; 90 test nodes", "alone leave 42.5% to 63.9%)"):
        assert part in text, "on two lines of its column"
    assert "53.3% to 53.3%" not in text
    drawn = tradeoff.chart(rows).beside
    assert any(SHARED in line for line in drawn), "below a picture, too"


def test_what_has_not_run_is_said_and_nothing_of_what_never_ran() -> None:
    assert advice_lines.blocks([Verdict(unit="edge")]) == ()
    left = Verdict(unit="edge", methods=1, absent=("GAP",), notes=("GAP has not run here.",), thin="GAP has not run")
    assert advice_lines.blocks([left])[0].startswith("Too little has run to say what hides edges best")


def test_a_row_is_advised_by_its_own_unit(records: list[RunRecord], said: list[Verdict]) -> None:
    told = {(row["method"], row["unit"]): advice_lines.of_row(row, said) for row in tradeoff.data(records)}
    assert told["progap", "edge"] == "take: clear"
    assert told["gap", "edge"] == "", "though it may be taken to hide people"
    assert told["dp-mlp", "node"] == "take: not told apart", "on 90 test nodes"
    assert told["gap", "node"] == "not told apart from DP-MLP", "one method is taken: the verdict is its own"
    assert told["gnn", "none"] == "costs are counted from it"


def test_what_reads_no_edge_is_taken_to_hide_edges_and_not_people(records: list[RunRecord]) -> None:
    worse = [one for one in records if (one.spec.method, one.spec.unit) != ("progap", "edge")]
    level = [
        replace(one, metrics={**one.metrics, "test_accuracy": 0.8}) if one.spec.method == "mlp" else one
        for one in worse
    ]
    said = [
        advising.verdict([one for one in level if one.spec.unit in (unit, "none")], unit) for unit in ("edge", "node")
    ]
    (row,) = (row for row in tradeoff.data(level) if row["method"] == "mlp")
    assert advice_lines.of_row(row, said).startswith("to hide edges: take at ε 4")
    assert advice_lines.of_row(row, said[:1]).startswith("take at ε 4"), "where it can be taken for nothing else"


@pytest.mark.parametrize("kind", ["txt", "svg"])
def test_a_file_has_each_table_below_its_heading_and_how_it_is_read_below_it(
    records: list[RunRecord], said: list[Verdict], kind: str
) -> None:
    """Also where something has not run, which is said after the table."""
    absent = [replace(one, absent=("EdgeRand",), closing="Edges: leave them.") for one in said]
    rows = tradeoff.shown(tradeoff.data(records), published=False, front=False, advised=advice_lines.plain(absent))
    text = export("tradeoff", rows, {}, kind).decode().replace("\N{NO-BREAK SPACE}", " ")
    text = re.sub("(?s)<metadata>.*?</metadata>|<!--|-->|<[^>]*>", "", text)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    heads = [place for place, line in enumerate(lines) if line.startswith("To hide ")]
    assert len(heads) == 2
    for place, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        block = lines[place:end]
        head = next(at for at, line in enumerate(block) if line.startswith("ε ") and "Take" in line)
        assert head <= 2, "nothing stands between, but a heading may be two lines"
        for later in (
            "Edges: leave them.",
            "EdgeRand has not run here.",
            "Cost: points below",
            "Protection: how often",
        ):
            (at,) = (at for at, line in enumerate(block) if line.startswith(later))
            assert at > head, later


@pytest.mark.parametrize("kind", ["txt", "svg"])
def test_a_file_has_the_table_as_aligned_text(records: list[RunRecord], said: list[Verdict], kind: str) -> None:
    """Each cell begins where the one above it does, and no upright line stands between them."""
    rows = tradeoff.shown(tradeoff.data(records), published=False, front=False, advised=advice_lines.plain(said))
    text = export("tradeoff", rows, {}, kind).decode().replace("\N{NO-BREAK SPACE}", " ")
    text = re.sub("(?s)<metadata>.*?</metadata>|<[^>]*>", "", text)
    assert " | " not in text
    lines = [line.strip() for line in text.split("\n")]
    place = next(at for at, line in enumerate(lines) if line.startswith("ε ") and "Take" in line)
    head, row = lines[place], next(line for line in lines[place + 1 :] if "ProGAP" in line)
    assert row.index("ProGAP") == head.index("Take")
    assert row.index("90.0% (") == head.index("Accuracy")
    assert row.index("clear") == head.index("Verdict")
