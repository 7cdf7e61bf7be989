"""What a model without edges reaches on a made-up network, and the signal that is fitted to an accuracy."""

import numpy as np
import pytest

from privgraph.data.embedded import SocialOptions, social
from privgraph.data.fitted_signal import HIGHEST, expected_accuracy, signal_for

SIZES: dict[str, int] = {"classes": 3, "features": 32, "train_nodes": 600}


@pytest.mark.parametrize(("classes", "signal"), [(2, 1.0), (7, 2.0)])
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


@pytest.mark.parametrize("accuracy", [0.4, 0.99])
def test_the_signal_is_the_inverse(accuracy: float) -> None:
    assert expected_accuracy(signal_for(accuracy, **SIZES), **SIZES) == pytest.approx(accuracy, abs=0.003)


def test_what_no_features_reach_is_at_the_end_of_the_range() -> None:
    assert signal_for(0.2, **SIZES) == 0, "a guess is right more often"
    assert expected_accuracy(0.0, **SIZES) == 1 / 3
    assert expected_accuracy(2.0, **{**SIZES, "train_nodes": 0}) == 1 / 3, "nothing was learnt"
    assert signal_for(1.0, **SIZES) <= HIGHEST
    assert expected_accuracy(signal_for(1.0, **SIZES), **SIZES) > 0.999
