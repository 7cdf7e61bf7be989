"""Commands are tested with a store of their own."""

import pytest


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
