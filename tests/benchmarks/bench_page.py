"""How long pages take to draw with 10,000 runs in the store: `python -m tests.benchmarks.bench_page`."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

import sqlalchemy

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
    engine = sqlalchemy.create_engine(queue.store().url)
    with engine.begin() as connection:
        connection.execute(runs.insert(), rows)
        connection.execute(tags.insert(), labels)
    engine.dispose()


def draw(page: str, query: dict[str, str]) -> tuple[float, float]:
    """Seconds of the first and of the median later drawing of a page."""
    from streamlit.testing.v1 import AppTest

    import privgraph_workbench
    from privgraph_workbench.serving import shell

    app = AppTest.from_file(str(Path(privgraph_workbench.__file__).with_name("app.py")), default_timeout=120)
    if page != "start":
        app.switch_page(str(shell.folder() / f"{page}.py"))
    for name, value in query.items():
        app.query_params[name] = value
    taken = []
    for _ in range(REPEATS + 1):
        began = time.perf_counter()
        app.run()
        taken.append(time.perf_counter() - began)
        assert not app.exception, app.exception
    return taken[0], sorted(taken[1:])[REPEATS // 2] if REPEATS else 0.0


def measure() -> list[dict[str, object]]:
    """One row a page: its first drawing (which imports) and the median of the others, in seconds."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["PRIVGRAPH_HOME"] = home
        began = time.perf_counter()
        fill()
        filled = time.perf_counter() - began
        rows: list[dict[str, object]] = [{"page": f"(filling {RUNS:,} runs)", "first": filled, "median": filled}]
        for title, page, query in (
            ("start", "start", {}),
            ("runs", "runs", {}),
            ("runs, page 150", "runs", {"page": "150"}),
            ("runs, searched", "runs", {"find": "progap seed"}),
            ("runs, by accuracy, filtered", "runs", {"order": "test accuracy", "of_method": "gap", "tagged": "tag 3"}),
            ("trade-offs", "tradeoffs", {"data": "karate"}),
            ("teachers", "teachers", {"data": "karate"}),
            ("relations", "relations", {}),
        ):
            first, median = draw(page, query)
            rows.append({"page": title, "first": first, "median": median})
    return rows


if __name__ == "__main__":
    for row in measure():
        print(f"{row['page']:<32} first {row['first']:6.2f} s   median {row['median']:6.2f} s")
