"""One round of each kind that no other test plays, at a fixed moment; `make faults` plays them at random
ones."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.many_workers import fresh
from tests.faults.rounds import Calm, Round, _undisturbed, play
from tests.postgres_here import binaries

KEY = bytes(32)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calm]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PRIVGRAPH_HOME", "PRIVGRAPH_STORE"):
            patch.setenv(name, "")  # what the rounds set is put back
        patch.setenv("OMP_NUM_THREADS", "1")
        yield _undisturbed(tmp_path_factory.mktemp("calm") / "home", KEY)


@pytest.mark.long
@pytest.mark.parametrize(("victim", "state"), [("command", "done"), ("worker and command", None)])
def test_a_kill_loses_nothing(
    calm: Calm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str, state: str | None
) -> None:
    monkeypatch.setenv("PRIVGRAPH_STORE", "")
    one = Round(victim=victim, database="SQLite", moment=0.8 * calm.seconds)
    play(one, tmp_path / "home", KEY, None, calm)
    assert one.lost == []
    assert one.state == (state or one.state)
    assert os.environ.get("PRIVGRAPH_STORE", "") == ""


@pytest.mark.long
@pytest.mark.postgres
def test_each_run_is_trained_once_whoever_is_killed() -> None:
    if binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    told = fresh(workers=3, count=60, kill=0.1, most_kills=1, restarts=1)
    assert told.whole, str(told)
    assert (told.killed, told.restarts) == (1, 1)
