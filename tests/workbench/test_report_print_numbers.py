"""Print and tables keep numbers whole, and say of which budgets something was shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.store import RunStore
from privgraph_workbench import latex, tables
from privgraph_workbench.figures import notes
from privgraph_workbench.print_paper import CELL, Paper


@pytest.mark.parametrize("width", [12.0, 25.0, 40.0, 70.0])
def test_no_line_ends_inside_a_number(width: float) -> None:
    paper = Paper("T", lambda _: None)
    for said, numbers in (("at least 0.533, of seed #6", ("0.533,", "#6")), ("at least 5.17, of x", ("5.17,",))):
        lines = " ".join(paper.lines(said, CELL, width)).replace("\u00a0", " ")
        for number in numbers:
            assert number.lstrip("#") in lines


def test_what_was_shown_is_told_with_its_budget() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    labels = {f"ProGAP, ε {epsilon}": said for epsilon in (1, 2, 4)}
    labels["ProGAP, ε 8"] = replace(said, epsilon_audited=0.5)
    (line,) = [one for one in notes.short(labels) if one.startswith("Protected unit")]
    assert "at ε 8: at least 0.5; the other 3 not audited" in line


def test_a_long_table_goes_on_over_pages() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    record = made_runs.finish(RunStore.open(), made_runs.spec(seed=5), 0.7, said)
    lines = [tables.Line(name=str(at), label=str(at), record=record) for at in range(latex.MOST_ON_A_PAGE + 1)]
    assert r"\begin{tabular}" in latex.table(lines[1:])
    told = latex.table(lines)
    assert (r"\begin{longtable}" in told, r"\endhead" in told, "tabular}" in told) == (True, True, False)
    assert told.count(r"\caption{") == told.count(rf"\label{{{latex.LABEL}}}") == 1
    assert told.index(r"\caption{") < told.index(r"\endfirsthead") < told.index(r"\endhead")
    assert latex.LONG_IN_COLUMNS in told


def test_a_short_table_has_a_caption_and_settings_of_figures_stand_below_a_rule() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    record = made_runs.finish(RunStore.open(), made_runs.spec(seed=5), 0.7, said)
    lines = [tables.Line(name=name, label=f"Of {name}", record=record) for name in ("a", "b", "c")]
    told = latex.table(lines, alone=["b", "c"])
    assert r"\begin{table}" in told
    assert told.index(r"\caption{") < told.index(r"\begin{tabular}") < told.rindex(r"\end{table}")
    assert latex.SHORT_IN_COLUMNS in told
    body = told[told.index("Of a") : told.index(r"\bottomrule")]
    assert [one.partition(" &")[0] for one in body.splitlines()] == ["Of a", r"\midrule", "Of b", "Of c"]
    for plain in (latex.table(lines), latex.table(lines, alone=["a", "b", "c"])):
        assert plain.count(r"\midrule") == 1
        assert latex.ALONE not in plain
