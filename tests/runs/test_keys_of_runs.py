"""Noise repeats for the same spec on the same data by the same program on the same device, and for nothing
else."""

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from tests.data import uploads_made_here as made
from tests.torch_threads import threads

from privgraph.data.load import load
from privgraph.data.uploads import upload_path
from privgraph.home import home
from privgraph.methods import keys
from privgraph.methods.keys import run_keys
from privgraph.methods.teachers.answers import Answers
from privgraph.methods.training import Member
from privgraph.progress import Event, Result
from privgraph.registry import MethodSpec
from privgraph.runs import worker
from privgraph.runs.launch import wait
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph.streams import noise_key


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Workers of this process take them."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def data() -> str:
    """A graph of 90 nodes whose file can be changed under its name, as a file of the catalogue can."""
    return made.taken({"graph.npz": made.npz(made.arrays(nodes=90))}).name


def change(name: str, **changed: Any) -> None:
    """Somebody edits the file."""
    for array, value in changed.items():
        np.save(upload_path(name) / f"{array}.npy", value)
        if array == "edges":
            counts = np.bincount(value[1], minlength=90)
            np.save(upload_path(name) / "pointers.npy", np.cumsum([0, *counts]))
    facts = upload_path(name).with_suffix(".json")
    entries = np.load(upload_path(name) / "edges.npy").shape[1]
    facts.write_text(json.dumps(json.loads(facts.read_text()) | {"edges": entries // 2}))


def held(name: str, array: str) -> Any:
    return np.load(upload_path(name) / f"{array}.npy")


def with_less(edges: Any) -> Any:
    """The edges without the first friendship."""
    one, other = edges[:, 0]
    return edges[:, ~(np.isin(edges, (one, other)).all(0))]


def trained(store: RunStore, spec: RunSpec) -> Any:
    """Train, keep what the teachers answered, and forget the run."""
    run = store.submit(spec)
    assert worker.main([run]) == 0
    found = Answers.load(store.folder(run))
    store.delete(run)
    return found


@pytest.mark.long
def test_a_rerun_repeats_to_the_last_digit_and_one_friendship_less_has_other_noise(store: RunStore, data: str) -> None:
    """Common noise would show the friendship in the difference of two releases, whatever epsilon is."""
    options = {"release": "votes", "queries": 12, "epochs": 2, "epsilon": 2.0}
    spec = make_spec("privgnn", data, options, device="cpu")
    first, again = trained(store, spec), trained(store, spec)
    assert np.array_equal(first.after, again.after)
    whole = held(data, "edges")
    change(data, edges=with_less(whole))
    less = trained(store, spec)
    noise = [(found.after - found.before) / found.noise_std for found in (first, less)]
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.9
    change(data, edges=whole)
    back = trained(store, spec)
    assert np.array_equal(first.after, back.after)


@dataclass
class Given:
    """A trainer that keeps the keys of its contexts."""

    found: list[tuple[bytes, bytes]]

    def __call__(self, members: Sequence[Member]) -> Iterator[tuple[int, Event]]:
        for index, member in enumerate(members):
            self.found.append((member.context.noise_key, member.context.shared_key))
            yield index, Result(metrics={})


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, bytes]]:
    found: list[tuple[bytes, bytes]] = []
    monkeypatch.setattr(MethodSpec, "load_train", lambda self: Given(found))
    return found


def keys_of(store: RunStore, given: list[tuple[bytes, bytes]], *specs: RunSpec) -> list[tuple[bytes, bytes]]:
    """The keys that a worker gives the trainer of these runs, which are one stack."""
    given.clear()
    ids = [store.submit(spec) for spec in specs]
    worker.main(ids)
    for run in ids:
        store.delete(run)
    assert len(given) == len(specs)
    return list(given)


@pytest.mark.long
def test_each_of_the_four_changes_the_key(
    store: RunStore, data: str, given: list[tuple[bytes, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_spec("mlp", data, {"unit": "none", "epochs": 1}, device="cpu")
    (first,) = keys_of(store, given, spec)
    assert keys_of(store, given, spec) == [first], "the same of all four"
    (spec_changed,) = keys_of(store, given, make_spec("mlp", data, {"unit": "none", "epochs": 2}, device="cpu"))
    assert spec_changed[0] != first[0]
    assert spec_changed[1] == first[1], "on the same data by the same program, this is what runs share"
    others = [first]
    whole, x, y, parts = (held(data, array) for array in ("edges", "x", "y", "parts"))
    for name, value, was in (
        ("edges", with_less(whole), whole),
        ("x", x + np.eye(*x.shape, dtype=x.dtype), x),
        ("y", y[::-1], y),
    ):
        change(data, **{name: value})
        others += keys_of(store, given, spec)
        change(data, **{name: was})
    public = make_spec("mlp", data, {"unit": "none", "epochs": 1}, split="public", device="cpu")
    others += keys_of(store, given, public)
    change(data, parts=np.array([1, 0, 2])[parts])
    others += keys_of(store, given, public)
    change(data, parts=parts)
    assert keys_of(store, given, spec) == [first]
    with monkeypatch.context() as patched:
        patched.setattr(keys, "program", lambda: "0.5.1+000000000000")
        others += keys_of(store, given, spec)
    with monkeypatch.context() as patched:
        patched.setattr(worker, "choose_device", lambda asked: torch.device("cuda"))
        others += keys_of(store, given, spec)
    with monkeypatch.context() as patched:
        (home() / "elsewhere").mkdir()
        patched.setattr(worker, "home", lambda: home() / "elsewhere")
        store.leases.renew(noise_key(home() / "elsewhere"))
        others += keys_of(store, given, spec)
    flat = [key for pair in others for key in pair]
    assert len(set(flat)) == len(flat) == 2 * 9
    assert (home() / "noise.key").read_bytes() not in flat, "the installation's own key is given to nobody"


def test_a_run_in_a_stack_has_noise_of_its_own(store: RunStore, data: str, given: list[tuple[bytes, bytes]]) -> None:
    """A stack rounds otherwise than a run alone: common noise would show the difference."""
    specs = sweep(make_spec("mlp", data, {"unit": "none", "epochs": 1}, device="cpu"), seeds=(0, 1, 2))
    two, three = keys_of(store, given, *specs[:2]), keys_of(store, given, *specs)
    alone = [key for spec in specs for key in keys_of(store, given, spec)]
    noise = [key for key, _ in [*two, *three, *alone]]
    assert len(set(noise)) == len(noise)
    assert keys_of(store, given, *specs[:2]) == two, "the same runs together repeat"
    assert [shared for _, shared in three] == [shared for _, shared in alone], "samples shared on purpose still are"


def test_a_stack_that_is_trained_in_parts_has_the_noise_of_each_part(
    store: RunStore, data: str, given: list[tuple[bytes, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rounds otherwise is who is trained together, and not who was claimed together."""
    specs = sweep(make_spec("mlp", data, {"unit": "none", "epochs": 1}, device="cpu"), seeds=(0, 1, 2))
    parts = [*keys_of(store, given, *specs[:2]), *keys_of(store, given, specs[2])]
    monkeypatch.setattr(worker, "fits_at_once", lambda *_: 2)
    assert keys_of(store, given, *specs) == parts


def _libraries(patch: pytest.MonkeyPatch) -> None:
    told = [{"internal_api": "openblas", "version": "0.3", "architecture": "Zen", "num_threads": 7}]
    patch.setattr(keys, "threadpool_info", lambda: told)


def _processor(patch: pytest.MonkeyPatch) -> None:
    assert keys.processor()
    patch.setattr(keys, "processor", lambda: "another maker's, with the same instructions")


PLACES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "libraries": _libraries,
    "processor": _processor,
    **{
        name: (lambda patch, name=name: patch.setenv(name, "COMPATIBLE"))
        for name in ("MKL_CBWR", "ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")
    },
}
"""What makes gradients round otherwise: the same noise would show the difference."""


@pytest.mark.parametrize("what", PLACES)
def test_the_place_is_part_of_the_key(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = load("karate")
    (here,) = run_keys(b"secret", ["the same run"], [graph], "cpu")
    PLACES[what](monkeypatch)
    (there,) = run_keys(b"secret", ["the same run"], [graph], "cpu")
    assert here.noise != there.noise
    assert here.shared != there.shared


def test_another_number_of_threads_is_another_device() -> None:
    """It decides the order of sums, and so a last digit that may decide what is released."""
    graph, derived_keys = load("karate"), []
    for count in (1, 2, 1):
        with threads(count):
            derived_keys += run_keys(b"secret", ["the same run"], [graph], "cpu")
    assert derived_keys[0] == derived_keys[2]
    assert derived_keys[0].noise != derived_keys[1].noise
    assert derived_keys[0].shared != derived_keys[1].shared


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
