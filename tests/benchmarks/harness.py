"""What benchmarks share: options from their defaults, the best of several rounds, processes of their own."""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from tests.torch_threads import threads as on_threads


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, and of the processors: those are what to compare on a machine with other work."""

    clock: float
    cpu: float

    def __mul__(self, factor: float) -> "Cost":
        return Cost(self.clock * factor, self.cpu * factor)


def options(about: str, **defaults: Any) -> argparse.Namespace:
    """An option for each default, of its type: a list takes several values, False is a flag."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        if default is False:
            parser.add_argument(f"--{name}", action="store_true")
        elif isinstance(default, list):
            parser.add_argument(f"--{name}", nargs="+", type=type(default[0]), default=default)
        else:
            parser.add_argument(f"--{name}", type=type(default), default=default)
    given = parser.parse_args()
    if "threads" in defaults:
        import torch

        torch.set_num_threads(given.threads)
    return given


def timed(work: Callable[[], object], rounds: int = 1, threads: int | None = None) -> "Cost":
    """The least of the rounds, each on so many threads; None leaves them as they are."""
    found = []
    with on_threads(threads) if threads else nullcontext():
        for _ in range(rounds):
            clock, cpu = time.perf_counter(), time.process_time()
            work()
            found.append((time.perf_counter() - clock, time.process_time() - cpu))
    return Cost(*map(min, zip(*found, strict=True)))


def tell(title: str, cost: Cost, beside: Cost | None = None) -> None:
    """A line: the cost, and how many times another's it is."""
    times = "" if beside is None else f": {cost.clock / beside.clock:6.2f} times, {cost.cpu / beside.cpu:6.2f} in CPU s"
    print(f"  {title:44}{cost.clock:10.4f} s, {cost.cpu:10.4f} CPU s{times}", flush=True)


def alone(benchmark: str, *given: str, **environment: str) -> Any:
    """What a benchmark prints last, as JSON, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks", benchmark, *given]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | environment)
    return json.loads(done.stdout.splitlines()[-1])
