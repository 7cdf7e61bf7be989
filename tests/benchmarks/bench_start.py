"""How long the app takes to serve its first page: `python -m tests.benchmarks.bench_start`.

The clock runs from the start of the process that `make app` runs to the first answer of the page itself. The
first start of a fresh installation compiles Python's bytecode and is slower; the second is what a user meets
every day.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request

ROUNDS = 3


def start_seconds() -> float:
    """Seconds until the page answers."""
    began = time.perf_counter()
    app = subprocess.Popen(
        [sys.executable, "-m", "privgraph_workbench.cli", "app", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert app.stdout is not None
        address = next(word for word in app.stdout.readline().split() if word.startswith("http"))
        visitor = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor()
        )  # the address's token becomes a cookie
        with visitor.open(address, timeout=30) as answer:
            answer.read()
        return time.perf_counter() - began
    finally:
        app.terminate()
        app.wait(20)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIVGRAPH_HOME"] = home
        found = [start_seconds() for _ in range(ROUNDS)]
    print("app start to first page, seconds: " + ", ".join(f"{seconds:.2f}" for seconds in found))


if __name__ == "__main__":
    main()
