"""The contract objects: refused when wrong, and a ledger that adds up."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from privgraph.privacy import events
from privgraph.privacy.events import Composed, Gaussian, Nothing, Repeated
from privgraph.privacy.kinds import MechanismKind
from privgraph.privacy.ledger import Ledger, LedgerEntry, WorstCase


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Gaussian(noise_multiplier=0), "Gaussian.noise_multiplier must be positive"),
        (lambda: events.Laplace(noise_multiplier=-1), "Laplace.noise_multiplier"),
        (lambda: events.PureDP(epsilon=math.inf), "PureDP.epsilon"),
        (lambda: events.RandomizedResponse(one_to_one=1.0, zero_to_one=0.5), "one_to_one"),
        (lambda: events.Atoms(upper=(1.0,), lower=(0.5, 0.5)), "equal lengths"),
        (lambda: events.Atoms(upper=(-0.5, 1.5), lower=(0.5, 0.5)), "non-negative"),
        (lambda: events.PoissonSampled(rate=0, event=Gaussian(noise_multiplier=1)), "rate must lie"),
        (lambda: events.BoundedRange(epsilon=0), "BoundedRange.epsilon must be positive"),
        (lambda: events.SampledOnce(rate=0, event=Repeated(event=Nothing(), count=1)), "SampledOnce.rate must lie"),
        (lambda: events.RevealedMixture(weights=(1.0,), noise_multipliers=(1.0, 2.0)), "equal lengths"),
        (lambda: events.RevealedMixture(weights=(0.5, 0.4), noise_multipliers=(1.0, 2.0)), "sum to 1"),
        (lambda: events.RevealedMixture(weights=(0.5, 0.5), noise_multipliers=(1.0, 0.0)), "must be positive"),
        (lambda: Repeated(event=Nothing(), count=-1), "not negative"),
        (lambda: Repeated(event=Gaussian(noise_multiplier=1), count=math.nan), "whole number"),  # type: ignore[arg-type]
        (lambda: events.SampledTerms(rate=1, present=0.01, absent=0, noise_multiplier=1), "whole number"),  # type: ignore[arg-type]
        (
            lambda: LedgerEntry(kind=MechanismKind.NOTHING, mechanism="", stage="", event=Nothing(), count=-1),
            "not negative",
        ),
    ],
)
def test_privacy_objects_cannot_be_built_wrong(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_a_ledger_merges_equal_mechanisms_and_keeps_both_views() -> None:
    nap = LedgerEntry(
        kind=MechanismKind.AGGREGATION,
        mechanism="NAP",
        stage="1",
        event=Gaussian(noise_multiplier=2.0),
        event_as_published=Gaussian(noise_multiplier=3.0),
    )
    other = LedgerEntry(
        kind=MechanismKind.GRADIENTS, mechanism="DP-Adam", stage="1", event=Gaussian(noise_multiplier=5.0), count=7
    )
    ledger = Ledger([nap, other, nap])
    assert [entry.count for entry in ledger.entries] == [2, 7]
    assert ledger.event() == Composed(
        (
            Repeated(event=Gaussian(noise_multiplier=2.0), count=2),
            Repeated(event=Gaussian(noise_multiplier=5.0), count=7),
        )
    )
    assert ledger.event_as_published() == Composed(
        (
            Repeated(event=Gaussian(noise_multiplier=3.0), count=2),
            Repeated(event=Gaussian(noise_multiplier=5.0), count=7),
        )
    )
    assert Ledger().event() == Composed((Nothing(),))


ENTRY = LedgerEntry(
    kind=MechanismKind.AGGREGATION, mechanism="NAP", stage="1", event=Gaussian(noise_multiplier=2.0), noise_std=2.0
)


@pytest.mark.parametrize(
    "changed",
    [
        {"mechanism": "votes"},
        {"kind": MechanismKind.GATE},
        {"worst": WorstCase(clip=1.0)},
        {"stage": "2"},
        {"event": Gaussian(noise_multiplier=1.0)},
        {"event_as_published": Gaussian(noise_multiplier=1.0)},
        {"noise_std": 1.0},
        {"sensitivity": 1.0},
        {"norm": "L1"},
        {"sampling_rate": 0.5},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_entries_that_differ_in_more_than_their_count_stay_apart(changed: dict[str, Any]) -> None:
    assert kept_apart(ENTRY, replace(ENTRY, **changed))


def kept_apart(*entries: LedgerEntry) -> bool:
    """Whether each of these, of which some are run again, is an entry of its own."""
    return Ledger([*entries, *entries]).entries == tuple(replace(entry, count=2) for entry in entries)
