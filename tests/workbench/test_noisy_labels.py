"""Chances of labels under noise of each law, against many draws."""

from __future__ import annotations

import numpy as np
import pytest

from privgraph_workbench.facts import noisy_labels


@pytest.mark.long
@pytest.mark.parametrize("law", noisy_labels.SPREAD)
def test_chances_are_what_draws_come_to(law: str) -> None:
    counts = np.array([5.0, 4.0, 2.0, 0.0])
    source = np.random.default_rng(0)
    noise = np.stack([noisy_labels.drawn(law, 2.0, 4, source) for _ in range(40_000)])
    assert noise.std() == pytest.approx(2.0, rel=0.03)
    came = np.bincount((counts + noise).argmax(axis=1), minlength=4) / len(noise)
    assert noisy_labels.chances(law, 2.0, counts).tolist() == pytest.approx(came.tolist(), abs=0.01)


@pytest.mark.parametrize("law", noisy_labels.SPREAD)
def test_the_right_class_of_every_query_at_once_as_one_by_one(law: str) -> None:
    source = np.random.default_rng(1)
    counts, truth = source.integers(0, 20, (60, 5)).astype(float), source.integers(0, 5, 60)
    for std in (0.3, 3.0, 30.0):
        found = noisy_labels.right(law, std, counts, truth)
        slow = [noisy_labels.chances(law, std, one)[label] for one, label in zip(counts, truth, strict=True)]
        assert np.abs(found - slow).max() < 2e-3
        assert found.mean() == pytest.approx(np.mean(slow), abs=1e-4)
