"""The caption of a figure for LaTeX: short, with what is promised below it, and what it finds as comments."""

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
    (line,) = [one for one in tex.splitlines() if r"\caption[" in one]
    return line


def _noted(tex: str) -> str:
    """The small letters below the caption."""
    (line,) = [one for one in tex.splitlines() if r"{\footnotesize" in one]
    return line


def _taken_over(tex: str) -> str:
    """The comments that an author may take over."""
    return tex[tex.index(snippets.TAKE_OVER) :]


def test_a_caption_says_what_is_drawn_and_what_holds_of_it_in_sixty_words() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    public = with_public_noise(said)
    runs = [made_runs.finish(store, made_runs.spec(seed=seed), 0.7 + seed / 100, said) for seed in range(3)]
    runs += [made_runs.finish(store, made_runs.spec(method="gap", seed=seed), 0.6, public) for seed in range(2)]
    rows, held = tradeoff.data(runs), statements_of(runs)
    assert len(held) == 2
    found = f"{FOUND}\n\n" + "ε 4: MLP 70.1% (tie with GAP (70.0%)). " * 8
    told = snippets.snippet(
        "01-tradeoff", "Accuracy against privacy, hiding edges, Cora", "tradeoff", rows, held, found=found,
        about="Settings of this figure: split random.",
    )  # fmt: skip
    caption = _caption(told).partition("]{")[2]
    assert len(caption.split()) <= 64, "for a paper"
    parts = ["Accuracy against privacy, hiding edges, Cora.", "bars and bands: 95\\% confidence", "evaluator's"]
    parts += ["sound, of one run", "Noise is public in 1 of 2 private settings"]
    places = [caption.index(one) for one in parts]
    assert places == sorted(places)
    assert "MLP" not in caption, "a finding is for its author to tell"
    assert "Protected unit" not in caption
    assert "Protected unit: one edge." in _noted(told)
    assert r"% To hide edges: GAP." in _taken_over(told)
    assert r"70.1\% (tie" in _taken_over(told)
    assert "Settings of this figure: split random." in _taken_over(told)
    assert all(line.startswith("%") for line in _taken_over(told).splitlines() if line)


def test_the_words_of_an_author_stand_behind_the_title() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    rows = tradeoff.data([run := made_runs.finish(store, made_runs.spec(), 0.7, said)])
    told = snippets.snippet("01", "Ours", "tradeoff", rows, statements_of([run]), own="Mine.", where="Graph: Cora.")
    assert r"\caption[{Ours}]{Ours. Graph: Cora. Author: Mine. " in told
    assert snippets.TAKE_OVER not in told, "nothing was found"


def test_of_curves_the_lines_are_told_and_what_differs_in_attacked_models_below() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    run = made_runs.finish(store, made_runs.spec(), 0.7, said)
    rows = attack_roc.data([replace(made_attack(run.id), run=run.id)], "log", ["GAP"], ["edge"])
    found = "Strongest: AUC 0.7 (95% interval 0.6 to 0.8)."
    rows = [{**row, "caveat": "Differs."} for row in rows]
    tex = snippets.snippet("02", "Who was trained on?", "attack_roc", rows, statements_of([run]), found=found)
    reading = attack_roc.chart(rows).reading
    assert reading
    assert reading in attack_roc.chart(rows).notes
    assert rf"{{Who was trained on? {reading} " in _caption(tex)
    assert "AUC 0.7 (95\\% interval 0.6 to 0.8)." in _taken_over(tex)
    assert "Differs." in _noted(tex)
    many = [{**row, "attack": f"{at}", "caveat": f"{at} " + "differs " * 40} for at in range(2) for row in rows]
    assert snippets.CAVEATS in snippets._known("attack_roc", many)
    assert snippets.CAVEATS not in snippets._known("attack_roc", rows)


def test_refuted_claims_are_counted_and_not_listed() -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    refuted = replace(said, epsilon_as_published=0.1, epsilon_audited=0.5, audit_confidence=0.95)
    told = " ".join(snippets.promised({"GAP, edge ε 1": refuted, "ProGAP, edge ε 1": said}))
    assert "Attacks refute the ε as published of 1 of the 2 settings." in told
    assert "the sound ε stands" not in told
    assert "; audited" not in told
    assert told.endswith("settings.")
    alone = " ".join(snippets.promised({"GAP, edge ε 1": refuted}))
    assert alone.endswith("Attacks refute the ε as published of this setting.")
    assert "δ" in told


def test_a_caption_says_that_noise_is_public_and_what_guarantees_nothing() -> None:
    said, bare = made_runs.statement(made_runs.edge_entries(9)), made_runs.statement((), unit="none")
    held = {"GAP, edge ε 1": with_public_noise(said), "Graph network (not private)": bare}
    told = " ".join(snippets.promised(held))
    assert snippets.ALL_PUBLIC in snippets.caption("ledger", [], held)
    (nothing,) = notes.unprotected(held)
    assert "guarantees nothing" in nothing
    assert nothing in told
    assert "public" not in " ".join(snippets.caption("ledger", [], {"GAP, edge ε 1": said}))


def test_a_claim_is_refuted_only_where_one_is_made() -> None:
    bare = made_runs.statement((), unit="none")
    claimed = replace(bare, epsilon_as_published=0.1, epsilon_audited=0.5, audit_confidence=0.95)
    assert "refute" not in " ".join(snippets.promised({"Graph network": claimed}))


def test_accuracies_of_private_labels_are_called_so() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    rows = tradeoff.data([made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said) for seed in range(2)])
    assert snippets._evaluator("tradeoff", rows) == [snippets.EVALUATOR]
