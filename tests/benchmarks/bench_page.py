"""How long pages take to draw, of examples and of 10,000 runs."""

import json
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner
from tests.benchmarks.harness import timed

import privgraph
import privgraph_workbench
from privgraph.data.spec import PublicFacts
from privgraph.privacy.serialisation import statement_to_json
from privgraph.program import program
from privgraph.runs.spec import make_spec
from privgraph.runs.tables import origins, runs
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell

RUNS = 10_000
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def fill() -> None:
    """Finished runs of three methods, with the statements that their plans predict, written in bulk."""
    facts = PublicFacts(nodes=34, edges=78, entries=156, features=34, classes=2, train_nodes=26)
    rows, plans = [], {}
    for number in range(RUNS):
        method, epsilon, seed = ("progap", "gap", "edge-rand")[number % 3], EPSILONS[number % 5], number // 15
        spec = make_spec(method, "karate", {"unit": "edge", "epsilon": epsilon}, seed=seed)
        key = (method, epsilon)
        if key not in plans:
            plans[key] = spec.config().plan(facts).statement
        statement, accuracy = plans[key], 0.5 + (number * 37 % 400) / 1000
        rows.append(
            {
                "id": spec.id,
                "spec": json.dumps(spec.to_json()),
                "method": method,
                "dataset": "karate",
                "split": "random",
                "unit": "edge",
                "epsilon": epsilon,
                "accounting": "sound",
                "seed": seed,
                "asked_device": "auto",
                "created": time.time() - RUNS + number,
                "state": "done",
                "progress": 1.0,
                "finished": time.time(),
                "metrics": json.dumps({"test_accuracy": accuracy}),
                "test_accuracy": accuracy,
                "statement": json.dumps(statement_to_json(statement)),
                "sound_epsilon": statement.epsilon,
                "published_epsilon": statement.epsilon_as_published,
                "delta": statement.delta,
                "seconds": 3.0,
                "device": "cpu",
            }
        )
    rows = [{name: value for name, value in row.items() if name in runs.c} for row in rows]
    with sqlalchemy.create_engine(queue.own().url).begin() as connection:
        connection.execute(runs.insert(), rows)
        made = sqlalchemy.select(runs.c.number, runs.c.attempt, sqlalchemy.literal(program()))
        connection.execute(origins.insert().from_select(["run", "attempt", "version"], made))


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
