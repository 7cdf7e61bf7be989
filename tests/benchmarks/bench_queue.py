"""What a queue of 100,000 runs costs: submitting it, and claiming from it, on SQLite and PostgreSQL.

`python -m tests.benchmarks.bench_queue [--runs N]` prints milliseconds a claim: of a stack of ten, of a run
that stands at the very end of the queue, of a worker that has the data of none or of the last alone, and with
sixteen workers at once.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tests.postgres_here import Server, binaries

from privgraph.runs.leases import new_worker
from privgraph.runs.queueing import Wants
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep

WORKERS, CLAIMS = 16, 100


def milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)


def of_one_worker(store: RunStore, wants: Wants | None = None) -> list[float]:
    return [milliseconds(lambda: store.leases.claim_next(new_worker(), wants)) for _ in range(CLAIMS)]


def of_many(url: str) -> list[float]:
    def claims(_worker: int) -> list[float]:
        store = RunStore.open(url)
        taken = of_one_worker(store)
        store.close()
        return taken

    with ThreadPoolExecutor(WORKERS) as pool:
        return [one for taken in pool.map(claims, range(WORKERS)) for one in taken]


def figures(taken: list[float]) -> str:
    ordered = sorted(taken)
    return f"median {statistics.median(ordered):8.2f} ms, 99 of 100 below {ordered[int(0.99 * len(ordered))]:8.2f} ms"


def measure(name: str, url: str, count: int) -> None:
    store = RunStore.open(url)
    base = make_spec("progap", "cora", {"unit": "edge"})
    began = time.perf_counter()
    specs = sweep(base, over={"epsilon": [0.5, 1, 2, 4]}, seeds=range(count // 4))
    made = time.perf_counter() - began
    last = replace(base, device="cuda", seed=2**30)
    elsewhere = make_spec("progap", "karate", {"unit": "edge"})
    began = time.perf_counter()
    store.submit_all([*specs, last, elsewhere], batch="b")
    print(f"{name}: {count:,} specs made in {made:.1f} s, submitted in {time.perf_counter() - began:.1f} s")
    print(f"  one worker, a stack of ten:         {figures(of_one_worker(store))}")
    behind = Wants(devices=("cuda",))
    print(f"  only the last of the queue fits:    {milliseconds(lambda: store.leases.claim_next('w', behind)):.1f} ms")
    print(f"  nothing fits:                       {milliseconds(lambda: store.leases.claim_next('w', behind)):.1f} ms")
    absent, one = Wants(at_hand=lambda _name: False), Wants(at_hand=lambda name: name == "karate")
    print(f"  data not here:                      {milliseconds(lambda: store.leases.claim_next('w', absent)):.1f} ms")
    print(f"  data of the last of the queue:      {milliseconds(lambda: store.leases.claim_next('w', one)):.1f} ms")
    print(f"  {WORKERS} workers at once:               {figures(of_many(url))}")
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100_000)
    count = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", f"sqlite:///{folder}/runs.sqlite", count)
    programs = binaries()
    if programs is None:
        print("PostgreSQL is not installed here")
        return
    server = Server(programs)
    try:
        server.start()
        measure("PostgreSQL", server.url, count)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
