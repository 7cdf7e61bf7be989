"""Run a benchmark by its name: `python -m tests.benchmarks bench_stack --seeds 5`."""

import sys
from importlib import import_module

if __name__ == "__main__":
    import_module(f"tests.benchmarks.{sys.argv.pop(1)}").main()
