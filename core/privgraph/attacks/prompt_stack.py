"""Thousands of prompts, each tuned on a few nodes of its own, and asked about the same nodes, chunk by chunk.

Each prompt is the one that the method `prompt` tunes on these nodes from a run's seed, up to rounding: the
same ego-graphs with all their places, the same first values, the same steps of Adam. Nothing that is tuned
here is released, so the shape of a computation may depend on private nodes: unlike in a stack of teachers
(`nn.prompt_tuning.tune`), no place is computed that nobody takes. A prompt's nodes are ordered by the size of
their ego-graphs, prompts with ego-graphs of like sizes are tuned together, and each column of nodes has as
many places as its largest ego-graph needs. Needs torch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privgraph.attacks.signals import Array, scaled_confidence
from privgraph.methods.prompts.pretrained import PreparedGraph
from privgraph.nn.backbones import HEADS, Backbone
from privgraph.nn.chunks import work_through
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.prompt_tuning import CACHE_BYTES, COPIES, TOGETHER, Tuning, targets
from privgraph.nn.prompts import PromptRecipe, Prompts, Sight, by_size, packed
from privgraph.nn.small_graphs import Advance
from privgraph.streams import stream_seed

WIDTHS = (1, 2, 4, 6, 8, 12, 16, 24)
"""Places to which the largest ego-graph of a column is rounded up: columns of one width are one
computation."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tuned:
    """What P prompts are tuned on, and from which seeds.

    nodes: (P, S) int64 node numbers, all different within a row. seeds: of the runs whose first values the
    prompts have. Raises `ValueError` where these do not fit.
    """

    nodes: Tensor
    seeds: Sequence[int]

    def __post_init__(self) -> None:
        if self.nodes.ndim != 2 or not self.nodes.numel() or len(self.seeds) != len(self.nodes):
            raise ValueError(
                f"each prompt needs a seed and at least one node (got nodes {tuple(self.nodes.shape)} and "
                f"{len(self.seeds)} seeds)"
            )
        if self.nodes.shape[1] > 1 and bool((self.nodes.sort(1).values.diff(dim=1) == 0).any()):
            raise ValueError("a prompt is tuned on each of its nodes once")


def signals(
    prepared: PreparedGraph,
    table: Tensor,
    recipe: PromptRecipe,
    tuned: Tuned,
    asked: Tensor,
    *,
    memory_mb: float = 1024,
) -> Iterator[Advance | Array]:
    """Tune the prompts and ask each about all of `asked` (N,) int64 node numbers; tells how far it is, and
    last the scaled confidences (P, N) (`signals.scaled_confidence`).

    `prepared` with its backbone on the device of `table` (|V|, F). On a CPU one chunk a thread is in memory,
    about `memory_mb` megabytes (10^6 bytes) together, beside the ego-graphs of the nodes that are named and
    the result. Closing the iterator stops the work.
    """
    device, backbone = table.device, prepared.backbone
    workers = max(1, torch.get_num_threads()) if device.type == "cpu" else 1
    known, slots = torch.unique(tuned.nodes, return_inverse=True)
    egos, labels = prepared.egos(known).to(device), prepared.labels[known].to(device)
    slots, order = _ordered(slots, egos.present.sum(1).cpu())
    structure = prepared.public_embeddings(table) if recipe.kind == "gppt" else None
    tokens = recipe.tokens if recipe.kind == "all-in-one" else 0
    most = memory_mb * 1e6 / (workers + 1)
    most = min(most, CACHE_BYTES) if device.type == "cpu" else most
    questions = _Questions(prepared, table, recipe.kind, asked, most, tokens)

    def work(rows: Tensor, stop: Event) -> tuple[Tensor, Array] | None:
        generators = [
            torch.Generator(device).manual_seed(stream_seed(tuned.seeds[row], "init/prompt")) for row in rows.tolist()
        ]
        fresh = Prompts.initial(recipe, backbone, prepared.classes, generators, structure)
        own = slots[rows]
        tuning = Fitted(fresh, backbone, table, egos.take(own.flatten()), labels[own], recipe)
        for _ in range(recipe.epochs):
            if stop.is_set():
                return None
            tuning.step()
        return rows, questions.answered(tuning.result())

    found = np.zeros((len(slots), len(asked)))
    done = 0
    for told in work_through(_chunks(slots, order, egos, backbone, tokens, most), work, workers=workers):
        if told is not None:
            rows, said = told
            found[rows.numpy()] = said
            done += len(rows)
        yield Advance(done=done, total=len(slots))
    yield found


