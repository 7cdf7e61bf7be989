"""What lies in a report's archive besides its page: commands with all that they were given, numbers
without noise, means of attacks, citations, pictures for a caption, and plots of the notebook."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from tests.figures import made_audits, made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.made_reports import asked, opened, two_runs

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.store import RunStore
from privgraph_workbench import attack_means, attack_table, latex, report_plots, reporting, tables
from privgraph_workbench.blocks import Table
from privgraph_workbench.figures import export
from privgraph_workbench.reporting import behind, fixed
from privgraph_workbench.reporting.chapters import chapters_of
from privgraph_workbench.reporting.first_page import all_settings
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.table_lines import Line

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def test_an_audit_is_repeated_with_what_it_was_given(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    run = made_runs.finish(store, made_runs.spec(seed=3), 0.7, said)
    made = made_audits.audit(run.id, trials=3000, seed=5, delta=said.delta)
    store.add_audit(run.id, replace(made, audit="mechanism", turn=0))
    told = reporting.told_of(store, store.get(run.id))
    (audit,) = told.audits
    assert behind.audit_line(run, audit) == f"privgraph audit {run.id} --audit mechanism --trials 3000 --seed 5"
    assert behind.audit_line(run, audit) in behind.commands(asked([told], figures=[]))
    other = replace(audit, audit="white-box", delta=1e-4, confidence=0.9, seed=0)
    line = behind.audit_line(run, other)
    assert line.endswith("--audit white-box --canaries 3000 --confidence 0.9 --delta 0.0001"), "which counts canaries"


def test_what_has_no_noise_has_no_key_that_is_public_or_not(store: RunStore) -> None:
    private, bare = made_runs.statement(made_runs.edge_entries(9)), made_runs.statement((), unit="none")
    runs = [
        made_runs.finish(store, made_runs.spec("gnn", unit="none"), 0.8, bare),
        made_runs.finish(store, made_runs.spec(), 0.7, private),
        made_runs.finish(store, made_runs.spec("gap"), 0.7, with_public_noise(private)),
    ]
    lines = [Line(name=one.id, label="", record=one) for one in runs]
    rows = csv.DictReader(io.StringIO(tables.as_csv(lines).decode()))
    assert [row["noise_key_is_public"] for row in rows] == ["", "0", "1"]


def test_one_attack_on_several_runs_has_a_mean_and_from_three_on_an_interval() -> None:
    attacks = [replace(made_attack(seed=seed), run=f"gnn-{seed}") for seed in range(3)]
    (mean,) = attack_means.of(attacks)
    areas = [one.found[0] for one in attacks]
    assert mean.mean == pytest.approx(sum(areas) / 3, abs=1e-6)
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < mean.mean < mean.high
    (two,) = attack_means.of(attacks[:2])
    assert (two.runs, two.low) == (2, None)
    assert "over 2 runs (no interval)" in two.words
    assert attack_means.of(attacks[:1]) == []
    assert attack_means.of([attacks[0], attacks[0]]) == [], "one run"


def test_of_models_without_noise_others_are_told_the_mean_of_attacks_alone(store: RunStore) -> None:
    bare = made_runs.statement((), unit="none")
    runs = [made_runs.finish(store, made_runs.spec("gnn", unit="none", seed=s), 0.8 + s / 100, bare) for s in (4, 5)]
    told = [
        replace(reporting.told_of(store, one), attacks=[replace(made_attack(seed=s), run=one.id)])
        for s, one in enumerate(runs)
    ]
    told = [replace(one, elsewhere=other.attacks) for one, other in zip(told, reversed(told), strict=True)]
    given = fixed.averaged(asked(told, figures=[], share=True))
    (line,) = all_settings(given, chapters_of(given))
    (mean,) = line.attacked
    assert not line.attacks
    assert mean.mean == pytest.approx(sum(one.attacks[0].found[0] for one in told) / 2, abs=1e-6)
    (row,) = csv.DictReader(io.StringIO(tables.settings_csv([line]).decode()))
    assert float(row["mean_auc"]) == mean.mean
    assert "attack_auc" not in row
    single = replace(line, averaged=())
    (table,) = attack_table.table([single], {})
    assert isinstance(table, Table)
    assert table.rows[0][1] == attack_table.UNTOLD, "one was made"
    assert table.head == attack_table.ATTACKS[:-1], "without a column in which every row is empty"
    assert {len(row) for row in table.rows} == {len(table.head)}
    (means,) = attack_table.table([line], {})
    assert isinstance(means, Table)
    assert means.head == attack_table.ATTACKS


def _pages(pdf: bytes) -> list[bytes]:
    """How large they are: what a picture says makes it taller."""
    found = re.findall(rb"/MediaBox \[([^\]]*)\]", pdf)
    assert found
    return found


def test_latex_cites_keys_that_the_archive_ships() -> None:
    given = asked(two_runs(), appendix=False)
    files = opened(reporting.build(given))
    keys = set(re.findall(r"^@\w+\{(\S+),$", files["references.bib"].decode(), re.MULTILINE))
    cited = {
        name: {key for held in re.findall(r"\\cite\{([^}]*)\}", content.decode()) for key in held.split(",")}
        for name, content in files.items()
        if name.endswith(".tex")
    }
    assert all(cited.values()), "each figure and the table"
    assert set().union(*cited.values()) <= keys
    assert "sajadmanesh2024progap" in cited["tables/runs.tex"]
    assert latex.cited(["nothing", "gap"]) == r"GAP~\cite{sajadmanesh2023gap}"
    name = next(one for one in files if one.endswith("compare.tex") or one.endswith("attack_roc.tex"))
    one = next(figure for figure in ready(given)[0].figures if name.endswith(f"{figure.figure}.tex"))
    plain = export.pictures(one.figure, one.rows, one.statements, ("pdf",), whole=False, title=one.name, titled=False)
    whole = export.pictures(one.figure, one.rows, one.statements, ("pdf",), whole=False, title=one.name)
    made = files[name.replace(".tex", ".pdf")]
    assert _pages(made) == _pages(plain["pdf"]) != _pages(whole["pdf"]), "its caption says the rest"


def test_attacks_on_several_seeds_of_a_setting_are_one_figure() -> None:
    first, second = two_runs()
    second = replace(second, attacks=[replace(made_attack(seed=1), run=second.record.id)])
    figures = [one for one in reporting.usual([first, second]) if one.figure == "attack_roc"]
    assert len(figures) == 1
    assert figures[0].name.endswith("2 runs")
    names = {row["attack"] for row in figures[0].rows}
    assert len(names) == 2
    assert all("seed 3" in one or "seed 4" in one for one in names)


def test_a_roc_of_the_notebook_has_the_line_of_chance_and_the_names_of_its_axes() -> None:
    one = next(figure for figure in reporting.usual(two_runs()) if figure.figure == "attack_roc")
    content = export.export(one.figure, one.rows, one.statements, "csv")
    cell = report_plots.cell("attack_roc", "figures/a.csv", "T", content, "false alarms", "found")
    assert 'label="a guess by chance"' in cell
    assert "xlabel='false alarms', ylabel='found'" in cell
    assert "train" not in report_plots.IMPORTS, "others get no curves, nor a word of them"
    rows = b"run,metric,stage,step,value\n"
    assert "'train_loss': 'training loss'" in report_plots.cell("curves", "figures/b.csv", "T", rows), "no raw names"
    levels = report_plots.cell("standing", "c.csv", "T", b"kind,of,seed,value,low,high\nbare,ProGAP,,0.9,,\n")
    assert "without privacy" in levels
    assert "majority" not in levels + report_plots.IMPORTS, "no line that others do not get is named"
    compile(cell, "cell", "exec")
    compile(report_plots.IMPORTS.replace("%matplotlib inline", ""), "imports", "exec")
