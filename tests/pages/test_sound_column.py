"""Lists of runs show as sound what the noise does guarantee, and not what was asked for."""

from __future__ import annotations

from dataclasses import replace

from tests.pages.kept_runs import keep, spec

from privgraph.privacy.kinds import Adversary
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.runs import listed
from privgraph_workbench.views.runs.side_by_side import comparison
from privgraph_workbench.words.numbers import upper
from privgraph_workbench.words.statements import three_numbers


def told_and_true(store: RunStore) -> tuple[set[str], str, str]:
    """The sound epsilon by all tables, the true one, and the one asked for, by a published formula."""
    run = keep(store, spec("gap", unit="edge", epsilon=2.0, accounting="published"))
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    assert record.statement is not None
    told = {listed.row([found], {})["epsilons"][0]["text"], upper(found["sound_epsilon"])}
    told |= {column["sound ε"] for column in comparison([record]).values()}
    return told, upper(record.statement.epsilon), upper(found["epsilon"])


def test_every_table_of_runs_tells_the_sound_epsilon(store: RunStore) -> None:
    told, true, asked = told_and_true(store)
    assert true != asked, "a run whose sound epsilon is the one asked for shows nothing"
    assert told == {true}


def test_the_list_of_runs_says_what_cards_say(store: RunStore) -> None:
    """One number in the same digits wherever it stands, and a method by its title."""
    run = keep(store, spec("heter-poisson", unit="node", epsilon=8.0, batch_size=20), accuracy=0.81234)
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    (compared,), shown = comparison([record]).values(), listed.row([found], {run: record})
    assert shown["title"] == "HeterPoisson"
    assert shown["accuracy"] == compared["test accuracy"] == "81.2%"
    assert record.statement is not None
    said = dict(three_numbers(record.statement))
    listed_as = {one["title"]: one["text"].removesuffix(" published") for one in shown["epsilons"]}
    assert listed_as.items() <= said.items()
    assert said.items() == {title: compared[title] for title in said}.items()
    assert {one["kind"] for one in shown["epsilons"]} == {"sound", "published"} <= set(EPSILONS)


def test_side_by_side_a_bound_says_what_it_takes_for_granted(store: RunStore) -> None:
    record = store.get(keep(store, spec("gap", unit="edge", epsilon=8.0)))
    audited = replace(
        record, epsilon_audited=2.5, audit_confidence=0.95, audited_by="mechanism", adversary=Adversary.WORST_CASE
    )
    (column,) = comparison([audited]).values()
    assert "if the noise is Gaussian, as the ledger says" in column[EPSILONS["audited"].title]
