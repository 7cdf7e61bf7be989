"""What a report for others takes along, before anything of it is drawn or written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, Drawn, Told
from privgraph_workbench.reporting.withholding import without_seeds
from privgraph_workbench.words.naming import statements_of

METRICS = {"majority_class_accuracy": 0.3198765, "epsilon_data_dependent": 6.6831234, "teacher_accuracy": 0.5234567}
SEEDS = (3, 4)


@pytest.fixture
def mine() -> Asked:
    store = RunStore.open()
    said = made_runs.statement(made_runs.edge_entries(9))
    records = [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said, made_runs.learning(seed, steps=2), METRICS)
        for seed in SEEDS
    ]
    runs = [replace(reporting.told_of(store, one), attacks=[made_attack(one.id)]) for one in records]
    names = [f"ProGAP, seed {seed}" for seed in SEEDS]
    figure = Drawn(
        figure="tradeoff",
        rows=[{**row, "guess": 0.3198765} for row in tradeoff.data(records)],
        statements=statements_of(records) | dict(zip(names, [said] * 2, strict=True)),
        runs=records,
        beside=[replace(one, events=[]) for one in runs],
        title="Ours, seed 3",
        advice="None is clearly better than a guess (32.0%).",
    )
    return Asked(title="Ours", runs=runs, figures=[figure], share=True, notebook=False)


@pytest.fixture
def given(mine: Asked) -> Asked:
    return without_seeds(mine)


def _told(one: Asked) -> Iterator[Told]:
    yield from one.runs
    for figure in one.figures:
        yield from figure.beside


def test_of_a_run_nothing_is_given_that_follows_from_its_seed(mine: Asked, given: Asked) -> None:
    ids = [one.record.id for one in mine.runs]
    for before, one in zip(_told(mine), _told(given), strict=True):
        assert not one.events, "what happened in training"
        for record in (one.record, *one.same):
            assert record.metrics
            assert record.metrics.keys() <= for_others.METRICS
        assert one.record.spec.seed == 0
        assert one.seed in ("#1", "#2")
        assert not [run for run in ids if run[-12:] in f"{one.record.id} {one.said} {one.stands}"]
        assert not [attack.run for attack in one.attacks if attack.run in ids]
        assert "majority" in {row["kind"] for row in before.stands}
        assert "majority" not in {row["kind"] for row in one.stands}
        assert "naming the largest class" in before.said
        assert "naming the largest class" not in one.said
    assert [one.seed for one in given.runs] == ["#1", "#2"], "in the order of the report"


def test_of_a_figure_nothing_is_given_that_follows_from_a_seed(mine: Asked, given: Asked) -> None:
    (figure,) = given.figures
    assert len(figure.rows) == len(mine.figures[0].rows)
    assert not any("guess" in row for row in figure.rows)
    assert figure.title == "Ours, seed #1"
    assert not [label for label in figure.statements if "seed 3" in label or "seed 4" in label]
    assert {"ProGAP, seed #1", "ProGAP, seed #2"} <= figure.statements.keys()
    assert figure.advice == "", "these runs give none: what reads no edge is not among them"


def test_the_page_for_others_is_made_of_that_alone(mine: Asked) -> None:
    page = reporting.page(replace(mine, figures=[], runs=mine.runs[:1], appendix=False))
    assert "naming the largest class" not in page
    assert "70.0%" in page
