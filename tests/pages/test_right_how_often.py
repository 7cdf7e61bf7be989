"""The scale of outsider, worst case and promise: whose number stands on each of its lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.attacks.exchange import group_delta
from privgraph.audits.roc import least_area
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.views.parts import right_how_often
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import at_least, at_most, percent

OUTSIDER, ALLOWED = "an outsider, of models like this run", "what the sound ε allows that outsider"


@pytest.fixture
def record(store: RunStore) -> RunRecord:
    return store.get(keep(store, spec("dp-mlp", unit="node", epsilon=2.0)))


def lines(told: str) -> dict[str, str]:
    return dict(line.strip("| ").split(" | ", 1) for line in told.splitlines()[2:])


def test_the_strongest_attack_and_the_largest_bound_count(record: RunRecord) -> None:
    weak, strong = made_attack(record.id, memory=0.2), made_attack(record.id, memory=2.0)
    loud, quiet = made_audit(record.id, noise=3.0), made_audit(record.id, noise=0.7)
    least = [least_area(one) or 0.0 for one in (loud, quiet)]
    assert least[0] < least[1]
    for attacks, audits in (([weak, strong], [loud, quiet]), ([strong, weak], [quiet, loud])):
        told = lines(right_how_often.told(record, attacks, audits))
        assert told[OUTSIDER] == f"**{percent(strong.found[0])}**", "the area, and no end of its interval"
        assert told["the worst case: the same noise, on data made for the attack"].startswith(
            f"**{at_least(least[1])}** "
        )


def test_what_is_allowed_is_by_the_sound_epsilon(record: RunRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    assert record.statement is not None
    said = replace(record.statement, epsilon=1.0, delta=0.1, epsilon_as_published=0.5)
    monkeypatch.setattr(RunRecord, "statement", property(lambda _: said))
    told = lines(right_how_often.told(record, [made_attack(record.id)], []))
    most = f"**{at_most(meaning.ranked(1.0, 0.1))}**"
    assert most != f"**{at_most(meaning.guess(1.0, 0.1))}**"
    assert told["what the sound ε allows somebody who knows all but one record"] == most


def test_an_attack_whose_nodes_no_coin_drew_tests_no_epsilon(record: RunRecord) -> None:
    for found in (replace(made_attack(record.id), drawn=False), replace(made_attack(record.id), steps=None)):
        told = lines(right_how_often.told(record, [found], []))
        assert told[ALLOWED] == "no limit: it plays another game, and tests no ε"


def test_what_an_outsider_is_allowed_counts_delta_once_for_each_record_and_more(record: RunRecord) -> None:
    found = replace(made_attack(record.id), sound=1.0, delta=0.01, steps=2)
    told = lines(right_how_often.told(record, [found], []))
    most = at_most(meaning.guess(2.0, group_delta(1.0, 0.01, 2)))
    assert most != at_most(meaning.guess(2.0, 0.01))
    assert told[ALLOWED] == f"**{most}** :gray[2 records change: 2 times ε]"
