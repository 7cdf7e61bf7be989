"""Training stacked networks: full batches with the best epoch by validation, or private gradients.

Both are generators of `Epoch` records, so that the caller can report, stop, or go on. Both leave the network
with the selected parameters when they are exhausted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import torch
from torch import Tensor

from privgraph.mechanisms.gradients import SUMS, PrivateGradients
from privgraph.mechanisms.observer import Observer
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.nn.inputs import Chosen, Inputs, Shared
from privgraph.nn.layers import EVALUATION, Pass
from privgraph.nn.optim import StackedAdam
from privgraph.nn.stacked import StackedNet
from privgraph.nn.tables import BLOCK, activation, made_up, require_places_alike
from privgraph.streams import Secret

SELECTIONS = ("last", "validation")
NUMBERS_A_THREAD = 1 << 20
"""A thread of its own is worth its while for so many numbers in a layer's output (below, threads wait for
Python)."""


@dataclass(frozen=True, eq=False)
class Epoch:
    """What is known after an epoch, one value a member, (S,): mean training loss, and accuracies in [0, 1].

    Losses and training accuracies are those that the epoch's own passes saw; the validation accuracy is of
    the parameters after the epoch. Not a number where no example was seen.
    """

    epoch: int
    loss: Tensor
    train_accuracy: Tensor
    val_accuracy: Tensor


@dataclass(frozen=True, eq=False)
class Rows:
    """Chosen rows of each member, (S, n), padded to one length; `valid` (S, n) marks those that are meant."""

    index: Tensor
    valid: Tensor

    @staticmethod
    def of(chosen: Sequence[Tensor], multiple: int = 1) -> Rows:
        """From one vector of row numbers a member, of any lengths; padded to a `multiple` of so many
        columns."""
        longest = max(1, *(int(rows.numel()) for rows in chosen)) if len(chosen) > 1 else max(1, int(chosen[0].numel()))
        longest = -(-longest // multiple) * multiple
        index = torch.zeros(len(chosen), longest, dtype=torch.int64, device=chosen[0].device)
        valid = torch.zeros(len(chosen), longest, dtype=torch.bool, device=chosen[0].device)
        for member, rows in enumerate(chosen):
            index[member, : rows.numel()] = rows
            valid[member, : rows.numel()] = True
        return Rows(index, valid)

    @staticmethod
    def of_masks(masks: Tensor) -> Rows:
        """From (S, N) bool."""
        return Rows.of([mask.nonzero().squeeze(1) for mask in masks])

    def select(self, inputs: Inputs, follow: Inputs | None = None) -> Inputs:
        """These rows of a network's inputs; `follow` is an earlier selection of the same table (see
        `Chosen`)."""
        if isinstance(inputs, Shared):
            leader = follow if isinstance(follow, Chosen) else None
            return Chosen(table=inputs, index=self.index, valid=self.valid, follow=leader)
        return inputs.take(self.index)

    def training_pass(self, dtype: torch.dtype, generators: Sequence[torch.Generator]) -> Pass:
        """How to train on all of these rows at once; padding, where there is any, is masked."""
        if bool(self.valid.all()):
            return Pass(training=True, generators=generators)
        mask = self.valid.to(dtype)
        lengths = self.valid.sum(1)
        count = lengths.to(dtype).view(-1, 1, 1)
        return Pass(training=True, mask=mask.unsqueeze(1), count=count, generators=generators, lengths=lengths.tolist())


def accuracies(net: StackedNet, inputs: Sequence[Inputs], labels: Tensor, masks: Sequence[Tensor]) -> list[Tensor]:
    """For each (S, N) mask, the accuracies (S,) in evaluation mode."""
    predicted = net.forward(inputs, EVALUATION).argmax(1) == labels
    return [(predicted & mask).sum(1) / mask.sum(1) for mask in masks]


def fit_full_batch(
    net: StackedNet,
    inputs: Sequence[Inputs],
    labels: Tensor,
    *,
    train_masks: Tensor,
    val_masks: Tensor,
    learning_rates: Tensor,
    epochs: int,
    weight_decay: float = 0.0,
    selection: str = "validation",
    generators: Sequence[torch.Generator] = (),
) -> Iterator[Epoch]:
    """Adam on the whole training set, `epochs` steps; yields one record an epoch.

    labels (N,) int64, shared; masks (S, N) bool; learning_rates (S,). With `selection` "validation" each
    member ends with the parameters of its first epoch of highest validation accuracy, else with the last.
    `generators` are the members' own, for dropout.
    """
    if selection not in SELECTIONS:
        raise ValueError(f"selection must be one of {', '.join(SELECTIONS)} (got {selection})")
    cuts = _cuts(net, labels.numel())
    parts = [
        _FullBatch(
            net.part(start, stop),
            [given.part(start, stop) for given in inputs],
            labels,
            train=Rows.of_masks(train_masks[start:stop]),
            val=Rows.of_masks(val_masks[start:stop]),
            optimiser=StackedAdam(net.parameters[start:stop], learning_rates[start:stop], weight_decay),
            keep_best=selection == "validation",
            generators=generators[start:stop],
        )
        for start, stop in pairwise(cuts)
    ]
    seen: list[Tensor] = []
    with one_thread_each(len(parts)) if len(parts) > 1 else in_turn() as together:
        for epoch in range(1, epochs + 2):
            told = together(lambda part, last=epoch > epochs: part.advance(stop=last), parts)  # type: ignore[misc]
            losses, accuracy, val_accuracy = (torch.cat(values) for values in zip(*told, strict=True))
            if seen:
                yield Epoch(epoch - 1, seen[0], seen[1], val_accuracy)
            seen = [losses, accuracy]
    for part in parts:
        part.finish()


def _cuts(net: StackedNet, examples: int) -> list[int]:
    """Where to cut a stack into parts, one a thread; small stacks stay whole."""
    width = max(branch[-1].out_features for branch in net.branches)
    worth = net.members * width * examples // NUMBERS_A_THREAD
    threads = torch.get_num_threads() if net.device.type == "cpu" else 1
    parts = max(1, min(threads, net.members, worth))
    return [net.members * part // parts for part in range(parts + 1)]


class _FullBatch:
    """Full-batch training of some members, an epoch at a time."""

    def __init__(
        self,
        net: StackedNet,
        inputs: Sequence[Inputs],
        labels: Tensor,
        *,
        train: Rows,
        val: Rows,
        optimiser: StackedAdam,
        keep_best: bool,
        generators: Sequence[torch.Generator],
    ) -> None:
        self._net, self._optimiser = net, optimiser
        # one product with the shared features serves the validation of an epoch's weights and the next
        # epoch's step
        self._val_inputs = [val.select(given) for given in inputs]
        self._train_inputs = [
            train.select(given, follow) for given, follow in zip(inputs, self._val_inputs, strict=True)
        ]
        self._how = train.training_pass(net.dtype, generators)
        self._loss, self._check = _CrossEntropy(train, labels, net), _CrossEntropy(val, labels, net)
        self._best = _Best(net) if keep_best else None
        self._trained = False

    def advance(self, *, stop: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Validate the weights as they are, then take a step unless `stop`.

        Loss and training accuracy of the step (or zeros), and the validation accuracy from before it.
        """
        net = self._net
        val_accuracy = self._check.accuracy(net.forward(self._val_inputs, EVALUATION))
        if self._trained and self._best is not None:
            self._best.offer(val_accuracy)
        if stop:
            return torch.zeros_like(val_accuracy), torch.zeros_like(val_accuracy), val_accuracy
        losses, accuracy, gradient = self._loss(net.forward(self._train_inputs, self._how))
        net.backward(gradient)
        net.accumulate()
        self._optimiser.step(net.gradients)
        self._trained = True
        return losses, accuracy, val_accuracy

    def finish(self) -> None:
        """Go back to the best epoch, where one is kept."""
        if self._best is not None:
            self._best.restore()


