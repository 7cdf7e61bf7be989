"""Tuning many prompts, and asking them: chunk by chunk, a thread a chunk.

A chunk's size follows from public numbers alone (ego-graphs a member, places, widths, the memory allowed),
and a member's place in its chunk from its number. Slots that nobody takes are masked. So nothing that one
member holds changes the shape or the order of another member's arithmetic, and on a CPU not its last digit
either (tested; a GPU's libraries promise no such thing).
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

import torch
from torch import Tensor

from privgraph.nn.backbones import HEADS, Backbone
from privgraph.nn.chunks import work_through
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.optim import FusedAdam
from privgraph.nn.prompts import PromptRecipe, Prompts, Sight, by_size, packed
from privgraph.nn.small_graphs import Advance

CACHE_BYTES = 16 << 20
"""What a chunk may occupy on a CPU: more at once waits for memory, less is lost in calls (measured, flat
around it)."""
COPIES = 12
"""Numbers that a step holds at once for each number of a layer's widest output (measured: 2 to 8, and what an
operation needs meanwhile)."""
TOGETHER = 5
"""Prompts that are asked about a block of questions at once, on a CPU and a GPU."""
MANY = 32
"""Slots of a single member from which it pays to compute ego-graphs of one size together."""
PLACES = 16
"""What a stack reads of an ego-graph at most. Every slot takes so much of it, however few are taken: most
ego-graphs of a citation graph fit, and with 32 places accuracy was the same, at 2.5 times the seconds
(cora)."""


class Tuning:
    """T prompts while they learn; `step` is an epoch of all.

    egos: T S ego-graphs, member by member. labels: (T, S) int64, -1 at an empty slot, or (T, S, C) shares,
    all zero at an empty one. A member without any label keeps the prompt that it has. Where there are many
    slots they are computed in blocks, with torch's number of threads, each block on one; a member's gradient
    is the sum over blocks, in order. Many slots of a single member go by the size of their ego-graphs: there
    is nobody else whose rounding that could change. About `memory_mb` megabytes (10^6 bytes) are used beyond
    what is read in every epoch.
    """

    def __init__(
        self,
        prompts: Prompts,
        backbone: Backbone,
        table: Tensor,
        egos: EgoGraphs,
        labels: Tensor,
        recipe: PromptRecipe,
        *,
        memory_mb: float = 1024,
    ) -> None:
        self._backbone, self._threads = backbone, _workers(table.device)
        self.prompts = prompts.take(slice(None))
        self._learning = [self.prompts.parameters[name].requires_grad_() for name in prompts.tuned]
        self._optimiser = FusedAdam(self._learning, recipe.learning_rate)
        name = "classes" if prompts.kind == "gppt" else "bias"
        target, taken = targets(labels, int(prompts.parameters[name].shape[2]), table.dtype)
        count = taken.sum(1, keepdim=True)
        target = target * (taken / count.clamp(min=1)).unsqueeze(2)
        self._some = (count > 0).squeeze(1)
        members, slots = labels.shape[:2]
        self._blocks: list[tuple[Sight, Tensor]] = []
        rows = torch.arange(members * slots, device=labels.device).view(members, slots)
        apart = members == 1 and slots >= MANY
        for columns, own in by_size(egos) if apart else [(rows[0], egos)]:
            size = max(1, _at_once(backbone, prompts, own, table.device, memory_mb) // members)
            for start in range(0, len(columns), size):
                part = slice(start, min(start + size, len(columns)))
                block = own.take(rows[:, part].flatten())
                self._blocks.append((prompts.see(backbone, table, block, members), target[:, columns[part]]))

        if prompts.kind == "gppt":
            self._begin_at_means()

    @torch.no_grad()
    def _begin_at_means(self) -> None:
        """GPPT's vectors begin as the classes' mean embeddings at the member's own slots, less the mean of
        these means, for every kind (as its code does); a class that no slot has begins at zero."""
        total = torch.zeros_like(self.prompts.parameters["classes"][:, 0])
        count = total.new_zeros(total.shape[:2])
        for sight, shares in self._blocks:
            assert sight.embedded is not None
            total += shares.transpose(1, 2) @ sight.embedded
            count += shares.sum(1)
        known = (count > 0).to(total.dtype).unsqueeze(2)
        means = total / count.clamp(min=1e-12).unsqueeze(2)
        middle = (means * known).sum(1, keepdim=True) / known.sum(1, keepdim=True).clamp(min=1)
        begin = ((means - middle) * known).unsqueeze(1).expand_as(self.prompts.parameters["classes"])
        own = self._some.view(-1, 1, 1, 1)
        self.prompts.parameters["classes"].copy_(torch.where(own, begin, self.prompts.parameters["classes"]))

    def step(self) -> Tensor:
        """One epoch; the mean losses (T,) from before it."""
        told = _each(self._gradients, self._blocks, self._threads)
        losses, gradients = told[0]
        for more, others in told[1:]:
            losses = losses + more
            gradients = [one + other for one, other in zip(gradients, others, strict=True)]
        with torch.enable_grad():
            penalty = self.prompts.penalty()
            if penalty is not None:
                own = torch.autograd.grad((penalty * self._some).sum(), self._learning)
                gradients = [one + other for one, other in zip(gradients, own, strict=True)]
        with torch.no_grad():
            # the fused kernel reads memory in order, and a gradient may be a transposed view
            self._optimiser.step([gradient.contiguous() for gradient in gradients])
        return losses

    def _gradients(self, block: tuple[Sight, Tensor]) -> tuple[Tensor, list[Tensor]]:
        """A block's part of the losses (T,) and of their gradients."""
        sight, shares = block
        with torch.enable_grad():
            log_probability = self.prompts.forward(self._backbone, sight).log_softmax(-1)
            losses = -(log_probability * shares).sum((1, 2))
            return losses.detach(), list(torch.autograd.grad(losses.sum(), self._learning))

    def result(self) -> Prompts:
        """The prompts as they are now, without gradients."""
        return Prompts(self.prompts.kind, {name: value.detach() for name, value in self.prompts.parameters.items()})


