"""A tuning in a store that a team shares."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres_here import Server, binaries
from tests.tuning.worker_made_here import MadeWorker, at_work, gap

from privgraph.privacy.selection import Fixed, NegativeBinomial
from privgraph.runs.records import RunIsFixed
from privgraph.runs.store import RunStore
from privgraph.tuning.conducting import Tuning
from privgraph.tuning.request import Choice

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL is installed")
    server = Server(programs)
    try:
        server.start()
        yield server.url
    finally:
        server.remove()


@pytest.mark.long
def test_a_tuning_on_postgresql(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore.open(url, tmp_path / "runs")
    monkeypatch.setattr("privgraph.tuning.conducting.draw", lambda *_: 3)
    asked = Choice(base=gap(), over={"depth": [1, 2]}, law=NegativeBinomial(mean=5), epsilon=4.0)
    with at_work(MadeWorker(lambda spec: float(int(spec.trial[:2], 16)) / 256, most=2)):
        tuning = Tuning(store, asked)
        with pytest.raises(KeyboardInterrupt):
            tuning.conduct()
    (done, *_) = [one for one in store.find() if one.state == "done"]
    with pytest.raises(RunIsFixed):
        store.delete(done.id)
    with at_work(MadeWorker(lambda spec: float(int(spec.trial[:2], 16)) / 256)):
        tuned = Tuning(store, asked).conduct()
        paid = Tuning(store, Choice(base=gap(), over={"depth": [1, 2]}, law=Fixed(count=3), epsilon=4.0)).conduct()
    assert tuned.released is not None
    assert len(tuned.trials) == 3
    rows = {row["id"]: row["sound_epsilon"] for row in store.find_rows()}
    assert sorted(rows[one.run] for one in tuned.trials) == [tuned.terms.epsilon, math.inf, math.inf]
    assert [rows[one.run] for one in paid.trials] == [paid.terms.epsilon] * 3
    store.close()
