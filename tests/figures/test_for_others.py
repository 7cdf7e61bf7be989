"""What may leave with a report for others tells neither a node nor a seed nor a value before noise."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.figures import made_ensembles, made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import stretches
from privgraph_workbench.facts.expecting import Outlook, reached
from privgraph_workbench.figures import FIGURES, chart_of, for_others, module_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import compare, expected, standing, tradeoff
from privgraph_workbench.figures.teachers import teacher_epsilons
from privgraph_workbench.withheld import Withheld

TELLING = {
    *("node", "query", "index", "member", "source", "target", "centre", "text", "partner"),
    *("before", "right_before", "margin_before", "largest_before", "votes", "heads", "truth", "flipped", "level"),
    *("teacher", "size", "centrality", "right", "exposure", "step"),
}
"""Columns that name nodes, hold votes before noise, or follow training."""
INVENTED = frozenset({"friends_tell", "edges_or_people", "many_teachers", "claims_played"})
"""Figures of invented people, whose column `right` is no label's."""


def test_every_figure_stays_or_leaves_and_has_a_reason_to_stay() -> None:
    assert set(FIGURES) >= for_others.LEAVE | for_others.FLAGGED
    assert not for_others.LEAVE & for_others.FLAGGED
    assert set(for_others.WHY_NOT) == set(FIGURES) - for_others.LEAVE


@pytest.mark.long
def test_no_figure_that_leaves_has_a_telling_column(every_figure: Mapping[str, Sequence[Row]]) -> None:
    leaving = [name for name in every_figure if for_others.leaves(name, every_figure[name])]
    assert len(leaving) > 20
    for name in leaving:
        rows = Withheld().rows(for_others.rows(name, every_figure[name]))
        columns = {column for row in rows for column in row}
        found = columns & TELLING - ({"right"} if name in INVENTED else set())
        assert not found, f"{name}: {sorted(found)}"
        seeds = [row.get("seed") for row in rows]
        assert all(one is None or re.fullmatch(r"#\d+", str(one)) for one in seeds), name
        assert chart_of(name, rows).series, f"{name}: something is drawn of what is left"


@pytest.mark.parametrize("name", sorted(for_others.LEAVE - INVENTED))
def test_no_column_that_is_described_tells(name: str) -> None:
    """Also those that the rows above happen not to have."""
    said = inspect.getdoc(module_of(name).data) or ""
    named = {word for line in said.split(".") for word in re.findall(r"(?:^|, |: )([a-z_]+)(?=,| \(|$)", line)}
    assert not named & (TELLING - {"right", "level"}), name


@pytest.mark.parametrize("name", ["answers", "one_answer", "one_vote", "chosen", "consensus", "teacher_times"])
def test_what_shows_queries_and_votes_stays(name: str) -> None:
    assert not for_others.leaves(name, [{"data_dependent": False, "private": False}])


def test_a_figure_of_tomorrow_stays_until_somebody_names_it() -> None:
    assert not for_others.leaves("a figure of tomorrow", [])
    assert for_others.why_not("a figure of tomorrow")


def test_what_stays_is_told_with_its_reason_and_once() -> None:
    assert for_others.told([("Ours", for_others.stays("tradeoff", [{"epsilon": 1.0}]))]) == ""
    stay = [("answers", "Votes"), ("chosen", "Who"), ("curves", "Curves"), ("chosen", "Who")]
    said = for_others.told((title, for_others.stays(figure, [])) for figure, title in stay)
    assert said.startswith("Left out are Votes, Who (they name single nodes or texts); Curves (they follow training")


def test_the_sound_epsilon_of_teachers_leaves_and_hangs_on_no_private_node() -> None:
    """It follows from options alone: other votes, sizes, centralities and graphs give the same rows."""
    one = made_ensembles.ensemble()
    given = teacher_epsilons.data(one)
    assert for_others.leaves("teacher_epsilons", given)
    other = replace(
        one,
        votes=(one.votes + 1) % one.classes,
        sizes=one.sizes + 1,
        centrality=one.centrality[::-1] / 2,
        dependent=one.dependent * 2,
        accuracy=one.accuracy / 2,
        released=(one.released + 1) % one.classes,
    )
    assert for_others.rows("teacher_epsilons", teacher_epsilons.data(other)) == (
        rows := for_others.rows("teacher_epsilons", given)
    )
    assert not {column for row in rows for column in row} & TELLING
    assert chart_of("teacher_epsilons", rows).series


@pytest.mark.parametrize(
    ("asked", "per_teacher"),
    [
        ({"measure": "data-dependent"}, True),
        ({"by": "centrality"}, True),
        ({"view": "strip"}, True),
        ({}, False),  # weighted by centralities of private nodes
    ],
)
def test_an_epsilon_of_teachers_that_hangs_on_private_nodes_stays(asked: dict[str, str], per_teacher: bool) -> None:
    given = teacher_epsilons.data(replace(made_ensembles.ensemble(), per_teacher=per_teacher), **asked)
    assert given
    assert not for_others.leaves("teacher_epsilons", given)
    assert "data-dependent ε, or teachers as they are" in for_others.stays("teacher_epsilons", given)


def test_rows_without_flags_stay() -> None:
    assert not for_others.leaves("teacher_epsilons", [])
    assert not for_others.leaves("teacher_epsilons", [{"epsilon": 1.0, "data_dependent": 0, "private": 0}])


MAJORITY = 0.3103448275862069


@pytest.fixture
def measured(store: RunStore) -> list[RunRecord]:
    """Runs of three seeds, with what their test nodes tell without a model."""
    said = made_runs.statement(made_runs.edge_entries(9))
    return [
        made_runs.finish(
            store, made_runs.spec(seed=seed), 0.7, said, more={"majority_class_accuracy": MAJORITY, "test_nodes": 406.0}
        )
        for seed in (3, 4, 5)
    ]


def test_no_row_tells_the_largest_class(measured: list[RunRecord]) -> None:
    """Its share of the test nodes is a function of split and labels."""
    told = Outlook(points=(), majority=MAJORITY, bare=reached(measured))
    for name, rows in (
        ("standing", standing.data(measured[0], measured, told)),
        ("expected", expected.data(told)),
        ("tradeoff", tradeoff.data(measured)),
    ):
        assert str(MAJORITY) in str(rows), name
        assert str(MAJORITY) not in str(for_others.rows(name, rows)), name


def test_rows_of_other_measures_stay(measured: list[RunRecord]) -> None:
    assert tradeoff.data(measured, "val_accuracy")
    assert for_others.rows("tradeoff", tradeoff.data(measured, "val_accuracy")) == []
    (first, *_) = for_others.rows("compare", compare.data(measured))
    assert (first["train_accuracy"], first["val_accuracy"]) == (None, None)
    assert first["test_accuracy"] == pytest.approx(0.7)


def test_advice_loses_how_often_a_guess_is_right() -> None:
    class Seen:
        guess = MAJORITY

    said = f"None is clearly better than {stretches.guess_words(Seen())}: the best, GAP (33.0%)."  # type: ignore[arg-type]
    assert "31.0%" in said
    assert for_others.advice(said) == (
        "None is clearly better than a guess (its share is left out): the best, GAP (33.0%)."
    )
