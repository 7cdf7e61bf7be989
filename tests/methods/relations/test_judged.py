"""Classes from a few labelled vectors: what is learnt from, what chooses the penalty, and what F1 weighs; and
that no text is lost where they are read some at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.methods.relations.test_nearest import TEXTS, reader

from privgraph.methods.relations import evaluation, nearest
from privgraph.methods.relations.evaluation import class_places, few_shot_classes


def test_the_penalty_is_chosen_by_validation_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = torch.arange(2).repeat(40)
    places = class_places(labels, seed=0)
    truth = labels.numpy()
    one, other = evaluation.STRENGTHS[:2]

    class Model:
        """Right on validation entities alone with one penalty, on all others alone with the other."""

        def __init__(self, C: float, max_iter: int) -> None:
            self.best = other == C

        def fit(self, x: NDArray[np.float64], y: NDArray[np.int64]) -> Model:
            assert sorted(x.argmax(1)) == sorted(places.train), "who chooses the penalty has not taught"
            return self

        def predict(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
            who = x.argmax(1)
            return np.where(np.isin(who, places.validation) == self.best, truth[who], 1 - truth[who])

        def score(self, x: NDArray[np.float64], y: NDArray[np.int64]) -> float:
            return float((self.predict(x) == y).mean())

    monkeypatch.setattr(evaluation, "STRENGTHS", (one, other))
    monkeypatch.setattr(evaluation, "LogisticRegression", Model)
    found = few_shot_classes(torch.eye(80), labels, places)
    assert found == {"macro_f1": 0.0, "micro_f1": 0.0}, "whoever is best on those that are tested is not taken"


def test_macro_f1_weighs_classes_alike_and_micro_f1_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = torch.tensor([0] * 116 + [1] * 26)  # 100 and 10 are tested
    places = class_places(labels, seed=0)

    class Zero:
        def __init__(self, **_: Any) -> None:
            pass

        def fit(self, x: NDArray[np.float64], y: NDArray[np.int64]) -> Zero:
            return self

        def predict(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
            return np.zeros(len(x), dtype=np.int64)

        def score(self, *_: Any) -> float:
            return 0.5

    monkeypatch.setattr(evaluation, "LogisticRegression", Zero)
    found = few_shot_classes(torch.eye(142), labels, places)
    assert found["micro_f1"] == pytest.approx(100 / 110)
    assert found["macro_f1"] == pytest.approx((2 * 100 / (2 * 100 + 10) + 0) / 2)


def test_a_vector_s_length_says_nothing_of_its_class() -> None:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(4).repeat(50)
    vectors = torch.randn(200, 8, generator=generator) + torch.eye(8)[labels]
    lengths = torch.logspace(-2, 2, 200)[torch.randperm(200, generator=generator)]
    places = class_places(labels, seed=0)
    plain = few_shot_classes(vectors, labels, places)
    assert few_shot_classes(vectors * lengths[:, None], labels, places) == pytest.approx(plain, abs=1e-9)


def test_of_many_entities_some_of_every_class_are_tested() -> None:
    labels = torch.arange(5).repeat_interleave(400)
    tested = labels[torch.from_numpy(class_places(labels, seed=1, most=200).test)]
    assert tested.numel() == 200
    assert torch.bincount(tested, minlength=5).min() > 15


def test_no_text_is_lost_where_they_are_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    one = reader()
    whole = one.vectors(one.tokens(TEXTS))
    monkeypatch.setattr(nearest, "AT_ONCE", 2)
    parts = one.vectors(one.tokens(TEXTS))
    assert parts.shape == whole.shape == (len(TEXTS), one.encoder.facts.width)
    assert torch.allclose(parts, whole, atol=1e-6)
