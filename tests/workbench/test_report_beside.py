"""Settings that stand in figures alone are told like those of the report's own runs; equal settings have one
name, and the strongest attack on each is in the table."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack

from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import attack_table, latex, reporting, tables
from privgraph_workbench.blocks import unmarked
from privgraph_workbench.facts import composition
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, Drawn, chapters, findings, first_page
from privgraph_workbench.words import strongest
from privgraph_workbench.words.naming import run_labels, statements_of
from privgraph_workbench.words.statements_apart import merged

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def finished(store: RunStore, method: str, accuracies: tuple[float, ...], epsilon: float = 1.0) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(store, made_runs.spec(method, seed=40 + seed, epsilon=epsilon), value, said)
        for seed, value in enumerate(accuracies)
    ]


def report_of(store: RunStore, others: list[RunRecord], **changed: Any) -> Asked:
    """A report of a ProGAP run, and a figure of others."""
    own = finished(store, "progap", (0.7, 0.71, 0.72))
    figure = reporting.drawn(store, "tradeoff", tradeoff.data(others), statements_of(others))
    given: dict[str, Any] = {
        "title": "T",
        "notebook": False,
        "runs": [reporting.told_of(store, own[0])],
        "figures": [figure],
    }
    return Asked(**{**given, **changed})


def files_of(given: Asked) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(reporting.build(given))) as packed:
        return {name.partition("/")[2]: packed.read(name).decode(errors="replace") for name in packed.namelist()}


def test_a_model_of_a_figure_is_in_the_verdict_the_tables_and_the_statements(store: RunStore) -> None:
    gap = finished(store, "gap", (0.8, 0.81, 0.82))
    given = report_of(store, gap, appendix=False)
    files = files_of(given)
    page = re.sub("<[^>]*>", "", files["report.html"])
    assert "GAP, edge ε 0.8142 (ε 1 asked for) has the highest mean accuracy, 81.0%." in page
    assert f"{first_page.ALONE}GAP was trained on Made-up social network" in page
    assert page.count("81.0% (78.5% to 83.5%; 3 seeds)") >= 2, "in the table and as the figure's finding"
    assert "statements/figure-gap-made-up-social-network-edge-eps1-secret.json" in files
    label, runs, *_ = files["statements/figure-gap-made-up-social-network-edge-eps1-secret.txt"].split("\n")
    assert label.startswith("GAP on Made-up social network, edge ε")
    named = ", ".join(f"{one.id} (seed {one.spec.seed})" for one in gap)
    assert runs == f"Runs: {named}, in figures alone.", "all that its mean is of"
    assert r"GAP, edge $\varepsilon$" in files["tables/runs.tex"]
    assert latex.ALONE.strip() in files["tables/runs.tex"], "a rule parts it from the report's own"
    caption = next(content for name, content in files.items() if name.endswith("tradeoff.tex"))
    assert latex.text(unmarked(findings.of(given.figures[0]))) in caption, "what is found is there to be taken over"


def test_a_report_for_others_tells_no_seed_of_them(store: RunStore) -> None:
    gap = finished(store, "gap", (0.8, 0.81, 0.82))
    files = files_of(report_of(store, gap, share=True))
    assert "statements/figure-gap-made-up-social-network-edge-eps1-secret.txt" in files
    for name, content in files.items():
        if not name.endswith((".png", ".pdf")):
            assert not re.search(r"seed 4\d", content), name
            assert not any(one.id in content for one in gap), name


def test_many_of_them_have_a_section_and_the_best_of_them_is_in_the_verdict(store: RunStore) -> None:
    others = [one for place in range(7) for one in finished(store, "gap", (0.7 + place / 50,), epsilon=1.0 + place)]
    given = report_of(store, others, share=True, appendix=False)
    assert len(given.beside) == 7 > first_page.MOST_BESIDE
    page = reporting.page(given)
    assert f"<h2>{first_page.ALONE}</h2>" in page
    summary = re.sub("<[^>]*>", "", page[page.index("<h2>What is reported") : page.index(f"<h2>{first_page.ALONE}")])
    assert "7 more settings stand in figures alone" in summary
    assert "At ε 1: " in summary, "a setting is ahead of those of its own ε alone"
    assert "has the highest mean accuracy, 71.0%" in summary
    assert "has the highest mean accuracy, 82.0%" not in summary
    assert "82.0% (1 seed" in summary, "it has a row"


def test_what_their_means_are_of_is_counted(store: RunStore) -> None:
    gap = finished(store, "gap", (0.8, 0.81, 0.82))
    given = report_of(store, gap)
    alone = replace(given, figures=[replace(given.figures[0], runs=gap[:1], beside=given.figures[0].beside)])
    whole = composition.together([given.runs[0].record], [*given.runs[0].same, *gap])
    assert first_page.composed(alone) == whole, "each run behind its mean"
    assert Drawn(figure="tradeoff", rows=[]).beside == ()


def test_equal_settings_have_one_name_and_others_say_what_differs(store: RunStore) -> None:
    one, two = finished(store, "progap", (0.7, 0.71))
    assert one.statement is not None
    shown = replace(one.statement, epsilon_audited=0.2, audited_by="mechanism")
    held = statements_of([one, two], lambda run, said: shown if run is two else said)
    assert list(held.values()) == [shown], "with what an audit of any of them has shown"
    public = with_public_noise(one.statement)
    told = merged([one.statement, public, shown])
    assert told == {"secret noise": shown, "public noise": public}
    larger = replace(one.statement, epsilon=3.0)
    assert list(merged([one.statement, larger])) == ["sound ε 0.8142", "sound ε 3"]
    assert len(merged([one.statement, larger, public, replace(public, epsilon=3.0)])) == 4
    names = statements_of([one, two], lambda run, said: public if run is two else said)
    assert not any("(2)" in name for name in names)
    other = made_runs.finish(store, made_runs.spec("progap", seed=50), 0.7, public)
    labels = run_labels([one, other], seeds=False)
    assert labels == ["ProGAP (secret noise)", "ProGAP (public noise)"]


def test_the_strongest_attack_on_a_setting_stands_in_its_row(store: RunStore) -> None:
    (run, other) = finished(store, "progap", (0.7, 0.71))
    weak, strong = attack(memory=0.2, name="lira"), attack(memory=2.0, name="rmia")
    assert strongest.strongest([weak, strong]) == [strong]
    told = replace(reporting.told_of(store, run), attacks=[weak, strong])
    given = Asked(title="T", runs=[told, reporting.told_of(store, other)])
    lines = first_page.settings_of(chapters.chapters_of(given))
    table, about, more, *_ = tables.measured(lines, {})
    assert isinstance(table, tables.Table)
    area = f"AUC {strong.found[0]:.3f}"
    assert table.rows[0][-1].startswith(f"who was trained on: {area} (")
    assert table.rows[0][-1].endswith(", by RMIA")
    assert (isinstance(about, str), more) == (True, attack_table.ATTACKED)
    (own,) = attack_table.table(lines, {})
    assert isinstance(own, tables.Table)
    assert own.rows[0][1:3] == ("who was trained on", "RMIA")
    assert own.rows[0][3].startswith(f"{strong.found[0]:.3f} (")
    first, second = tables.as_csv(first_page.lines_of(given)).decode().split("\n")[1:3]
    assert ",rmia,who was trained on," in first
    assert second.endswith(",,,,,,"), "nothing was made on it"
    bare = [replace(one, attacks=()) for one in lines]
    plain = tables.measured(bare, {})[0]
    assert isinstance(plain, tables.Table)
    assert plain.rows[0][-1] == strongest.NONE
    assert not for_others.leaves("attack_map", []), "what shows single nodes stays out of reports for others"


def test_every_run_and_attack_behind_it_can_be_made_again(store: RunStore) -> None:
    """Also those of means and figures; for others nothing tells a seed."""
    gap = finished(store, "gap", (0.8, 0.81, 0.82))
    store.add_attack(gap[1].id, replace(attack(name="lira"), run=gap[1].id))
    given = report_of(store, gap, appendix=False)
    files = files_of(given)
    script = files["reproduce.sh"]
    assert script.count("for seed in 40 41 42; do") == 2, "the report's own setting, and that of the figure"
    assert f"privgraph attack {gap[1].id} lira" in script
    assert "figure 1" in script
    rows = list(csv.DictReader(io.StringIO(files["tables/runs.csv"])))
    assert [row["stands"] for row in rows] == ["told here", *["only in means"] * 2, *["only in figures"] * 3]
    assert {row["run"] for row in rows[3:]} == {one.id for one in gap}
    assert len(list(csv.DictReader(io.StringIO(files["tables/settings.csv"])))) == 2
    shared = files_of(replace(given, share=True))
    assert "reproduce.sh" not in shared
    rows = list(csv.DictReader(io.StringIO(shared["tables/runs.csv"])))
    assert len(rows) == 6
    assert not any("seed" in row for row in rows)
    assert not any(one.id in shared["tables/runs.csv"] for one in (*gap, given.runs[0].record))


def test_settings_of_two_graphs_stand_below_their_graphs(store: RunStore) -> None:
    """In the one table of settings a row says of which graph each is."""
    said = made_runs.statement(made_runs.edge_entries(9))
    others = [
        made_runs.finish(store, made_runs.spec("gap", "karate", seed=40 + seed), 0.7 + seed / 100, said)
        for seed in range(3)
    ]
    page = reporting.page(report_of(store, others, appendix=False))
    summary = page[page.index("<h2>What is reported") :]
    (row,) = re.findall(r'<tr><td data-head="">Graph</td>(.*?)</tr>', summary)
    assert re.findall(">([^<]+)</td>", row) == ["Made-up social network", "Karate club"]


def test_a_setting_is_told_with_what_attacks_on_any_of_its_runs_have_shown(store: RunStore) -> None:
    records = finished(store, "progap", (0.70, 0.71, 0.72))
    records[1] = replace(records[1], epsilon_audited=0.7)
    runs = [replace(reporting.told_of(store, one), record=one) for one in records]
    runs[2] = replace(runs[2], attacks=[attack(records[2].id)])
    (line,) = first_page.settings_of(chapters.chapters_of(Asked(title="Ours", runs=runs)))
    assert line.record.epsilon_audited == 0.7
    assert [one.run for one in line.attacks] == [records[2].id]


def test_public_noise_of_a_setting_in_figures_alone_is_said_on_the_first_page(store: RunStore) -> None:
    (own,), (shown,) = finished(store, "progap", (0.7,)), finished(store, "gap", (0.6,))
    assert shown.statement is not None
    shown = replace(shown, statement_json=statement_to_json(with_public_noise(shown.statement)))
    figure = Drawn(figure="tradeoff", rows=[], beside=[replace(reporting.told_of(store, shown), record=shown)])
    told = first_page._public(Asked(title="T", runs=[reporting.told_of(store, own)], figures=[figure]))
    assert told is not None
    assert (
        told.title == "As run, one of the two private runs here (of 2 settings) protects nobody: their noise is public"
    )
