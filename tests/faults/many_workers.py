"""Many workers on one PostgreSQL store: each run trained once, none lost, none twice.

`python -m tests.faults.many_workers [--workers 16] [--runs 3000] [--kill SECONDS] [--restarts N]` prints
figures. With `--kill` a worker is killed (signal 9) every so many seconds and another takes its place; with
`--restarts` the database crashes so many times on the way, and is started again.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from tests.benchmarks.harness import options
from tests.postgres_here import Server, running

from privgraph.runs.records import FINISHED, StoreAway
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep
from privgraph.runs.tables import events, runs

RETRIES = 20
"""Of a run, where a worker is killed every second: the same run may meet it many times."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a play came to. `results` counts the stored results of each run; `ended` the runs by state."""

    seconds: float
    runs: int
    killed: int
    restarts: int
    again: int
    ended: Counter[str]
    results: Counter[int]

    @property
    def whole(self) -> bool:
        """Each run was trained once, and none is lost."""
        return self.ended == Counter(done=self.runs) and self.results == Counter({1: self.runs})

    def __str__(self) -> str:
        ended = ", ".join(f"{count:,} {state}" for state, count in self.ended.items())
        twice = sum(count for results, count in self.results.items() if results != 1)
        return (
            f"{self.runs:,} runs in {self.seconds:.0f} s ({3600 * self.runs / self.seconds:,.0f} an hour): {ended}; "
            f"{twice} with another number of results than one; {self.killed} workers killed, {self.again} attempts "
            f"anew, {self.restarts} restarts of the database"
        )


def play(
    server: Server, *, workers: int, count: int, kill: float = 0.0, most_kills: int = 10**6, restarts: int = 0
) -> Told:
    """Have so many workers train `count` short runs of the server's empty database."""
    rng = random.Random(0)
    store = RunStore.open(server.url)
    base = make_spec("mlp", "karate", {"epochs": 2, "hidden": 4})
    ids = store.submit_all(sweep(base, seeds=range(count)), batch="many", engine="many", retries=RETRIES)
    with tempfile.TemporaryDirectory() as home:
        surroundings = os.environ | {"PRIVGRAPH_HOME": home, "PRIVGRAPH_STORE": server.url, "OMP_NUM_THREADS": "1"}
        (Path(home) / "noise.key").write_bytes(bytes(32))

        def begin() -> subprocess.Popen[bytes]:
            command = [sys.executable, "-P", "-m", "privgraph.runs.pulling", "--forever"]
            return subprocess.Popen(command, env=surroundings, stderr=subprocess.DEVNULL)

        crew = [begin() for _ in range(workers)]
        killed = restarted = 0
        began, last = 0.0, time.monotonic()
        try:
            while True:
                time.sleep(0.1)
                try:
                    store.sweep_lost()
                    with store.database.read() as connection:
                        counted = sa.select(runs.c.state, sa.func.count()).group_by(runs.c.state)
                        ended = Counter({row[0]: row[1] for row in connection.execute(counted)})
                except StoreAway:
                    continue
                if not began and (ended.keys() - {"queued"}):
                    began = last = time.monotonic()  # torch is imported by now
                finished = sum(ended[state] for state in FINISHED)
                if finished == len(ids):
                    break
                if kill and began and killed < most_kills and time.monotonic() - last > kill:
                    last = time.monotonic()
                    place = rng.randrange(workers)
                    crew[place].send_signal(signal.SIGKILL)
                    crew[place].wait()
                    crew[place] = begin()
                    killed += 1
                if restarted < restarts and finished > len(ids) * (restarted + 1) / (restarts + 1):
                    server.stop("immediate")
                    time.sleep(1)
                    server.start()
                    restarted += 1
            seconds = time.monotonic() - began
        finally:
            for process in crew:
                process.send_signal(signal.SIGTERM)
            for process in crew:
                process.wait(timeout=60)
    with store.database.read() as connection:
        results = sa.select(events.c.run, sa.func.count()).where(events.c.kind == "result").group_by(events.c.run)
        counts = Counter(count for _, count in connection.execute(results))
        attempts = connection.scalar(sa.select(sa.func.sum(runs.c.attempt - 1))) or 0
    store.close()
    return Told(
        seconds=seconds,
        runs=len(ids),
        killed=killed,
        restarts=restarted,
        again=int(attempts),
        ended=ended,
        results=counts,
    )


def fresh(**asked: int | float) -> Told:
    """A play on a server of its own."""
    with running() as server:
        return play(server, **asked)  # type: ignore[arg-type]


def main() -> int:
    asked = options(__doc__, workers=16, runs=3000, kill=0.0, restarts=0)
    told = fresh(workers=asked.workers, count=asked.runs, kill=asked.kill, restarts=asked.restarts)
    print(f"{asked.workers} workers: {told}")
    return 0 if told.whole else 1


if __name__ == "__main__":
    sys.exit(main())
