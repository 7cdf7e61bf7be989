"""Teachers: one small GraphSAGE a query (or several), each on nodes of the query's own sample; all trained
together."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from privgraph.methods.teachers.parts import Parts
from privgraph.methods.teachers.privgnn.before_noise import SHOWN, Raw
from privgraph.methods.teachers.privgnn.config import TEACHERS_MEMORY_MB, Config
from privgraph.methods.teachers.privgnn.sampling import Edges, Ints, chunks, coins, distances, groups, nearest
from privgraph.methods.training import Context
from privgraph.nn.small_graphs import Advance, Frame, Recipe, SmallGraph, train_small_graphs

SPARSE_BELOW = 0.06
"""Share of non-zero features below which teachers read them as bags of words (with means of neighbours it is
more)."""
FEWEST = 2
"""Nodes that a teacher needs: with fewer there are no batch statistics, and it stays silent."""


@dataclass(frozen=True, eq=False)
class Slot:
    """A teacher: the private nodes that it trains on, the queries (positions) that it answers, and its name.

    The name is the query and the group, whoever else has a teacher. Initial weights are drawn by it, and are
    known to everybody: by a running number, a group that is left by a node and falls silent would change
    those of all later teachers.
    """

    nodes: Ints
    queries: Ints
    name: str


@dataclass(frozen=True, eq=False)
class Classroom(Sequence[SmallGraph]):
    """The teachers' training data, each made when it is asked for: the induced subgraph of its nodes
    (Algorithm 1, line 5)."""

    parts: Parts
    edges: Edges
    slots: list[Slot]
    queries: Ints

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, index: int) -> SmallGraph:  # type: ignore[override]
        slot = self.slots[index]
        nodes = torch.from_numpy(slot.nodes)
        return SmallGraph(
            nodes=nodes,
            edge_index=torch.from_numpy(self.edges.among(slot.nodes)),
            labels=self.parts.private.y[nodes],
            queries=torch.from_numpy(self.queries[slot.queries]),
        )


def assign(
    parts: Parts, queries: Ints, config: Config, context: Context, stage: str
) -> tuple[list[Slot], list[Ints], list[NDArray[np.float32]]]:
    """Sample, split into groups and keep the nearest (lines 3 and 4), for each of `queries` (numbers in the
    public graph).

    Returns a teacher for every query and group, also where it has no node, and for each query the nearest of
    its whole sample with their similarities. Coins and groups come from the streams `sampling/coins/<stage>`
    and `sampling/groups/<stage>`.
    """
    private, public, present = parts.private.x.numpy(), parts.public.x.numpy(), parts.private.learnable.numpy()
    size, count = len(private), config.teachers if config.release == "ensemble" else 1
    tossed = context.secret(f"sampling/coins/{stage}")
    grouped = context.secret(f"sampling/groups/{stage}")
    once = config.sampling == "once"
    rows = 1 if once else 0
    sampled, group = coins(rows, size, config.rate, tossed) & present, groups(rows, size, count, grouped)
    places = config.places(size)
    slots: list[Slot] = []
    near: list[Ints] = []
    weights: list[NDArray[np.float32]] = []
    if config.same_teachers:
        slots = _slots(nearest(np.zeros(size), sampled[0], group[0], count, places), np.arange(len(queries)), "all")
    for part in chunks(len(queries), size):
        asked = queries[part]
        away = distances(public[asked], private, config.distance)
        if not once:
            sampled = coins(len(asked), size, config.rate, tossed) & present
            group = groups(len(asked), size, count, grouped)
        for row in range(len(asked)):
            coin = 0 if once else row
            (closest,) = nearest(away[row], sampled[coin], None, 1, SHOWN)
            near.append(closest)
            weights.append(_similarity(away[row, closest], config.distance))
            if not config.same_teachers:
                own = nearest(away[row], sampled[coin], group[coin], count, places)
                slots += _slots(own, np.array([part.start + row]), str(part.start + row))
    return slots, near, weights


def _slots(groups_of_nodes: list[Ints], queries: Ints, place: str) -> list[Slot]:
    return [Slot(nodes, queries, f"{place}/{group}") for group, nodes in enumerate(groups_of_nodes)]


def _similarity(away: NDArray[np.float64], kind: str) -> NDArray[np.float32]:
    return (1 - away if kind == "cosine" else 1 / (1 + away)).astype(np.float32)


def ask_teachers(
    parts: Parts, queries: Ints, config: Config, context: Context, stage: str
) -> Generator[float, None, Raw]:
    """Train the teachers of `queries` and let them answer; yields the share of them that is done.

    `before` holds for the ensemble the counts of votes, one a teacher for its most likely class; else the
    logarithm of the one teacher's posterior. A query whose teachers have no nodes has no votes, or the
    uniform posterior: like all that a teacher says, that depends on its own sample alone.
    """
    classes, device = parts.public.num_classes, context.device
    slots, near, weights = assign(parts, queries, config, context, stage)
    before = np.zeros((len(queries), classes))
    if config.release != "ensemble":
        before -= np.log(classes)
    seconds = np.zeros(len(queries))

    def generators(index: int) -> tuple[torch.Generator, torch.Generator]:
        return (
            context.generator(f"init/teachers/{stage}/{slots[index].name}"),
            context.generator(f"dropout/{stage}/{slots[index].name}"),
        )

    training = train_small_graphs(
        parts.private.x,
        Classroom(parts, Edges.of(parts.private), slots, queries),
        classes=classes,
        recipe=Recipe(
            hidden=config.hidden, dropout=config.dropout, learning_rate=config.learning_rate, epochs=config.epochs
        ),
        evaluation_x=parts.public.x,
        evaluation_adjacency=parts.public.adjacency(),
        generators=generators,
        memory_mb=TEACHERS_MEMORY_MB,
        device=device,
        frame=Frame(places=config.places(parts.private.num_nodes), sparse=bags_of_words(parts.public.x)),
    )
    for event in training:
        if isinstance(event, Advance):
            yield event.done / max(1, event.total)
            continue
        asked, said = slots[event.index].queries, event.log_posterior.double().numpy()
        seconds[asked] += event.seconds / len(asked)
        if len(slots[event.index].nodes) < FEWEST:
            continue
        if config.release == "ensemble":
            np.add.at(before, (asked, said.argmax(1)), 1)
        else:
            before[asked] = said
    return Raw(before, seconds, near, weights)


def bags_of_words(public: torch.Tensor) -> bool:
    """Whether features are few among many, by those of the public nodes (n, F): private ones must not shape
    arithmetic."""
    return bool(public.count_nonzero() < SPARSE_BELOW * public.numel())


def posterior(logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
    """(q, C) probabilities: the exponentials, scaled to sum to 1 whatever rounding did before.

    A teacher that has diverged says nothing, and its row is uniform: what is no probability vector has no
    guarantee.
    """
    finite = np.isfinite(logarithms).all(axis=1, keepdims=True)
    logarithms = np.where(finite, logarithms, 0.0)
    chances = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    scaled: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
    return scaled
