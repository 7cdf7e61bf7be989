"""Fixtures that every room's tests share."""

import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.postgres_here import Server, running

from privgraph.runs.store import RunStore

settings.register_profile("no clock", deadline=None)  # on a busy machine any example may take a while
settings.load_profile("no clock")

# Tests share the cores as processes (pytest-xdist), each with one thread: two processes of two threads each
# spend their time waiting for one another. Before torch is imported; what tests start inherits it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("PRIVGRAPH_EXAMPLES", str(ROOT / "build" / "examples"))  # unpacked once for all tests


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadfile`, a process takes a whole file or class: what is made once for a file is made in
    one process.

    Browser tests are taken by one process, all of them: a browser, an app and its workers fill a core or two
    by themselves. Files are taken in the order of their names, the many small ones among the last.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "browser" if nodeid.startswith("tests/browser/") else nodeid.split("[")[0].rpartition("::")[0]

    config.option.loadscopereorder = False
    return Files(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser or a cluster, beside an app and its workers on a busy machine, may answer later than their
    libraries wait: such a test is run once more before it counts as failed, and the summary tells so."""
    for item in items:
        if {"browser", "cluster"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session", autouse=True)
def _components_are_looked_for_once() -> Iterator[None]:
    """Streamlit's AppTest reads the metadata of everything that is installed, anew for each page: half of
    what a page costs."""
    if "streamlit.testing.v1" not in sys.modules:
        yield
        return
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own runs."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.delenv("PRIVGRAPH_ARTIFACTS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A PostgreSQL server with an empty database."""
    with running() as found:
        yield found


@pytest.fixture
def store() -> Iterator[RunStore]:
    """The store of the test's own home."""
    opened = RunStore.open()
    yield opened
    opened.close()


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
