"""The order of a report, and that it counts, warns and advises once."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import opened

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import blocks, page_html, reporting, tables
from privgraph_workbench.facts import ranking
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.drawing import with_matplotlib
from privgraph_workbench.reporting import Asked, findings, joined
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.words.glossary import ADDED


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def made(store: RunStore, method: str, scores: tuple[float, ...], dataset: str = "social") -> list[RunRecord]:
    bare = method in ("gnn", "mlp")
    said = made_runs.statement(() if bare else made_runs.edge_entries(9), "none" if bare else "edge")
    said = said if bare else with_public_noise(said)
    return [
        made_runs.finish(store, made_runs.spec(method, dataset, unit="none" if bare else "edge", seed=seed), one, said,
                         more={"majority_class_accuracy": 0.2})
        for seed, one in enumerate(scores)
    ]  # fmt: skip


def report_of(store: RunStore, *, share: bool) -> Asked:
    scores = {"progap": (0.8, 0.81, 0.82), "gap": (0.7, 0.78, 0.9), "gnn": (0.9, 0.91, 0.92), "mlp": (0.4, 0.41, 0.42)}
    firsts = [made(store, *one)[0] for one in scores.items()]
    told = [reporting.told_of(store, one) for one in firsts]
    figures = [
        reporting.drawn(store, one.figure, one.rows, one.statements, [run.id for run in one.runs], advice=one.advice)
        for one in reporting.usual(told)
    ]
    return Asked(title="T", runs=told[:1], figures=figures, share=share, notebook=False, appendix=False)


@pytest.mark.long
@pytest.mark.parametrize("share", [False, True])
def test_runs_are_counted_once_for_page_figure_and_files(store: RunStore, share: bool) -> None:
    files = opened(reporting.build(report_of(store, share=share)))
    page = re.sub("<[^>]*>", "", files["report.html"].decode())
    assert "none of the six private runs here (of 2 settings) protects anybody" in page
    assert "12 runs: 6 private (of 2 settings), 6 without privacy." in page
    assert "edge-level: 6 private runs (" in page
    assert len(files["tables/runs.csv"].decode().strip().split("\n")) == 1 + 12
    assert len(files["tables/settings.csv"].decode().strip().split("\n")) == 1 + 4


def test_figures_follow_the_answers_and_each_warning_stands_once(store: RunStore) -> None:
    page = reporting.page(report_of(store, share=False))
    text = re.sub("<[^>]*>", "", page)
    heads = [one.partition(":")[0] for one in re.findall("<h2>([^<]*)", page)]
    assert heads[:4] == ["In short", "Figure 1", "Figure 2", "What is reported"]
    assert text.count("can subtract it") <= 2, "in the first box, and where seeds are named"
    assert notes.SUBTRACTED not in text
    assert text.count("⚠ evaluator only; ") == 2, "a mark at each figure"
    assert text.count("In short.") == 0, "the finding of the figure is the advice in short"
    assert page.count("<strong>What to take</strong>") == 1
    assert "What to take at each ε stands below Figure 1." in text
    assert not re.search(r"- At ε", text), "no list is broken"


def test_a_list_after_its_graph_is_a_list(store: RunStore) -> None:
    groups = [made(store, *one) for one in (("progap", (0.8, 0.81)), ("gap", (0.7, 0.72)))]
    more = made(store, "gnn", (0.9, 0.91), "karate")
    at_four = [
        made_runs.finish(store, made_runs.spec(method, epsilon=4.0), 0.7, groups[0][0].statement)
        for method in ("progap", "gap")
    ]
    said = ranking.ranked([*groups, *([one] for one in at_four), more], 5)
    assert "**On Made-up social network.** \n" not in said
    assert "**On Made-up social network.**\n\n- At ε 1" in said


def test_one_table_has_a_column_for_each_setting_and_a_delta_near_one_over_n_is_flagged(store: RunStore) -> None:
    (one, *_), (two, *_) = made(store, "progap", (0.8,), "cora"), made(store, "gnn", (0.9,), "cora")
    assert one.statement is not None
    lines = [tables.Line(name=name, label=name, record=record) for name, record in (("A", one), ("B", two))]
    table, *told = joined.settings(lines, {}, {})
    assert isinstance(table, blocks.Table)
    assert table.head == ("", "A", "B")
    names = [row[0] for row in table.rows]
    assert len(names) == len(set(names))
    assert {"Protects", "sound ε", "ε as published", "ε audited", "δ", "Test accuracy"} <= set(names)
    assert "Strongest attack" not in names, "attacks have a table of their own"
    assert f"δ: {ADDED}." in " ".join(map(str, told))
    # footnotes have the numbers in which they are met, row by row
    marks = [mark for row in table.rows for cell in row for mark in re.findall(r" \[(\d+)\]", cell)]
    met = list(dict.fromkeys(marks))
    assert len(met) > 1
    assert met == [str(place) for place in range(1, len(met) + 1)]
    notes = [text for text in told if isinstance(text, str) and re.match(r"\[\d+\] ", text)]
    assert [re.findall(r"\[(\d+)\] ", text) for text in notes] == [met], "in one paragraph"
    of_node = next(at for at, row in enumerate(table.rows) if row[0] == "Not covered")
    assert f"[{table.rows[of_node][1].split('[')[1][0]}] Taken to be public" in "\n".join(notes)
    near = replace(one.statement, delta=0.01)
    assert tables._near(one, near).startswith("This δ is not far below 1/n, for n = ")
    assert not tables._near(one, replace(near, delta=1e-9))


def test_advice_says_by_how_many_of_the_runs_of_its_figure(store: RunStore) -> None:
    figure = report_of(store, share=False).figures[0]
    assert "By 12 runs on " in findings.advice(figure)
    fewer = replace(figure, advice=figure.advice.replace("By 12 runs", "By 9 runs"))
    assert (
        "By 9 of the 12 runs of this figure (the others have further options, or noise of another key), on "
        in findings.advice(fewer)
    )


def test_on_a_phone_empty_cells_are_hidden_and_budgets_repeat(store: RunStore) -> None:
    assert ".wide td:empty { display: none; }" in page_html.PAGE
    advice = report_of(store, share=False).figures[0].advice
    (table,) = [part for part in blocks.parts_of(advice) if isinstance(part, blocks.Table)]
    assert all(row[0] for row in table.rows)


def test_an_axis_title_is_wrapped_within_what_long_names_leave(store: RunStore) -> None:
    from privgraph_workbench.figures import chart_of
    from privgraph_workbench.figures.costs import ledger

    said = made_runs.statement(made_runs.edge_entries(9))
    rows = [{**one, "mechanism": "aggregation perturbation"} for one in ledger.data(said.ledger, said.delta)]
    figure = with_matplotlib.draw(chart_of("ledger", rows), "light", titled=False, narrow=True)
    label = next(axis.get_xlabel() for part in figure.subfigs for axis in part.axes if axis.get_xlabel())
    assert "\n" in label


def test_counts_of_what_is_all_private() -> None:
    assert (
        Counts(runs=2, settings=1, private=2, private_settings=1, public=0).words == "2 runs of 1 setting, all private"
    )
