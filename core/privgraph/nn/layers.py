"""Layers of stacked networks, with backward passes written by hand.

Every tensor is (S, C, N): member, feature, example. A layer keeps what its backward pass needs, and offers
the gradient of its parameters in two forms, both from the same pair (input, gradient of its output):

- summed over examples, each multiplied by a factor (`accumulate`): an ordinary gradient has factor 1, a
  clipped one min(1, C/norm);
- the squared norm of each example's own gradient (`squared_norms`), without ever forming it: for a linear
  layer with input a and output gradient d the gradient of one example is the outer product d a^T, whose norm
  is |d| |a|.

The second holds only where examples do not mix: `BatchNorm` refuses it.
Buffers are kept between passes: fresh ones of this size would cost more in page faults than the arithmetic.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from privgraph.mechanisms.validity import MixesExamples
from privgraph.nn.inputs import Inputs, PerMember
from privgraph.nn.tables import PIECE, column_sums
from privgraph.streams import Secret

_BUFFERS = 8
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


@dataclass(frozen=True, eq=False)
class Pass:
    """How a forward pass is meant.

    `training` uses statistics of the batch and drops units. `mask` (S, 1, N), ones and zeros, marks the
    examples that count for statistics, and `count` (S, 1, 1) says how many they are (None: all). `generators`
    are the members' own, for dropout; `lengths` says how many of each member's examples are real, padding
    being last (None: all), so that what a member draws does not depend on its stack. `apart` says that
    gradients are private: what becomes of an example must not hang on its place in its table (`nn.tables`).
    """

    training: bool
    mask: Tensor | None = None
    count: Tensor | None = None
    generators: Sequence[torch.Generator | Secret] = ()
    lengths: Sequence[int] | None = None
    apart: bool = False


EVALUATION = Pass(training=False)


class Layer(ABC):
    """A stacked layer of S members from `in_features` to `out_features`."""

    in_features: int
    out_features: int

    def __init__(self, in_features: int, out_features: int) -> None:
        if min(in_features, out_features) < 1:
            raise ValueError(f"{type(self).__name__} needs at least one feature on either side")
        self.in_features, self.out_features = in_features, out_features
        self.parameters: tuple[Tensor, ...] = ()
        self.gradients: tuple[Tensor, ...] = ()
        self.statistics: tuple[Tensor, ...] = ()
        self._buffers: dict[tuple[str | int, ...], Tensor] = {}

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of one member's parameters."""
        return ()

    def statistic_shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of one member's state that is not trained."""
        return ()

    def bind(
        self, parameters: tuple[Tensor, ...], gradients: tuple[Tensor, ...], statistics: tuple[Tensor, ...]
    ) -> None:
        """Hand over the layer's views, each (S, *shape), of the network's flat buffers."""
        self.parameters, self.gradients, self.statistics = parameters, gradients, statistics

    def unbound(self) -> Layer:
        """The same layer with buffers of its own, to be bound to other members."""
        twin = copy(self)
        twin._buffers = {}
        return twin

    def initialise(self, member: int, generator: torch.Generator) -> None:  # noqa: B027
        """Draw a member's parameters from its own generator."""

    @abstractmethod
    def forward(self, x: Tensor, how: Pass) -> Tensor:
        """(S, in_features, N) to (S, out_features, N)."""

    @abstractmethod
    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        """From the gradient of the output to that of the input (meaningless unless `need_input`)."""

    def accumulate(self, factor: Tensor | None = None) -> None:  # noqa: B027
        """Write the parameters' gradients, summed over examples with `factor` (S, N), into `gradients`."""

    def squared_norms(self) -> Tensor | None:
        """(S, N): squared norm of each example's gradient of this layer's parameters; None without
        parameters."""
        return None

    def examples(self) -> tuple[Tensor, ...]:
        """What `accumulate` reads of each example, (S, ?, N) each."""
        return ()

    def forget(self, gone: Tensor) -> None:  # noqa: B027
        """Put zeros in the place of what was kept for the examples `gone` (S, N): 0 times infinity is not
        0."""

    def _buffer(self, name: str, like: Sequence[int], reference: Tensor) -> Tensor:
        key: tuple[str | int, ...] = (name, *like)
        if key not in self._buffers:
            if len(self._buffers) >= _BUFFERS:  # batches of ever new sizes: start over rather than grow
                self._buffers.clear()
            self._buffers[key] = torch.empty(tuple(like), dtype=reference.dtype, device=reference.device)
        return self._buffers[key]


