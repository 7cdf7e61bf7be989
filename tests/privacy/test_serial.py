"""Privacy records as strict JSON: what is written is read back equal, and nothing else is read."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy import strategies

from privgraph.privacy import serialisation as serial
from privgraph.privacy.events import Gaussian, PrivacyEvent, RevealedMixture
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
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
