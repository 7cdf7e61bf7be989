"""What must be known of an attacked model goes where its figure goes, in the words of the page Attacks."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack
from tests.workbench.made_reports import opened, two_runs

from privgraph_workbench import reporting
from privgraph_workbench.figures.attacks import attack_areas, attack_roc
from privgraph_workbench.reporting import Asked, verdicts
from privgraph_workbench.words import caveats

pytestmark = pytest.mark.usefixtures("undrawn")

NODE = made_runs.statement(made_runs.node_entries(2.0), "node")


def test_a_model_trained_again_that_differs_and_tests_no_epsilon_is_told_so() -> None:
    found = replace(attack(), accuracy=0.5, said=0.7, steps=None, sound=2.0)
    said = caveats.of(found, NODE)
    assert said.startswith(caveats.trained_again(found))
    assert "This attack tests no ε" in said
    assert said.endswith(caveats.stand_in(found))
    assert caveats.in_short(found, NODE) == (
        "of a model trained again, 50.0% right where the run is 70.0%; it tests no ε"
    )
    near = replace(found, accuracy=0.69)
    assert caveats.stand_in(near) == ""
    assert caveats.in_short(near, None) == "of a model trained again"
    bare = replace(found, sound=math.inf)
    assert "noise of its own" not in caveats.of(bare, None)


def test_figures_of_attacks_carry_it_in_their_notes_and_verdicts() -> None:
    found = replace(attack(), accuracy=0.5, said=0.7)
    told = [(caveats.of(found, NODE), caveats.in_short(found, NODE))]
    for module, rows in (
        (attack_roc, attack_roc.data([found], "log", ["GAP"], caveats=told)),
        (attack_areas, attack_areas.data([found], ["GAP"], caveats=told)),
    ):
        assert f"GAP: {told[0][0]}" in module.chart(rows).notes
        figure = module.__name__.rpartition(".")[2]
        assert told[0][1] in verdicts.of(reporting.Drawn(figure=figure, rows=rows))
        without = [{key: value for key, value in row.items() if not key.startswith("caveat")} for row in rows]
        assert not any(caveats.trained_again(found) in note for note in module.chart(without).notes)


def test_a_card_is_short_where_the_model_stands_in_for_its_run() -> None:
    near = replace(attack(), accuracy=0.7, said=0.7)
    rows = attack_areas.data([near], ["GAP"], caveats=[(caveats.of(near, None), caveats.in_short(near, None))])
    assert caveats.AGAIN not in verdicts.of(reporting.Drawn(figure="attack_areas", rows=rows))


def test_a_report_tells_it_in_short_in_the_text_the_caption_and_on_the_page() -> None:
    (one, other) = two_runs()
    one = replace(one, attacks=[replace(at, accuracy=0.4, said=0.7) for at in one.attacks])
    runs = [one, other]
    asked = Asked(title="T", runs=runs, figures=reporting.usual(runs), share=True, notebook=False, appendix=False)
    files = opened(reporting.build(asked))
    (name,) = [name for name in files if name.endswith("attack_roc.txt")]
    stem = name.removesuffix(".txt")
    differ = "The attacked model is right about 40.0% of the test nodes, the run about 70.0%."
    assert differ in files[name].decode()
    assert differ.replace("%", r"\%") in files[f"{stem}.tex"].decode()
    page = files["report.html"].decode()
    assert differ in page
    assert "of a model trained again, 40.0% right where the run is 70.0%" in page
