"""Graph networks that share a graph, trained together on a CPU: what `nn.gnn.GraphNetwork` computes, faster.

Members differ in seeds and in the nodes that they train, validate and test on; what depends on graph and
features alone is made once. Members go through an epoch one after another, on one thread a part of the stack:
a layer's values are a few hundred kilobytes, which stay in a core's cache from one operation to the next, and
products with one member's weights run faster than batched ones (measured). Time is saved by gradients that
are written by hand, by sparse products with wide instructions (`nn.fixed_products`), and by three
identities:

- Batch normalisation does not see the scale of its input, but for its epsilon. Where z is what SELU gets
  and k = log2(e), v = k SELU(z) / lambda = max(k z, 0) + c (2^min(k z, 0) - 1), with c = alpha k, is what is
  normalised. A power of two takes a fifth of the time of the exponential function.
- Dropout's factor, one over the share that it keeps, goes to the weights behind it.
- The first layer's v is the same in the evaluation after a step and in the next step.

A member computes the same whatever members are beside it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from privgraph.nn.fixed_products import FixedDense, FixedSparse, table, times_transposed
from privgraph.nn.gnn import GraphNetwork, initialise, kept_by_dropout, kept_share
from privgraph.nn.optim import FusedAdam
from privgraph.nn.stacked_convolutions import Convolution, convolution

SELU_ALPHA, SELU_LAMBDA = 1.6732632423543772, 1.0507009873554805
LOG2_E = 1 / math.log(2)
CORNER = SELU_ALPHA * LOG2_E
"""c: v is above -c, and its slope is that of a linear unit above zero."""
SCALE = LOG2_E / SELU_LAMBDA
"""v over SELU."""
EPS, MOMENTUM = 1e-5, 0.1
"""Batch normalisation's, as in torch.nn.BatchNorm1d."""


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """The shape of a network and how it is trained; see `GraphNetwork` and torch.optim.Adam."""

    conv: str
    layers: int
    hidden: int
    dropout: float
    jump: bool
    learning_rate: float
    weight_decay: float


class Surroundings:
    """What members of one architecture on one graph share.

    Args:
        x: Features, (N, F).
        y: Labels, (N,) int64.
        classes: Number of classes C.
        adjacency: (N, N) sparse CSR whose row i has a one for each edge j -> i.
        architecture: The members' shape.
    """

    def __init__(self, x: Tensor, y: Tensor, classes: int, adjacency: Tensor, architecture: Architecture) -> None:
        self.architecture, self.classes, self.y = architecture, classes, y
        self.nodes, self.features, self.dtype = x.shape[0], x.shape[1], x.dtype
        self.pattern = GraphNetwork(
            self.features,
            classes,
            conv=architecture.conv,
            layers=architecture.layers,
            hidden=architecture.hidden,
            jump=architecture.jump,
        ).to(x.dtype)
        self.table: FixedSparse | FixedDense = table(x)
        self.convolution = self.convolution_on(adjacency)
        known = (y >= 0).to(x.dtype).unsqueeze(0)
        self.labels = torch.zeros(classes, self.nodes, dtype=x.dtype).scatter_(0, y.clamp(min=0).unsqueeze(0), known)
        rounds, hidden = architecture.layers + 1, architecture.hidden
        self.read = range(rounds) if architecture.jump else range(rounds - 1, rounds)
        self.shapes = {
            name: _stored(name, value, hidden).shape for name, value in _merged(self.pattern, architecture.conv).items()
        }
        self.inward = 1 / kept_share(architecture.dropout)

    def with_edges(self, adjacency: Tensor) -> Surroundings:
        """The same nodes with other edges; the table of features is shared."""
        other = copy.copy(self)
        other.convolution = self.convolution_on(adjacency)
        return other

    def convolution_on(self, adjacency: Tensor) -> Convolution:
        """The layers' kind on another graph of as many nodes."""
        return convolution(self.pattern, adjacency)


class Workspace:
    """What the members of one thread use by turns: gradients, and what dropout keeps in each round."""

    def __init__(self, around: Surroundings) -> None:
        self.gradients = _Vector(around)
        shape = (around.architecture.layers + 1, around.nodes, around.architecture.hidden)
        self.keep = torch.empty(shape, dtype=around.dtype)


