"""Canaries in a training: what they add, what is seen of them, and that the bounds hold, and see too little
noise."""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from privgraph.audits import white_box
from privgraph.audits.bounds import shared_confidence
from privgraph.audits.canaries import Shifts
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.audits.white_box import Blocks, Canaries, Miscounted
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.methods.keys import Keys
from privgraph.options import build
from privgraph.progress import Progress
from privgraph.registry import method

METHODS: dict[str, dict[str, Any]] = {
    "dp-mlp": {"epochs": 10, "batch_size": 15},
    "dp-gnn": {"epochs": 20, "batch_size": 100},
    "gap": {"unit": "node", "epochs": 10, "depth": 1, "max_degree": 4, "batch_size": 15},
    "progap": {"unit": "node", "epochs": 10, "depth": 1, "max_degree": 4, "batch_size": 15},
    "prompt-dpsgd": {"epochs": 20, "shots": 8, "pretrain_epochs": 2, "batch_size": 8},
    "heter-poisson": {"epochs": 20, "batch_size": 20},
    "relational": {"encoder": "tiny", "steps": 15, "batch_size": 10, "negatives": 1, "rank": 16, "evaluated": 10},
}


@pytest.fixture(autouse=True)
def _the_same_noise_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound errs with the chance that it states: these tests look at the same draws every time."""

    def keys(_installation: bytes, runs: Sequence[str], _graphs: Sequence[Graph], _device: str) -> Iterator[Keys]:
        return (Keys(noise=hashlib.sha256(run.encode()).digest(), shared=b"") for run in runs)

    monkeypatch.setattr(white_box, "run_keys", keys)


def subject(name: str, **changes: Any) -> Subject:
    relations = name == "relational"
    graph = load("products", data_options={"products": 50, "purchases": 2.0}) if relations else load("karate")
    given = METHODS[name] | {"epsilon": 8.0} | ({} if relations else {"accounting": "sound"})
    config = build(method(name).load_config(), given | changes)
    statement = config.plan(graph.facts).statement
    return Subject(run="a-run", method=name, config=config, statement=statement, graph=lambda: graph)


def audited(of: Subject, **options: Any) -> AuditRecord:
    told = list(white_box.audit(of, AuditOptions(**{"canaries": 1500, **options})))
    *progress, record = told
    assert isinstance(record, AuditRecord)
    assert progress
    assert all(isinstance(one, Progress) for one in progress)
    return record


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.long
def test_the_bounds_hold_and_the_one_by_gaussians_shows_a_good_part(name: str) -> None:
    of = subject(name)
    # that sure, seven methods err together in 2 of 1,000 draws; the noise is always the same here
    record = audited(of, confidence=0.999)
    assert (record.run, record.audit, record.covers, record.delta) == ("a-run", "white-box", "run", of.statement.delta)
    assert [bound.route for bound in record.bounds] == ["gaussian", "threshold", "one run"]
    assert record.epsilon == record.bounds[0].epsilon
    assert record.sound <= of.statement.epsilon
    assert max(bound.epsilon for bound in record.bounds) <= record.sound
    assert record.epsilon > 0.6 * record.sound
    assert not record.refutes_sound
    assert record.area > 0.7
    assert sum(record.scores_with) + sum(record.scores_without) == record.trials <= 1500
    assert AuditRecord.from_json(record.to_json()) == record
    assert f"stands for one {'relation' if name == 'relational' else 'node'}" in record.notes[0]


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_half_the_noise_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _patch(monkeypatch, lambda mechanism: replace(mechanism, noise_multiplier=mechanism.noise_multiplier / 2))
    record = audited(subject(name))
    assert record.refutes_sound
    assert record.epsilon > 1.3 * record.sound


def test_noise_that_is_all_but_missing_is_caught_by_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst bug of all makes a record like any other: no infinite bound, which none could store."""
    _patch(monkeypatch, lambda mechanism: replace(mechanism, noise_multiplier=mechanism.noise_multiplier / 1e6))
    record = audited(subject("dp-mlp"), canaries=300)
    assert record.refutes_sound
    assert 100 < record.epsilon < math.inf
    assert AuditRecord.from_json(record.to_json()) == record