class Fitted(Tuning):
    """`Tuning` of T prompts without empty places: columns of like width are computed together, each as wide
    as its largest ego-graph.

    egos: T S ego-graphs, prompt by prompt; labels: (T, S) int64, none below 0. It pays where each column
    holds ego-graphs of like sizes.
    """

    def __init__(
        self,
        prompts: Prompts,
        backbone: Backbone,
        table: Tensor,
        egos: EgoGraphs,
        labels: Tensor,
        recipe: PromptRecipe,
    ) -> None:
        if int(labels.min()) < 0:
            raise ValueError("every slot of a fitted prompt must have a label")
        super().__init__(prompts, backbone, table, egos, labels, recipe)
        members, slots = labels.shape
        classes = int(prompts.parameters["classes" if prompts.kind == "gppt" else "bias"].shape[2])
        shares = targets(labels, classes, table.dtype)[0] / slots
        widths = _rounded(egos.present.sum(1).view(members, slots).amax(0))
        rows = torch.arange(members * slots, device=labels.device).view(members, slots)
        self._blocks = []
        for width in sorted(set(widths.tolist())):
            columns = (widths == width).nonzero().squeeze(1)
            own = trimmed(egos.take(rows[:, columns].flatten()))
            self._blocks.append((prompts.see(backbone, table, own, members), shares[:, columns]))


def trimmed(egos: EgoGraphs) -> EgoGraphs:
    """The same ego-graphs in no more places, and no more near ones, than the largest of them takes."""
    close = packed(egos, max(1, int(egos.present.sum(1).max())))
    joined = close.adjacency[:, 0].any(0).nonzero()
    return EgoGraphs(nodes=close.nodes, adjacency=close.adjacency, near=int(joined.max()) if len(joined) else 0)


class _Questions:
    """What all prompts are asked, prepared once."""

    def __init__(
        self, prepared: PreparedGraph, table: Tensor, kind: str, asked: Tensor, most: float, tokens: int
    ) -> None:
        self._backbone = prepared.backbone
        self._labels = prepared.labels[asked].numpy()
        self._seen: list[tuple[Tensor, Sight]] = []
        viewer, egos = Prompts(kind, {}), prepared.egos(asked).to(table.device)
        for rows, own in by_size(egos):
            own = trimmed(own)
            held = max(1, int(most / (TOGETHER * _bytes(self._backbone, own.nodes.shape[1], tokens))))
            for start in range(0, len(own), held):
                part = slice(start, start + held)
                self._seen.append((rows[part], viewer.see(self._backbone, table, own.take(part), 1)))

    @torch.no_grad()
    def answered(self, prompts: Prompts) -> Array:
        """The scaled confidences (T, N) of each of T prompts in the class of each of N nodes."""
        found = np.zeros((prompts.members, len(self._labels)))
        for start in range(0, prompts.members, TOGETHER):
            own = prompts.take(slice(start, start + TOGETHER))
            for rows, sight in self._seen:
                columns = rows.cpu().numpy()
                logits = own.forward(self._backbone, sight).double().cpu().numpy()
                found[start : start + own.members, columns] = scaled_confidence(logits, self._labels[columns])
        return found


def _ordered(slots: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
    """The slots (P, S) of each prompt by the size (n,) of their ego-graphs, the largest first, and an order
    (P,) of prompts that brings those with like sizes together."""
    by = sizes[slots].argsort(dim=1, descending=True, stable=True)
    slots = slots.gather(1, by)
    widths: NDArray[np.int64] = _rounded(sizes[slots]).numpy()
    return slots, torch.from_numpy(np.lexsort(widths.T[::-1]))


def _rounded(sizes: Tensor) -> Tensor:
    """Each number of places, rounded up to one of `WIDTHS`; what is above all of them counts as one width."""
    bounds = torch.tensor([*WIDTHS, 2**31], device=sizes.device)
    return bounds[torch.bucketize(sizes, bounds)]


def _chunks(
    slots: Tensor, order: Tensor, egos: EgoGraphs, backbone: Backbone, tokens: int, most: float
) -> Iterator[Tensor]:
    """Rows of prompts that together occupy about `most` bytes, at least one at a time."""
    sizes = egos.present.sum(1).cpu()
    widest = int(sizes.max())
    start = 0
    while start < len(order):
        columns = _rounded(sizes[slots[order[start:]]]).clamp(max=widest)
        # a chunk that ends after a prompt is as wide in each column as the widest until there
        need = columns.cummax(0).values.to(torch.float64)
        occupied = _bytes_of(backbone, need, tokens).sum(1) * torch.arange(1, len(need) + 1)
        size = max(1, int((occupied <= most).sum()))
        yield order[start : start + size]
        start += size


def _bytes(backbone: Backbone, places: int, tokens: int) -> float:
    """What a step holds of an ego-graph of so many places: `COPIES` of the widest number of a layer."""
    return float(_bytes_of(backbone, torch.tensor([places], dtype=torch.float64), tokens))


def _bytes_of(backbone: Backbone, places: Tensor, tokens: int) -> Tensor:
    stood = places + tokens
    width = (HEADS * stood).clamp(min=backbone.hidden) + (HEADS * backbone.hidden if backbone.kind == "gt" else 0)
    return 4.0 * COPIES * stood * width