def targets(labels: Tensor, classes: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Shares of classes (T, S, C), and which slots are taken (T, S) as numbers, from labels as `Tuning` takes
    them."""
    if labels.ndim == 3:
        return labels.to(dtype), (labels.sum(-1) > 0).to(dtype)
    taken = (labels >= 0).to(dtype)
    target = torch.zeros(*labels.shape, classes, dtype=dtype, device=labels.device)
    return target.scatter_(2, labels.clamp(min=0).unsqueeze(2), taken.unsqueeze(2)), taken


def tune(
    prompts: Prompts,
    backbone: Backbone,
    table: Tensor,
    egos: EgoGraphs,
    labels: Tensor,
    recipe: PromptRecipe,
    *,
    memory_mb: float = 1024,
    places: int = PLACES,
) -> Iterator[Advance | Prompts]:
    """Tune T prompts, each on its own slots; tells how far it is, and last the tuned prompts.

    table: (|V|, F) features; egos: T S ego-graphs, member by member, of which no more than `places` places
    are read; labels: as `Tuning` takes them; all on the table's device. About `memory_mb` megabytes (10^6
    bytes) are used at once. Closing the iterator stops the work.
    """
    members, slots = labels.shape[:2]
    if not slots or len(egos) != members * slots or prompts.members != members:
        raise ValueError(
            f"{members} members with {slots} slots need {members * slots:,} ego-graphs and {members} prompts "
            f"(got {len(egos):,} and {prompts.members})"
        )
    egos, workers = packed(egos, places), _workers(table.device)
    share = memory_mb / (workers + 1)
    most = max(1, _at_once(backbone, prompts, egos, table.device, share) // slots)
    rounds = -(-members // (most * workers))
    size = -(-members // (rounds * workers))

    def work(part: slice, stop: Event) -> tuple[slice, Prompts]:
        own = egos.take(slice(part.start * slots, part.stop * slots))
        tuning = Tuning(prompts.take(part), backbone, table, own, labels[part], recipe, memory_mb=share)
        for _ in range(recipe.epochs):
            if stop.is_set():
                break
            tuning.step()
        return part, tuning.result()

    tuned_parts: dict[int, Prompts] = {}
    done = 0
    for told in work_through(_parts(members, size), work, workers=workers):
        if told is not None:
            part, tuned = told
            tuned_parts[part.start] = tuned
            done += part.stop - part.start
        yield Advance(done=done, total=members)
    yield Prompts.joined([tuned_parts[start] for start in sorted(tuned_parts)])


def votes(
    prompts: Prompts, backbone: Backbone, table: Tensor, egos: EgoGraphs, *, memory_mb: float = 1024
) -> Iterator[Advance | Tensor]:
    """Every prompt's class for every one of G ego-graphs; tells how far it is, and last the votes (T, G)
    int64.

    About `memory_mb` megabytes (10^6 bytes) are used at once. Closing the iterator stops the work.
    """
    members, graphs, workers = prompts.members, len(egos), _workers(table.device)
    share = memory_mb / (workers + 1)
    held = max(1, int(share * 1e6 / _bytes(backbone, egos, 4)))
    predicted = torch.zeros(members, graphs, dtype=torch.int64, device=table.device)
    for start in range(0, graphs, held):
        # what every prompt reads is prepared for as many questions as the memory holds
        asked = egos.take(slice(start, start + held))
        seen: list[tuple[Tensor, Sight]] = []
        size = members
        for rows, own in by_size(asked):
            room = _at_once(backbone, prompts, own, table.device, share)
            together = max(1, room // TOGETHER)
            size = min(size, max(1, room // together))
            for first in range(0, len(rows), together):
                part = slice(first, first + together)
                seen.append((start + rows[part], prompts.see(backbone, table, own.take(part), 1)))

        def work(part: slice, stop: Event, seen: Sequence[tuple[Tensor, Sight]] = tuple(seen)) -> slice:
            own = prompts.take(part)
            with torch.no_grad():
                for columns, sight in seen:
                    if stop.is_set():
                        break
                    predicted[part, columns] = own.forward(backbone, sight).argmax(-1)
            return part

        done = 0
        for told in work_through(_parts(members, size), work, workers=workers):
            done += told.stop - told.start if told is not None else 0
            yield Advance(done=(members * start + done * len(asked)) // graphs, total=members)
    yield predicted


Item = TypeVar("Item")
Told = TypeVar("Told")


def _each(work: Callable[[Item], Told], items: Sequence[Item], threads: int) -> list[Told]:
    """Work on all items, one a thread, with no threads inside the operations; in the calling thread where
    that is enough."""
    if threads == 1 or len(items) == 1:
        return [work(item) for item in items]
    try:
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            return list(pool.map(work, items))
    finally:
        torch.set_num_threads(threads)


def _parts(members: int, size: int) -> Iterator[slice]:
    for start in range(0, members, size):
        yield slice(start, min(members, start + size))


def _workers(device: torch.device) -> int:
    return max(1, torch.get_num_threads()) if device.type == "cpu" else 1


def _at_once(backbone: Backbone, prompts: Prompts, egos: EgoGraphs, device: torch.device, memory_mb: float) -> int:
    """How many ego-graphs are computed at once, of however many members: by public numbers alone."""
    tokens = int(prompts.parameters["tokens"].shape[1]) if prompts.kind == "all-in-one" else 0
    most = memory_mb * 1e6
    if device.type == "cpu":
        most = min(most, CACHE_BYTES)
    return max(1, int(most / _bytes(backbone, egos, COPIES, tokens)))


def _bytes(backbone: Backbone, egos: EgoGraphs, copies: int, tokens: int = 0) -> float:
    """What an ego-graph takes: `copies` of the widest number of a layer."""
    places = egos.nodes.shape[1] + tokens
    width = max(backbone.hidden, HEADS * places) + (HEADS * backbone.hidden if backbone.kind == "gt" else 0)
    return 4.0 * copies * places * width
