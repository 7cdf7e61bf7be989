"""Who is trained together, how many at once, grids, and final statements: everything that needs no worker."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from privgraph.options import OptionError, UnknownName
from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_COMMON_SAMPLES, ASSUME_LAST_EPOCH, ASSUME_STOP_NOT_CHOSEN
from privgraph.runs.final_statement import LedgerMismatch, final_statement, interrupted_statement, sound_epsilon
from privgraph.runs.queueing import STACK_LIMIT, stack_name, stacks
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.sweep import price_of_all, sweep


def together(*specs: RunSpec, batch: str = "b") -> list[list[int]]:
    """Which of the specs are trained together, by their places."""
    found: dict[str, list[int]] = {}
    for place, stack in enumerate(stacks(stack_name(spec, batch) for spec in specs)):
        found.setdefault(stack or f"alone {place}", []).append(place)
    return list(found.values())


def test_only_what_shares_batch_graph_and_stacking_key_is_trained_together() -> None:
    base = make_spec("gnn", "karate", {"epochs": 10})
    seeds = sweep(base, seeds=range(3))
    others = [
        make_spec("gnn", "karate", {"epochs": 11}),
        make_spec("gnn", "digits", {"epochs": 10}),
        make_spec("gnn", "karate", {"epochs": 10}, seed=7, device="cpu"),
        make_spec("gnn", "karate", {"epochs": 10}, split="inductive"),
        make_spec("mlp", "karate", {"epochs": 10}),
    ]
    assert together(seeds[0], *others, *seeds[1:]) == [[0, 6, 7], [1], [2], [3], [4], [5]]
    assert together(*seeds, batch="") == [[0], [1], [2]]
    assert stack_name(seeds[0], "b") != stack_name(seeds[1], "c")
    assert together(*sweep(make_spec("gnn", "karate", split="inductive"), seeds=range(2))) == [[0], [1]]
    many = together(*sweep(base, seeds=range(25)))
    assert many == [list(range(10)), list(range(10, 20)), list(range(20, 25))]
    assert max(map(len, many)) == STACK_LIMIT
    graphs = [make_spec("gnn", "social", {"epochs": 10}, data_options={"nodes": nodes}) for nodes in (400, 800)]
    assert together(*graphs) == [[0], [1]], "another graph"
    splits = [make_spec("gnn", "cora", {"epochs": 10}, split=split) for split in ("random", "public")]
    assert together(*splits) == [[0], [1]], "other nodes train"
    alone = sweep(make_spec("relational", "products", {"encoder": "tiny"}), seeds=range(2))
    assert together(*alone) == [[0], [1]], "adapters gain nothing by a stack"
    stale = [RunSpec(method="gnn", dataset="karate", options={"gone": 1}, seed=seed) for seed in range(2)]
    assert together(*stale) == [[0], [1]]


def test_tuning_costs_the_composition_of_all_that_was_tried() -> None:
    # 20 settings at epsilon 1 compose to 5.1 (exact Gaussian composition, delta 1e-7).
    noise = 4.6787
    one = replace(planned(entry(noise)), delta=1e-7)
    alone, delta = price_of_all([one])
    assert (round(alone, 2), delta) == (1.0, 1e-7)
    together, _ = price_of_all([one] * 20)
    assert together == pytest.approx(5.1, abs=0.05)
    assert math.isinf(price_of_all([one, replace(one, epsilon=math.inf)])[0])
    common = replace(one, assumptions=(*one.assumptions, ASSUME_COMMON_SAMPLES))
    assert price_of_all([one, common])[0] < math.inf
    assert price_of_all([common, common]) == (math.inf, 1e-7)
    with pytest.raises(ValueError, match="one and the same unit"):
        price_of_all([one, replace(one, unit="node")])
    with pytest.raises(ValueError, match="one and the same unit"):
        price_of_all([])


def test_equal_runs_have_equal_ids_however_they_are_written() -> None:
    one = make_spec("gnn", "social", {"hidden": "16"}, data_options={"nodes": 2000})
    assert one == make_spec("gnn", "social", {"hidden": 16, "epochs": 200})
    assert one.id == RunSpec.from_json(one.to_json()).id
    assert one.id != make_spec("gnn", "social", {"hidden": 16}, data_options={"nodes": 2001}).id


REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())["specs"]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_a_spec_that_cannot_be_run_is_refused(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises((OptionError, UnknownName), match=sentence):
        make_spec(**({"method_name": "gnn", "dataset": "karate"} | arguments))  # type: ignore[arg-type]


def entry(noise: float = 2.0, count: int = 1, stage: str = "one") -> LedgerEntry:
    return LedgerEntry(
        kind=MechanismKind.AGGREGATION,
        mechanism="Gaussian",
        stage=stage,
        event=Gaussian(noise_multiplier=noise),
        count=count,
    )


def planned(*entries: LedgerEntry, epsilon: float = 4.0, unit: str = "edge") -> PrivacyStatement:
    return PrivacyStatement(
        unit=unit,
        neighbours=Neighbours.UNDIRECTED_EDGE if unit == "edge" else Neighbours.NODE,
        relation="add or remove one edge",
        release=Release.MODEL,
        released="predictions",
        public=(),
        delta=1e-5,
        delta_rule="as asked for",
        epsilon=epsilon,
        epsilon_as_published=3.0,
        accountant="exact",
        ledger=entries,
    )


def test_a_run_that_did_what_was_planned_says_so() -> None:
    plan = planned(entry(count=2), entry(stage="two"))
    run = Ledger([entry(stage="two"), entry(), entry()])
    assert final_statement(plan, run).epsilon == 4.0
    assert final_statement(plan, run).ledger == run.entries


@pytest.mark.parametrize(
    "run", [[entry()], [entry(count=3)], [entry(count=2), entry(stage="two")], [entry(noise=1.9, count=2)], []]
)
def test_a_run_that_did_anything_else_is_refused(run: list[LedgerEntry]) -> None:
    with pytest.raises(LedgerMismatch, match="the ledger is not what was planned"):
        final_statement(planned(entry(count=2)), Ledger(run))


def test_a_plan_that_promised_too_much_is_refused() -> None:
    # One Gaussian at multiplier 2 costs 1.97 or so at this delta, whatever the plan says.
    assert final_statement(planned(entry(), epsilon=2.1), Ledger([entry()])).epsilon == 2.1
    costs = sound_epsilon(planned(entry()), Ledger([entry()]))
    assert final_statement(planned(entry(), epsilon=costs * (1 - 1e-9)), Ledger([entry()])), "it is rounded"
    for promised in (1.9, costs * 0.9999):
        with pytest.raises(LedgerMismatch, match="the ledger costs epsilon"):
            final_statement(planned(entry(), epsilon=promised), Ledger([entry()]))


def test_an_interrupted_run_states_an_upper_bound() -> None:
    plan = planned(entry(count=2))
    early = interrupted_statement(plan, Ledger([entry()]))
    assert (early.epsilon, early.epsilon_as_published, early.ledger) == (4.0, 3.0, (entry(),))
    beyond = interrupted_statement(plan, Ledger([entry(noise=0.1)]))
    assert beyond.epsilon > 50
    assert beyond.epsilon_as_published is None
    nothing = LedgerEntry(
        kind=MechanismKind.UNPROTECTED, mechanism="training", stage="", event=NonPrivate(reason="test")
    )
    assert math.isinf(interrupted_statement(planned(epsilon=math.inf, unit="none"), Ledger([nothing])).epsilon)
    assert math.isinf(interrupted_statement(planned(epsilon=math.inf, unit="none"), Ledger()).epsilon)


def test_who_stops_a_run_may_have_watched_private_curves() -> None:
    """So its statement claims no choice without private labels; at edge level they are public."""
    plan = replace(planned(epsilon=1.0, unit="node"), assumptions=("another", ASSUME_LAST_EPOCH))
    stopped = interrupted_statement(plan, Ledger(), stopped=True)
    assert ASSUME_LAST_EPOCH not in stopped.assumptions
    assert ASSUME_STOP_NOT_CHOSEN in stopped.assumptions
    assert "another" in stopped.assumptions
    assert "somebody stopped" in stopped.released
    assert stopped.release is Release.PART
    failed = interrupted_statement(plan, Ledger())
    assert not {ASSUME_LAST_EPOCH, ASSUME_STOP_NOT_CHOSEN} & set(failed.assumptions)
    edge = interrupted_statement(planned(epsilon=1.0, unit="edge"), Ledger(), stopped=True)
    assert ASSUME_STOP_NOT_CHOSEN not in edge.assumptions
