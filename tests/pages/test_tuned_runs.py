"""What a tuning tried is marked on the list of runs and on each run's page, and promises nothing."""

from dataclasses import replace

import pytest
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open, drawn

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph.runs.trials import NOT_RELEASED, Terms, Trial
from privgraph.runs.tunings import Tunings
from privgraph_workbench.facts.composition import together
from privgraph_workbench.parts import one_run, run_rows
from privgraph_workbench.words.numbers import stated

TERMS = Terms(
    epsilon=3.9,
    delta=1e-3,
    accountant="the price of choosing the best trial",
    composed=False,
    law="the geometric law of mean 20",
    sampler="random",
    trial_epsilon=1.5,
    score="validation accuracy",
    score_noise=0.0,
)


@pytest.fixture
def tuned(store: RunStore) -> tuple[str, str]:
    """A run that a tuning chose, and one that it tried."""
    tunings = Tunings(store)
    tuning = tunings.begin("a request", TERMS, "gap")
    ids = []
    for place, word in enumerate(("aa", "bb")):
        trial = replace(spec("gap", unit="edge", epsilon=1.5), trial=word)
        tunings.add(tuning, place, trial)
        ids.append(keep(store, trial))
        tunings.judge(tuning, place, 0.9 - 0.1 * place)
    tunings.release(tuning, ids[0])
    return ids[0], ids[1]


def test_the_list_says_what_was_tried_and_what_was_chosen(
    opened: Open, store: RunStore, tuned: tuple[str, str]
) -> None:
    alone = keep(store, spec("gap", unit="edge", epsilon=1.5))
    rows = {row["id"]: run_rows.rows([[row]], {})[0] for row in store.find_rows(RunQuery(), graphs=True)}
    assert rows[tuned[0]]["marks"] == [str(Trial.RELEASED)]
    assert rows[tuned[1]]["marks"] == [NOT_RELEASED]
    assert rows[alone]["marks"] == []
    assert rows[tuned[0]]["epsilons"][0]["text"] == stated("sound", 3.9)
    assert rows[tuned[1]]["epsilons"][0]["text"] == "∞"
    (shown,) = [one["rows"] for one in drawn(opened("runs"))]
    assert sorted(mark for row in shown for mark in row["marks"]) == [str(Trial.RELEASED), NOT_RELEASED]


def test_what_is_shown_together_counts_the_price(store: RunStore, tuned: tuple[str, str]) -> None:
    alone = keep(store, spec("gap", unit="edge", epsilon=1.0))
    chosen, plain = store.get(tuned[0]), store.get(alone)
    (told,) = together([chosen, plain])
    assert told["sound ε of all"][:3] == stated("sound", plain.statement.epsilon + 3.9)[:3]  # type: ignore[union-attr]
    (tried,) = together([store.get(tuned[1]), plain])
    assert tried["sound ε of all"] == "∞"


def test_a_figure_averages_over_no_trial(store: RunStore, tuned: tuple[str, str]) -> None:
    """A mean with its number of runs would tell what was tried, and how often."""
    alone = keep(store, spec("gap", unit="edge", epsilon=1.5))
    for run in (*tuned, alone):
        assert [one.id for one in one_run.outlook(store.get(run))[1]] == [run]
