"""Draws of tuples: one relation is behind one tuple, and nothing of a tuple depends on another relation."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from privgraph.methods.relations.tuples import TupleSampler, without_replacement
from privgraph.streams import Secret

KEY = bytes(range(32))


def sampler(relations: list[tuple[int, int]], entities: int = 6, **given: float) -> TupleSampler:
    return TupleSampler(
        relations=torch.tensor(relations).T.reshape(2, -1).long(),
        entities=torch.arange(entities),
        rate=given.get("rate", 1.0),
        negatives=int(given.get("negatives", 2)),
    )


def test_a_tuple_is_an_anchor_its_partner_and_texts_of_the_domain() -> None:
    own = sampler([(0, 1), (2, 5), (3, 4)], negatives=3)
    seen = own.draw(Secret(KEY, 0, "sampling/tuples"))
    assert seen.shape == (3, 5)
    assert [tuple(sorted(pair)) for pair in seen[:, :2].tolist()] == [(0, 1), (2, 5), (3, 4)]
    assert all(len(set(row)) == 3 for row in seen[:, 2:].tolist()), "without replacement"
    assert set(seen[:, 2:].flatten().tolist()) <= set(range(6))


@pytest.mark.long
def test_every_relation_is_drawn_with_its_rate_and_independently() -> None:
    own, secret = sampler([(0, 1), (2, 3), (4, 5)], rate=0.3, negatives=1), Secret(KEY, 1, "s")
    counts = np.zeros(8, dtype=np.int64)
    for _ in range(4000):
        drawn = {tuple(sorted(pair)) for pair in own.draw(secret)[:, :2].tolist()}
        counts[sum(2**place for place, pair in enumerate(((0, 1), (2, 3), (4, 5))) if pair in drawn)] += 1
    expected = [math.prod(0.3 if index >> bit & 1 else 0.7 for bit in range(3)) * 4000 for index in range(8)]
    assert chisquare(counts, expected).pvalue > 1e-4
    wrong = [math.prod(0.2 if index >> bit & 1 else 0.8 for bit in range(3)) * 4000 for index in range(8)]
    assert chisquare(counts, wrong).pvalue < 1e-4


def test_each_end_is_the_anchor_half_of_the_time() -> None:
    own, secret = sampler([(0, 1)], negatives=1), Secret(KEY, 2, "s")
    anchors = [int(own.draw(secret)[0, 0]) for _ in range(2000)]
    assert abs(sum(anchors) - 1000) < 5 * math.sqrt(500)


def test_negatives_are_uniform_over_all_subsets() -> None:
    """Over every ordered choice's set: 10 subsets of 3 of 5."""
    rows = without_replacement(5, 3, 20_000, Secret(KEY, 3, "s").below)
    sets = [tuple(sorted(row)) for row in rows.tolist()]
    counts = [sets.count(one) for one in itertools.combinations(range(5), 3)]
    assert sum(counts) == 20_000
    assert chisquare(counts).pvalue > 1e-4
    assert sorted(without_replacement(4, 4, 1, Secret(KEY, 0, "s").below)[0].tolist()) == [0, 1, 2, 3]
    assert without_replacement(4, 2, 0, Secret(KEY, 0, "s").below).shape == (0, 2)


@pytest.mark.long
def test_negatives_have_the_same_law_with_a_relation_and_without() -> None:
    """Neighbouring relation sets: the other relations' tuples are alike in law, negatives too."""
    counts = {}
    for name, relations in (("with", [(0, 1), (2, 3)]), ("without", [(2, 3)])):
        own, secret = sampler(relations, entities=4, negatives=1), Secret(KEY, 4, name)
        drawn = [next(row for row in own.draw(secret).tolist() if set(row[:2]) == {2, 3}) for _ in range(3000)]
        counts[name] = np.array([[row[0] == 2, row[2] == 0, row[2] == 1, row[2] == 2] for row in drawn]).sum(0)
    assert np.abs(counts["with"] - counts["without"]).max() < 5 * math.sqrt(2 * 3000 / 4)


def test_removing_a_relation_removes_its_tuple_and_no_other() -> None:
    """Everything is drawn (rate 1): the pairs differ by one, whichever relation goes."""
    relations = [(0, 1), (1, 2), (2, 3), (0, 5)]
    every = {tuple(sorted(row[:2])) for row in sampler(relations).draw(Secret(KEY, 0, "s")).tolist()}
    for gone in relations:
        left = [pair for pair in relations if pair != gone]
        less = [tuple(sorted(row[:2])) for row in sampler(left).draw(Secret(KEY, 0, "s")).tolist()]
        assert len(less) == len(relations) - 1
        assert every - set(less) == {gone}


@pytest.mark.parametrize("relations", [[(0, 1), (0, 1)], [(0, 1), (1, 0)]])
def test_a_pair_that_stands_twice_is_refused(relations: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="each unordered pair once"):
        sampler(relations)


def test_ordinary_batches_use_up_every_relation_before_the_next_round() -> None:
    own = sampler([(0, 1), (1, 2), (2, 3), (0, 5), (4, 5)], negatives=2)
    batches = own.shuffled(np.random.default_rng(0), 2)
    for _ in range(3):
        pairs = [tuple(sorted(row[:2])) for row in torch.cat([next(batches) for _ in range(3)]).tolist()]
        assert sorted(pairs) == [(0, 1), (0, 5), (1, 2), (2, 3), (4, 5)]
    none = TupleSampler(relations=torch.zeros(2, 0, dtype=torch.int64), entities=torch.arange(4), rate=1.0, negatives=2)
    assert next(none.shuffled(np.random.default_rng(0), 2)).shape == (0, 4)
