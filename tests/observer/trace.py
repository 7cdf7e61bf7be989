"""An observer of a run: what was drawn, from which stream, at what rate and scale, and what it was added to.

It stands behind the few functions that all randomness of privacy goes through: `Secret`, of which every word,
coin and order comes, and those of the lattice and of randomised response, which turn words into noise. The
product has no switch for it: for the length of a `with`, these functions tell it what they were given and
what came out. A run that is observed draws the same numbers as one that is not.

`forged`: whatever is about to get noise is first replaced by zeros (a graph, by one without edges), so that
all that leaves a mechanism is noise alone. Nothing that was made of releases can then tell two datasets
apart.

`turned`: the releases of these numbers come out as something else (negative, or other edges), whatever was
drawn for them. Whatever is made of a release must then be something else, too.
"""

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tests.planted.planting import instead, swapped
from torch import Tensor
from torch.optim.optimizer import register_optimizer_step_post_hook

from privgraph import lattice
from privgraph.mechanisms import randomised_response
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.spherical_laplace import SphericalLaplaceNoise
from privgraph.nn.optim import FusedAdam, StackedAdam
from privgraph.streams import Secret

Array = NDArray[Any]

DEVIATION = {"gaussian": 1.0, "laplace": math.sqrt(2), "exponential": 1.0, "gumbel": math.pi / math.sqrt(6)}
"""Standard deviations of the laws of noise at scale 1."""

TURN = 10
"""How many times as large numbers are that come out as something else, and negative."""

FEW_EDGES = 64.0
"""What stands for a number that gets noise by itself, where it is forged: of no edges nothing would
be learnt."""

EDGES, SPHERICAL = "randomised edges", "spherical Laplace"


@dataclass(eq=False)
class Release:
    """Something that got noise: what went in and what went out, or None where nobody saw noise added.

    `drawn` are the laws and scales that the noise was drawn with.
    """

    stream: int
    kind: str
    before: Array | None = None
    after: Array | None = None
    drawn: set[tuple[str, float]] = field(default_factory=set)

    @property
    def added(self) -> Array:
        """What was added, number by number."""
        assert self.before is not None
        return (self.after.astype(np.float64) - self.before.astype(np.float64)).ravel()


@dataclass(eq=False)
class Stream:
    """A secret stream that was made: its first words are its fingerprint."""

    name: str
    secret: Secret
    first: tuple[int, ...] = ()
    tosses: dict[float, int] = field(default_factory=dict)
    """Coins of samples, by their chance, where all of a call have one."""
    heads: dict[float, int] = field(default_factory=dict)
    samples: list[int] = field(default_factory=list)
    """How many coins of each call came up."""


@dataclass(eq=False)
class Optimiser:
    """What learns: its parameters, and how many releases there were before it and at each step."""

    owner: Any
    parameters: list[Tensor]
    born: int
    at: list[int] = field(default_factory=list)

    def learns_from_releases(self, total: int) -> bool:
        """Whether something was released to it on its way, or it stepped when all was released."""
        return bool(self.at) and (self.at[-1] > self.born or self.at[-1] == total)


@dataclass(eq=False)
class Trace:
    """All that an observer saw."""

    forged: bool
    turned: Collection[int] = ()
    streams: list[Stream] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    optimisers: list[Optimiser] = field(default_factory=list)
    _known: dict[int, int] = field(default_factory=dict)
    _open: Release | None = None

    @property
    def between_releases(self) -> bool:
        """Whether coins are those of samples, and not of a mechanism that is made of coins."""
        return self._open is None

    def learnt(self) -> list[Array]:
        """The parameters, at the end of the run, of whatever learns from releases."""
        return [
            parameter.detach().cpu().numpy().copy()
            for one in self.optimisers
            if one.learns_from_releases(len(self.releases))
            for parameter in one.parameters
        ]

    def stream_of(self, secret: Secret) -> int:
        """The number of a stream. One that nobody told of when it was made is told of at its first use."""
        if id(secret) not in self._known:
            self._known[id(secret)] = len(self.streams)
            self.streams.append(Stream(secret.name, secret))
        return self._known[id(secret)]

    @contextmanager
    def release(self, kind: str, secret: Secret, before: Array) -> Iterator[Callable[[Array], None]]:
        """Noise that is drawn meanwhile belongs to one release; the outermost counts."""
        if self._open is not None:
            yield lambda after: None
            return
        self._open = outermost = Release(self.stream_of(secret), kind, before)
        try:
            yield lambda after: setattr(outermost, "after", np.array(after, copy=True))
        finally:
            self._open = None
        self.releases.append(outermost)

    @property
    def turns_next(self) -> bool:
        """Whether the next release, where none is under way, is to come out as something else."""
        return self._open is None and len(self.releases) in self.turned

    def drew(self, kind: str, scale: float, secret: Secret) -> None:
        if self._open is None:
            self.releases.append(Release(self.stream_of(secret), kind, drawn={(kind, scale)}))
            return
        self._open.drawn.add((kind, scale))
        assert self._open.stream == self.stream_of(secret), "one release, from two streams"