def test_noise_that_is_not_scaled_by_the_clip_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    _patch(
        monkeypatch, lambda mechanism: replace(mechanism, noise_multiplier=mechanism.noise_multiplier / mechanism.clip)
    )
    assert audited(subject("dp-mlp", clip=3.0)).refutes_sound


def test_one_composition_more_than_counted_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    perturb = PrivateGradients.perturb

    def twice(*arguments: Any) -> None:
        perturb(*arguments)
        perturb(*arguments)

    monkeypatch.setattr(PrivateGradients, "perturb", staticmethod(twice))
    with pytest.raises(Miscounted, match=r"noisy gradients, the ledger .* were released"):
        audited(subject("dp-mlp"))


def test_a_run_that_has_promised_other_steps_than_are_trained_is_no_subject() -> None:
    """Its own ledger is what the bound composes, and not that of the training that is watched."""
    of = subject("dp-mlp", epochs=2)
    fewer = tuple(replace(entry, count=entry.count - 1) for entry in of.statement.ledger)
    with pytest.raises(Miscounted, match="noisy gradients"):
        audited(replace(of, statement=replace(of.statement, ledger=fewer)), canaries=100)


def test_an_audit_repeats_by_its_seed_alone() -> None:
    of = subject("dp-mlp", epochs=2)
    one, same, other = (audited(of, canaries=100, seed=seed) for seed in (1, 1, 2))
    assert replace(one, seconds=0.0) == replace(same, seconds=0.0)
    assert other.scores_with != one.scores_with


