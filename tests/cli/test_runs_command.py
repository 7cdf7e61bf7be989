"""`privgraph watch` and `privgraph stop`, and what a sweep says of how far it is."""

import pytest

from privgraph.home import home
from privgraph.runs import launch
from privgraph.runs.leases import Outcome
from privgraph.runs.queueing import Wants
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph.streams import fingerprint, noise_key
from privgraph_workbench.cli import DONE, FAILED, main


def queued(store: RunStore, seeds: int, tag: str) -> list[str]:
    specs = sweep(make_spec("mlp", "karate", {"epochs": 4}), seeds=range(seeds))
    return [store.submit(spec, [tag]) for spec in specs]


def test_runs_of_a_tag_are_seen_and_stopped(store: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = queued(store, 3, "night")
    other = store.submit(make_spec("mlp", "karate", {"epochs": 5}), ["day"])
    store.leases.claim([first, second], "w")
    store.leases.finish(first, "w", Outcome(state="done", metrics={"test_accuracy": 0.5}))
    assert main(["watch", "--tag", "night", "--once"]) == DONE
    assert "1 of 3 runs are over: 1 running, 1 queued" in capsys.readouterr().err
    assert main(["stop", "--tag", "night"]) == DONE
    assert capsys.readouterr().out.splitlines() == [f"{first}  done", f"{second}  stopping", f"{third}  stopped"]
    assert store.states([other]) == {other: "queued"}
    assert main(["stop", other[:12]]) == DONE
    assert main(["watch", "--tag", "day"]) == FAILED, "a run that was stopped is not done"


def test_who_waits_for_runs_of_their_own_has_no_others_begun(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], bool]] = []
    monkeypatch.setattr(launch, "_start", lambda _store, ids, _worker, *, others, **_: started.append((ids, others)))
    monkeypatch.setattr(launch, "capacity", lambda: 99)
    monkeypatch.setattr(launch, "_memory_left", lambda: True)
    of_others, own = queued(store, 2, "theirs")
    assert launch.launch(store, [own], others=False) == [own]
    assert launch.launch(store) == [of_others]
    assert started == [([own], False), ([of_others], True)], "nor when the worker of their own ends"


def test_the_key_of_who_submits_first_counts(store: RunStore) -> None:
    words = ["--data", "karate", "--detach"]
    assert store.leases.fingerprint() == ""
    assert main(["sweep", "mlp", *words]) == DONE
    assert store.leases.fingerprint() == fingerprint(noise_key(home()))
    store.leases.renew(b"another key of thirty-two bytes!")
    assert main(["sweep", "mlp", *words, "--seeds", "1"]) == DONE, "who submits needs no key where one counts"
    assert store.leases.fingerprint() == fingerprint(b"another key of thirty-two bytes!")


def test_no_stack_is_cut_by_those_who_wait_for_a_part_of_it(store: RunStore) -> None:
    specs = sweep(make_spec("progap", "karate", {"unit": "edge", "epsilon": 1.0}), seeds=range(4))
    ids = store.submit_all(specs, batch="b")
    other = store.submit(make_spec("mlp", "karate"))
    assert store.leases.claim_next("w", Wants(ids=(ids[2],), whole=True)) == ids
    assert store.leases.claim_next("w", Wants(ids=(ids[2],), whole=True)) == []
    assert store.states([other]) == {other: "queued"}
