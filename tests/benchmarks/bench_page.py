"""How long pages take to draw, of examples and of 10,000 runs: `python -m tests.benchmarks.bench_page`."""

import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy

import privgraph

RUNS = 10_000
REPEATS = 5
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def fill(count: int = RUNS) -> None:
    """`count` finished runs of three methods, with the statements that their plans predict, written in
    bulk."""
    from privgraph.data.spec import PublicFacts
    from privgraph.privacy.serialisation import statement_to_json
    from privgraph.runs.spec import make_spec
    from privgraph.runs.tables import runs, tags
    from privgraph_workbench.jobs import queue

    facts = PublicFacts(nodes=34, edges=78, entries=156, features=34, classes=2, train_nodes=26)
    rows, labels, plans = [], [], {}
    for number in range(count):
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
                "created": time.time() - count + number,
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
        if number % 10 == 0:
            labels.append({"run": number + 1, "tag": f"tag {number % 7}"})
    rows = [{name: value for name, value in row.items() if name in runs.c} for row in rows]
    engine = sqlalchemy.create_engine(queue.own().url)
    with engine.begin() as connection:
        connection.execute(runs.insert(), rows)
        connection.execute(tags.insert(), labels)
    engine.dispose()


def measure(runs: int) -> Iterator[dict[str, object]]:
    """One row a page: seconds of the first drawing and of later ones, our calls and bytes sent in one.

    With `runs`, of so many runs of one's own; else of the examples.
    """
    from streamlit.testing.v1 import AppTest
    from streamlit.testing.v1.local_script_runner import LocalScriptRunner

    import privgraph_workbench
    from privgraph_workbench.serving import shell

    sent = [0]
    plain = LocalScriptRunner.run

    def counted(runner: Any, *given: Any, **named: Any) -> Any:
        tree = plain(runner, *given, **named)
        sent[0] = sum(message.ByteSize() for message in runner.forward_msgs())
        return tree

    LocalScriptRunner.run = counted  # type: ignore[method-assign]
    own = (str(shell.folder()), str(Path(privgraph_workbench.__file__).parent), str(Path(privgraph.__file__).parent))
    for page in shell.TITLES:
        app = AppTest.from_file(str(Path(privgraph_workbench.__file__).with_name("app.py")), default_timeout=600)
        if page != "start":
            app.switch_page(str(shell.folder() / f"{page}.py"))
        app.query_params["store"] = shell.MINE if runs else shell.EXAMPLES
        taken = []
        for _ in range(REPEATS + 1):
            began = time.perf_counter()
            app.run()
            taken.append(time.perf_counter() - began)
            assert not app.exception, app.exception
        calls = [0]

        def called(frame: Any, event: str, _argument: Any, calls: list[int] = calls) -> None:
            calls[0] += event == "call" and frame.f_code.co_filename.startswith(own)

        threading.setprofile(called)
        app.run()
        threading.setprofile(None)
        yield {
            "page": page,
            "runs": runs or "examples",
            "first": taken[0],
            "redraw": statistics.median(taken[1:]),
            "calls": calls[0],
            "bytes": sent[0],
        }


def main() -> None:
    """Print both tables."""
    for runs in (0, RUNS):
        with tempfile.TemporaryDirectory() as home:
            os.environ["PRIVGRAPH_HOME"] = home
            if runs:
                fill(runs)
            for row in measure(runs):
                said = " ".join(f"{name} {row[name]:7.2f} s  " for name in ("first", "redraw"))
                print(
                    f"{row['page']:<12} {row['runs']!s:>8}  {said} calls {row['calls']:>9,}  bytes {row['bytes']:>10,}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