@final
class Linear(Layer):
    """W x + b with W (S, O, I) and b (S, O, 1), drawn uniformly within 1/sqrt(I) as torch.nn.Linear does."""

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.out_features, self.in_features), (self.out_features, 1)

    def initialise(self, member: int, generator: torch.Generator) -> None:
        _uniform(self, member, generator)

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        return self.read(PerMember(x), how)

    def read(self, inputs: Inputs, how: Pass) -> Tensor:
        """As `forward`, from the network's inputs."""
        weight, bias = self.parameters
        self._input = inputs
        out = self._buffer("out", (weight.shape[0], self.out_features, inputs.examples), weight)
        return inputs.project(weight, out).add_(bias)

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        self._gradient = gradient
        if not need_input:
            return gradient
        out = self._buffer("back", (gradient.shape[0], self.in_features, gradient.shape[2]), gradient)
        return torch.bmm(self.parameters[0].transpose(1, 2), gradient, out=out)

    def accumulate(self, factor: Tensor | None = None) -> None:
        gradient = self._gradient if factor is None else self._gradient * factor.unsqueeze(1)
        self.gradients[0].copy_(self._input.outer(gradient))
        self.gradients[1].copy_(gradient.sum(2, keepdim=True))

    def squared_norms(self) -> Tensor:
        if not isinstance(self._input, PerMember):
            raise TypeError("per-example norms are computed from batches: take rows of the shared table first")
        return column_sums(self._gradient.square()).squeeze(1) * (self._input.squared_norms() + 1)

    def examples(self) -> tuple[Tensor, ...]:
        if not isinstance(self._input, PerMember):
            raise TypeError("examples stand in batches: take rows of the shared table first")
        return self._gradient, self._input.values

    def forget(self, gone: Tensor) -> None:
        if not isinstance(self._input, PerMember):
            raise TypeError("examples are forgotten from batches: take rows of the shared table first")
        self._gradient = _without(self._gradient, gone)
        self._input = PerMember(_without(self._input.values, gone))


@final
class Selu(Layer):
    """Scaled exponential linear unit, in place (Klambauer et al. 2017)."""

    def __init__(self, features: int) -> None:
        super().__init__(features, features)

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        for piece in torch.split(x.view(-1), PIECE) if how.apart else [x]:
            torch.selu_(piece)
        self._output = x
        return x

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        out = self._buffer("back", gradient.shape, gradient)
        return torch.ops.aten.elu_backward.grad_input(  # type: ignore[no-any-return]
            gradient, _SELU_ALPHA, _SELU_SCALE, 1.0, True, self._output, grad_input=out
        )


@final
class Relu(Layer):
    """max(x, 0), in place."""

    def __init__(self, features: int) -> None:
        super().__init__(features, features)

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        self._output = torch.relu_(x)
        return self._output

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        return gradient * (self._output > 0)


@final
class Tanh(Layer):
    """Hyperbolic tangent, in place."""

    def __init__(self, features: int) -> None:
        super().__init__(features, features)

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        for piece in torch.split(x.view(-1), PIECE) if how.apart else [x]:
            torch.tanh_(piece)
        self._output = x
        return x

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        return gradient * (1 - self._output.square())


