"""What a stored run hangs on: its own split, its seed, and the installation's secret noise key."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from privgraph.methods.teachers.answers import Answers
from privgraph.runs.launch import wait
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RunStore]:
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    store = RunStore.open()
    yield store
    store.close()


@pytest.mark.long
def test_runs_of_one_seed_have_noise_of_their_own(store: RunStore) -> None:
    """Common noise z would give v away: from v + a z and v + b z, whatever a and b."""
    options = {"release": "votes", "queries": 12, "epochs": 2}
    base = make_spec("privgnn", "social", options, data_options={"nodes": 120, "degree": 6.0, "features": 12})
    specs = sweep(base, over={"epsilon": (2.0, 4.0), "common": (False, True)})
    ids = {
        (bool(spec.options["common"]), float(spec.options["epsilon"])): store.submit(spec, batch="pair")
        for spec in specs
    }
    for record in wait(store, list(ids.values()), timeout=120):
        assert record.state == "done", record.error
    answers_by_options = {name: Answers.load(store.folder(run)) for name, run in ids.items()}
    noise = {name: (answers.after - answers.before) / answers.noise_std for name, answers in answers_by_options.items()}
    for one, other in combinations(noise, 2):
        assert abs(np.corrcoef(noise[one].ravel(), noise[other].ravel())[0, 1]) < 0.9
    # samples are a run's own as well, unless they are asked to be common
    assert not np.array_equal(answers_by_options[False, 2.0].before, answers_by_options[False, 4.0].before)
    assert np.array_equal(answers_by_options[True, 2.0].before, answers_by_options[True, 4.0].before)
