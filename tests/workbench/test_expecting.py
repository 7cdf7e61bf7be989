"""What to expect of a run before it begins: from finished runs, and from its plan alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.data.spec import PublicFacts
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark, Trial
from privgraph_workbench.facts import expecting, references
from privgraph_workbench.facts.drowned import drowned
from privgraph_workbench.facts.references import without_privacy

SOCIAL = PublicFacts(nodes=600, edges=4800, entries=9600, features=32, classes=3, train_nodes=450)


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def _kept(store: RunStore, *runs: tuple[float, float, int], **options: object) -> list[RunRecord]:
    """Finished runs of ProGAP: (epsilon, accuracy, seed)."""
    return [
        store.get(keep(store, spec(epsilon=epsilon, seed=seed, **options), accuracy=accuracy))
        for epsilon, accuracy, seed in runs
    ]


def test_between_two_budgets_accuracy_is_straight_over_the_logarithm(store: RunStore) -> None:
    told = expecting.outlook(_kept(store, (1.0, 0.5, 0), (4.0, 0.8, 0), (4.0, 0.9, 1)), spec(epsilon=2.0))
    at = told.at(2.0)
    assert at is not None
    assert (at.how, at.mean) == ("between", pytest.approx((0.5 + 0.85) / 2))
    measured = told.at(4.0)
    assert measured is not None
    assert (measured.how, measured.mean, measured.near[0].seeds) == ("measured", pytest.approx(0.85), 2)
    for epsilon, how, mean in ((0.1, "below", 0.5), (50.0, "above", 0.85)):
        beyond = told.at(epsilon)
        assert beyond is not None
        assert (beyond.how, beyond.mean) == (how, pytest.approx(mean))
    assert expecting.outlook([], spec(epsilon=2.0)).at(2.0) is None


def test_private_and_public_nodes_are_those_of_the_run(store: RunStore) -> None:
    """A network that was trained on the run's own split has read other nodes, and is judged on others."""
    asked = spec("privgnn", lam=0.4, private=0.4)
    others = ({}, {"trained_on": "public", "private": 0.4}, {"trained_on": "private", "private": 0.5})
    records = [store.get(keep(store, spec("gnn", **one), accuracy=0.9)) for one in others]
    assert expecting.outlook(records, asked).bare is None
    wanted = without_privacy(asked)
    assert wanted is not None
    records.append(store.get(keep(store, wanted, accuracy=0.7)))
    bare = expecting.outlook(records, asked).bare
    assert bare is not None
    assert bare.mean == pytest.approx(0.7)


def test_time_grows_with_steps_and_with_what_cannot_train_together(store: RunStore) -> None:
    records = _kept(store, (2.0, 0.7, 0))
    plan = spec(epsilon=2.0).config().plan(KARATE)
    longer = spec(epsilon=2.0, epochs=1000).config().plan(KARATE)

    def told(found: object, seeds: int = 1) -> float:
        took = expecting.seconds([found], spec(epsilon=2.0), records, lambda _: KARATE, seeds, 1)  # type: ignore[list-item]
        assert took is not None
        return took

    assert told(plan) == pytest.approx(3.5 + expecting.START_SECONDS)
    assert told(longer) == pytest.approx(35 + expecting.START_SECONDS)
    assert told(plan, seeds=expecting.STACK_LIMIT) == told(plan)
    assert told(plan, seeds=expecting.STACK_LIMIT + 1) == pytest.approx(2 * told(plan))
    assert expecting.seconds([plan], spec(epsilon=2.0), [], lambda _: KARATE, 1, 1) is None


@pytest.mark.parametrize(
    ("method", "options", "edges"),
    [
        ("progap", {"unit": "edge"}, True),
        ("edge-rand", {}, True),
        ("dp-mlp", {}, False),
        ("heter-poisson", {"unit": "node"}, False),
    ],
)
def test_noise_drowns_the_signal_at_a_tiny_budget_and_not_at_a_large_one(
    method: str, options: dict[str, object], edges: bool
) -> None:
    worst = drowned(spec(method, epsilon=0.01, **options).config().plan(SOCIAL))
    assert worst is not None
    assert worst.times > 1
    assert worst.edges is edges
    assert drowned(spec(method, epsilon=8.0, **options).config().plan(SOCIAL)) is None


def test_two_seeds_leave_all_that_the_test_nodes_of_either_leave(store: RunStore) -> None:
    records = _kept(store, (2.0, 0.5, 0), (2.0, 0.7, 1))
    assert expecting.reached(records).interval == (references.interval(0.5, 200)[0], references.interval(0.7, 200)[1])
    unknown = replace(records[1], metrics={"test_accuracy": 0.7})
    assert expecting.reached([records[0], unknown]).interval is None, "of one of them nobody knows"


def test_a_budget_that_other_options_have_on_both_sides_is_told_by_these(store: RunStore) -> None:
    """Rather than by runs of the same options at a budget far above."""
    same, other = _kept(store, (8.0, 0.9, 0)), _kept(store, (1.0, 0.5, 0), (4.0, 0.6, 0), hidden=8)
    between, far = (expecting.outlook([*same, *other], spec(epsilon=epsilon)) for epsilon in (2.0, 8.0))
    assert (between.differs, between.points[0].epsilon) == (("Hidden",), 1.0)
    assert (far.differs, far.points[0].epsilon) == ((), 8.0)


def test_of_what_a_tuning_tried_no_other_seed_is_told(store: RunStore) -> None:
    one, other = _kept(store, (2.0, 0.6, 0), (2.0, 0.7, 1))
    assert expecting.of_setting(one, [other]) == [one, other]
    mark = Mark(tuning="a tuning", trial=Trial.RELEASED, terms=None)
    trial = replace(one, tuning=mark)
    assert expecting.of_setting(trial, [other]) == [trial]
    assert expecting.of_setting(one, [replace(other, tuning=mark)]) == [one]
