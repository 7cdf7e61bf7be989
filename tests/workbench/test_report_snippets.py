"""The caption of a figure for LaTeX: what it finds and how it is read stand before what is promised."""

from __future__ import annotations

from dataclasses import replace

from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import notes
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import snippets
from privgraph_workbench.words.naming import statements_of

FOUND = "To hide edges: **GAP**."


def _caption(tex: str) -> str:
    (line,) = [one for one in tex.splitlines() if r"\caption{" in one]
    return line


def test_what_is_found_and_how_it_is_read_stand_before_what_is_promised() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    runs = [made_runs.finish(store, made_runs.spec(seed=seed), 0.7 + seed / 100, said) for seed in range(3)]
    rows, held = tradeoff.data(runs), statements_of(runs)
    told = _caption(snippets.snippet("01-tradeoff", "Ours", "tradeoff", rows, held, own="Mine.", found=FOUND))
    parts = ["Ours.", "Author: Mine.", "To hide edges: GAP.", "Means over 3 seeds; bars and bands: 95\\% confidence"]
    parts += ["valuator only", "Protected unit: one edge."]
    places = [told.index(one) for one in parts]
    assert places == sorted(places)
    assert "runs on the same data" not in told, "what the statements say"
    assert len(told) < 650


def test_of_curves_the_area_with_its_interval_and_the_lines_are_told() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    run = made_runs.finish(store, made_runs.spec(), 0.7, said)
    rows = attack_roc.data([replace(made_attack(run.id), run=run.id)], "log", ["GAP"], ["edge"])
    found = "Strongest: AUC 0.7 (95% interval 0.6 to 0.8)."
    told = _caption(
        snippets.snippet("02", "Who was trained on?", "attack_roc", rows, statements_of([run]), found=found)
    )
    assert "Who was trained on? Strongest: AUC 0.7 (95\\% interval 0.6 to 0.8). " in told
    assert attack_roc.chart(rows).reading
    assert attack_roc.chart(rows).reading in attack_roc.chart(rows).notes
    assert told.index("ine: the") < told.index("Protected unit")
    many = [{**row, "attack": f"{at}", "caveat": f"{at} " + "differs " * 40} for at in range(2) for row in rows]
    assert snippets.CAVEATS in snippets.marks("attack_roc", many)
    assert snippets.CAVEATS not in snippets.marks("attack_roc", [{**row, "caveat": "Differs."} for row in rows])


def test_refuted_claims_are_counted_and_not_listed() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    refuted = replace(said, epsilon_as_published=0.1, epsilon_audited=0.5, audit_confidence=0.95)
    told = " ".join(snippets.promised({"GAP, edge ε 1": refuted, "ProGAP, edge ε 1": said}))
    assert "Attacks refute the ε as published of 1 of the 2 settings." in told
    assert "the sound ε stands" not in told
    assert "; audited" not in told
    assert told.endswith("settings.")
    assert "δ" in told


def test_a_caption_says_that_noise_is_public_and_what_guarantees_nothing() -> None:
    said, bare = made_runs.statement(made_runs.edge_entries(9)), made_runs.statement((), unit="none")
    held = {"GAP, edge ε 1": with_public_noise(said), "Graph network (not private)": bare}
    told = " ".join(snippets.promised(held))
    (warned,) = notes.warned(held)
    assert "public" in warned
    assert warned in told
    (nothing,) = notes.unprotected(held)
    assert "guarantees nothing" in nothing
    assert nothing in told
    assert "public" not in " ".join(snippets.promised({"GAP, edge ε 1": said}))


def test_a_claim_is_refuted_only_where_one_is_made() -> None:
    bare = made_runs.statement((), unit="none")
    claimed = replace(bare, epsilon_as_published=0.1, epsilon_audited=0.5, audit_confidence=0.95)
    assert "refute" not in " ".join(snippets.promised({"Graph network": claimed}))


def test_accuracies_of_private_labels_are_called_so() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    rows = tradeoff.data([made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said) for seed in range(2)])
    assert snippets._warned("tradeoff", rows) == [snippets.EVALUATOR]