def test_the_bound_that_counts_is_the_one_that_was_fixed_before_and_not_the_largest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The largest of three bounds would be wrong more often than each of them."""
    monkeypatch.setattr(white_box, "one_run_epsilon", lambda *_: 50.0)
    record = audited(subject("dp-mlp", epochs=2), canaries=100)
    shown = {bound.route: bound.epsilon for bound in record.bounds}
    assert shown["one run"] == 50.0
    assert record.epsilon == shown["gaussian"] < 50.0


def test_every_bound_of_a_later_turn_is_at_what_the_turn_leaves_of_the_confidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []

    def listening(real: Callable[..., Any]) -> Callable[..., Any]:
        def bound(*given: Any, **how: Any) -> Any:
            asked.append(how["confidence"] if "confidence" in how else given[-1])
            return real(*given, **how)

        return bound

    for name in ("least_shift", "threshold_bound", "one_run_epsilon"):
        monkeypatch.setattr(white_box, name, listening(getattr(white_box, name)))
    record = audited(replace(subject("dp-mlp", epochs=2), turn=3), canaries=300, confidence=0.9)
    assert len(asked) == len(record.bounds) == 3
    assert asked == [shared_confidence(0.9, 3)] * 3
    assert (record.confidence, record.turn) == (0.9, 3)
    assert any("it took turn 3 among" in note for note in record.notes)


def test_spherical_laplace_noise_has_the_bound_of_one_run_alone() -> None:
    record = audited(subject("heter-poisson", noise="spherical-laplace", accounting="published"))
    assert [bound.route for bound in record.bounds] == ["one run"]
    assert record.sound == math.inf
    assert record.published is not None
    assert record.area > 0.6


def test_a_record_that_is_replaced_turns_its_gradient_round() -> None:
    record = audited(subject("gap", own_rows=True))
    assert 0.2 * record.sound < record.epsilon <= record.sound


@pytest.mark.long
def test_a_rule_that_hides_the_unit_is_part_of_what_a_canary_does() -> None:
    record = audited(subject("heter-poisson", exclusive=True, neighbours=2))
    assert 0.2 * record.sound < record.epsilon <= record.sound


def _patch(monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], Any]) -> None:
    perturb, of_subgraphs = PrivateGradients.perturb, SubgraphGradients.release

    def changed(mechanisms: Any, *rest: Any) -> None:
        perturb([change(mechanism) for mechanism in mechanisms], *rest)

    monkeypatch.setattr(PrivateGradients, "perturb", staticmethod(changed))
    monkeypatch.setattr(SubgraphGradients, "release", lambda mechanism, *rest: of_subgraphs(change(mechanism), *rest))


def test_canaries_by_hand() -> None:
    """Two steps with known noise: what is added, at which places, and the sum of the log-likelihood
    ratios."""
    shifts, size, count, clip = Shifts(rate=0.5, others=1), 40, 12, 2.0
    canaries = Canaries(shifts, count, 5, Blocks(shift=2.0, steps=1))
    generator = torch.Generator().manual_seed(1)
    expected, places = np.zeros(count), None
    for _ in range(2):
        clean = torch.randn(size, generator=generator) * 10
        total = clean.clone()
        canaries.join(total, clip)
        added = ((total - clean) / clip).round(decimals=3).numpy()
        assert set(added.tolist()) <= {-1.0, 0.0, 1.0, 2.0}
        noise = torch.randn(size, generator=generator).numpy()
        canaries.see(total + torch.from_numpy(noise))
        assert places is None or set(np.flatnonzero(added)) <= set(places)
        places = canaries._placed_on(total).numpy()
        rest = np.delete(noise, places) / clip
        x = noise[places] / clip + added[places]
        assert np.all(added[places][~canaries.included] <= 0)
        assert np.all(added[places][canaries.included] >= 0)
        expected += shifts.log_ratio(x, float(np.sqrt(np.square(rest).mean())))
    assert len(set(places.tolist())) == count  # type: ignore[union-attr]
    assert canaries.scores == pytest.approx(expected, rel=1e-4)
    assert canaries.steps == 2


def test_observations_hold_the_shift_and_the_noise_and_nothing_else_of_a_step() -> None:
    """Neighbours that read the unit move canaries of either side alike; without noise, one number is left."""
    canaries = Canaries(Shifts(rate=0.5, others=2, exclusive=True), 40, 5, Blocks(shift=1.0, steps=2))
    for _ in range(6):
        total = torch.zeros(200)
        canaries.join(total, 0.5)
        canaries.see(total)
    present, absent = canaries.observations()
    assert min(present.size, absent.size) > 10
    assert set(present.tolist()) == {1.0}
    assert set(absent.tolist()) == {0.0}


def test_noise_whose_scale_is_drawn_once_for_all_coordinates_is_seen_through() -> None:
    """The flaw of spherical Laplace noise: in a step of little noise, canaries are plain to see."""
    canaries = Canaries(Shifts(rate=1.0), 300, 7, Blocks(shift=1.0, steps=1))
    generator = torch.Generator().manual_seed(2)
    for scale in (20.0, 20.0, 0.02):
        total = torch.zeros(2000)
        canaries.join(total, 1.0)
        canaries.see(total + scale * torch.randn(2000, generator=generator))
    assert ((canaries.scores > 0) == canaries.included).all()


def test_blocks_are_as_long_as_the_noise_calls_for_and_the_steps_allow() -> None:
    assert Blocks.of(Shifts(rate=1.0), 5.0, 1000, 4000) == Blocks(shift=1.0, steps=100)
    assert Blocks.of(Shifts(rate=1.0), 0.1, 1000, 4000).steps == 1
    assert Blocks.of(Shifts(rate=0.5), 50.0, 10, 4000).steps == 5
    assert Blocks.of(Shifts(rate=1.0, others=3), 5.0, 1000, 4000).shift == 7.0
    assert Blocks.of(Shifts(rate=0.3, own=False, others=1), 5.0, 1000, 4000).shift == 2.0
    assert Blocks(shift=2.0, steps=9).noise(3.0) == pytest.approx(2.0)
