"""What a trainer is given, and the one form that all trainers have. Needs torch; `base` does not."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

import torch
from torch import Tensor

from privgraph.data.digest import tensors_digest
from privgraph.data.graph import Graph
from privgraph.mechanisms.observer import Observer
from privgraph.methods import predictions
from privgraph.methods.base import MethodConfig, Plan
from privgraph.methods.outsider import Outsider
from privgraph.privacy.ledger import Ledger
from privgraph.progress import Artifact, Event
from privgraph.streams import Secret, derived_key, stream_seed


@dataclass(frozen=True, kw_only=True)
class Context:
    """A run's surroundings: device, named random streams, ledger, and a folder for artifacts (or None).

    `noise_key` is what keeps noise and sampling secret (`streams`); a context that is given none makes one,
    and nobody can repeat its noise, or foretell it. A run of a store has a key of its own: two runs that
    shared their noise could be subtracted from each other. `shared_key` is the same for all runs of an
    installation on the same data, for samples that runs have in common on purpose, and never for noise
    (default: the noise key); both keys depend on the data, the program and the device (`methods.keys`).
    `open` says that they are no secret (`streams.OPEN_KEY`): all noise can be drawn again by anybody.
    `observer` is the adversary of an audit, to whom methods that release gradients show them, and `outsider`
    that of an attack, who is told what the released model says of every node; both None in every run of the
    workbench.
    """

    seed: int = 0
    noise_key: bytes = field(default_factory=lambda: os.urandom(32), repr=False)
    shared_key: bytes = field(default=b"", repr=False)
    open: bool = False
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    ledger: Ledger = field(default_factory=Ledger)
    folder: Path | None = None
    observer: Observer | None = field(default=None, repr=False)
    outsider: Outsider | None = field(default=None, repr=False)
    _handed_out: set[str] = field(default_factory=set, repr=False, compare=False)

    def having_read(self, tensors: Mapping[str, Tensor], *settings: str) -> Context:
        """For a trainer that reads more than its graph: the same, with secret streams that depend on
        `tensors`, and on `settings`, too.

        Weights of another graph, or of a file that was replaced, change what is released, and so do a model's
        configuration and a library that no other method needs; noise must change with them.
        """
        noise, shared = (
            derived_key(key, "read", tensors_digest(tensors, key), *settings)
            for key in (self.noise_key, self._shared_key)
        )
        return replace(self, noise_key=noise, shared_key=shared)

    def generator(self, name: str) -> torch.Generator:
        """A fresh generator at the start of a stream that everybody may know (`init/...`, `dropout/...`).

        Raises `ValueError` for a name of a secret stream.
        """
        return torch.Generator(device=self.device).manual_seed(stream_seed(self.seed, name))

    def secret(self, name: str) -> Secret:
        """The secret stream of that name (`noise/...`, `sampling/...`), once: two readers of one stream would
        share their noise.

        Raises `ValueError` where it was handed out before.
        """
        if name in self._handed_out:
            raise ValueError(f"the secret stream {name} is in use: whatever is drawn twice protects nothing")
        self._handed_out.add(name)
        return Secret(self.noise_key, self.seed, name)

    def shared_secret(self, name: str) -> Secret:
        """A secret stream that is the same for all runs of one seed that share a `shared_key`."""
        return Secret(self._shared_key, self.seed, name)

    @property
    def _shared_key(self) -> bytes:
        return self.shared_key or self.noise_key


ConfigT = TypeVar("ConfigT", bound=MethodConfig)
ConfigT_co = TypeVar("ConfigT_co", bound=MethodConfig, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Member(Generic[ConfigT_co]):
    """One run of a stack. Members of a stack share topology, features and labels; splits may differ.

    `plan` is that of `config` on a graph of these sizes: the noise that was shown is the noise that a trainer
    draws. Another plan is refused with a `ValueError`.
    """

    config: ConfigT_co
    plan: Plan
    graph: Graph
    context: Context

    def __post_init__(self) -> None:
        if self.plan.config != self.config:
            raise ValueError("Member.plan must be the plan of Member.config: it was made for other options")
        if self.plan.facts != self.graph.facts:
            raise ValueError("Member.plan must be made for Member.graph: it was made for a graph of other sizes")
        if self.plan != self.config.plan(self.graph.facts):
            raise ValueError("Member.plan must be Member.config.plan(...) as it is: its noise or guarantee was changed")


def planned(config: ConfigT, graph: Graph, context: Context | None = None) -> Member[ConfigT]:
    """A member with the plan of its configuration on its graph. Raises `OptionError` where there is none."""
    return Member(config=config, plan=config.plan(graph.facts), graph=graph, context=context or Context())


TrainEntry = Callable[[Sequence[Member[ConfigT]]], Generator[tuple[int, Event], None, None]]
"""Train members together; each event comes with the index of its member. The last event of each is a
Result."""


def train_one(
    entry: TrainEntry[ConfigT], config: ConfigT, graph: Graph, context: Context | None = None
) -> Generator[Event, None, None]:
    """Train a single run."""
    for _, event in entry([planned(config, graph, context)]):
        yield event


def keep_predictions(context: Context, predicted: Tensor, unit: str) -> Iterator[Event]:
    """Write the predicted classes (|V|,) of all nodes into the run's folder, where it has one.

    At edge level, methods that read edges through their noise alone cover all predictions. At node level a
    node's own prediction reads its features, which nothing covers; and without privacy nothing is covered.
    """
    if context.folder is not None:
        predictions.write(context.folder, predicted.cpu().numpy())
        kept = "" if unit == "edge" else " (not for release)"
        yield Artifact(name=predictions.NAME, title=f"Predicted class of every node{kept}")
