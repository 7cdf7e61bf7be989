"""A white-box audit trains on private data: its noise is as secret as a run's."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.audits.test_white_box import audited, subject

from privgraph.audits import white_box
from privgraph.methods.keys import Keys, run_keys
from privgraph.options import OptionError


@pytest.mark.long
def test_the_noise_of_an_audit_is_the_installation_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run and seed of an audit are known: with noise of these alone, what it shows could be freed of
    noise."""
    of = subject("dp-mlp", epochs=2)
    here, again = (audited(of, canaries=100, seed=1) for _ in range(2))
    assert here.scores_with == again.scores_with
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "elsewhere"))
    elsewhere = audited(of, canaries=100, seed=1)
    assert (elsewhere.edges, elsewhere.scores_with) != (here.edges, here.scores_with)


def test_audits_of_one_run_have_noise_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both train on the run's private data: with common noise their difference shows what other canaries
    changed."""
    keys: list[bytes] = []

    def spy(*given: Any) -> Iterator[Keys]:
        keys.extend(key.noise for key in run_keys(*given))
        raise OptionError("nothing is trained here")

    monkeypatch.setattr(white_box, "run_keys", spy)
    of = subject("dp-mlp")
    for run, turn, options in (
        ("a", 1, {}), ("a", 1, {}), ("a", 2, {}), ("a", 1, {"canaries": 101}), ("a", 1, {"seed": 1}), ("b", 1, {})
    ):  # fmt: skip
        with pytest.raises(OptionError, match="nothing is trained"):
            audited(replace(of, run=run, turn=turn), **options)
    assert keys[0] == keys[1]
    assert len(set(keys)) == 5
