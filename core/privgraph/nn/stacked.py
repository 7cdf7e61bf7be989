"""Networks of S members trained as one computation.

A network is a set of branches, each reading an input of its own, whose outputs are concatenated and go
through a trunk: ProGAP's submodels (one branch a stage, Eq. 10), GAP's classifier (one branch a hop) and a
plain MLP (one branch, trunk of nothing but its last layer) are all of this form. All parameters of all
members lie in one (S, P) buffer, so that an optimiser step is a handful of operations, and a checkpoint is
one copy.

    net = StackedNet([mlp_layers(F, 16, 2)], [Linear(16, C)], members=10)
    net.initialise([context.generator("init") for context in contexts])
    logits = net.forward([Shared.of(graph.x)], EVALUATION)        # (S, C, N)

Member s of a stack computes what it would compute alone: nothing is shared between members but inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy

import torch
from torch import Tensor

from privgraph.nn.inputs import Inputs
from privgraph.nn.layers import (
    ACTIVATIONS,
    EVALUATION,
    BatchNorm,
    Dropout,
    GroupNorm,
    Layer,
    Linear,
    Pass,
)

NORMS = ("batch", "group", "none")


def mlp_layers(
    in_features: int,
    hidden: int,
    layers: int,
    *,
    norm: str = "batch",
    activation: str = "selu",
    dropout: float = 0.0,
) -> list[Layer]:
    """`layers` times: linear, activation, normalisation, dropout, in this order (another order lost
    accuracy).

    `norm` is batch, group (one group: never mixes examples) or none; `activation` is selu, relu or tanh.
    """
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)} (got {norm})")
    stack: list[Layer] = []
    for layer in range(layers):
        stack.append(Linear(in_features if layer == 0 else hidden, hidden))
        stack.append(ACTIVATIONS[activation](hidden))
        if norm != "none":
            stack.append(BatchNorm(hidden) if norm == "batch" else GroupNorm(hidden))
        if dropout > 0:
            stack.append(Dropout(hidden, dropout))
    return stack


class StackedNet:
    """S members of one architecture: branches, concatenation, trunk.

    parameters: (S, P); gradients: (S, P); statistics: (S, Q), the running statistics. Each branch starts with
    a `Linear`, which reads that branch's input. The last layer of the trunk gives C logits.
    """

    def __init__(
        self,
        branches: Sequence[Sequence[Layer]],
        trunk: Sequence[Layer],
        *,
        members: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        if members < 1:
            raise ValueError(f"a stack needs at least one member (got {members})")
        self.branches = [list(branch) for branch in branches]
        self.trunk = list(trunk)
        self._joined: Tensor | None = None
        self.members, self.dtype, self.device = members, dtype, device or torch.device("cpu")
        if not all(branch and isinstance(branch[0], Linear) for branch in self.branches):
            raise ValueError("a branch must start with a Linear layer")
        parameters = sum(math.prod(shape) for layer in self.layers for shape in layer.shapes())
        statistics = sum(math.prod(shape) for layer in self.layers for shape in layer.statistic_shapes())
        self._bind(
            torch.zeros(members, parameters, dtype=dtype, device=self.device),
            torch.zeros(members, parameters, dtype=dtype, device=self.device),
            torch.zeros(members, statistics, dtype=dtype, device=self.device),
        )

    def _bind(self, parameters: Tensor, gradients: Tensor, statistics: Tensor) -> None:
        self.parameters, self.gradients, self.statistics = parameters, gradients, statistics
        at_parameter = at_statistic = 0
        for layer in self.layers:
            values, at_next = _views(parameters, at_parameter, layer.shapes())
            changes, _ = _views(gradients, at_parameter, layer.shapes())
            states, at_statistic = _views(statistics, at_statistic, layer.statistic_shapes())
            at_parameter = at_next
            layer.bind(values, changes, states)

    def part(self, start: int, stop: int) -> StackedNet:
        """The members from `start` to `stop` as a network of their own, on the same parameters.

        It has buffers of its own, so that parts may be worked on by several threads at once.
        """
        piece = copy(self)
        piece.branches = [[layer.unbound() for layer in branch] for branch in self.branches]
        piece.trunk = [layer.unbound() for layer in self.trunk]
        piece.members, piece._joined = stop - start, None
        piece._bind(self.parameters[start:stop], self.gradients[start:stop], self.statistics[start:stop])
        return piece

    @property
    def layers(self) -> list[Layer]:
        """All layers, branch after branch, then the trunk."""
        return [layer for part in (*self.branches, self.trunk) for layer in part]

    @property
    def classes(self) -> int:
        """C, the number of logits."""
        return (self.trunk or self.branches[-1])[-1].out_features

    def initialise(self, generators: Sequence[torch.Generator]) -> None:
        """Draw each member's parameters, layer after layer, from the member's own generator."""
        if len(generators) != self.members:
            raise ValueError(f"{self.members} members need as many generators (got {len(generators)})")
        for member, generator in enumerate(generators):
            for layer in self.layers:
                layer.initialise(member, generator)

    def copy_branch(self, position: int, other: StackedNet) -> None:
        """Take over the parameters and statistics of another network's branch at the same position."""
        for mine, theirs in zip(self.branches[position], other.branches[position], strict=True):
            for target, source in zip(
                (*mine.parameters, *mine.statistics), (*theirs.parameters, *theirs.statistics), strict=True
            ):
                target.copy_(source)

    def forward(self, inputs: Sequence[Inputs], how: Pass) -> Tensor:
        """Logits (S, C, N) of all examples."""
        if len(inputs) != len(self.branches):
            raise ValueError(f"{len(self.branches)} branches need as many inputs (got {len(inputs)})")
        outputs = [_run(branch, given, how) for branch, given in zip(self.branches, inputs, strict=True)]
        value = outputs[0]
        if len(outputs) > 1:
            members, _, examples = value.shape
            shape = members, sum(output.shape[1] for output in outputs), examples
            if how.training:  # a buffer of its own: this is the largest tensor of a pass
                if self._joined is None or self._joined.shape != shape:
                    self._joined = torch.empty(shape, dtype=self.dtype, device=self.device)
                value = torch.cat(outputs, 1, out=self._joined)
            else:
                value = torch.cat(outputs, 1)
        for layer in self.trunk:
            value = layer.forward(value, how)
        return value

    def branch_output(self, position: int, inputs: Inputs) -> Tensor:
        """(S, C, N): a branch's output in evaluation mode, as a tensor of its own."""
        return _run(self.branches[position], inputs, EVALUATION).clone()

    def backward(self, gradient: Tensor) -> None:
        """From the gradient of the logits, (S, C, N), to each layer's; follow with `accumulate` or
        `squared_norms`."""
        for position in range(len(self.trunk) - 1, -1, -1):
            gradient = self.trunk[position].backward(gradient)
        at = 0
        for branch in self.branches:
            width = branch[-1].out_features
            part = gradient[:, at : at + width]
            at += width
            for position in range(len(branch) - 1, -1, -1):
                part = branch[position].backward(part, need_input=position > 0)

    def accumulate(self, factor: Tensor | None = None) -> None:
        """Write `gradients`: each example's, times `factor` (S, N), summed over examples."""
        for layer in self.layers:
            layer.accumulate(factor)

    def examples(self) -> list[Tensor]:
        """What `accumulate` reads of each example, (S, ?, N) each."""
        return [kept for layer in self.layers for kept in layer.examples()]

    def of_nobody(self) -> StackedNet:
        """A network of the same shape whose parameters are some way off these."""
        twin = self.part(0, self.members)
        away = torch.randn(self.parameters.shape, generator=torch.Generator().manual_seed(0), dtype=self.dtype)
        own = self.parameters + 0.1 * away.to(self.device)
        twin._bind(own, torch.zeros_like(own), self.statistics.clone())
        return twin

    def forget(self, gone: Tensor) -> None:
        """Take the examples `gone` (S, N) out of what `accumulate` sums up, whatever their gradients are."""
        for layer in self.layers:
            layer.forget(gone)

    def squared_norms(self) -> Tensor:
        """(S, N): squared L2 norm of each example's gradient over ALL parameters of its member.

        Raises `MixesExamples` where a layer mixes examples.
        """
        total: Tensor | None = None
        for layer in self.layers:
            norms = layer.squared_norms()
            if norms is not None:
                total = norms if total is None else total + norms
        if total is None:
            raise ValueError("a network without parameters has no gradients")
        return total


def _run(branch: Sequence[Layer], inputs: Inputs, how: Pass) -> Tensor:
    first = branch[0]
    assert isinstance(first, Linear)
    value = first.read(inputs, how)
    for layer in branch[1:]:
        value = layer.forward(value, how)
    return value


def _views(flat: Tensor, start: int, shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[Tensor, ...], int]:
    views = []
    for shape in shapes:
        size = math.prod(shape)
        views.append(flat[:, start : start + size].view(flat.shape[0], *shape))
        start += size
    return tuple(views), start
