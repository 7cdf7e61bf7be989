"""A white-box audit trains on private data: its noise is as secret as a run's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.audits.test_white_box import audited, subject


def test_the_noise_of_an_audit_is_the_installation_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run and seed of an audit are known: with noise of these alone, what it shows could be freed of noise."""
    of = subject("dp-mlp", epochs=2)
    here, again = (audited(of, canaries=100, seed=1) for _ in range(2))
    assert here.scores_with == again.scores_with
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "elsewhere"))
    elsewhere = audited(of, canaries=100, seed=1)
    assert (elsewhere.edges, elsewhere.scores_with) != (here.edges, here.scores_with)
