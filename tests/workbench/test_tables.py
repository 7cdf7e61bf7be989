"""The table of a report: no accuracy stands alone, a CSV is numbers, and a LaTeX table fits its page."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs

from privgraph.privacy.kinds import Adversary
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.final_statement import NOISE_IS_PUBLIC, with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import latex, reporting, tables
from privgraph_workbench.tables import Line
from privgraph_workbench.words import meaning

ACCURACIES = (0.8, 0.75, 0.7)


@pytest.fixture
def records() -> list[RunRecord]:
    """Three seeds of one setting, each tested on 100 nodes."""
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    made = [
        made_runs.finish(store, made_runs.spec(seed=seed), accuracy, said) for seed, accuracy in enumerate(ACCURACIES)
    ]
    nodes = {"test_nodes": 100.0, "majority_class_accuracy": 0.4}
    audit: dict[str, Any] = {"epsilon_audited": 0.1349, "audit_confidence": 0.95, "adversary": Adversary.WORST_CASE}
    return [replace(one, metrics={**one.metrics, **nodes}, **audit) for one in made]


def test_an_accuracy_is_a_mean_with_its_interval(records: list[RunRecord]) -> None:
    table = tables.in_words([Line(name="a", label="A", record=records[0], same=records)], {})
    cells = dict(zip(table.head, table.rows[0], strict=True))
    assert cells["Test accuracy"] == "75.0% (62.6% to 87.4%; 3 seeds)", "no seed of three is quoted"
    for same, told in (
        ([], "80.0% (70.8% to 87.3%; one seed)"),
        (records[:2], "77.5% (2 seeds, no interval)"),
    ):
        alone = tables.in_words([Line(name="a", label="A", record=records[0], same=same)], {})
        assert alone.rows[0][-1] == told
    alike = [replace(one, metrics=records[0].metrics) for one in records]
    same_all = tables.in_words([Line(name="a", label="A", record=alike[0], same=alike)], {})
    assert same_all.rows[0][-1] == "80.0% (all 3 seeds alike)", "no interval without a width"
    none = tables.in_words([Line(name="a", label="A", record=replace(records[0], metrics={}), same=records)], {})
    assert none.rows[0][-1] == "—"


def test_the_store_tells_the_other_seeds(records: list[RunRecord]) -> None:
    store = RunStore.open()
    told = reporting.told_of(store, store.get(records[1].id))
    assert [one.spec.seed for one in told.same] == [0, 1, 2]


def test_what_must_be_known_of_an_epsilon_is_a_footnote_to_it(records: list[RunRecord]) -> None:
    open_, own = replace(records[0], gallery=True), records[1]
    told: tables.Notes = {}
    table = tables.in_words(
        [Line(name=str(at), label=str(at), record=one) for at, one in enumerate((open_, own))], told
    )
    notes = [f"[{place}] {text}" for text, place in told.items()]
    sound, audited = table.head.index("sound ε"), table.head.index("ε audited")
    assert table.rows[0][sound].endswith(" [1]")
    assert "[" not in table.rows[1][sound]
    assert all(row[table.head.index("ε as published")].endswith(" [2]") for row in table.rows), "why it is another"
    found = "the number, and below how it was found, and what that takes for granted"
    assert [row[audited] for row in table.rows] == ["at least 0.134 [3] [4]"] * 2, found
    assert notes[0] == f"[1] {NOISE_IS_PUBLIC[:1].upper()}{NOISE_IS_PUBLIC[1:]}."
    assert notes[1].startswith("[2] The ε as published is smaller than what is proved")
    assert notes[2].startswith("[3] Audited: confidence 95%")
    assert notes[3].startswith("[4] If ")
    assert len(notes) == 4
    bare = replace(open_, statement_json=statement_to_json(made_runs.statement((), unit="none")), epsilon_audited=None)
    nothing: tables.Notes = {}
    tables.in_words([Line(name="", label="", record=bare)], nothing)
    assert not nothing, "no noise, no key"


def test_what_each_setting_guarantees_is_a_table_for_people(records: list[RunRecord]) -> None:
    """Whom it hides, how often a guess is right, what is left out: that public noise holds nobody back stands
    in the cells."""
    store = RunStore.open()
    said = made_runs.statement(made_runs.node_entries(4.0), "node")
    node = made_runs.finish(store, made_runs.spec(unit="node"), 0.7, said)
    none = made_runs.finish(store, made_runs.spec("gnn", unit="none"), 0.7, made_runs.statement((), unit="none"))
    broken = replace(node, statement_json=None)
    opened = replace(records[0], statement_json=statement_to_json(with_public_noise(records[0].statement)))
    lines = [
        Line(name="", label=str(at), record=one) for at, one in enumerate((records[0], opened, node, none, broken))
    ]
    notes: tables.Notes = {}
    table, about, *below = tables.guarantees(lines, notes)
    assert isinstance(table, tables.Table)
    secret, public, people, nothing, unfinished = (dict(zip(table.head, row, strict=True)) for row in table.rows)
    chance = meaning.guess(records[0].statement.epsilon, records[0].statement.delta)
    assert 0.693 < chance < 0.694
    assert meaning.guess_of(records[0].statement) == pytest.approx(0.54424, abs=1e-5)
    assert secret["Right guesses at most"] == "69.4% (this noise: 54.5%)", "rounded up"
    assert (secret["Protects"], secret["Protection"]) == ("one connection (edge)", "strong")
    assert secret["Not covered"].startswith("several connections at once; features and labels [")
    assert public["Right guesses at most"] == "as run 100%; with secret noise 69.4% (this noise: 54.5%)"
    assert public["Protection"] == "as run none; with secret noise strong"
    assert "a person who was never in the graph" in people["Not covered"]
    assert (nothing["Protects"], nothing["sound ε"], nothing["Right guesses at most"]) == ("nothing", "∞", "100%")
    assert (nothing["Protection"], nothing["Not covered"]) == ("none", "everything")
    assert unfinished["Protects"] == "nothing: it did not finish"
    assert "whether a certain connection is in the graph, or whether a certain person took part or opted out" in str(
        about
    )
    assert any("Taken to be public: " in str(one) for one in below)
    assert not any("its key stands in the program" in str(one) for one in below), "the page says so once, in a box"
    first, *_ = tables.measured(lines, notes)
    assert isinstance(first, tables.Table)
    assert first.head == ("Setting", "sound ε", "ε as published", "ε audited", "Test accuracy", "Strongest attack")
    faulty = replace(records[0].statement, known_faults=("wrong",))
    assert meaning.in_short(faulty)[1] == "strong, but for known faults"


def test_a_csv_is_numbers(records: list[RunRecord]) -> None:
    said = records[0].statement
    assert said is not None
    lines = [
        Line(name="run-01", label="A", record=records[0], same=records, seed=False),
        Line(
            name="run-02",
            label="B",
            record=replace(records[1], statement_json=statement_to_json(replace(said, epsilon=math.inf))),
        ),
    ]
    first, second = csv.DictReader(io.StringIO(tables.as_csv(lines).decode()))
    texts = ("run", "label", "method", "graph", "stands", "protects", "metric")
    for name, value in (*first.items(), *second.items()):
        assert name in texts or value == "" or math.isfinite(float(value)) or name.startswith("epsilon_"), name
    assert float(first["epsilon_edge"]) == said.epsilon
    assert math.isinf(float(first["epsilon_node"])), "an edge is hidden, and no person"
    assert first["run"] == "run-01"
    assert first["graph"]
    assert first["seed"] == ""
    assert second["seed"] == "1"
    assert float(first["epsilon_sound"]) == said.epsilon
    assert math.isinf(float(second["epsilon_sound"]))
    assert first["epsilon_audited_at_least"] == "0.1349"
    assert first["score_percent"] == "80.0"
    assert first["mean_score_percent"] == "75.0"
    assert first["seeds_of_setting"] == "3"
    assert second["seeds_of_setting"] == "1"


def test_a_latex_table_is_no_wider_than_its_page(records: list[RunRecord]) -> None:
    tex = latex.table([Line(name="a", label="A & b_c", record=records[0], same=records)])
    wide = [float(share) for share in re.findall(r"p\{([0-9.]+)\\linewidth\}", tex)]
    assert len(wide) == len(tables.HEAD) + 1
    assert sum(wide) + 0.01 * (len(wide) - 1) <= 1
    assert r"A \& b\_c & edge & " in tex
    assert tex.count(r" \\") == 2
    assert "mechanisms played" not in tex[: tex.index(r"\end{tabular}")], "below, where there is room"
    assert "mechanisms played" in tex


def test_signs_and_powers_are_what_latex_prints(records: list[RunRecord]) -> None:
    """In LaTeX's own encoding of text, > prints an inverted question mark."""
    told = "ε > 100,000 at 1e-05, 2.5e-06, 3e+08; 10→1 <b> x1e5y 5–6"
    (tex,) = re.findall(r"TOLD (.*?) & edge", latex.table([Line(name="a", label=f"TOLD {told}", record=records[0])]))
    assert tex == (
        r"$\varepsilon$ $>$ 100,000 at $10^{-5}$, $2.5\cdot 10^{-6}$, $3\cdot 10^{8}$; 10$\to$1 $<$b$>$ x1e5y 5--6"
    )


