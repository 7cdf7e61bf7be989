"""Every method draws what its ledger pays for, from streams that are secret, and hands out nothing else.

An observer stands behind all that is drawn in a run (`tests.observer.trace`); what it saw is held against the
ledger entry by entry (`tests.observer.judge`). A method that is added to the table is covered without a line
here: it is run with each of its units, and with each choice of an option that makes an entry of another kind.
"""

from __future__ import annotations

import pytest
from tests.observer.cases import Case, cases
from tests.observer.judge import another_epoch_was_better, complaints, last_epoch

from privgraph.privacy.statements import ASSUME_LAST_EPOCH
from privgraph.registry import METHODS

CASES = cases()
LAST = [case for case in CASES if not case.changed and ASSUME_LAST_EPOCH in case.statement().assumptions]


def test_every_method_that_protects_is_observed() -> None:
    protected = {(name, unit) for name, spec in METHODS.items() for unit in spec.units if unit != "none"}
    assert {(case.method, case.unit) for case in CASES} == protected


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_drawn_is_what_is_paid_for(case: Case) -> None:
    assert complaints(case) == []


@pytest.mark.parametrize("case", LAST, ids=str)
def test_the_last_epoch_goes_out_also_where_an_earlier_one_was_better(case: Case) -> None:
    seen = another_epoch_was_better(case)
    assert seen is not None, "no run has an earlier epoch that is better: a choice would not show"
    assert list(last_epoch(seen)) == []
