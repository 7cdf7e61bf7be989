"""Tuning many prompts, and asking them: chunk by chunk, a thread a chunk.

A chunk's size follows from public numbers alone (ego-graphs a member, places, widths, the memory allowed), and a member's
place in its chunk from its number. Seats that nobody takes are masked. So nothing that one member holds changes the
shape or the order of another member's arithmetic, and on a CPU not its last digit either (tested; a GPU's libraries
promise no such thing).
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import torch
from torch import Tensor

from privgraph.nn.backbones import Backbone
from privgraph.nn.chunks import work_through
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.optim import FusedAdam
from privgraph.nn.prompts import PromptRecipe, Prompts, Sight
from privgraph.nn.small_graphs import Advance

CACHE_BYTES = 32 << 20
"""What a chunk may occupy on a CPU: more at once would wait for memory, less is lost in calls (measured)."""
COPIES = 12
"""Numbers that a step holds at once for each number of a layer's output (measured with the greediest, gt; see `tune`)."""

QUESTIONS = 64
"""Ego-graphs that a chunk of prompts is asked about at once."""


class Tuning:
    """T prompts while they learn; `step` is an epoch of all.

    egos: T S ego-graphs, member by member. labels: (T, S) int64, -1 at an empty seat, or (T, S, C) shares, all zero at an
    empty one. A member without any label keeps the prompt that it has.
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
        self._backbone = backbone
        self.prompts = prompts.take(slice(None))
        self.sight = prompts.see(backbone, table, egos, prompts.members)
        self._learning = [self.prompts.parameters[name].requires_grad_() for name in prompts.tuned]
        self._optimiser = FusedAdam(self._learning, recipe.learning_rate)
        self._target, taken = targets(labels, self._classes(labels))
        count = taken.sum(1)
        self._share = taken / count.clamp(min=1).unsqueeze(1)
        self._some = count > 0

    def _classes(self, labels: Tensor) -> int:
        name = "classes" if self.prompts.kind == "gppt" else "bias"
        return int(self.prompts.parameters[name].shape[2])

    def step(self) -> Tensor:
        """One epoch; the mean losses (T,) from before it."""
        with torch.enable_grad():
            log_probability = self.prompts.forward(self._backbone, self.sight).log_softmax(-1)
            losses = -((log_probability * self._target).sum(-1) * self._share).sum(1)
            penalty = self.prompts.penalty()
            total = losses if penalty is None else losses + penalty * self._some
            gradients = torch.autograd.grad(total.sum(), self._learning)
        with torch.no_grad():
            self._optimiser.step(gradients)
        return losses.detach()

    def result(self) -> Prompts:
        """The prompts as they are now, without gradients."""
        return Prompts(self.prompts.kind, {name: value.detach() for name, value in self.prompts.parameters.items()})


def targets(labels: Tensor, classes: int) -> tuple[Tensor, Tensor]:
    """Shares of classes (T, S, C), and which seats are taken (T, S) as numbers, from labels as `Tuning` takes them."""
    if labels.ndim == 3:
        return labels, (labels.sum(-1) > 0).to(labels.dtype)
    taken = (labels >= 0).float()
    target = torch.zeros(*labels.shape, classes, device=labels.device)
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
) -> Iterator[Advance | Prompts]:
    """Tune T prompts, each on its own seats; tells how far it is, and last the tuned prompts.

    table: (|V|, F) features; egos: T S ego-graphs, member by member; labels: as `Tuning` takes them; all on the table's
    device. No more than `memory_mb` megabytes (10^6 bytes) are used at once. Raises `ValueError` where one member
    alone does not fit. Closing the iterator stops the work.
    """
    members, seats = labels.shape[:2]
    if len(egos) != members * seats or prompts.members != members:
        raise ValueError(
            f"{members} members with {seats} seats need {members * seats:,} ego-graphs and {members} prompts "
            f"(got {len(egos):,} and {prompts.members})"
        )
    size = _members_at_once(backbone, prompts, egos, seats, table.device, memory_mb, members)

    def work(part: slice, stop: Event) -> tuple[slice, Prompts]:
        own = egos.take(slice(part.start * seats, part.stop * seats))
        tuning = Tuning(prompts.take(part), backbone, table, own, labels[part], recipe)
        for _ in range(recipe.epochs):
            if stop.is_set():
                break
            tuning.step()
        return part, tuning.result()

    found: dict[int, Prompts] = {}
    done = 0
    for told in work_through(_parts(members, size), work, workers=_workers(table.device)):
        if told is not None:
            part, tuned = told
            found[part.start] = tuned
            done += part.stop - part.start
        yield Advance(done=done, total=members)
    yield Prompts.joined([found[start] for start in sorted(found)])


def votes(
    prompts: Prompts, backbone: Backbone, table: Tensor, egos: EgoGraphs, *, memory_mb: float = 1024
) -> Iterator[Advance | Tensor]:
    """Every prompt's class for every one of G ego-graphs; tells how far it is, and last the votes (T, G) int64."""
    members, graphs = prompts.members, len(egos)
    if not graphs:
        yield torch.zeros(members, 0, dtype=torch.int64, device=table.device)
        return
    together = min(graphs, QUESTIONS)
    size = _members_at_once(backbone, prompts, egos, together, table.device, memory_mb, members)
    seen: list[tuple[slice, Sight]] = [
        (slice(start, start + together), prompts.see(backbone, table, egos.take(slice(start, start + together)), 1))
        for start in range(0, graphs, together)
    ]

    @torch.no_grad()
    def work(part: slice, stop: Event) -> slice:
        own = prompts.take(part)
        for columns, sight in seen:
            if stop.is_set():
                break
            found[part, columns] = own.forward(backbone, sight).argmax(-1)
        return part

    found = torch.zeros(members, graphs, dtype=torch.int64, device=table.device)
    done = 0
    for told in work_through(_parts(members, size), work, workers=_workers(table.device)):
        done += told.stop - told.start if told is not None else 0
        yield Advance(done=done, total=members)
    yield found


def _parts(members: int, size: int) -> Iterator[slice]:
    for start in range(0, members, size):
        yield slice(start, min(members, start + size))


def _workers(device: torch.device) -> int:
    return max(1, torch.get_num_threads()) if device.type == "cpu" else 1


def _members_at_once(
    backbone: Backbone,
    prompts: Prompts,
    egos: EgoGraphs,
    graphs: int,
    device: torch.device,
    memory_mb: float,
    members: int,
) -> int:
    """How many members a chunk holds, each with so many ego-graphs: by public numbers alone."""
    places = egos.nodes.shape[1]
    if prompts.kind == "all-in-one":
        places += int(prompts.parameters["tokens"].shape[1])
    width = max(backbone.hidden, 4 * places)  # attention: four heads of places x places
    if backbone.kind == "gt":
        width += 4 * backbone.hidden
    need = 4 * COPIES * graphs * places * width
    limit = memory_mb * 1e6 / (_workers(device) + 1)
    if need > limit:
        raise ValueError(
            f"a prompt with {graphs:,} ego-graphs needs {need / 1e6:,.0f} MB at once; memory_mb leaves {limit / 1e6:,.0f} MB"
        )
    most = min(limit, CACHE_BYTES) if device.type == "cpu" else limit
    return max(1, min(members, int(most // need)))