@final
class BatchNorm(Layer):
    """Batch normalisation with running statistics (momentum 0.1, unbiased), as torch.nn.BatchNorm1d.

    Mixes examples: right where edges alone are protected (features are public there, and the network reads
    edges only through noise), refused where nodes are.
    """

    eps = 1e-5
    momentum = 0.1

    def __init__(self, features: int) -> None:
        super().__init__(features, features)

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.out_features, 1), (self.out_features, 1)

    def statistic_shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.out_features, 1), (self.out_features, 1)

    def initialise(self, member: int, generator: torch.Generator) -> None:
        self.parameters[0][member] = 1
        self.parameters[1][member] = 0
        self.statistics[0][member] = 0
        self.statistics[1][member] = 1

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        scale, shift = self.parameters
        running_mean, running_variance = self.statistics
        if not how.training:
            slope = scale * (running_variance + self.eps).rsqrt()
            return torch.addcmul(shift - running_mean * slope, x, slope)
        out = self._buffer("out", x.shape, x)
        if how.mask is None:
            count: Tensor | int = x.shape[2]
            mean = x.mean(2, keepdim=True)
            variance = torch.linalg.vector_norm(torch.sub(x, mean, out=out), dim=2, keepdim=True).square_() / count
        else:
            assert how.count is not None
            count = how.count
            mean = torch.mul(x, how.mask, out=out).sum(2, keepdim=True) / count
            torch.sub(x, mean, out=out).mul_(how.mask)
            variance = torch.linalg.vector_norm(out, dim=2, keepdim=True).square_() / count
        running_mean.lerp_(mean, self.momentum)
        running_variance.lerp_(variance * (count / (count - 1)), self.momentum)
        self._inverse = (variance + self.eps).rsqrt()
        self._input, self._mean, self._mask, self._count = x, mean, how.mask, count
        slope = scale * self._inverse
        return torch.addcmul(shift - mean * slope, x, slope, out=out)

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        # the gradient is zero outside the mask, so that plain sums are sums over the mask
        out = self._buffer("back", gradient.shape, gradient)
        total = gradient.sum(2, keepdim=True)
        with_input = torch.mul(gradient, self._input, out=out).sum(2, keepdim=True)
        product = (with_input - self._mean * total) * self._inverse
        self._sums = product, total
        slope = self.parameters[0] * self._inverse
        along = slope * self._inverse * product / self._count
        # slope (g - total/n) - along (x - mean), in two passes
        torch.addcmul(self._mean * along - slope * total / self._count, self._input, along, value=-1, out=out)
        if self._mask is not None:
            out.mul_(self._mask)
        return out.addcmul_(gradient, slope)

    def accumulate(self, factor: Tensor | None = None) -> None:
        if factor is not None:
            raise MixesExamples("batch normalisation mixes examples: per-example gradients do not exist; use GroupNorm")
        for gradient, total in zip(self.gradients, self._sums, strict=True):
            gradient.copy_(total)

    def squared_norms(self) -> Tensor:
        raise MixesExamples("batch normalisation mixes examples: per-example gradients do not exist; use GroupNorm")


@final
class GroupNorm(Layer):
    """Group normalisation with one group: each example over its own features. Never mixes examples.

    Features that are nearly equal beside their size differ by rounding alone, which must not be made as loud
    as an example: their variance counts as at least 8 times the machine's epsilon of their squared mean.
    (Gradients take that floor to be constant.)
    """

    eps = 1e-5

    def __init__(self, features: int) -> None:
        super().__init__(features, features)

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.out_features, 1), (self.out_features, 1)

    def initialise(self, member: int, generator: torch.Generator) -> None:
        self.parameters[0][member] = 1
        self.parameters[1][member] = 0

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        mean = self._mean(x)
        centred = x - mean
        floor = mean.square_().mul_(8 * torch.finfo(x.dtype).eps).add_(self.eps)
        self._inverse = self._mean(centred.square()).add_(floor).rsqrt_()
        self._normal = centred.mul_(self._inverse)
        return torch.addcmul(self.parameters[1], self._normal, self.parameters[0])

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        self._gradient = gradient
        scaled = gradient * self.parameters[0]
        mean, product = self._mean(scaled), self._mean(scaled * self._normal)
        return scaled.sub_(mean).addcmul_(self._normal, product, value=-1).mul_(self._inverse)

    def accumulate(self, factor: Tensor | None = None) -> None:
        gradient = self._gradient if factor is None else self._gradient * factor.unsqueeze(1)
        self.gradients[0].copy_((gradient * self._normal).sum(2, keepdim=True))
        self.gradients[1].copy_(gradient.sum(2, keepdim=True))

    def squared_norms(self) -> Tensor:
        return (column_sums((self._gradient * self._normal).square()) + column_sums(self._gradient.square())).squeeze(1)

    def _mean(self, values: Tensor) -> Tensor:
        return column_sums(values) / self.in_features

    def examples(self) -> tuple[Tensor, ...]:
        return self._gradient, self._normal

    def forget(self, gone: Tensor) -> None:
        self._gradient, self._normal = _without(self._gradient, gone), _without(self._normal, gone)


@final
class UnitNorm(Layer):
    """Each example divided by its L2 norm (at least 1e-12), as torch.nn.functional.normalize."""

    eps = 1e-12

    def __init__(self, features: int) -> None:
        super().__init__(features, features)

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        out = self._buffer("out", x.shape, x)
        norm = column_sums(torch.mul(x, x, out=out)).sqrt_()
        self._inverse = norm.clamp_min_(self.eps).reciprocal_()
        self._output = torch.mul(x, self._inverse, out=out)
        return self._output

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        out = self._buffer("back", gradient.shape, gradient)
        along = column_sums(torch.mul(gradient, self._output, out=out))
        return torch.addcmul(gradient, self._output, along, value=-1, out=out).mul_(self._inverse)


