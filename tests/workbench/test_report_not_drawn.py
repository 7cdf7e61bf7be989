"""A figure of attacks for others says which attacks are not drawn, and what they found, whichever seeds one's
own runs have and whatever was drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.reporting import Asked, Drawn, findings, not_drawn, withholding
from privgraph_workbench.reporting.noises import apart
from privgraph_workbench.reporting.twins import Twins


@pytest.fixture
def own() -> RunRecord:
    said = made_runs.statement(made_runs.edge_entries(9))
    return made_runs.finish(RunStore.open(), made_runs.spec(), 0.7, said)


def _asked(own: RunRecord, *, share: bool = True, twins: bool = True) -> Asked:
    found = made_attack(own.id)
    told = reporting.told_of(RunStore.open(), own)
    told = replace(told, attacks=[found], twins=Twins(runs=[own], attacks=[found]) if twins else None)
    figure = Drawn(figure="attack_areas", rows=attack_areas.data([found], ["GAP, edge"]), runs=[own], beside=[told])
    return Asked(title="T", runs=[told], figures=[figure], share=share, notebook=False)


def test_what_is_not_drawn_and_what_it_found_stands_below_the_figure(own: RunRecord) -> None:
    asked = _asked(own)
    (figure,) = apart(asked).figures
    assert not_drawn.ATTACKS in figure.left_out
    found = made_attack(own.id).found[0]
    assert figure.left_out.endswith(f", public noise: AUC {found:.3f} by BaVarIA.")
    assert not_drawn.ATTACKS in findings.about(figure)
    card = withholding.decided(asked, {"a": asked.figures[0]})["a"].given
    assert card is not None
    assert card.left_out == figure.left_out, "on the page as in the archive"


def test_what_was_not_asked_in_the_figure_is_not_named(own: RunRecord) -> None:
    asked = _asked(own)
    rows = [{**row, "asks": "who is connected to whom"} for row in asked.figures[0].rows]
    (figure,) = apart(replace(asked, figures=[replace(asked.figures[0], rows=rows)])).figures
    assert figure.left_out.endswith(not_drawn.ATTACKS)


def test_for_oneself_and_where_the_gallery_has_no_such_setting_nothing_is_said(own: RunRecord) -> None:
    for asked in (_asked(own, share=False), _asked(own, twins=False)):
        (figure,) = apart(asked).figures
        assert not_drawn.ATTACKS not in figure.left_out


def test_of_a_setting_each_question_of_the_figure_is_named(own: RunRecord) -> None:
    asked = _asked(own)
    edges = replace(made_attack(own.id), attack="link")
    (told,) = asked.runs
    assert told.twins is not None
    both = replace(told, twins=replace(told.twins, attacks=[*told.twins.attacks, edges]))
    rows = asked.figures[0].rows
    rows = [*rows, {**rows[0], "asks": "who is connected to whom", "attack": "other"}]
    figure = replace(asked.figures[0], rows=rows)
    said = not_drawn.told(figure, replace(asked, runs=[both])).left_out
    assert " by BaVarIA" in said
    assert " by stolen edges" in said
