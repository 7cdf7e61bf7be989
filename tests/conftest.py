"""Fixtures that every room's tests share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

# Tests share the cores as processes (pytest-xdist), each with one thread: two processes of two threads each spend their
# time waiting for one another. Before torch is imported; what tests start inherits it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests one after another: a browser, an app and its workers fill a core or two by themselves."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own runs."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def shared_data(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of real raw data sets: PRIVGRAPH_DATA, else ../shared/data beside the repository."""
    path = Path(os.environ.get("PRIVGRAPH_DATA") or ROOT.parent / "shared" / "data")
    if not path.is_dir():
        pytest.skip(f"no real data at hand: set PRIVGRAPH_DATA (looked in {path})")
    monkeypatch.setenv("PRIVGRAPH_DATA", str(path))
    return path


@pytest.fixture(scope="session")
def golden_cases() -> list[dict[str, Any]]:
    """Privacy numbers to reproduce, from ../shared/golden beside the repository."""
    path = ROOT.parent / "shared" / "golden" / "cases.json"
    if not path.is_file():
        pytest.skip("no golden privacy numbers at hand")
    cases: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return cases
