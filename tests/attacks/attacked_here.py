"""Small runs to attack, and what an attack on them says."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.shadows import Asked, ask
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.options import build
from privgraph.progress import Progress
from privgraph.registry import ATTACKS, method

SMALL: dict[str, dict[str, Any]] = {
    "progap": {"unit": "node", "epochs": 2, "hidden": 8, "depth": 1},
    "gap": {"unit": "edge", "epochs": 2, "hidden": 8, "depth": 1},
    "label-hist": {"unit": "node"},
    "gnn": {"epochs": 3, "hidden": 8},
    "mlp": {"epochs": 3, "hidden": 8, "unit": "none"},
    "dp-mlp": {"epochs": 2, "hidden": 8},
    "edge-rand": {"epochs": 2, "hidden": 8, "epsilon": 8.0},
    "dp-gnn": {"epochs": 2, "hidden": 8, "epsilon": 8.0},
    "heter-poisson": {"epochs": 2, "hidden": 8},
    "dp-gpl": {
        "teachers": 12, "shots": 2, "queries": 20, "hidden": 8, "pretrain_epochs": 2, "epochs": 3, "backbone": "gcn",
        "tokens": 2, "student_epochs": 5, "dimensions": 6, "threshold": 0.0,
    },
}  # fmt: skip
QUICK = AttackOptions(shadows=14, targets=2)


def graph() -> Graph:
    return load("social", split_seed=3, data_options={"nodes": 120, "degree": 6})


def subject(
    name: str, folder: Path | None = None, held: Callable[[], Graph] = graph, seed: int = 3, **options: Any
) -> Attacked:
    config = build(method(name).load_config(), SMALL.get(name, {}) | options)
    statement = config.plan(held().facts).statement
    return Attacked(
        run="a-run", method=name, config=config, statement=statement, graph=held, seed=seed, accuracy=0.5, folder=folder
    )


def answered(told: Attacked, options: AttackOptions = QUICK) -> Asked:
    (found,) = (event for event in ask(told, options) if isinstance(event, Asked))
    return found


def attacked(name: str, told: Attacked, options: AttackOptions = QUICK, least_steps: int = 0) -> AttackRecord:
    *steps, record = ATTACKS[name].load_entry()(told, options)
    assert all(isinstance(step, Progress) and 0 <= step.step <= step.total for step in steps)
    assert len(steps) >= least_steps
    assert isinstance(record, AttackRecord)
    return record


def random_graph(nodes: int, edges: int, seed: int) -> np.ndarray:
    """(2, edges) distinct pairs i < j, uniform, independent of anything else."""
    draw = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(nodes), 2)))
    return np.asarray(pairs[draw.permutation(len(pairs))[:edges]].T)
