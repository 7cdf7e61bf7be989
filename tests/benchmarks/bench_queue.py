"""What a queue of 100,000 runs costs on SQLite and PostgreSQL: submitting it, and a claim."""

import statistics
import tempfile
from collections.abc import Callable
from dataclasses import replace

from tests.benchmarks.harness import options, timed
from tests.postgres_here import binaries, running

from privgraph.runs.leases import new_worker
from privgraph.runs.queueing import Wants
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import sweep

CLAIMS = 100


def measure(name: str, url: str, count: int) -> None:
    store = RunStore.open(url)
    base = make_spec("progap", "cora", {"unit": "edge"})
    specs = sweep(base, over={"epsilon": [0.5, 1, 2, 4]}, seeds=range(count // 4))
    last = replace(base, device="cuda", seed=2**30)
    submitted = timed(lambda: store.submit_all([*specs, last], batch="b")).clock

    def claim(wants: Wants | None = None) -> Callable[[], object]:
        return lambda: store.leases.claim_next(new_worker(), wants)

    taken = [1000 * timed(claim()).clock for _ in range(CLAIMS)]
    behind = 1000 * timed(claim(Wants(devices=("cuda",)))).clock
    print(
        f"{name}: {count:,} runs submitted in {submitted:.1f} s; a claim takes {statistics.median(taken):.2f} ms "
        f"(median), one of the last of the queue alone {behind:.2f} ms"
    )
    store.close()


def main() -> None:
    count = options(__doc__, runs=100_000).runs
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", f"sqlite:///{folder}/runs.sqlite", count)
    if binaries() is None:
        print("PostgreSQL is not installed here")
        return
    with running() as server:
        measure("PostgreSQL", server.url, count)
