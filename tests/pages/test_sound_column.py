"""Lists of runs show as sound what the noise does guarantee, and not what was asked for."""

from __future__ import annotations

from tests.pages.kept_runs import keep, spec

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.runs import page
from privgraph_workbench.words.numbers import upper
from privgraph_workbench.words.statements import three_numbers


def told_and_true(store: RunStore) -> tuple[set[str], str, str]:
    """The sound epsilon by all tables, the true one, and the one asked for, by a published formula."""
    run = keep(store, spec("gap", unit="edge", epsilon=2.0, accounting="published"))
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    assert record.statement is not None
    told = {page.row(found)["sound_epsilon"], upper(found["sound_epsilon"])}
    told |= {column["sound ε"] for column in page.comparison([record]).values()}
    return told, upper(record.statement.epsilon), upper(found["epsilon"])


def test_every_table_of_runs_tells_the_sound_epsilon(store: RunStore) -> None:
    told, true, asked = told_and_true(store)
    assert true != asked, "a run whose sound epsilon is the one asked for shows nothing"
    assert told == {true}


def test_the_list_of_runs_says_what_cards_say(store: RunStore) -> None:
    """One number in the same digits wherever it stands, and a method by its title."""
    run = keep(store, spec("heter-poisson", unit="node", epsilon=8.0, batch_size=20), accuracy=0.81234)
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    (compared,), listed = page.comparison([record]).values(), page.row(found)
    assert listed["method"] == "HeterPoisson"
    assert f"{listed['test_accuracy']:.1f}%" == compared["test accuracy"] == "81.2%"
    assert page.COLUMNS["test_accuracy"]["type_config"]["format"] == "%.1f%%"
    assert record.statement is not None
    for kind, (title, said) in zip(EPSILONS, three_numbers(record.statement), strict=True):
        assert compared[title] == said
        assert listed[f"{kind}_epsilon"] in (said, "")
