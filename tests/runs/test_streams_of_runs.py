"""What a stored run hangs on: its own split, its seed, and the installation's secret noise key."""

from __future__ import annotations

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


def curve(store: RunStore, run: str) -> list[float]:
    events = store.events(run, kinds=["metric"])
    return [event.payload["value"] for event in events if event.payload["name"] == "train_loss"]


@pytest.mark.long
def test_a_run_repeats_with_the_same_key_and_with_no_other(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = make_spec("progap", "karate", {"unit": "edge", "epsilon": 1.0, "epochs": 5, "depth": 1}, seed=3)
    curves = []
    for _ in range(2):
        (record,) = wait(store, [store.submit(spec)], timeout=120)
        assert record.state == "done", record.error
        curves.append(curve(store, record.id))
        store.delete(record.id)
    assert curves[0] == curves[1]
    monkeypatch.setenv("PRIVGRAPH_HOME", str(tmp_path / "elsewhere"))
    other = RunStore.open()
    (record,) = wait(other, [other.submit(spec)], timeout=120)
    elsewhere = curve(other, record.id)
    other.close()
    assert elsewhere[:5] == curves[0][:5]  # stage 0 reads no edge, so there is no noise in it
    assert elsewhere[5:] != curves[0][5:]


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
