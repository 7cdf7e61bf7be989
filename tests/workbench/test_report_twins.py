"""A run of one's own beside the gallery's runs of its setting: what these say is told with it, to others too,
and hangs on no seed of one's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import NOT_AUDITED
from privgraph.runs import gallery
from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts.expecting import Outlook, reached
from privgraph_workbench.reporting import asked as asked_of
from privgraph_workbench.reporting import of_gallery, twins


def _runs(method: str, unit: str, epsilon: float | None = None) -> list[RunRecord]:
    specs = [one["run"]["spec"] | {"id": one["run"]["id"]} for held in gallery.content().values() for one in held]
    ids = {
        spec["id"]
        for spec in specs
        if (spec["dataset"], spec["split"], spec["method"], spec["options"]["unit"]) == ("cora", "random", method, unit)
        and epsilon in (None, spec["options"].get("epsilon"))
    }
    return sorted(gallery.shipped(ids)[0], key=lambda one: one.spec.seed)


@pytest.fixture(scope="module")
def blind() -> list[RunRecord]:
    return _runs("mlp", "none")


@pytest.fixture(scope="module")
def came() -> list[RunRecord]:
    return _runs("progap", "edge", 1.0)


def _own(like: RunRecord, seed: int) -> RunRecord:
    said = like.own_statement
    assert said is not None
    said = replace(said, assumptions=tuple(one for one in said.assumptions if one != NOISE_IS_PUBLIC))
    spec = replace(like.spec, seed=seed)
    return replace(
        like,
        id=spec.id,
        stored_spec=spec,
        gallery=False,
        metrics={**like.metrics, "test_accuracy": 0.9},
        statement_json=statement_to_json(said),
        **NOT_AUDITED,
    )


@pytest.mark.parametrize("seed", [0, 4242])
def test_they_are_all_of_the_gallery_whatever_ones_own_seed(
    came: list[RunRecord], blind: list[RunRecord], seed: int
) -> None:
    found = twins.of(_own(came[0], seed), reached(blind))
    assert found is not None
    values = [one.metrics["test_accuracy"] for one in came]
    assert found.mean.mean == pytest.approx(sum(values) / len(values))
    assert found.mean.seeds == len(came) == 10
    assert found.attacks
    apart = [one - other.metrics["test_accuracy"] for one, other in zip(values, blind, strict=False)]
    assert found.blind is not None
    assert found.blind.by == pytest.approx(sum(apart) / len(apart), abs=0.01)
    assert found.blind.high is not None
    assert found.blind.high < 0, "and clearly so"
    assert found.words.startswith("The gallery's 10 runs of this setting, with public noise, have a mean test accuracy")
    assert " below MLP (ignores edges)." in found.words


def test_without_the_other_level_nothing_is_said_of_it(came: list[RunRecord]) -> None:
    found = twins.of(_own(came[0], 3), None)
    assert found is not None
    assert found.apart == ""
    assert found.words.endswith(f"test accuracy of {100 * found.mean.mean:.1f}%.")


def test_what_came_with_the_program_has_none(came: list[RunRecord], blind: list[RunRecord]) -> None:
    assert twins.of(came[0], reached(blind)) is None
    assert twins.of(blind[0], reached(blind)) is None


def test_their_own_seeds_are_back_where_they_are_compared(came: list[RunRecord]) -> None:
    shipped, _ = of_gallery.shipped(came[:1])
    assert min(one.spec.seed for one in shipped) >= of_gallery.BEYOND
    back = of_gallery.with_own_seeds([*shipped, own := _own(came[0], of_gallery.BEYOND + 5)])
    assert sorted(one.spec.seed for one in back[:-1]) == [one.spec.seed for one in came]
    assert back[-1] == own, "a seed of one's own is none of theirs"


def test_a_run_of_ones_own_tells_them_to_others_too_and_counts_the_one_in_whose_place_it_stands(
    came: list[RunRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = _own(came[0], came[0].spec.seed)
    there = [own, *came[1:]]
    monkeypatch.setattr("privgraph_workbench.facts.placing.outlook", lambda store, record: (Outlook(), there))
    told = asked_of._known(RunStore.open(), own)
    assert told.twins is not None
    assert told.shared.endswith(told.twins.words)
    assert told.twins.words in told.said
    assert " over 10 seeds." in told.said
    assert [one.id for one in told.same] == [own.id]
    alone = [own, came[1]]
    monkeypatch.setattr("privgraph_workbench.facts.placing.outlook", lambda store, record: (Outlook(), alone))
    mean = (came[0].metrics["test_accuracy"] + came[1].metrics["test_accuracy"]) / 2
    monkeypatch.setattr("privgraph_workbench.reporting.twins.of", lambda record, blind: None)
    assert (
        f"2 runs of this setting with public noise stand apart: test accuracy {100 * mean:.1f}%"
        in asked_of._known(RunStore.open(), own).said
    )
