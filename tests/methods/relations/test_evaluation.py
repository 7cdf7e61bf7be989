"""Ranks, PREC@1, MRR and few-shot classes, against what is written out and against slow twins."""

import numpy as np
import pytest
import torch

from privgraph.methods.relations.evaluation import class_places, few_shot_classes, ranking, ranks


def test_ranks_written_out() -> None:
    """Three queries of one batch: first, second, and a tie of the two others."""
    vectors = torch.tensor([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.9, 0.1, 0.5], [0.2, 0.1, 0.5], [0.1, 0.4, 0.1]])
    asked = torch.tensor([[0, 1, 2], [3, 4, 5]])
    # query 0: .9 against .2, .1: first; query 1: .1 against .1 (tie), .4: behind one, level with one
    assert ranks(vectors, asked).tolist() == [1.0, 2.5, 3.0]
    found = ranking(vectors, asked)
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["mrr"] == pytest.approx((1 + 1 / 2.5 + 1 / 3) / 3)


def test_the_true_partner_of_another_relation_does_not_count_against_itself() -> None:
    vectors = torch.eye(3)
    asked = torch.tensor([[0, 1], [2, 2]])
    assert ranks(vectors, asked).tolist() == [1.0, 1.0]


def test_ranks_are_those_of_a_slow_twin_in_batches_of_candidates() -> None:
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randint(-2, 3, (30, 4), generator=generator).float()
    asked = torch.randint(0, 30, (2, 23), generator=generator)
    expected = []
    for start in (0, 10):
        batch = asked[:, start : start + 10].T.tolist()
        for head, tail in batch:
            own = float(vectors[head] @ vectors[tail])
            others = [float(vectors[head] @ vectors[other]) for _, other in batch if other != tail]
            expected.append(1 + sum(score > own for score in others) + sum(score == own for score in others) / 2)
    assert ranks(vectors, asked, 10).tolist() == expected
    assert len(ranks(vectors, asked[:, :5], 10)) == 5
    assert ranking(vectors, asked[:, :0]) == {}


def test_classes_of_vectors_that_tell_them_are_found_and_others_are_not() -> None:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(4).repeat(50)
    noise = torch.randn(200, 8, generator=generator)
    told = few_shot_classes(noise * 0.1 + torch.eye(8)[labels], labels, class_places(labels, seed=0))
    assert told["macro_f1"] > 0.95
    assert told["micro_f1"] > 0.95
    blind = few_shot_classes(noise, labels, class_places(labels, seed=0))
    assert blind["micro_f1"] < 0.45


def test_places_of_classes_are_apart_balanced_and_few() -> None:
    labels = torch.tensor([0, 1, -1] * 1000 + [2] * 16)
    places = class_places(labels, seed=3)
    assert len(np.unique(places.all)) == len(places.all), "nobody teaches and is tested"
    for part in (places.train, places.validation):
        assert torch.bincount(labels[torch.from_numpy(part)]).tolist() == [8, 8], "16 of a class are too few"
    assert len(places.test) == 1024
    assert set(labels[torch.from_numpy(places.test)].tolist()) == {0, 1}, "drawn from all classes"
    assert (class_places(labels, seed=4).test != places.test).any()


def test_vectors_that_are_no_numbers_are_worst_and_not_best() -> None:
    """Comparisons with no number are all false, which would rank every partner first."""
    vectors = torch.eye(4)
    asked = torch.tensor([[0, 1, 2, 3], [0, 1, 2, 3]])
    assert ranks(vectors, asked).tolist() == [1, 1, 1, 1]
    assert ranks(torch.full((4, 4), float("nan")), asked).tolist() == [4, 4, 4, 4]
    vectors[2] = float("inf")
    assert float(ranks(vectors, asked)[2]) == 4
    labels = torch.arange(2).repeat(40)
    assert few_shot_classes(torch.full((80, 3), float("nan")), labels, class_places(labels, seed=0)) == {}
