"""The seam of white-box audits: it adds nothing and changes nothing where there is no observer."""

from typing import Any

import pytest
import torch
from tests.secrets_made_here import KEY
from torch import Tensor

from privgraph.data.load import load
from privgraph.methods.training import Context, train_one
from privgraph.options import build
from privgraph.privacy.kinds import OF_GRADIENTS
from privgraph.privacy.serialisation import entry_from_json
from privgraph.progress import Metric, Result, Spent
from privgraph.registry import method

METHODS: dict[str, dict[str, Any]] = {
    "dp-mlp": {"epochs": 3, "hidden": 8, "batch_size": 10},
    "dp-gnn": {"epochs": 2, "hidden": 8, "batch_size": 10},
    "gap": {"unit": "node", "epochs": 2, "hidden": 8, "depth": 1, "max_degree": 4, "batch_size": 10},
    "progap": {"unit": "node", "epochs": 2, "hidden": 8, "depth": 1, "max_degree": 4, "batch_size": 10},
    "prompt-dpsgd": {"epochs": 2, "shots": 4, "pretrain_epochs": 2, "hidden": 8, "batch_size": 10},
    "heter-poisson": {"epochs": 2, "hidden": 8, "batch_size": 10, "clip": 1.0},
}


class Onlooker:
    """Adds nothing, and counts."""

    def __init__(self) -> None:
        self.clips: list[float] = []
        self.seen: list[Tensor] = []
        self._last: Tensor | None = None

    def join(self, total: Tensor, clip: float) -> None:
        assert total.dim() == 1
        self.clips.append(clip)
        self._last = total.clone()

    def see(self, released: Tensor) -> None:
        self.seen.append(released - self._last)


def told(name: str, observer: Any) -> tuple[list[Metric | Result], int]:
    """Metrics and results of a run, and how many gradients its ledger counts."""
    config, graph = build(method(name).load_config(), METHODS[name]), load("karate")
    events = list(
        train_one(method(name).load_train(), config, graph, Context(seed=3, noise_key=KEY, observer=observer))
    )
    spent = [entry_from_json(event.entry) for event in events if isinstance(event, Spent)]
    # A network that was pre-trained before is taken as it was kept, and tells no curve.
    curves = [event for event in events if isinstance(event, Metric | Result) and "pretrain" not in str(event)]
    return curves, sum(entry.count for entry in spent if entry.kind in OF_GRADIENTS)


@pytest.mark.parametrize("name", METHODS)
def test_an_observer_that_adds_nothing_changes_nothing_and_sees_every_release(name: str) -> None:
    onlooker = Onlooker()
    bare, steps = told(name, None)
    watched, again = told(name, onlooker)
    assert str(watched) == str(bare)  # as text: a metric that is not a number equals itself
    assert len(onlooker.clips) == len(onlooker.seen) == steps == again > 0
    assert set(onlooker.clips) == {1.0}


def test_what_is_seen_is_the_noise_before_anything_scales_it() -> None:
    onlooker = Onlooker()
    config, graph = build(method("dp-mlp").load_config(), METHODS["dp-mlp"]), load("karate")
    list(train_one(method("dp-mlp").load_train(), config, graph, Context(seed=3, noise_key=KEY, observer=onlooker)))
    spread = float(torch.stack(onlooker.seen).std())
    assert spread == pytest.approx(config.plan(graph.facts).noise["gradient"], rel=0.05)
