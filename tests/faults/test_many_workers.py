"""A small play of `many_workers`: three workers, one of which is killed, and a database that crashes once."""

import pytest
from tests.faults.many_workers import fresh
from tests.postgres_here import binaries


@pytest.mark.long
@pytest.mark.postgres
def test_each_run_is_trained_once_whoever_is_killed() -> None:
    if binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    told = fresh(workers=3, count=60, kill=0.1, most_kills=1, restarts=1)
    assert told.whole, str(told)
    assert (told.killed, told.restarts) == (1, 1)
