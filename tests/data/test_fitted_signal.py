"""What a model without edges reaches on a made-up network, and the signal that is fitted to an accuracy."""

from __future__ import annotations

import numpy as np
import pytest

import privgraph as pg
from privgraph.data.catalogue import dataset
from privgraph.data.embedded import SocialOptions, social
from privgraph.data.fitted_signal import HIGHEST, expected_accuracy, signal_for, sizes_of
from privgraph.options import Scalar
from privgraph.runs.spec import make_spec

SIZES: dict[str, int] = {"classes": 3, "features": 32, "train_nodes": 600}


@pytest.mark.parametrize(("classes", "signal"), [(2, 1.0), (3, 2.0), (7, 2.0), (3, 3.5)])
def test_it_is_what_the_nearest_mean_of_training_nodes_reaches(classes: int, signal: float) -> None:
    found = []
    for seed in range(20):
        table = social(SocialOptions(nodes=4600, classes=classes, degree=0, signal=signal, seed=seed))
        x, y = table.x[:600], table.y[:600]
        means = np.stack([x[y == label].mean(0) for label in range(classes)])
        nearest = ((table.x[600:, None] - means) ** 2).sum(2).argmin(1)
        found.append((nearest == table.y[600:]).mean())
    expected = expected_accuracy(signal, classes=classes, features=32, train_nodes=600)
    assert np.mean(found) == pytest.approx(expected, abs=0.015)


def test_a_trained_mlp_is_near_the_accuracy_that_was_asked_for() -> None:
    options: dict[str, Scalar] = {"nodes": 2000, "classes": 3, "degree": 5.0}
    options["signal"] = signal_for(0.8, **sizes_of(dataset("social"), options))
    asked = [make_spec("mlp", "social", {"unit": "none"}, data_options=options, seed=seed) for seed in range(2)]
    runs = [pg.run(one) for one in asked]
    mean = np.mean([run.metrics["test_accuracy"] for run in runs])
    assert 0.74 < mean < 0.84, "at most four points below, with the error of 300 test nodes"


@pytest.mark.parametrize("accuracy", [0.4, 0.6, 0.85, 0.99])
def test_the_signal_is_the_inverse(accuracy: float) -> None:
    assert expected_accuracy(signal_for(accuracy, **SIZES), **SIZES) == pytest.approx(accuracy, abs=0.003)


def test_what_no_features_reach_is_at_the_end_of_the_range() -> None:
    assert signal_for(0.2, **SIZES) == 0, "a guess is right more often"
    assert expected_accuracy(0.0, **SIZES) == 1 / 3
    assert expected_accuracy(2.0, **{**SIZES, "train_nodes": 0}) == 1 / 3, "nothing was learnt"
    assert signal_for(1.0, **SIZES) <= HIGHEST
    assert expected_accuracy(signal_for(1.0, **SIZES), **SIZES) > 0.999


def test_a_set_whose_sizes_are_not_options_is_refused() -> None:
    with pytest.raises(ValueError, match="no sizes"):
        sizes_of(dataset("products"), {})
