"""Many small two-layer GraphSAGE models (`StackedSage`) trained as one computation.

Each model has a small graph of its own (rows of one shared feature table, edges, labels), its own weights,
batch statistics, dropout stream, Adam state and early stop; nothing is shared but the arithmetic, so that a
model trained in a chunk is the model trained alone. Chunks are as large as the memory allows, and on a CPU
small enough for weights, moments and activations to stay in the cache; each has a thread of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event

import torch
from torch import Tensor

from privgraph.nn.chunks import work_through
from privgraph.nn.message_passing import SideBySide
from privgraph.nn.optim import FusedAdam
from privgraph.nn.stacked_sage import StackedSage

CACHE_BYTES = 6 << 20
"""What the models of a chunk may occupy on a CPU: more of them at once would wait for memory (measured)."""

Generators = Callable[[int], tuple[torch.Generator, torch.Generator]]


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallGraph:
    """One small model's training data.

    nodes: (n,) int64, rows of the shared feature table. edge_index: (2, e) int64, (source, target), numbers
    within `nodes`, each edge once. labels: (n,) int64 in [0, C). queries: (q,) int64, the nodes of the
    evaluation graph whose posterior is wanted.
    """

    nodes: Tensor
    edge_index: Tensor
    labels: Tensor
    queries: Tensor


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How each model is trained: Adam on the mean cross-entropy of all its nodes, one step an epoch.

    A model stops early once its training loss has not fallen for `patience` epochs (0: never).
    """

    hidden: int = 64
    dropout: float = 0.5
    learning_rate: float = 0.01
    epochs: int = 200
    weight_decay: float = 0.0
    patience: int = 0

    def __post_init__(self) -> None:
        if min(self.hidden, self.epochs) < 1:
            raise ValueError(f"hidden and epochs must be at least 1 (got {self.hidden} and {self.epochs})")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1) (got {self.dropout})")
        if not self.learning_rate > 0 or not self.weight_decay >= 0:
            raise ValueError("learning_rate must be above 0 and weight_decay at least 0")
        if self.patience < 0:
            raise ValueError(f"patience must be at least 0 (got {self.patience})")


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The shape of the arithmetic, the same whatever the tasks hold.

    Numbers of one model can depend on its neighbours in a chunk by rounding alone, where a matrix of another
    size is summed in another order; two hundred epochs make votes of it. Where tasks are private, and one
    person's leaving must change no model but those that read the person, nothing that shapes a product may
    depend on the tasks: every graph is padded to `places` nodes (none may be larger), all features are kept,
    a chunk holds as many models as fit by these sizes alone, and whether tables are `sparse` is decided
    beforehand. A model is then a function of its own task and its place in the sequence, to the last digit
    (tested on a CPU; a GPU's libraries promise no such thing).
    """

    places: int
    sparse: bool

    def __post_init__(self) -> None:
        if self.places < 1:
            raise ValueError(f"places must be at least 1 (got {self.places})")


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """What one model says. log_posterior: (q, C) float32, on the CPU; loss: the last epoch's mean training
    loss (not a number without nodes); seconds: its share of its chunk's time."""

    index: int
    log_posterior: Tensor
    loss: float
    epochs: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Advance:
    """`done` of `total` models have been trained; told at least every second."""

    done: int
    total: int


def train_small_graphs(
    x: Tensor,
    tasks: Sequence[SmallGraph],
    *,
    classes: int,
    recipe: Recipe,
    evaluation_x: Tensor,
    evaluation_adjacency: Tensor,
    generators: Generators,
    memory_mb: float = 1024,
    device: torch.device | None = None,
    frame: Frame | None = None,
) -> Iterator[Answer | Advance]:
    """Train one model a task, and tell each one's log-posteriors of its queries, in the order in which chunks
    end.

    x: (|V|, F), the shared feature table. `tasks` is asked for one item at a time, in order, from the calling
    thread, and no more are held than fit into `memory_mb` megabytes (10^6 bytes, together with what their
    models need). evaluation_x: (|V'|, F); evaluation_adjacency: (|V'|, |V'|) sparse CSR whose row i has a one
    for each edge j -> i. `generators(i)` gives task i's streams for weights and for dropout, on `device`.
    Floating-point type is x's. With a `frame` no model depends on another, not even by rounding. Closing the
    iterator stops the training. Raises `ValueError` where one model alone does not fit.
    """
    place = device or x.device
    setting = _Setting(
        x=x.to(place),
        classes=classes,
        recipe=recipe,
        evaluation=_Evaluation(evaluation_x.to(place), evaluation_adjacency.to(place)),
        frame=frame,
    )
    workers = max(1, torch.get_num_threads()) if place.type == "cpu" else 1
    total, done = len(tasks), 0
    limit = memory_mb * 1e6 / (workers + 1)
    chunks = _chunks(setting, tasks, generators, limit, -(-total // workers))
    for answers in work_through(chunks, setting.answers, workers=workers):
        for answer in answers or ():
            done += 1
            yield answer
        yield Advance(done=done, total=total)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Setting:
    """What all models have in common."""

    x: Tensor
    classes: int
    recipe: Recipe
    evaluation: _Evaluation
    frame: Frame | None = None

    @torch.no_grad()
    def answers(self, chunk: _Chunk, stop: Event) -> list[Answer]:
        """Train a chunk's models and ask them; nothing where `stop` was set meanwhile."""
        start = time.perf_counter()
        training = _Training(self, chunk)
        training.run(stop)
        if stop.is_set():
            return []
        posteriors = [
            training.net.evaluate(member, *self.evaluation.around(task.queries)).float().cpu()
            for member, task in enumerate(chunk.tasks)
        ]
        seconds = (time.perf_counter() - start) / len(chunk.tasks)
        return [
            Answer(index=chunk.start + member, log_posterior=posterior, loss=loss, epochs=epochs, seconds=seconds)
            for member, (posterior, loss, epochs) in enumerate(
                zip(posteriors, training.loss, training.epochs, strict=True)
            )
        ]


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Consecutive tasks, with their streams."""

    start: int
    tasks: list[SmallGraph]
    generators: list[tuple[torch.Generator, torch.Generator]]


def _chunks(
    setting: _Setting, tasks: Sequence[SmallGraph], generators: Generators, limit: float, most: int
) -> Iterator[_Chunk]:
    """At most `most` consecutive tasks whose models together stay within `limit` bytes, and on a CPU within
    the cache."""
    cache = CACHE_BYTES if setting.x.device.type == "cpu" else math.inf
    chunk, size, hot = _Chunk(0, [], []), 0.0, 0.0
    for index in range(len(tasks)):
        task = tasks[index]
        need, warm = _bytes(setting, task)
        if need > limit:
            raise ValueError(
                f"a model of {task.nodes.numel():,} nodes needs {need / 1e6:,.0f} MB at once; "
                f"memory_mb leaves {limit / 1e6:,.0f} MB a chunk"
            )
        full = size + need > limit or hot + warm > cache or len(chunk.tasks) == most
        if chunk.tasks and full:
            yield chunk
            chunk, size, hot = _Chunk(index, [], []), 0.0, 0.0
        chunk.tasks.append(task)
        chunk.generators.append(generators(index))
        size, hot = size + need, hot + warm
    if chunk.tasks:
        yield chunk


def _bytes(setting: _Setting, task: SmallGraph) -> tuple[float, float]:
    """Bytes that a model needs at most, and those that it touches in every epoch."""
    n, features, hidden = task.nodes.numel(), setting.x.shape[1], setting.recipe.hidden
    item = setting.x.element_size()
    if setting.frame:
        n = setting.frame.places
        if task.nodes.numel() > n:
            raise ValueError(f"the frame has {n:,} places; a task has {task.nodes.numel():,} nodes")
        # edges and entries are the task's own: both are taken to be few
        hot = (8 * features * hidden + 6 * n * hidden + (0 if setting.frame.sparse else 4 * n * features)) * item
        return hot + 2 * features * (hidden + 3 * n) * item, hot
    rows = setting.x[task.nodes.to(setting.x.device)]
    entries = int(rows.count_nonzero())
    width = 2 * (features if setting.recipe.weight_decay else int((rows != 0).any(0).sum()))
    weights = 4 * width * hidden * item
    activations = 6 * n * hidden * item
    edges = 2 * task.edge_index.shape[1] * (item + 4)
    means = min(n * features, entries + entries * task.edge_index.shape[1] // max(n, 1))
    table = min(2 * n * width * item, 2 * (entries + means) * (item + 4))
    whole = 2 * features * (hidden + 3 * n) * item
    return weights + activations + edges + table + whole, weights + activations + edges + table


class _Training:
    """The training of a chunk's models."""

    def __init__(self, setting: _Setting, chunk: _Chunk) -> None:
        self._recipe, x = setting.recipe, setting.x
        tasks = chunk.tasks
        graphs = SideBySide.of(
            [task.nodes.to(x.device) for task in tasks],
            [task.edge_index.to(x.device) for task in tasks],
            x.dtype,
            places=setting.frame.places if setting.frame else 1,
        )
        self.net = StackedSage(
            graphs,
            x,
            hidden=self._recipe.hidden,
            classes=setting.classes,
            dropout=self._recipe.dropout,
            generators=[init for init, _ in chunk.generators],
            keep_all=self._recipe.weight_decay > 0 or setting.frame is not None,
            sparse=setting.frame.sparse if setting.frame else None,
        )
        self._dropping = [dropout for _, dropout in chunk.generators]
        self._target = torch.zeros(len(tasks), setting.classes, graphs.rows.shape[1], dtype=x.dtype, device=x.device)
        for target, task in zip(self._target, tasks, strict=True):
            labels = task.labels.to(x.device).unsqueeze(0)
            target[:, : labels.shape[1]].scatter_(0, labels, 1)
        valid = graphs.valid.to(x.dtype)
        self._weight = (valid / valid.sum(1, keepdim=True).clamp(min=1)).unsqueeze(1)
        self.loss = [math.nan] * len(tasks)
        self.epochs = [0] * len(tasks)

    def run(self, stop: Event) -> None:
        """All epochs, or until `stop`; then the network has each member's own last weights."""
        net, recipe = self.net, self._recipe
        optimiser = FusedAdam(net.parameters, recipe.learning_rate, recipe.weight_decay)
        patience = _Patience(net.members, recipe.patience)
        final_state: list[Tensor] = []
        for epoch in range(1, recipe.epochs + 1):
            last = epoch == recipe.epochs
            log_probability = net.forward(self._dropping).log_softmax(1)
            if recipe.patience or last:
                losses = (log_probability * self._target).mul_(self._weight).sum((1, 2)).neg_().cpu()
            net.backward(log_probability.exp_().sub_(self._target).mul_(self._weight))
            optimiser.step(net.gradients)
            if recipe.patience or last:
                state = [*net.parameters, *net.statistics]
                final_state = final_state or [value.clone() for value in state]
                for member in patience.ends(losses, last):
                    self.epochs[member] = epoch
                    if net.graphs.sizes[member]:
                        self.loss[member] = float(losses[member])
                    for own, value in zip(final_state, state, strict=True):
                        own[member] = value[member]
            if stop.is_set() or patience.over:
                break
        for own, value in zip(final_state, [*net.parameters, *net.statistics], strict=bool(final_state)):
            value.copy_(own)


class _Patience:
    """Which members are done: those whose loss has not fallen below its least for `patience` epochs."""

    def __init__(self, members: int, patience: int) -> None:
        self._patience = patience
        self._least = torch.full((members,), math.inf, dtype=torch.float64)
        self._since = torch.zeros(members, dtype=torch.int64)
        self._going = torch.ones(members, dtype=torch.bool)

    def ends(self, losses: Tensor, last: bool) -> list[int]:
        """The members whose training ends with an epoch of these losses (S,); with the `last` epoch all
        do."""
        falls = losses < self._least
        self._least = torch.where(falls, losses.double(), self._least)
        self._since = torch.where(falls, 0, self._since + 1)
        ends = self._going if last else self._going & (self._since >= self._patience)
        self._going = self._going & ~ends
        return ends.nonzero().squeeze(1).tolist()

    @property
    def over(self) -> bool:
        return not bool(self._going.any())


class _Evaluation:
    """The graph on which models are asked: features, means of neighbours made once, and edges."""

    def __init__(self, x: Tensor, adjacency: Tensor) -> None:
        self._x, self._pointers, self._sources = x, adjacency.crow_indices(), adjacency.col_indices()
        degrees = self._pointers.diff()
        self._means = (adjacency.to(x.dtype) @ x) / degrees.clamp(min=1).unsqueeze(1)

    def around(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        """What the queries' posteriors need: [x, mean_N(x)] (r, 2F) of the queries and their neighbours, and
        the (q, 2r) matrix that mixes the second layer's projections."""
        queries = queries.to(self._x.device)
        starts = self._pointers[queries]
        counts = self._pointers[queries + 1] - starts
        asker = torch.arange(queries.numel(), device=queries.device).repeat_interleave(counts)
        within = torch.arange(int(counts.sum()), device=queries.device) - (counts.cumsum(0) - counts)[asker]
        sources = self._sources[starts[asker] + within]
        rows, place = torch.unique(torch.cat([queries, sources]), return_inverse=True)
        own, theirs = place[: queries.numel()], place[queries.numel() :]
        everyone = torch.arange(queries.numel(), device=queries.device)
        ones = torch.ones(queries.numel(), dtype=self._x.dtype, device=queries.device)
        entries = torch.stack([torch.cat([everyone, asker]), torch.cat([2 * own, 2 * theirs + 1])])
        values = torch.cat([ones, counts.to(self._x.dtype).reciprocal()[asker]])
        size = (queries.numel(), 2 * rows.numel())
        inputs = torch.cat([self._x[rows], self._means[rows]], 1)
        return inputs, torch.sparse_coo_tensor(entries, values, size, check_invariants=False)
