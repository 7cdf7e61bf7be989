"""Many small two-layer GraphSAGE models trained as one computation.

    h      = dropout(relu(batch_norm(W_self x + W_nbr mean_N(x) + b)))
    logits = V_self h + V_nbr mean_N(h) + c                      (GraphSAGE with means: Hamilton et al. 2017, Algorithm 1)

Each model has a small graph of its own (rows of one shared feature table, edges, labels), its own weights, batch
statistics, dropout stream, Adam state and early stop; nothing is shared but the arithmetic:

- [x, mean_N(x)] depends on no weight and is made once a model; its zero columns take no part in training (their weights
  get no gradient and are kept as drawn for the evaluation), and a bag of words stays sparse;
- no gradient goes to the input, nor to b, which batch normalisation takes out again;
- the second layer averages V_nbr h, C numbers a node, instead of h;
- models are trained in chunks whose weights, moments and activations stay in the cache, one thread a chunk.

A model trained in a chunk is the model trained alone.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import torch
from torch import Tensor

from privgraph.nn.message_passing import Graphs, Keep, Table, apply

CACHE_BYTES = 8 << 20
"""What the models of a chunk may occupy on a CPU: more of them at once would wait for memory (measured)."""
TELL_SECONDS = 0.5

Generators = Callable[[int], tuple[torch.Generator, torch.Generator]]


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallGraph:
    """One small model's training data.

    nodes: (n,) int64, rows of the shared feature table. edge_index: (2, e) int64, (source, target), numbers within
    `nodes`, each edge once. labels: (n,) int64 in [0, C). queries: (q,) int64, the nodes of the evaluation graph
    whose posterior is wanted.
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """What one model says. log_posterior: (q, C) float32, on the CPU; loss: the last epoch's mean training loss (not a
    number without nodes); seconds: its share of its chunk's time."""

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
) -> Iterator[Answer | Advance]:
    """Train one model a task, and tell each one's log-posteriors of its queries, in the order in which chunks end.

    x: (|V|, F), the shared feature table. `tasks` is asked for one item at a time, in order, from the calling thread,
    and no more are held than fit into `memory_mb` megabytes (10^6 bytes, together with what their models need).
    evaluation_x: (|V'|, F); evaluation_adjacency: (|V'|, |V'|) sparse CSR whose row i has a one for each edge j -> i.
    `generators(i)` gives task i's streams for weights and for dropout, on `device`. Floating-point type is x's.
    Closing the iterator stops the training. Raises `ValueError` where one model alone does not fit.
    """
    place = device or x.device
    setting = _Setting(
        x=x.to(place),
        classes=classes,
        recipe=recipe,
        evaluation=_Evaluation(evaluation_x.to(place), evaluation_adjacency.to(place)),
    )
    workers = max(1, torch.get_num_threads()) if place.type == "cpu" else 1
    limit = memory_mb * 1e6 / (workers + 1)
    total, done = len(tasks), 0
    chunks = _chunks(setting, tasks, generators, limit, -(-total // workers))
    stop, waiting = threading.Event(), set[Future[list[Answer]]]()
    threads = torch.get_num_threads()
    with ThreadPoolExecutor(workers, initializer=_one_thread) as pool:
        try:
            chunk = next(chunks, None)
            while chunk is not None or waiting:
                while chunk is not None and len(waiting) < workers:
                    waiting.add(pool.submit(_train_chunk, setting, chunk, stop))
                    chunk = next(chunks, None)
                ended, waiting = wait(waiting, TELL_SECONDS, FIRST_COMPLETED)
                for future in ended:
                    answers = future.result()
                    done += len(answers)
                    yield from answers
                yield Advance(done=done, total=total)
        finally:
            stop.set()
            torch.set_num_threads(threads)


def _one_thread() -> None:
    torch.set_num_threads(1)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Setting:
    """What all models have in common."""

    x: Tensor
    classes: int
    recipe: Recipe
    evaluation: _Evaluation


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Consecutive tasks, with their streams."""

    start: int
    tasks: list[SmallGraph]
    generators: list[tuple[torch.Generator, torch.Generator]]


def _chunks(
    setting: _Setting, tasks: Sequence[SmallGraph], generators: Generators, limit: float, most: int
) -> Iterator[_Chunk]:
    """At most `most` consecutive tasks whose models together stay within `limit` bytes, and on a CPU within the cache."""
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


def _train_chunk(setting: _Setting, chunk: _Chunk, stop: threading.Event) -> list[Answer]:
    with torch.no_grad():
        start = time.perf_counter()
        models = _Models(setting, chunk)
        models.train(stop)
        if stop.is_set():
            return []
        answers = [models.answer(member) for member in range(len(chunk.tasks))]
        seconds = (time.perf_counter() - start) / len(chunk.tasks)
    return [
        Answer(
            index=chunk.start + member,
            log_posterior=answer.float().cpu(),
            loss=models.loss[member],
            epochs=models.epochs[member],
            seconds=seconds,
        )
        for member, answer in enumerate(answers)
    ]


class _Models:
    """The models of a chunk: weights, batch statistics, and their training."""

    eps, momentum = 1e-5, 0.1

    def __init__(self, setting: _Setting, chunk: _Chunk) -> None:
        self.setting, self.tasks = setting, chunk.tasks
        self.dropping = [dropout for _, dropout in chunk.generators]
        recipe, x, device = setting.recipe, setting.x, setting.x.device
        graphs = Graphs.of(
            [task.nodes.to(device) for task in self.tasks],
            [task.edge_index.to(device) for task in self.tasks],
            x.dtype,
        )
        self.graphs = graphs
        rows = x[graphs.rows] * graphs.valid.unsqueeze(2)
        self.table = Table(torch.cat([rows, graphs.means(rows)], 2), keep_all=recipe.weight_decay > 0)
        self.mixing = graphs.self_and_means()
        self._draw([init for init, _ in chunk.generators])
        sizes = torch.tensor(graphs.sizes, dtype=x.dtype, device=device)
        self.count = sizes.clamp(min=1).view(-1, 1, 1)
        self.valid = graphs.valid.unsqueeze(2).to(x.dtype)
        self.weight = self.valid / self.count
        self.target = torch.zeros(*graphs.rows.shape, setting.classes, dtype=x.dtype, device=device)
        for member, task in enumerate(self.tasks):
            n = task.nodes.numel()
            self.target[member, torch.arange(n, device=device), task.labels.to(device)] = 1
        self.loss = [math.nan] * len(self.tasks)
        self.epochs = [0] * len(self.tasks)

    def _draw(self, streams: Sequence[torch.Generator]) -> None:
        """Weights as torch.nn.Linear draws them: uniform within 1/sqrt(inputs), W_self, W_nbr, b, V_self, V_nbr, c."""
        x, hidden, classes = self.setting.x, self.setting.recipe.hidden, self.setting.classes
        members, features = len(streams), x.shape[1]

        def uniform(shape: tuple[int, ...], inputs: int, stream: torch.Generator) -> Tensor:
            drawn = torch.empty(shape, dtype=torch.float32, device=x.device)
            bound = 1 / math.sqrt(inputs)
            return drawn.uniform_(-bound, bound, generator=stream).to(x.dtype)

        first = [(uniform((2 * features, hidden), features, s), uniform((1, hidden), features, s)) for s in streams]
        second = [(uniform((2, hidden, classes), hidden, s), uniform((1, classes), hidden, s)) for s in streams]
        self.whole = torch.stack([weight for weight, _ in first])
        b = torch.stack([bias for _, bias in first])
        w = x.new_zeros(members, self.table.width, hidden)
        for member, columns in enumerate(self.table.columns):
            w[member, : columns.numel()] = self.whole[member, columns]
        v = torch.stack([torch.cat([weight[0], weight[1]], 1) for weight, _ in second])
        c = torch.stack([bias for _, bias in second])
        scale, shift = x.new_ones(members, 1, hidden), x.new_zeros(members, 1, hidden)
        self.parameters = [w, b, scale, shift, v, c]
        self.running_mean, self.running_variance = x.new_zeros(members, 1, hidden), x.new_ones(members, 1, hidden)

    def train(self, stop: threading.Event) -> None:
        """All epochs; afterwards `parameters` are each member's own last ones."""
        recipe, members = self.setting.recipe, len(self.tasks)
        w, b, scale, shift, v, c = self.parameters
        gradients = [torch.zeros_like(parameter) for parameter in self.parameters]
        for parameter, its in zip(self.parameters, gradients, strict=True):
            parameter.grad = its
        dw, _, dscale, dshift, dv, dc = gradients
        optimiser = torch.optim.Adam(
            self.parameters, lr=recipe.learning_rate, weight_decay=recipe.weight_decay, fused=True
        )
        places, hidden, classes = self.graphs.rows.shape[1], recipe.hidden, self.setting.classes
        z, h, scratch, dh = (w.new_empty(members, places, hidden) for _ in range(4))
        u, du = (w.new_empty(members, places, 2 * classes) for _ in range(2))
        logits = w.new_empty(members, places, classes)
        keep = Keep((members, places, hidden), self.graphs.sizes, recipe.dropout, w) if recipe.dropout else None
        factor = keep.scale if keep else 1.0
        unbiased = self.count / (self.count - 1).clamp(min=1)
        best, since = torch.full((members,), math.inf), torch.zeros(members, dtype=torch.int64)
        stopped = torch.zeros(members, dtype=torch.bool)
        final: list[Tensor] = []
        state = [*self.parameters, self.running_mean, self.running_variance]
        for epoch in range(1, recipe.epochs + 1):
            if stop.is_set():
                return
            # forward
            self.table.project(w, z)
            mean = z.sum(1, keepdim=True) / self.count
            z.sub_(mean)
            if self.graphs.padded:
                z.mul_(self.valid)
            variance = torch.mul(z, z, out=scratch).sum(1, keepdim=True) / self.count
            inverse = (variance + self.eps).rsqrt_()
            self.running_mean.lerp_(mean + b, self.momentum)
            self.running_variance.lerp_(variance * unbiased, self.momentum)
            z.mul_(inverse)
            torch.addcmul(shift, z, scale, out=h).relu_()
            if keep:
                h.mul_(keep.draw(self.dropping))
            scaled = v * factor
            torch.bmm(h, scaled, out=u)
            apply(self.mixing.forward, u.view(-1, classes), logits.view(-1, classes))
            logits.add_(c)
            log_probability = logits.log_softmax(2)
            if recipe.patience or epoch == recipe.epochs:
                losses = -(log_probability * self.target).mul_(self.weight).sum((1, 2)).cpu()
            # backward
            gradient = log_probability.exp_().sub_(self.target).mul_(self.weight)
            torch.sum(gradient, 1, keepdim=True, out=dc)
            apply(self.mixing.backward, gradient.view(-1, classes), du.view(-1, classes))
            torch.bmm(h.transpose(1, 2), du, out=dv).mul_(factor)
            torch.bmm(du, scaled.transpose(1, 2), out=dh)
            dy = torch.ops.aten.threshold_backward.grad_input(dh, h, 0, grad_input=dh)
            torch.sum(dy, 1, keepdim=True, out=dshift)
            torch.sum(torch.mul(dy, z, out=scratch), 1, keepdim=True, out=dscale)
            slope = scale * inverse
            z.mul_(dscale / self.count).add_(dshift / self.count)
            torch.sub(dy, z, out=z).mul_(slope)
            self.table.outer(z, dw)
            optimiser.step()
            # early stop
            if recipe.patience or epoch == recipe.epochs:
                better = losses < best
                best = torch.where(better, losses, best)
                since = torch.where(better, 0, since + 1)
                ends = ~stopped & ((since >= recipe.patience) if recipe.patience else torch.ones_like(stopped))
                if epoch == recipe.epochs:
                    ends = ~stopped
                if bool(ends.any()):
                    if not final:
                        final = [value.clone() for value in state]
                    for member in ends.nonzero().squeeze(1).tolist():
                        for kept, value in zip(final, state, strict=True):
                            kept[member] = value[member]
                        self.loss[member] = float(losses[member]) if self.graphs.sizes[member] else math.nan
                        self.epochs[member] = epoch
                    stopped |= ends
                if bool(stopped.all()):
                    break
        for kept, value in zip(final, state, strict=True):
            value.copy_(kept)

    def answer(self, member: int) -> Tensor:
        """(q, C): log-posteriors of a member's queries, from their public neighbourhoods."""
        w, b, scale, shift, v, c = (parameter[member] for parameter in self.parameters)
        columns = self.table.columns[member]
        whole = self.whole[member]
        whole[columns] = w[: columns.numel()]
        slope = scale * (self.running_variance[member] + self.eps).rsqrt()
        offset = shift + (b - self.running_mean[member]) * slope
        rows, mixing = self.setting.evaluation.around(self.tasks[member].queries)
        h = torch.relu_(torch.addcmul(offset, self.setting.evaluation.read(rows) @ whole, slope))
        projected = (h @ v).view(-1, self.setting.classes)
        return ((mixing @ projected) + c).log_softmax(1)


class _Evaluation:
    """The graph on which models are asked: features, means of neighbours made once, and edges."""

    def __init__(self, x: Tensor, adjacency: Tensor) -> None:
        self._x, self._pointers, self._sources = x, adjacency.crow_indices(), adjacency.col_indices()
        degrees = self._pointers.diff()
        self._means = (adjacency.to(x.dtype) @ x) / degrees.clamp(min=1).unsqueeze(1)

    def read(self, rows: Tensor) -> Tensor:
        """[x, mean_N(x)] of some nodes, (r, 2F)."""
        return torch.cat([self._x[rows], self._means[rows]], 1)

    def around(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        """The nodes (r,) whose hidden vectors the queries need, and the (q, 2r) matrix that mixes their projections."""
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
        return rows, torch.sparse_coo_tensor(entries, values, size, check_invariants=False)