def forged(values: Array) -> Array:
    """What stands for something that is about to get noise."""
    return np.full_like(values, FEW_EDGES if values.shape == (1,) else 0)


@contextmanager
def observed(*, forged: bool = False, turned: Collection[int] = ()) -> Iterator[Trace]:
    """Watch all that is drawn meanwhile."""
    trace = Trace(forged, turned)
    with ExitStack() as stack:
        for place in (*_secrets(trace), *_noise(trace), *_optimisers(trace)):
            stack.enter_context(place)
        yield trace


def _secrets(trace: Trace) -> list[Any]:
    construct, words, coins = Secret.__init__, Secret.words, Secret.coins

    def remember(self: Secret, key: bytes, seed: int, name: str) -> None:
        construct(self, key, seed, name)
        trace.stream_of(self)

    def told(self: Secret, count: int) -> Any:
        drawn = words(self, count)
        stream = trace.streams[trace.stream_of(self)]
        if len(stream.first) < 4:
            stream.first = (*stream.first, *drawn[:4].tolist())[:4]
        return drawn

    def tossed(self: Secret, chance: Any, count: int | None = None) -> Any:
        drawn = coins(self, chance, count)
        if count is not None and trace.between_releases:
            stream = trace.streams[trace.stream_of(self)]
            stream.tosses[chance] = stream.tosses.get(chance, 0) + drawn.size
            stream.heads[chance] = stream.heads.get(chance, 0) + int(drawn.sum())
            stream.samples.append(int(drawn.sum()))
        return drawn

    return [instead(Secret, "__init__", remember), instead(Secret, "words", told), instead(Secret, "coins", tossed)]


def _noise(trace: Trace) -> list[Any]:
    draw, gaussian, spherical = lattice.draw, GaussianNoise.add_, SphericalLaplaceNoise.add_
    randomise = randomised_response.randomise

    def drew(kind: str, scale: float, secret: Secret, count: int) -> Any:
        turns = trace.turns_next
        trace.drew(kind, scale, secret)
        drawn = draw(kind, scale, secret, count)
        return -TURN * abs(drawn) if turns else drawn

    def on_arrays(add: Callable[..., Array]) -> Callable[..., Array]:
        def added(kind: str, scale: float, values: Array, secret: Secret) -> Array:
            turns = trace.turns_next
            with trace.release(kind, secret, np.array(values, copy=True)) as gone:
                after = add(kind, scale, forged(values) if trace.forged else values, secret)
                after = -TURN * abs(after) if turns else after
                gone(after)
            return after

        return added

    def on_tensors(kind: str, add: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def added(self: Any, values: Tensor, secret: Secret) -> Tensor:
            turns = trace.turns_next
            with trace.release(kind, secret, values.detach().cpu().numpy().copy()) as gone:
                after = add(self, values.zero_() if trace.forged else values, secret)
                after = after.neg_() if turns else after
                gone(after.detach().cpu().numpy())
            return after

        return added

    def reported(edges: Any, nodes: int, response: Any, secret: Secret, **settings: Any) -> Any:
        turns = trace.turns_next
        with trace.release(EDGES, secret, edges.copy()) as gone:
            after = randomise(edges[:, :0] if trace.forged else edges, nodes, response, secret, **settings)
            if turns:  # by the words that follow
                after = randomise(edges, nodes, response, secret, **settings)
            gone(after)
        return after

    return [
        swapped(draw, drew),
        swapped(lattice.add, on_arrays(lattice.add)),
        swapped(lattice.add_untied, on_arrays(lattice.add_untied)),
        instead(GaussianNoise, "add_", on_tensors("gaussian", gaussian)),
        instead(SphericalLaplaceNoise, "add_", on_tensors(SPHERICAL, spherical)),
        swapped(randomise, reported),
    ]


def _optimisers(trace: Trace) -> list[Any]:
    known: dict[int, Optimiser] = {}

    def record(owner: Any, parameters: list[Tensor]) -> Optimiser:
        if id(owner) not in known:
            known[id(owner)] = Optimiser(owner, parameters, len(trace.releases))
            trace.optimisers.append(known[id(owner)])
        return known[id(owner)]

    def watched(kind: type[Any]) -> Iterator[Any]:
        construct, step = kind.__init__, kind.step

        def remember(self: Any, parameters: Any, *rest: Any, **settings: Any) -> None:
            construct(self, parameters, *rest, **settings)
            own = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            record(self, own)

        def stepped(self: Any, gradients: Any) -> None:
            step(self, gradients)
            known[id(self)].at.append(len(trace.releases))

        yield instead(kind, "__init__", remember)
        yield instead(kind, "step", stepped)

    @contextmanager
    def of_torch() -> Iterator[None]:
        def stepped(owner: torch.optim.Optimizer, *_: Any) -> None:
            own = [parameter for group in owner.param_groups for parameter in group["params"]]
            record(owner, own).at.append(len(trace.releases))

        hook = register_optimizer_step_post_hook(stepped)
        try:
            yield
        finally:
            hook.remove()

    return [*watched(StackedAdam), *watched(FusedAdam), of_torch()]
