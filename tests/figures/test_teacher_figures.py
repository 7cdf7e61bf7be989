"""Figures of teachers: what each teacher's nodes pay, and what their answers were."""

from dataclasses import replace

import numpy as np
import pytest
from tests.figures.made_answers import answers as made
from tests.figures.made_ensembles import DELTA, ensemble, moved_by_all

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.papers.dp_gpl_votes import Asked, teacher_epsilon
from privgraph_workbench.figures.teachers import answers, ensembles, one_answer, stopped, teacher_epsilons


@pytest.fixture(scope="module")
def found() -> Ensemble:
    return ensemble()


@pytest.fixture(scope="module")
def limited() -> Ensemble:
    """The heavy teachers reach the limit, the light ones do not; who has reached it votes no more."""
    return ensemble(limit=0.8)


class TestSpending:
    def test_everything_that_was_voted_on_is_paid_for(self, limited: Ensemble) -> None:
        spent = ensembles.spent(limited)
        for teacher in (0, 20, 39):
            took_part = limited.voting[teacher]
            for queries in (0, 1, 7, 20):
                asked = Asked(
                    queries=int(took_part[:queries].sum()),
                    answers=int((took_part & (limited.released >= 0))[:queries].sum()),
                    vote_sigma=limited.vote_sigma,
                    gate_sigma=limited.gate_sigma,
                )
                own = teacher_epsilon(asked, float(limited.weights[teacher]), DELTA)
                assert spent[teacher, queries] == pytest.approx(own, rel=1e-6)

    def test_nobody_spends_more_than_is_guaranteed(self, limited: Ensemble) -> None:
        assert (ensembles.spent(limited)[:, -1] <= limited.sound * (1 + 1e-9)).all()

    def test_data_dependent_spending_ends_where_the_record_says(self, found: Ensemble) -> None:
        trail = ensembles.spent(found, "data-dependent")
        assert trail[:, 0].tolist() == [0.0] * 40
        assert (np.diff(trail) >= -1e-12).all()
        assert trail[:, -1] == pytest.approx(found.dependent)

    def test_where_every_vote_may_move_a_node_is_charged_all(self, found: Ensemble) -> None:
        voided = moved_by_all(found)
        spent = ensembles.spent(voided)
        assert np.ptp(spent[:, -1]) == 0
        assert spent[0, -1] > 20 * ensembles.spent(found)[:, -1].max()


class TestEpsilons:
    def test_rows_are_teachers(self, found: Ensemble) -> None:
        rows = teacher_epsilons.data(found)
        assert [row["epsilon"] for row in rows] == found.sound.tolist()
        assert {row["size"] for row in rows} == {None}, "what is private leaves with no figure that does not draw it"
        assert not any(row["data_dependent"] for row in rows)
        other = teacher_epsilons.data(found, "data-dependent", "centrality", "strip")
        assert [row["size"] for row in other] == found.sizes.tolist()
        assert [row["epsilon"] for row in other] == found.dependent.tolist()
        assert all(row["data_dependent"] for row in other)
        with pytest.raises(ValueError, match="histogram, strip, cumulative"):
            teacher_epsilons.data(found, view="pie")


class TestStopped:
    def test_who_and_when(self, limited: Ensemble) -> None:
        rows = stopped.data(limited)
        gone = [row for row in rows if row["stopped_after"] is not None]
        assert 0 < len(gone) < 40
        for row in gone:
            took_part = limited.voting[row["teacher"]]
            assert took_part[: row["stopped_after"]].all()
            assert not took_part[row["stopped_after"] :].any()
            assert row["reached"]
            assert 0.5 < row["spent"] <= 0.8
        chart = stopped.chart(rows)
        assert {line.y[-1] for line in chart.series} >= {0.0, 1.0}


NAMES = ("north", "east", "south", "west")


class TestAllAnswers:
    def test_rows_say_what_the_record_holds(self) -> None:
        record = made(refuse=3)
        rows = answers.data(record, NAMES)
        assert [row["query"] for row in rows] == record.queries.tolist()
        assert [row["before"] for row in rows] == [NAMES[label] for label in record.before.argmax(axis=1)]
        assert [row["truth"] for row in rows] == [NAMES[label] for label in record.truth]
        assert [row["released"] for row in rows[-3:]] == [None] * 3
        assert [row["flipped"] for row in rows[-3:]] == [None] * 3
        changed = record.before.argmax(axis=1) != record.after.argmax(axis=1)
        assert answers.share(rows, "flipped") == pytest.approx(changed[:-3].mean())
        assert 0 < changed[:-3].mean() < 1
        ordered = np.sort(record.before, axis=1)
        assert [row["margin_before"] for row in rows] == pytest.approx((ordered[:, -1] - ordered[:, -2]).tolist())

    def test_a_tie_is_neither_changed_nor_unchanged(self) -> None:
        """The first of equal classes had no lead: a label that is another one was not changed by noise."""
        record = made("counts")
        level = record.before.copy()
        level[0], level[1] = [9, 9, 2, 0], [0, 9, 2, 9]
        released = record.released.copy()
        released[:2] = [1, 2]
        after = record.after.copy()
        after[:2] = [[0, 5, 1, 1], [0, 1, 5, 1]]
        ties = replace(record, before=level, after=after, released=released, truth=np.array([0, 0, *record.truth[2:]]))
        rows = answers.data(ties, NAMES)
        assert [row["before"] for row in rows[:2]] == ["north = east", "east = west"]
        assert [row["flipped"] for row in rows[:2]] == [None, None]
        assert [row["right_before"] for row in rows[:2]] == [0.5, 0.0]
        others = [row for row in rows if not row["level"]]
        assert answers.share(rows, "flipped") == answers.share(others, "flipped")
        chart = answers.chart(rows)
        assert sum(next(one for one in chart.series if one.name == "answered queries").y) == 2 * len(rows)


@pytest.mark.parametrize("kind", ["posterior", "log-posterior", "table", "votes", "counts"])
def test_one_answer_by_class(kind: str) -> None:
    record = made(kind, refuse=1)
    rows = one_answer.data(record, 4, NAMES)
    assert [row["before"] for row in rows] == pytest.approx(record.before[4].tolist())
    assert [row["after"] for row in rows] == pytest.approx(record.after[4].tolist())
    assert [row["name"] for row in rows if row["largest_after"]] == [NAMES[record.released[4]]]
    assert [row["name"] for row in rows if row["truth"]] == [NAMES[record.truth[4]]]
    chart = one_answer.chart(rows)
    for panel, column in enumerate(("before", "after")):
        (winner,) = [one for one in chart.series if one.panel == panel and one.name == "largest"]
        assert winner.x == (max(row[column] for row in rows),)
    assert any("released" in name for name in chart.panels[0].y.categories)


def test_what_was_drawn_on_the_page_is_no_release() -> None:
    """Of the run one label was released; of other noise one would be, and the figure says that it is not the
    run."""
    record = made()
    own, other = (one_answer.chart(one_answer.data(record, 3, own=mine)) for mine in (True, False))
    names = ["\n".join(chart.panels[0].y.categories) for chart in (own, other)]
    assert ["(would be released" in one for one in names] == [False, True]
    assert ["(released" in one for one in names] == [True, False]