Part = TypeVar("Part")
Told = TypeVar("Told")


@contextmanager
def in_turn() -> Iterator[Callable[[Callable[[Part], Told], Sequence[Part]], list[Told]]]:
    """A map over parts of a stack, one after another, with all threads inside their operations."""
    yield lambda work, parts: [work(part) for part in parts]


@contextmanager
def one_thread_each(workers: int) -> Iterator[Callable[[Callable[[Part], Told], Sequence[Part]], list[Told]]]:
    """A map over parts of a stack: one thread a part, and no threads inside its operations.

    A member's tensors are small: threads inside an operation would wait for each other at the end of each of
    a hundred operations an epoch, threads over members once an epoch.
    """
    before = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield lambda work, parts: list(pool.map(work, parts))
    finally:
        torch.set_num_threads(before)


def fit_private(
    net: StackedNet,
    inputs: Sequence[Inputs],
    labels: Tensor,
    *,
    rosters: Tensor,
    train_masks: Tensor,
    val_masks: Tensor,
    learning_rates: Tensor,
    gradients: Sequence[PrivateGradients],
    epochs: int,
    steps: int,
    sampling: Sequence[Secret],
    noise: Sequence[Secret],
    dropout: Sequence[Secret] = (),
    weight_decay: float = 0.0,
    selection: str = "last",
    observers: Sequence[Observer | None] = (),
) -> Iterator[Epoch]:
    """DP-Adam: `steps` steps of Adam on private gradients of Poisson samples, told as `epochs` records.

    `gradients[s]` is member s's mechanism (clip, noise, sampling rate); `sampling` and `noise` are the
    members' own secret streams. Every step draws a sample, empty ones included, and adds noise: an empty
    sample's step is noise alone, as the accounting assumes. Coins are tossed for all of `rosters` (S, N): who
    opted out keeps the coin, and is in no batch. The ledger is the caller's: `steps` applications
    a member. `observers` are the members' adversaries in an audit.
    `dropout` are the members' own secret streams, too: masks that anybody knew would move all gradients with
    one example. Validation accuracies read private labels: they are for study, and "validation" selection is
    not free.
    """
    if selection not in SELECTIONS:
        raise ValueError(f"selection must be one of {', '.join(SELECTIONS)} (got {selection})")
    if not 1 <= epochs <= steps:
        raise ValueError(f"an epoch needs at least one step (got {epochs} epochs, {steps} steps)")
    _require_places_alike(net, inputs)
    rostered = [mask.nonzero().squeeze(1) for mask in rosters]
    optimiser = StackedAdam(net.parameters, learning_rates, weight_decay)
    best = _Best(net) if selection == "validation" else None
    for epoch in range(1, epochs + 1):
        losses = torch.zeros(net.members, dtype=net.dtype, device=net.device)
        right, drawn = torch.zeros_like(losses), torch.zeros_like(losses)
        for _ in range((epoch - 1) * steps // epochs, epoch * steps // epochs):
            rows = Rows.of(
                [
                    _drawn(everybody, here, mechanism.rate, secret)
                    for everybody, here, mechanism, secret in zip(
                        rostered, train_masks, gradients, sampling, strict=True
                    )
                ],
                multiple=BLOCK,
            )
            total = torch.zeros_like(net.gradients, dtype=SUMS)
            for index, valid in zip(torch.split(rows.index, BLOCK, 1), torch.split(rows.valid, BLOCK, 1), strict=True):
                batch = [given.take(index) for given in inputs]
                lengths = valid.sum(1).tolist()
                how = Pass(training=True, generators=dropout, lengths=lengths, apart=True)
                target = labels[index].clamp_min(0)  # padding may be a node without a label
                log_probability = _pass_through(net, batch, target, how)
                losses -= (log_probability.gather(1, target.unsqueeze(1)).squeeze(1) * valid).sum(1)
                right += ((log_probability.argmax(1) == target) & valid).sum(1)
                drawn += valid.sum(1)
                PrivateGradients.clip_and_sum(gradients, net, valid)
                total += net.gradients
            net.gradients.copy_(total)
            PrivateGradients.perturb(gradients, net, noise, observers)
            optimiser.step(net.gradients)
        (val_accuracy,) = accuracies(net, inputs, labels, [val_masks])
        if best is not None:
            best.offer(val_accuracy)
        yield Epoch(epoch, losses / drawn, right / drawn, val_accuracy)
    if best is not None:
        best.restore()


def _drawn(everybody: Tensor, here: Tensor, rate: float, secret: Secret) -> Tensor:
    """A Poisson sample of the rows `everybody`, without those that are not `here` (N,)."""
    rows = everybody[poisson_batch(everybody.numel(), rate, secret, everybody.device)]
    return rows[here[rows]]


def _pass_through(net: StackedNet, batch: Sequence[Inputs], target: Tensor, how: Pass) -> Tensor:
    """Log-probabilities (S, C, B) of a batch, and the backward pass of each example's own cross-entropy."""
    log_probability = net.forward(batch, how).log_softmax(1)
    gradient = activation(torch.exp, log_probability)
    gradient.scatter_add_(1, target.unsqueeze(1), -torch.ones_like(target, dtype=net.dtype).unsqueeze(1))
    net.backward(gradient)
    return log_probability


def _require_places_alike(net: StackedNet, inputs: Sequence[Inputs]) -> None:
    """Raise `RuntimeError` where this machine's library treats places of a block unlike, in the passes of
    `fit_private`.

    Claim: then what is computed for an example, its clipped gradient included, is to the bit a function of
    its own record, of the weights, and of its dropout mask. Proof sketch:
    1. Every block has `BLOCK` examples, and everything before the sum keeps examples apart.
    2. Each of these operations has public shapes; so the company could matter by place and by values alone.
    3. The library treats all places of such blocks alike, whatever stands beside: that is what is asked here.
    (Masks are dealt out by place, from a secret stream: see `layers.Dropout`.)
    """
    twin, how = net.of_nobody(), Pass(training=False, apart=True)
    tables = [Shared(rows=made_up(BLOCK, given.features).to(net.parameters)) for given in inputs]
    targets = torch.arange(2 * BLOCK, device=net.device) % net.classes

    def each(numbers: Tensor) -> list[Tensor]:
        index = numbers.to(net.device).expand(net.members, -1)
        said = _pass_through(twin, [table.take(index) for table in tables], targets[index], how)
        return [kept.movedim(-1, 0) for kept in (said, twin.squared_norms(), *twin.examples())]

    require_places_alike(each)


class _CrossEntropy:
    """Mean cross-entropy over each member's rows, of logits (S, C, n), with its gradient and the accuracy.

    An example is right when its label's logit is above all others. (The same as the largest but for exact
    ties, and many times faster than `argmax` along a dimension that is not the last.)
    """

    def __init__(self, rows: Rows, labels: Tensor, net: StackedNet) -> None:
        target = labels[rows.index].clamp_min(0).unsqueeze(1)  # padding may be a node without a label
        shape = rows.index.shape[0], net.classes, rows.index.shape[1]
        self._target = torch.zeros(shape, dtype=net.dtype, device=labels.device).scatter_(1, target, 1)
        self._valid = rows.valid
        valid = rows.valid.to(net.dtype)
        self._weight = (valid / valid.sum(1, keepdim=True)).unsqueeze(1)
        self._barred = self._target * torch.finfo(net.dtype).max

    def __call__(self, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean losses (S,), accuracies (S,), and the gradient of the losses (S, C, n)."""
        log_probability = logits.log_softmax(1)
        accuracy = self.accuracy(log_probability)
        losses = -(log_probability * self._target).mul_(self._weight).sum((1, 2))
        return losses, accuracy, log_probability.exp_().sub_(self._target).mul_(self._weight)

    def accuracy(self, logits: Tensor) -> Tensor:
        """(S,): share of right examples; not a number for a member without any."""
        own = (logits * self._target).sum(1, keepdim=True)
        others = (logits - self._barred).amax(1, keepdim=True)
        return ((own > others).squeeze(1) & self._valid).sum(1) / self._valid.sum(1)


class _Best:
    """The parameters of each member's first epoch of highest validation accuracy."""

    def __init__(self, net: StackedNet) -> None:
        self._net = net
        self._accuracy = torch.full((net.members,), -1.0, device=net.device)
        self._parameters, self._statistics = net.parameters.clone(), net.statistics.clone()

    def offer(self, accuracy: Tensor) -> None:
        better = ~(accuracy <= self._accuracy)  # without validation nodes (not a number), the last epoch stays
        self._accuracy = torch.where(better, accuracy, self._accuracy)
        self._parameters[better] = self._net.parameters[better]
        self._statistics[better] = self._net.statistics[better]

    def restore(self) -> None:
        self._net.parameters.copy_(self._parameters)
        self._net.statistics.copy_(self._statistics)
