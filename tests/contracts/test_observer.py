"""Every method draws what its ledger pays for, from streams that are secret, and hands out nothing else.

An observer stands behind all that is drawn in a run (`tests.observer.trace`); what it saw is held against the
ledger entry by entry (`tests.observer.judge`). A method that is added to the table is covered without a line
here: it is run with each of its units, and with each choice of an option that makes an entry of another kind.
"""

import pytest
from tests.observer.cases import SEED, Case, cases, other_dataset, private_nodes
from tests.observer.judge import alone, another_epoch_was_better, complaints, last_epoch, watch

from privgraph.privacy.kinds import OF_GRADIENTS
from privgraph.privacy.statements import ASSUME_LAST_EPOCH
from privgraph.registry import METHODS

CASES = cases()
SAMPLED = [case for case in CASES if any(entry.kind in OF_GRADIENTS for entry in case.statement().ledger)]
NODES = [case for case in CASES if not case.changed and case.unit == "node"]
LAST = [case for case in CASES if not case.changed and ASSUME_LAST_EPOCH in case.statement().assumptions]


def test_every_method_that_protects_is_observed() -> None:
    protected = {(name, unit) for name, spec in METHODS.items() for unit in spec.units if unit != "none"}
    assert {(case.method, case.unit) for case in CASES} == protected


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_drawn_is_what_is_paid_for_and_what_goes_out_is_made_of_it(case: Case) -> None:
    assert complaints(case) == []


@pytest.mark.parametrize("case", SAMPLED, ids=str)
def test_a_sample_in_which_nobody_is_gets_its_noise_too(case: Case) -> None:
    seen = watch(case.sparse, case.graph)
    assert any(0 in stream.samples for stream in seen.trace.streams), "no sample is empty: nothing would show"
    assert list(alone(seen)) == []


@pytest.mark.parametrize("case", NODES, ids=str)
def test_no_two_numbers_that_could_be_mistaken_for_one_another_are_equal(case: Case) -> None:
    config, own = case.config(), case.graph
    other = other_dataset(own, config)
    private = private_nodes(own, config)
    assert own.split_seed != SEED
    sizes = [int(mask.sum()) for mask in (own.train_mask, own.val_mask, own.test_mask)]
    counted = [*sizes, own.facts.train_nodes, int(private.sum()), int((private & own.present).sum())]
    everybody = bool(private.all())
    assert len(set(counted)) == len(counted), counted
    assert own.num_nodes not in counted[: -2 if everybody else None]
    assert int((private & other.present).sum()) < int((private & own.present).sum())
    assert other.facts.train_nodes == own.facts.train_nodes, "the roster is public"
    assert other.facts.edges != own.facts.edges


@pytest.mark.parametrize("case", LAST, ids=str)
def test_the_last_epoch_goes_out_also_where_an_earlier_one_was_better(case: Case) -> None:
    seen = another_epoch_was_better(case)
    assert seen is not None, "no run has an earlier epoch that is better: a choice would not show"
    assert list(last_epoch(seen)) == []
