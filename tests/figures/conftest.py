"""A real store with finished runs, made once for the figures' tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.figures import made_figures, made_runs

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.chart import Row


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    """An empty store of its own."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("figures")))
    opened = RunStore.open()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> list[RunRecord]:
    """Two methods at four budgets and two references, three seeds each."""
    with _opened(tmp_path_factory) as store:
        return made_runs.sweep(store)


@pytest.fixture(scope="session")
def every_figure(swept: list[RunRecord], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Row]]:
    """Rows of every figure there is."""
    with _opened(tmp_path_factory) as store:
        return made_figures.rows(store, swept)


@pytest.fixture(scope="session")
def statement() -> PrivacyStatement:
    """What a setting guarantees that was audited, too."""
    said = made_runs.statement(made_runs.edge_entries(9))
    return replace(said, epsilon_audited=0.31, audit_confidence=0.95)


@contextmanager
def _opened(folders: pytest.TempPathFactory) -> Iterator[RunStore]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(folders.mktemp("made")))
        opened = RunStore.open()
        yield opened
        opened.close()
