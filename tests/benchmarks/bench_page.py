"""How long pages take to draw, of examples and of 10,000 runs."""

import json
import os
import statistics
import tempfile
import threading
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner
from tests.benchmarks.harness import timed
from tests.pages.kept_runs import keep, spec

import privgraph
import privgraph_workbench
from privgraph.program import program
from privgraph.runs.spec import RunSpec
from privgraph.runs.tables import origins, runs
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell

RUNS = 10_000
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def fill() -> None:
    """Finished runs: one of each setting as a worker stores it, and copies with other seeds."""
    store = queue.own()
    for at, (epsilon, method) in enumerate(product(EPSILONS, ("progap", "gap", "edge-rand"))):
        keep(store, spec(method, unit="edge", epsilon=epsilon), accuracy=0.5 + at / 40)
    with store.database.write() as connection:
        kept = [dict(row) for row in connection.execute(sqlalchemy.select(runs)).mappings()]
        for place in range(len(kept), RUNS):
            seed, at = divmod(place, len(kept))
            own = replace(RunSpec.from_json(json.loads(kept[at]["spec"])), seed=seed)
            names = {"number": place + 1, "id": own.id, "spec": json.dumps(own.to_json()), "seed": seed}
            connection.execute(runs.insert(), kept[at] | names)
            connection.execute(origins.insert(), {"run": place + 1, "attempt": 1, "version": program()})


def measure(count: int) -> None:
    """Print a row a page: seconds of the first drawing and of later ones, our calls and bytes sent in one."""
    sent, plain = [0], LocalScriptRunner.run

    def counted(runner: Any, *given: Any, **named: Any) -> Any:
        tree = plain(runner, *given, **named)
        sent[0] = sum(message.ByteSize() for message in runner.forward_msgs())
        return tree

    own = (str(shell.folder()), str(Path(privgraph_workbench.__file__).parent), str(Path(privgraph.__file__).parent))
    for page in shell.TITLES:
        app = AppTest.from_file(str(Path(privgraph_workbench.__file__).with_name("app.py")), default_timeout=600)
        if page != "start":
            app.switch_page(str(shell.folder() / f"{page}.py"))
        app.query_params["store"] = shell.MINE if count else shell.EXAMPLES
        first, *later = [timed(app.run).clock for _ in range(6)]
        assert not app.exception, app.exception
        calls = [0]

        def called(frame: Any, event: str, _argument: Any, calls: list[int] = calls) -> None:
            calls[0] += event == "call" and frame.f_code.co_filename.startswith(own)

        threading.setprofile(called)
        with patch.object(LocalScriptRunner, "run", counted):
            app.run()
        threading.setprofile(None)
        times = f"first {first:7.2f} s, redraw {statistics.median(later):7.2f} s"
        print(f"{page:<12} {count or 'examples':>8}  {times}, calls {calls[0]:>9,}, bytes {sent[0]:>10,}", flush=True)


def main() -> None:
    """Print both tables: of the examples, and of `RUNS` runs of one's own."""
    for count in (0, RUNS):
        with tempfile.TemporaryDirectory() as home:
            os.environ["PRIVGRAPH_HOME"] = home
            if count:
                fill()
            measure(count)
