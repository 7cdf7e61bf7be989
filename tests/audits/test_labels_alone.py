"""Where a label alone goes out, the label is what is attacked: the noise behind it is Gaussian, and its
trade-off is not."""

import math

import pytest
from scipy.special import ndtr
from tests.audits.test_mechanism_audit import audited, subject

from privgraph.privacy.kinds import MechanismKind, Release, Route
from privgraph.privacy.statement import PrivacyStatement


def exact(statement: PrivacyStatement, delta: float) -> float:
    """Epsilon of one label by arithmetic: one vote turns a lead of one into a deficit of one, and none does
    more."""
    (entry,) = statement.ledger
    assert entry.noise_std is not None
    weight = 1.0 if entry.kind is MechanismKind.PART_MAXIMUM else (entry.sensitivity or 0.0) / math.sqrt(2)
    right = float(ndtr(weight / (math.sqrt(2) * entry.noise_std)))
    return math.log((right - delta) / (1 - right))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pate", {"noise": "gaussian", "teachers": 1, "queries": 1}),
        ("dp-gpl", {"student_labels": "hard", "teachers": 20, "queries": 1, "gate_sigma": 0.0, "delta": 1e-3}),
    ],
)
def test_no_more_is_shown_of_a_label_than_is_true(name: str, given: dict[str, object]) -> None:
    which = subject(name, epsilon=8.0, **given)
    assert which.statement.release is Release.LABELS
    truth = exact(which.statement, which.statement.delta)
    assert truth < which.statement.epsilon / 2, "a label tells less than the counts behind it"
    record = audited(which, trials=4000, confidence=0.999)
    assert [bound.route for bound in record.bounds] == [Route.THRESHOLD]
    assert 0.4 * truth < record.epsilon <= truth


def test_counts_that_go_out_whole_are_attacked_whole() -> None:
    which = subject("dp-gpl", epsilon=8.0, student_labels="pooled", teachers=20, queries=1, gate_sigma=0.0, delta=1e-3)
    assert which.statement.release is Release.VOTES
    record = audited(which, trials=4000, confidence=0.999)
    assert {bound.route for bound in record.bounds} == {Route.THRESHOLD, Route.GAUSSIAN}
    assert record.epsilon > exact(which.statement, which.statement.delta)
