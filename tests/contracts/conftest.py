"""An empty store on each database, and a home for which a worker works."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.contracts.capabilities_here import pulling
from tests.postgres_here import Server

from privgraph.runs.store import RunStore
from privgraph.runs.tables import metadata


@pytest.fixture(scope="session")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose runs a worker trains that pulls."""
    home = tmp_path_factory.mktemp("pulled")
    with pulling(home):
        yield home


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh, empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.sqlite'}"
    server: Server = request.getfixturevalue("server")
    with sa.create_engine(server.url, poolclass=sa.NullPool).begin() as connection:
        metadata.drop_all(connection)
    return server.url


@pytest.fixture
def store(url: str) -> Iterator[RunStore]:
    store = RunStore.open(url)
    yield store
    store.close()
