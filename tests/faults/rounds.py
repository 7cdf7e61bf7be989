"""Kills at random moments, and what was lost: `python -m tests.faults.rounds [--rounds 200] [--seed 0]`, or
`make faults`.

In each round a run is started as a person would start it, with `privgraph run` or by a click in the app, and
one of its worker, its command, its launcher, its app or its database is killed at a random moment. The run is
then brought to its end, tried again where it has to be, and held against one that nobody disturbed: no stored
event may be lost or changed, none may be missing or told twice, and numbers, statement and events must be the
same. Of a run that was tried again nothing that the first attempt told may be left, but for its last words,
and the statement says what it assumes of that.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.harness import options
from tests.browser.driving import CHROMIUM, chromium
from tests.faults.in_browser import Visitor
from tests.postgres_here import Server, binaries, running

from privgraph.privacy.statements import ASSUME_AGAIN_NOT_CHOSEN
from privgraph.runs.launch import wait
from privgraph.runs.records import RunRecord, StoredEvent, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import runs

SPEC = make_spec("progap", "karate", {"unit": "edge", "epsilon": 2.0, "epochs": 150})
COMMAND = ["run", "progap", "--data", "karate", "--unit", "edge", "--epsilon", "2", "--set", "epochs=150", "--json"]
FORM = "method=progap&data=karate&unit=edge&epsilon=2&epochs=150"
VICTIMS = ("worker", "command", "worker and command", "launcher")
ENDED = 120.0
LAUNCH = "from privgraph.runs.launch import launch; from privgraph.runs.store import RunStore; launch(RunStore.open())"


@dataclass
class Round:
    """What came of one round; `lost` has a sentence for everything that should not have been."""

    victim: str
    database: str
    state: str = ""
    attempts: int = 1
    moment: float = 0.0
    lost: list[str] = field(default_factory=list)


def main() -> int:
    """Play the rounds and print what was lost; exit code 1 where anything was."""
    asked = options(__doc__, rounds=200, seed=0)
    chance = random.Random(asked.seed)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with contextlib.ExitStack() as stack:
        server, someone = None, None
        if CHROMIUM:
            someone = Visitor(stack.enter_context(chromium()))
        else:
            print("Chromium is not installed: no app is killed", flush=True)
        if binaries() is None:
            print("PostgreSQL is not installed: SQLite alone is tried", flush=True)
        else:
            server = stack.enter_context(running())
        place = Path(tempfile.mkdtemp(prefix="privgraph-faults-"))
        stack.callback(shutil.rmtree, place, ignore_errors=True)
        key = os.urandom(32)
        undisturbed = _undisturbed(place / "calm", key)
        rounds = []
        for number in range(asked.rounds):
            on_server = server is not None and number % 2 == 1
            victims = (*VICTIMS, *(["app"] if someone else []), *(["database"] if on_server else []))
            one = Round(victim=victims[number // 2 % len(victims)], database="PostgreSQL" if on_server else "SQLite")
            one.moment = chance.uniform(0.0, undisturbed.seconds)
            play(one, place / str(number), key, server if on_server else None, undisturbed, someone)
            rounds.append(one)
            print(f"{number + 1:4} {one.database:10} {one.victim:18} at {one.moment:5.2f} s: {one.state}, ", end="")
            print(f"attempt {one.attempts}; lost: {'; '.join(one.lost) or 'nothing'}", flush=True)
    return report(rounds)


def report(rounds: list[Round]) -> int:
    print("\nkilled                        rounds  ended as               lost")
    for name in dict.fromkeys((one.database, one.victim) for one in rounds):
        same = [one for one in rounds if (one.database, one.victim) == name]
        states = ", ".join(f"{state} {count}" for state, count in Counter(one.state for one in same).most_common())
        print(f"{' '.join(name):29} {len(same):6}  {states:22} {sum(bool(one.lost) for one in same) or 'nothing'}")
    bad = sum(bool(one.lost) for one in rounds)
    print(f"{len(rounds)} rounds, {bad} in which something was lost")
    return 1 if bad else 0


@dataclass
class Calm:
    """An undisturbed run, to compare with."""

    seconds: float
    outcome: object


def _undisturbed(home: Path, key: bytes) -> Calm:
    with _home(home, key, None) as store:
        began = time.monotonic()
        subprocess.run(_command(), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return Calm(seconds=time.monotonic() - began, outcome=outcome(store, SPEC.id))


def play(one: Round, home: Path, key: bytes, server: Server | None, calm: Calm, someone: Visitor | None = None) -> None:
    """Start, kill, bring to an end, compare."""
    with _home(home, key, server) as store:
        seen: list[StoredEvent] = []
        if one.victim == "launcher":
            store.submit(SPEC)
            child = subprocess.Popen([sys.executable, "-c", LAUNCH])
        elif one.victim == "app":
            child = someone.starts(FORM)
        else:
            child = subprocess.Popen(_command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _sleep_and_watch(store, SPEC, one.moment, seen)
        submitted = store.count() > 0
        _kill(one, store, child, server)
        if one.victim == "database" and child.wait(timeout=ENDED) != 0 and submitted:
            one.lost.append("the command in front ended although its run went on")
        if one.victim in ("worker", "worker and command", "launcher", "command"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=ENDED)
        store.submit(SPEC)
        record = wait(store, [SPEC.id], timeout=ENDED)[0]
        one.state = record.state
        if one.victim in ("command", "app", "database") and record.state != "done":
            one.lost.append(f"the run was {record.state}: {record.error}")
        if record.state != "done":
            store.retry(SPEC.id)
            record = wait(store, [SPEC.id], timeout=ENDED)[0]
        one.attempts = record.attempt
        if someone is not None and one.victim == "app":
            someone.comes_back(SPEC.id)
        if [each.id for each in store.find()] != [SPEC.id]:
            one.lost.append("another run than the one that was asked for was sent")
        events = store.events(SPEC.id)
        if record.attempt > 1:
            if any(event.kind != "log" for event in events if event.attempt < record.attempt):
                one.lost.append("what the first attempt told is still there")
            events = [event for event in events if event.attempt == record.attempt]
        elif events[: len(seen)] != seen:
            one.lost.append("events that were stored have changed")
        first = events[0].sequence if record.attempt > 1 else 1
        if [event.sequence for event in events] != list(range(first, first + len(events))):
            one.lost.append("the events have gaps")
        if outcome(store, SPEC.id) != calm.outcome:
            one.lost.append("it came to something else than without the fault")
        if (ASSUME_AGAIN_NOT_CHOSEN in assumed(record)) != (record.attempt > 1):
            one.lost.append("the statement assumes something else of other attempts")
        if list(store.folder(SPEC.id).glob(".*")):
            one.lost.append("files were left behind")
    shutil.rmtree(home)


def outcome(store: RunStore, run: str) -> object:
    """All that a run came to, but for times, processes, and what is assumed of earlier attempts."""
    record = store.get(run)
    events = [
        (event.kind, event.payload)
        for event in store.events(run)
        if event.attempt == record.attempt and event.kind not in ("log", "progress")
    ]
    statement = dict(json.loads(record.statement_text or "{}"))
    statement["assumptions"] = [one for one in assumed(record) if one != ASSUME_AGAIN_NOT_CHOSEN]
    return record.state, record.metrics, statement, events


def assumed(record: RunRecord) -> list[str]:
    """The assumptions of its statement."""
    return list((json.loads(record.statement_text or "{}")).get("assumptions", ()))


def _sleep_and_watch(store: RunStore, spec: RunSpec, seconds: float, seen: list[StoredEvent]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(StoreError):
            seen += store.events(spec.id, after=seen[-1].sequence if seen else 0)
        time.sleep(0.05)


def _kill(one: Round, store: RunStore, child: subprocess.Popen[bytes], server: Server | None) -> None:
    if one.victim == "database" and server is not None:
        server.stop("immediate" if one.moment * 1000 % 2 < 1 else "fast")
        time.sleep(1 + one.moment * 1000 % 3)
        server.start()
        return
    if "worker" in one.victim:
        with store._database.read() as connection:
            pids = [row.pid for row in connection.execute(runs.select()) if row.pid and row.state == "running"]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    if one.victim != "worker":
        child.kill()
        child.wait()


@contextlib.contextmanager
def _home(home: Path, key: bytes, server: Server | None) -> Iterator[RunStore]:
    """A fresh home with this key, and an empty store."""
    home.mkdir(parents=True)
    (home / "noise.key").write_bytes(key)
    os.environ["PRIVGRAPH_HOME"] = str(home)
    os.environ.pop("PRIVGRAPH_STORE", None)
    if server is not None:
        os.environ["PRIVGRAPH_STORE"] = server.url
    store = RunStore.open()
    for record in store.find():
        store.delete(record.id)
    try:
        yield store
    finally:
        store.close()


def _command() -> list[str]:
    return [sys.executable, "-m", "privgraph_workbench.cli", *COMMAND]


if __name__ == "__main__":
    sys.exit(main())
