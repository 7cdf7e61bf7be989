"""What a trainer is given, and the one form that all trainers have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from privgraph.data.graph import Graph
from privgraph.mechanisms.witness import Witness
from privgraph.privacy.ledger import Ledger
from privgraph.progress import Event
from privgraph.streams import stream_bytes, stream_seed


@dataclass(frozen=True, kw_only=True)
class Context:
    """A run's surroundings: device, named random streams, ledger, and a folder for artifacts (or None).

    `noise_key` is what keeps noise and sampling secret (`streams`); empty, they are functions of the seed alone. A run of
    a store has a key of its own: two runs of one seed that shared their noise could be subtracted from each other.
    `shared_key` is the same for all runs of an installation, for what runs have in common on purpose. `witness` is the
    adversary of an audit, to whom methods that release gradients show them; None in every run of the workbench.
    """

    seed: int = 0
    noise_key: bytes = field(default=b"", repr=False)
    shared_key: bytes = field(default=b"", repr=False)
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    ledger: Ledger = field(default_factory=Ledger)
    folder: Path | None = None
    witness: Witness | None = field(default=None, repr=False)

    def generator(self, name: str) -> torch.Generator:
        """A fresh generator at the start of the named stream (`init`, `sampling`, `noise/...`)."""
        generator = torch.Generator(device=self.device).manual_seed(stream_seed(self.seed, name, self.noise_key))
        if self.device.type == "cpu":
            _fill_state(generator, stream_bytes(self.seed, name, 4 * _WORDS, self.noise_key))
        return generator


_WORDS = 624
"""Words of 32 bits in the state of a Mersenne Twister."""


def _fill_state(generator: torch.Generator, entropy: bytes) -> None:
    """Put all of `entropy` into the state of a CPU generator.

    Its `manual_seed` reads 32 bits of the seed: noise could be found by trying them all. The state is torch's stored
    form: seed, counters, then the words, each in 64 bits. Raises `RuntimeError` where that form has changed.
    """
    state = generator.get_state()
    words = state.view(torch.int64)
    if words.numel() < 3 + _WORDS or int(words[3]) != generator.initial_seed() & 0xFFFFFFFF:
        raise RuntimeError("this release of torch keeps the state of its CPU generator in an unknown form")
    values = np.frombuffer(entropy, dtype="<u4").astype(np.int64)
    words[3 : 3 + _WORDS] = torch.from_numpy(values)
    generator.set_state(state)


@dataclass(frozen=True, kw_only=True)
class Member:
    """One run of a stack. Members of a stack share topology, features and labels; splits may differ."""

    config: Any
    graph: Graph
    context: Context


TrainEntry = Callable[[Sequence[Member]], Iterator[tuple[int, Event]]]
"""Train members together; each event comes with the index of its member. The last event of each is a Result."""


def train_one(entry: TrainEntry, config: Any, graph: Graph, context: Context | None = None) -> Iterator[Event]:
    """Train a single run."""
    member = Member(config=config, graph=graph, context=context or Context())
    for _, event in entry([member]):
        yield event
