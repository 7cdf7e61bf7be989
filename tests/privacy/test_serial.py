"""Privacy records as strict JSON: what is written is read back equal, and nothing else is read."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy import strategies

from privgraph.privacy import events
from privgraph.privacy import serialisation as serial
from privgraph.privacy.events import Composed, Gaussian, Nothing, PrivacyEvent, Repeated, RevealedMixture
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry, WorstCase
from privgraph.privacy.statement import PrivacyStatement


def through_json(record: Any) -> Any:
    return json.loads(json.dumps(record, allow_nan=False))


@pytest.mark.long
@given(strategies.any_event)
def test_events_round_trip(event: PrivacyEvent) -> None:
    assert serial.event_from_json(through_json(serial.event_to_json(event))) == event


@given(strategies.entries)
def test_entries_round_trip(entry: LedgerEntry) -> None:
    assert serial.entry_from_json(through_json(serial.entry_to_json(entry))) == entry


@settings(max_examples=60, deadline=None)
@given(strategies.statements)
def test_statements_round_trip(statement: PrivacyStatement) -> None:
    assert serial.statement_from_json(through_json(serial.statement_to_json(statement))) == statement


def test_infinity_is_a_word_and_nothing_is_null() -> None:
    mixture = RevealedMixture(weights=(0.5, 0.5), noise_multipliers=(1.0, math.inf))
    assert serial.event_to_json(mixture)["noise_multipliers"] == [1.0, "inf"]
    entry = LedgerEntry(kind=MechanismKind.AGGREGATION, mechanism="m", stage="s", event=Gaussian(noise_multiplier=1.0))
    assert serial.entry_to_json(entry)["event_as_published"] is None
    for value in (math.nan, -math.inf):
        with pytest.raises(ValueError, match="has no place"):
            serial.number_to_json(value)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"kind": "Hope"}, "no privacy event of kind 'Hope'"),
        ({}, "no privacy event of kind None"),
        ([], "an event is an object"),
        ({"kind": "Gaussian"}, "Gaussian needs the field 'noise_multiplier'"),
        ({"kind": "Gaussian", "noise_multiplier": 1, "extra": 2}, "Gaussian has no field 'extra'"),
        ({"kind": "Gaussian", "noise_multiplier": "1"}, "Gaussian.noise_multiplier: a privacy record holds a number"),
        ({"kind": "Gaussian", "noise_multiplier": True}, "holds a number"),
        ({"kind": "Gaussian", "noise_multiplier": -1}, "must be positive"),
        ({"kind": "Gaussian", "noise_multiplier": math.nan}, "holds a number"),
        ({"kind": "Repeated", "count": 1.5, "event": {"kind": "Nothing"}}, "Repeated.count must be of type int"),
        ({"kind": "PoissonSampled", "rate": 2, "event": {"kind": "Gaussian", "noise_multiplier": 1}}, "rate must lie"),
        ({"kind": "Composed", "events": "abc"}, "Composed.events must be a list"),
        ({"kind": "Atoms", "upper": [0.5, 0.6], "lower": [0.5, 0.5]}, "sum to 1"),
    ],
)
def test_other_forms_are_refused(record: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        serial.event_from_json(record)


def test_a_broken_statement_is_refused() -> None:
    good = serial.statement_to_json(
        PrivacyStatement(
            unit="edge",
            neighbours=Neighbours.DIRECTED_EDGE,
            relation="",
            release=Release.MODEL,
            released="",
            public=(),
            delta=1e-5,
            delta_rule="",
            epsilon=1.0,
            epsilon_as_published=None,
            accountant="",
            per_holder=(("teacher", 1.0),),
        )
    )
    for change, message in (
        ({"unit": "planet"}, "unit must be one of"),
        ({"unit": 3}, "PrivacyStatement.unit must be of type str"),
        ({"epsilon": None}, "PrivacyStatement.epsilon"),
        ({"epsilon": -1}, "must not be negative"),
        ({"delta": "inf"}, "delta must lie"),
        ({"per_holder": [["teacher"]]}, "per_holder must list 2 values"),
        ({"gaps": ["x"]}, "gaps is an object with named fields"),
        ({"ledger": [{}]}, "LedgerEntry needs the field 'mechanism'"),
        ({"ledger": [{"version": 2, "kind": "hope"}]}, "LedgerEntry needs the field"),
        ({"ledger": [{"kind": "gradients"}]}, "names the version of its form"),
        ({"neighbours": "planets"}, "PrivacyStatement.neighbours must be one of unknown, none"),
        ({"version": 3}, "the form 3 of a privacy record is not known here"),
        ({"version": 1}, "the form 1 of a privacy record is not known here"),
        ({"version": True}, "the form True"),
    ):
        with pytest.raises(ValueError, match=message):
            serial.statement_from_json({**good, **change})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(event=strategies.any_event, junk=json_values, data=st.data())
def test_mutated_records_are_read_or_refused_in_one_way(event: PrivacyEvent, junk: Any, data: st.DataObject) -> None:
    record = serial.event_to_json(event)
    record[data.draw(st.sampled_from(sorted(record)))] = junk
    try:
        read = serial.event_from_json(record)
    except ValueError:
        return
    assert serial.event_from_json(serial.event_to_json(read)) == read


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
