"""No record can stop or poison a run: what becomes of it is finite, done, and as long as with that record
nulled.

One training node is given features of zeros, subnormal numbers, 1e19 (whose square overflows), 3e38, or
another node's row. What such a run looks like from outside must not tell: a run that fails, or whose release
holds no numbers, would have probability 1 with the node and 0 without."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.contracts.test_methods import CASES, OF_NODES, graph, made
from tests.secrets_made_here import KEY

from privgraph.data.graph import Graph
from privgraph.methods.accuracies import SPLITS
from privgraph.methods.training import Context, train_one
from privgraph.progress import Metric, Progress, Result, Spent
from privgraph.registry import METHODS

PRIVATE = [(name, unit) for name, unit in OF_NODES if unit != "none"]
OF_TEXTS = [(name, unit) for name, unit in CASES if unit != "none" and (name, unit) not in OF_NODES]
NUMBERS = [0.0, 1e-40, 1e6, 1e19, -3e38, 3.4e38]


def with_features(value: float | None, node: int, both: bool = False) -> Graph:
    """The graph with one training node's features all `value` (alternating in sign if `both`), or another
    node's row."""
    base = graph()
    x = base.x.clone()
    chosen = int(base.train_mask.nonzero()[node])
    x[chosen] = x[int(base.train_mask.nonzero()[-1])] if value is None else value
    if value is not None and both:
        x[chosen, ::2] *= -1
    return replace(base, x=x, _cache={})


def outcome(name: str, unit: str, given_graph: Graph, folder: Path) -> tuple[bool, int, list[str], set[str]]:
    """Done; the largest step; what was spent; and which released numbers are not finite."""
    folder.mkdir(exist_ok=True)
    context = Context(seed=0, noise_key=KEY, folder=folder)
    done, steps, spent, absurd = False, 0, [], set()
    for event in train_one(METHODS[name].load_train(), made(name, unit), given_graph, context):
        if isinstance(event, Progress):
            steps = max(steps, event.step)
        elif isinstance(event, Spent):
            spent.append(str(event.entry))
        elif isinstance(event, Result):
            done = True
            absurd |= {key for key, value in event.metrics.items() if not math.isfinite(value)}
        elif isinstance(event, Metric) and event.name in {f"{split}_accuracy" for split in SPLITS}:
            absurd |= {event.name} if not math.isfinite(event.value) else set()
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            for key in arrays:
                # a node's own row of numbers is its own; whoever else has one must have it finite
                if arrays[key].dtype.kind == "f" and arrays[key].ndim:
                    bad = ~np.isfinite(arrays[key]).all(axis=tuple(range(1, arrays[key].ndim)))
                    absurd |= {f"{path.name}:{key}"} if bad.sum() > 1 else set()
    return done, steps, spent, absurd


@pytest.mark.long
@pytest.mark.parametrize(("name", "unit"), PRIVATE, ids=[f"{name}-{unit}" for name, unit in PRIVATE])
def test_no_record_stops_or_poisons_a_run(name: str, unit: str, tmp_path: Path) -> None:
    nulled = outcome(name, unit, with_features(0.0, 0), tmp_path / "nulled")
    assert nulled[0]
    assert not nulled[3]

    @settings(max_examples=3, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(value=st.sampled_from([*NUMBERS, None]), node=st.integers(0, 20), both=st.booleans())
    @example(value=1e19, node=0, both=True)
    @example(value=3.4e38, node=3, both=False)
    @example(value=1e-40, node=1, both=False)
    @example(value=None, node=0, both=False)
    def like_nulled(value: float | None, node: int, both: bool) -> None:
        assert outcome(name, unit, with_features(value, node, both), tmp_path / "found") == nulled

    like_nulled()


@pytest.mark.parametrize(("name", "unit"), OF_TEXTS, ids=[f"{name}-{unit}" for name, unit in OF_TEXTS])
@pytest.mark.long
def test_no_text_stops_or_poisons_a_run(name: str, unit: str, tmp_path: Path) -> None:
    base = graph(METHODS[name].tasks[0])
    plain = outcome(name, unit, base, tmp_path / "plain")
    for number, text in enumerate(("", "\x00", "word " * 5000, "\U0001f47b" * 300, "\ud800", " ")):
        texts = (text, *base.texts[1:])
        found = outcome(name, unit, replace(base, texts=texts, _cache={}), tmp_path / str(number))
        assert found[:3] == plain[:3]
        assert not found[3]


@pytest.mark.parametrize("name", ["dp-mlp", "dp-gnn", "gap", "progap", "heter-poisson", "prompt-dpsgd"])
def test_weights_stay_finite(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an optimiser is given is finite at every step, whatever one node brings."""
    from privgraph.nn.optim import StackedAdam

    seen: list[bool] = []
    step = StackedAdam.step

    def watched(self: StackedAdam, gradient: torch.Tensor) -> None:
        seen.append(bool(torch.isfinite(gradient).all()))
        step(self, gradient)

    monkeypatch.setattr(StackedAdam, "step", watched)
    for value in (1e19, 3.4e38):
        list(train_one(METHODS[name].load_train(), made(name, "node"), with_features(value, 0, True), Context()))
    assert seen
    assert all(seen)
