"""What is said of a setting is said of all its seeds: the largest epsilon of each kind stands for it,
whichever seed has it, and its files carry the statement of every run.

Three seeds of a setting, each of which has one of the largest numbers, and the first has none.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.commands import compare as command
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.parts import run_rows
from privgraph_workbench.words.statements import merged

NOISES = (6.0, 4.0, 5.0)
"""On aggregates, by seed: the second run has the largest sound epsilon."""
PUBLISHED = (1.0, 1.5, 2.5)
AUDITED = (None, 0.2, 0.4)
"""By seed: the third run has the largest epsilon as published, and the largest that an attack has shown."""


def statements() -> list[PrivacyStatement]:
    made = []
    for noise, published, audited in zip(NOISES, PUBLISHED, AUDITED, strict=True):
        one = replace(made_runs.statement(made_runs.edge_entries(noise)), epsilon_as_published=published)
        if audited is not None:
            one = replace(one, epsilon_audited=audited, audit_confidence=0.95, audited_by="mechanism")
        made.append(one)
    return made


def seeds(store: RunStore) -> list[RunRecord]:
    return [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.7 + 0.01 * seed, said, made_runs.learning(seed, steps=4))
        for seed, said in enumerate(statements())
    ]


def largest() -> tuple[float, float, float]:
    said = statements()
    return max(one.epsilon for one in said), PUBLISHED[2], 0.4


def of_row(row: Any) -> tuple[float | None, ...]:
    return tuple(row[name] for name in ("epsilon", "epsilon_as_published", "epsilon_audited"))


def another(store: RunStore) -> RunRecord:
    """A run of another method, beside which the seeds are one setting."""
    return made_runs.finish(store, made_runs.spec("gap"), 0.6, made_runs.statement(made_runs.edge_entries(9.0)))


def told(records: Sequence[RunRecord], other: RunRecord) -> dict[str, tuple[float | None, ...]]:
    """The three epsilons of the setting, wherever a table, figure or file has them as numbers."""
    (row,) = tradeoff.data(records)
    beside = next(one for one in compare.data([*records, other]) if one["method"] == "progap")
    rows = json.loads(json.dumps(command.setting_row(row)))
    return {"tradeoff": of_row(row), "compare": of_row(beside), "privgraph compare": of_row(rows)}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_the_largest_epsilon_of_each_kind_stands_for_the_setting(store: RunStore, order: tuple[int, ...]) -> None:
    """In whatever order its runs come."""
    runs = seeds(store)
    for place, found in told([runs[seed] for seed in order], another(store)).items():
        assert found == largest(), place


def test_the_list_of_runs_shows_the_largest_of_all_seeds(store: RunStore) -> None:
    """Those of the second and the third, as they are shown alone."""
    runs = seeds(store)
    rows = {one["id"]: one for one in store.find_rows()}
    shown = run_rows._epsilons([rows[one.id] for one in runs])
    alone = [run_rows._epsilons([rows[one.id]]) for one in runs]
    assert [one["kind"] for one in shown] == ["sound", "published"]
    assert [one["text"] for one in shown] == [alone[1][0]["text"], alone[2][1]["text"]]
    assert shown[0]["text"] not in {alone[0][0]["text"], alone[2][0]["text"]}


def test_repetitions_that_say_the_same_keep_what_an_attack_has_shown_of_any() -> None:
    """One statement of equal ones, with the largest bound."""
    bare = statements()[0]
    shown = [bare, replace(bare, epsilon_audited=0.3), replace(bare, epsilon_audited=0.1)]
    (one,) = merged(shown)
    assert one.epsilon_audited == 0.3
