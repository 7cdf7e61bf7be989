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
