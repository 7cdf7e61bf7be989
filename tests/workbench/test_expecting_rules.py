"""Which finished runs tell what to expect of another one, and how far."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark, Trial
from privgraph_workbench.facts import expecting
from privgraph_workbench.facts.references import interval

OPTIONS: tuple[dict[str, Any], ...] = ({"hidden": 8}, {})


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def kept(store: RunStore, *runs: tuple[float, float, int], **options: Any) -> list[RunRecord]:
    """Finished runs of ProGAP: (epsilon, accuracy, seed)."""
    return [
        store.get(keep(store, spec(epsilon=epsilon, seed=seed, **options), accuracy=accuracy))
        for epsilon, accuracy, seed in runs
    ]


def test_two_seeds_leave_all_that_the_test_nodes_of_either_leave(store: RunStore) -> None:
    records = kept(store, (2.0, 0.5, 0), (2.0, 0.7, 1))
    assert expecting.reached(records).interval == (interval(0.5, 200)[0], interval(0.7, 200)[1])
    unknown = replace(records[1], metrics={"test_accuracy": 0.7})
    assert expecting.reached([records[0], unknown]).interval is None, "of one of them nobody knows"


def test_no_interval_reaches_beyond_all_nodes(store: RunStore) -> None:
    found = expecting.reached(kept(store, (2.0, 0.9, 0), (2.0, 1.0, 1), (2.0, 1.0, 2)))
    assert found.interval is not None
    assert found.interval[1] == 1.0


def test_of_settings_that_are_equally_near_the_one_of_most_runs_tells(store: RunStore) -> None:
    few, many = kept(store, (2.0, 0.9, 0), hidden=4), kept(store, (2.0, 0.6, 0), (2.0, 0.7, 1), hidden=8)
    for records in ([*few, *many], [*many, *few]):
        assert expecting.outlook(records, spec(epsilon=2.0)).points[0].mean == pytest.approx(0.65)


def test_a_budget_that_other_options_have_on_both_sides_is_told_by_these(store: RunStore) -> None:
    """Rather than by runs of the same options at a budget far above."""
    same, other = kept(store, (8.0, 0.9, 0)), kept(store, (1.0, 0.5, 0), (4.0, 0.6, 0), hidden=8)
    between, far = (expecting.outlook([*same, *other], spec(epsilon=epsilon)) for epsilon in (2.0, 8.0))
    assert (between.differs, between.points[0].epsilon) == (("Hidden",), 1.0)
    assert (far.differs, far.points[0].epsilon) == ((), 8.0)


def test_runs_of_other_options_and_of_far_budgets_tell_nothing_of_exactly_this_one(store: RunStore) -> None:
    records = kept(store, (1.0, 0.5, 0), (4.0, 0.6, 0), hidden=8)
    same, other = (expecting.outlook(records, spec(epsilon=2.0, **one)) for one in OPTIONS)
    assert same.told(2.0) == same.at(2.0) is not None
    assert (other.at(2.0) is not None, other.told(2.0)) == (True, None)
    assert (same.told(0.1), same.told(50.0)) == (None, None)


def test_without_privacy_stands_beside_it_though_other_options_were_used(store: RunStore) -> None:
    bare = store.get(keep(store, spec("progap", unit="none", hidden=8), accuracy=0.9))
    found = expecting.outlook([bare], spec(epsilon=2.0)).bare
    assert found is not None
    assert found.mean == 0.9


def test_the_largest_class_of_other_test_nodes_is_not_that_of_the_run(store: RunStore) -> None:
    records = kept(store, (2.0, 0.7, 0))
    assert expecting.outlook(records, spec("gap", epsilon=2.0)).majority == 0.5
    assert expecting.outlook(records, spec("privgnn", lam=0.4)).majority is None, "it draws parts of its own"


def test_one_run_is_no_sooner_done_by_many_workers(store: RunStore) -> None:
    records, plan = kept(store, (2.0, 0.7, 0)), spec(epsilon=2.0).config().plan(KARATE)
    took = [expecting.seconds([plan], spec(epsilon=2.0), records, lambda _: KARATE, 1, workers) for workers in (1, 4)]
    assert took[0] == took[1] is not None


def test_of_what_a_tuning_tried_no_other_seed_is_told(store: RunStore) -> None:
    one, other = kept(store, (2.0, 0.6, 0), (2.0, 0.7, 1))
    assert expecting.of_setting(one, [other]) == [one, other]
    mark = Mark(tuning="a tuning", trial=Trial.RELEASED, terms=None)
    trial = replace(one, tuning=mark)
    assert expecting.of_setting(trial, [other]) == [trial]
    assert expecting.of_setting(one, [replace(other, tuning=mark)]) == [one]