def test_a_title_is_no_formula_for_a_spreadsheet(records: list[RunRecord], monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that a person uploads is called as that person likes."""
    monkeypatch.setattr(tables, "graph_of", lambda _: "=1+1")
    (row,) = csv.DictReader(io.StringIO(tables.as_csv([Line(name="a", label="A", record=records[0])]).decode()))
    assert row["graph"] == "'=1+1"


def test_settings_are_the_latex_table_in_numbers(records: list[RunRecord]) -> None:
    """A row a setting, by its mean; graphs stand below headings of their own."""
    lines = [
        Line(name="setting-01", label="ProGAP, ε 1", record=records[0], same=records, heading="Cora (public split)"),
        Line(name="setting-02", label="GAP, ε 1", record=records[1], same=records[1:2], heading="Digits"),
    ]
    first, second = csv.DictReader(io.StringIO(tables.settings_csv(lines).decode()))
    assert (first["setting"], first["mean_score_percent"]) == ("setting-01", "75.0")
    assert second["mean_score_percent"], "of a single run its own"
    assert "seed" not in first
    assert "stands" not in first
    tex = latex.table(lines)
    assert tex.count(r"\multicolumn{7}") == 2
    assert tex.index("Cora (public split)") < tex.index("ProGAP") < tex.index("Digits") < tex.index("\nGAP, ")
    one = latex.table([replace(lines[0], heading="")])
    assert "multicolumn" not in one


def test_what_reads_no_edge_has_an_epsilon_of_edges_and_none_of_people() -> None:
    store = RunStore.open()
    said = made_runs.statement((), "none")
    mlp = made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.5, said)
    (row,) = csv.DictReader(io.StringIO(tables.as_csv([Line(name="a", label="MLP", record=mlp)]).decode()))
    assert (float(row["epsilon_edge"]), float(row["epsilon_node"])) == (0.0, math.inf)
    assert row["protects"] == "every edge, no person"