@final
class UnitLinear(Layer):
    """`UnitNorm` followed by `Linear`, W x/|x| + b, without ever writing x/|x| down: (W x)/|x| + b."""

    eps = 1e-12

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.out_features, self.in_features), (self.out_features, 1)

    def initialise(self, member: int, generator: torch.Generator) -> None:
        _uniform(self, member, generator)

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        weight, bias = self.parameters
        square = torch.mul(x, x, out=self._buffer("square", x.shape, x))
        self._inverse = column_sums(square).sqrt_().clamp_min_(self.eps).reciprocal_()
        self._input = x
        self._normed = torch.bmm(weight, x).mul_(self._inverse)
        return self._normed + bias

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        self._gradient = gradient
        along = column_sums(gradient * self._normed).mul_(self._inverse.square())
        out = torch.bmm(
            self.parameters[0].transpose(1, 2),
            gradient * self._inverse,
            out=self._buffer("back", self._input.shape, gradient),
        )
        return out.addcmul_(self._input, along, value=-1)

    def accumulate(self, factor: Tensor | None = None) -> None:
        gradient = self._gradient if factor is None else self._gradient * factor.unsqueeze(1)
        self.gradients[0].copy_(torch.bmm(gradient * self._inverse, self._input.transpose(1, 2)))
        self.gradients[1].copy_(gradient.sum(2, keepdim=True))

    def squared_norms(self) -> Tensor:
        unit = column_sums(self._input.square()) * self._inverse.square()
        return (column_sums(self._gradient.square()) * (unit + 1)).squeeze(1)

    def examples(self) -> tuple[Tensor, ...]:
        return self._gradient, self._input, self._inverse

    def forget(self, gone: Tensor) -> None:
        self._gradient, self._input = _without(self._gradient, gone), _without(self._input, gone)
        self._inverse = _without(self._inverse, gone)


@final
class Dropout(Layer):
    """Zeroes each unit with probability `p` in training, from the members' own generators, and scales the
    rest.

    Masks are dealt out by an example's place in its batch: one example more, and all that follow have others.
    Where gradients are private, masks must therefore be nobody's to know, and come from a `Secret`: then they
    are part of what the mechanism draws, with one law for every place, and who else is in the batch changes
    no example's. From a public generator they would move every gradient.
    """

    def __init__(self, features: int, p: float) -> None:
        super().__init__(features, features)
        if not 0 <= p < 1:
            raise ValueError(f"Dropout.p must lie in [0, 1) (got {p})")
        self.p = p

    def forward(self, x: Tensor, how: Pass) -> Tensor:
        if not how.training or self.p == 0:
            self._keep: Tensor | None = None
            return x
        if len(how.generators) != x.shape[0]:
            raise ValueError(f"dropout of {x.shape[0]} members needs as many generators (got {len(how.generators)})")
        keep = self._buffer("keep", x.shape, x)
        for member, generator in enumerate(how.generators):
            length = x.shape[2] if how.lengths is None else how.lengths[member]
            if isinstance(generator, Secret):
                coins = torch.from_numpy(generator.coins(1 - self.p, x.shape[1] * length))
                keep[member, :, :length] = coins.view(x.shape[1], length)
            else:
                drawn = torch.empty(x.shape[1], length, dtype=x.dtype, device=x.device)
                keep[member, :, :length] = drawn.bernoulli_(1 - self.p, generator=generator)
            keep[member, :, length:] = 0
        self._keep = keep.div_(1 - self.p)
        return x * keep

    def backward(self, gradient: Tensor, need_input: bool = True) -> Tensor:
        return gradient if self._keep is None else gradient * self._keep


def _without(values: Tensor, gone: Tensor) -> Tensor:
    """values (S, C, N) with zeros for the examples `gone` (S, N)."""
    return values.masked_fill(gone.unsqueeze(1), 0)


def _uniform(layer: Layer, member: int, generator: torch.Generator) -> None:
    bound = 1 / math.sqrt(layer.in_features)
    for parameter in layer.parameters:
        drawn = torch.empty(parameter.shape[1:], dtype=torch.float32, device=parameter.device)
        parameter[member] = drawn.uniform_(-bound, bound, generator=generator).to(parameter.dtype)


ACTIVATIONS: Mapping[str, Callable[[int], Layer]] = {"selu": Selu, "relu": Relu, "tanh": Tanh}