class _Vector:
    """All parameters of a member in one vector, with a view for each: one pass of Adam serves them all.

    The first layer's weights are stored (F, H), as the sparse product reads them; the last layer's round by
    round, (R, C, H); GraphSAGE's two matrices one above the other.
    """

    def __init__(self, around: Surroundings) -> None:
        sizes = [shape.numel() for shape in around.shapes.values()]
        self.flat = torch.zeros(sum(sizes), dtype=around.dtype)
        self.views = {
            name: part.view(shape)
            for part, (name, shape) in zip(torch.split(self.flat, sizes), around.shapes.items(), strict=True)
        }
        self.convolutions = [
            _under(self.views, f"convolutions.{layer}.") for layer in range(around.architecture.layers)
        ]


class MemberNetwork:
    """One network of a stack with its Adam.

    Args:
        around: What the members share.
        train: Which nodes the loss reads, (N,) bool.
        init: Draws the weights, in the order of `initialise`.
        dropout: Draws what dropout keeps, number by number as `GraphNetwork` does.
    """

    def __init__(self, around: Surroundings, train: Tensor, init: torch.Generator, dropout: torch.Generator) -> None:
        self._around, self._dropout = around, dropout
        architecture = around.architecture
        initialise(around.pattern, init)
        self._parameters = _Vector(around)
        for name, value in _merged(around.pattern, architecture.conv).items():
            self._parameters.views[name].copy_(_stored(name, value, architecture.hidden))
        self._adam = FusedAdam([self._parameters.flat], architecture.learning_rate, architecture.weight_decay)
        rounds, hidden = architecture.layers + 1, architecture.hidden
        self._means = torch.zeros(rounds, hidden, dtype=around.dtype)
        self._variances = torch.full((rounds, hidden), SCALE**2, dtype=around.dtype)
        self._weight = train.to(around.dtype) / train.sum()
        self._first = self._first_layer()

    def step(self, work: Workspace) -> Tensor:
        """A step of Adam on the mean cross-entropy of the training nodes, which is returned (a number)."""
        around, architecture, own = self._around, self._around.architecture, self._parameters
        inward = self._around.inward
        values, saved, rounds = [self._first], list[Any](), list[Tensor]()
        normalised = []
        for number in range(architecture.layers + 1):
            if number:
                z, kept = around.convolution.forward(rounds[-1], own.convolutions[number - 1], inward, LOG2_E, -CORNER)
                values.append(_activate(z))
                saved.append(kept)
            h, mean, spread = torch.native_batch_norm(
                values[-1],
                *self._norm(own, number),
                self._means[number],
                self._variances[number],
                True,
                MOMENTUM,
                EPS * SCALE**2,
            )
            normalised.append((mean, spread))
            if architecture.dropout:
                h.mul_(kept_by_dropout(work.keep[number], architecture.dropout, self._dropout))
            rounds.append(h)
        logits = self._logits(rounds, inward)
        log_probability = logits.log_softmax(0)
        loss: Tensor = -((log_probability * around.labels).sum(0) @ self._weight)
        gradient = log_probability.exp_().sub_(around.labels).mul_(self._weight)
        self._backward(work, gradient, values, normalised, saved, rounds)
        self._adam.step([work.gradients.flat])
        self._first = self._first_layer()
        return loss

    def evaluate(self, other: Convolution | None = None, changed: tuple[int, Tensor] | None = None) -> Tensor:
        """Logits (C, N) with the running statistics and without dropout; `other`: on another graph;
        `changed`: with other features (F,) of the node of that number."""
        conv, own = other or self._around.convolution, self._parameters
        rounds: list[Tensor] = []
        v = self._first if changed is None else self._first_layer_with(*changed)
        for number in range(self._around.architecture.layers + 1):
            if number:
                v = _activate(conv.forward(rounds[-1], own.convolutions[number - 1], 1.0, LOG2_E, -CORNER)[0])
            weight, bias = self._norm(own, number)
            factor = weight * (self._variances[number] + EPS * SCALE**2).rsqrt()
            rounds.append(torch.addcmul(bias - self._means[number] * factor, v, factor))
        return self._logits(rounds, 1.0)

    def state(self) -> tuple[Tensor, ...]:
        """A copy of all that `evaluate` reads, for `restore`."""
        return tuple(part.clone() for part in (self._parameters.flat, self._means, self._variances))

    def restore(self, state: Sequence[Tensor]) -> None:
        """Go back to a `state`."""
        for part, before in zip((self._parameters.flat, self._means, self._variances), state, strict=True):
            part.copy_(before)
        self._first = self._first_layer()

    def _first_layer(self) -> Tensor:
        own = self._parameters.views
        z = self._around.table.times(own["before.weight"])
        return _activate(torch.add(own["before.bias"] * LOG2_E - CORNER, z, alpha=LOG2_E, out=z))

    def _first_layer_with(self, node: int, features: Tensor) -> Tensor:
        own, first = self._parameters.views, self._first.clone()
        z = features.to(first.dtype) @ own["before.weight"]
        first[node] = _activate((z + own["before.bias"]) * LOG2_E - CORNER)
        return first

    def _norm(self, of: _Vector, number: int) -> tuple[Tensor, Tensor]:
        return of.views[f"norms.{number}.weight"], of.views[f"norms.{number}.bias"]

    def _logits(self, rounds: Sequence[Tensor], inward: float) -> Tensor:
        own, read = self._parameters.views, self._around.read
        weights = own["after.weight"] * inward
        logits = own["after.bias"].unsqueeze(1)
        for number, weight in zip(read, weights, strict=True):
            logits = logits + times_transposed(weight, rounds[number])
        return logits

    def _backward(
        self,
        work: Workspace,
        gradient: Tensor,
        values: Sequence[Tensor],
        normalised: Sequence[tuple[Tensor, Tensor]],
        saved: Sequence[Any],
        rounds: Sequence[Tensor],
    ) -> None:
        """Write the gradients of all parameters, from that of the logits (C, N)."""
        around, architecture, own, found = self._around, self._around.architecture, self._parameters, work.gradients
        inward = around.inward
        after = own.views["after.weight"] * inward
        torch.sum(gradient, 1, out=found.views["after.bias"])
        dh: Tensor | None = None
        for number in range(architecture.layers, -1, -1):
            h = rounds[number]
            if number in around.read:
                place = around.read.index(number)
                torch.mul(times_transposed(gradient, h.t()), inward, out=found.views["after.weight"][place])
                dh = gradient.t() @ after[place] if dh is None else dh.addmm_(gradient.t(), after[place])
            assert dh is not None
            if architecture.dropout:
                dh.mul_(work.keep[number])
            v, (mean, spread) = values[number], normalised[number]
            weight, bias = self._norm(found, number)
            dv, dweight, dbias = torch.ops.aten.native_batch_norm_backward(
                dh, v, self._norm(own, number)[0], None, None, mean, spread, True, EPS * SCALE**2, [True, True, True]
            )
            weight.copy_(dweight)
            bias.copy_(dbias)
            # the slope is 1 above zero, else log(2) (v + c)
            dz = torch.ops.aten.elu_backward(dv, CORNER, 1.0, 1 / LOG2_E, True, v)
            if number:
                dh = around.convolution.backward(
                    dz, saved[number - 1], own.convolutions[number - 1], found.convolutions[number - 1]
                )
            else:
                torch.mul(around.table.transposed_times(dz), LOG2_E, out=found.views["before.weight"])
                torch.mul(dz.sum(0), LOG2_E, out=found.views["before.bias"])


def _activate(z: Tensor) -> Tensor:
    """v of the module's text, from k z - c, in its place: max(k z, 0) - c + c 2^min(k z, 0)."""
    power = torch.clamp_max(z, -CORNER).exp2_()
    return z.clamp_min_(-CORNER).add_(power, alpha=CORNER * 2**CORNER)


def _merged(pattern: GraphNetwork, conv: str) -> dict[str, Tensor]:
    """The parameters by name; GraphSAGE's two matrices are one, `weight`, (2 H, H)."""
    named = {name: value.detach() for name, value in pattern.named_parameters()}
    if conv != "sage":
        return named
    for layer in range(len(pattern.convolutions)):
        at = f"convolutions.{layer}."
        named[f"{at}weight"] = torch.cat([named.pop(f"{at}lin_l.weight"), named.pop(f"{at}lin_r.weight")])
    return named


def _stored(name: str, value: Tensor, hidden: int) -> Tensor:
    """A parameter as `_Vector` has it."""
    if name == "before.weight":
        return value.t()
    if name == "after.weight":
        return value.view(value.shape[0], -1, hidden).transpose(0, 1)
    return value


def _under(values: dict[str, Tensor], start: str) -> dict[str, Tensor]:
    return {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}
