"""GraphSAGE, GCN, GAT and GIN on one graph, each with its gradient, for networks that are trained together.

The layers are those of `nn.gnn.GraphNetwork`, which is also their slow twin in the tests. Each one is two
functions. `forward` takes h (N, H) and the layer's parameters and gives `gain` * layer(inward * h) + `shift`,
with numbers as factors, which are multiplied into weights rather than into every node; and what `backward`
needs. `backward` takes the gradient of that output, writes the parameters' gradients, and gives that of h.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.nn.fixed_products import FixedSparse, times_transposed
from privgraph.nn.gnn import GAT_HEADS, GraphNetwork

SLOPE = 0.2
"""Of the leaky rectifier in front of GAT's attention (Velickovic et al. 2018, Equation 3)."""

Parameters = Mapping[str, Tensor]


class Convolution(Protocol):
    """A layer of message passing on a graph that it was made for."""

    def forward(self, h: Tensor, own: Parameters, inward: float, gain: float, shift: float) -> tuple[Tensor, Any]:
        """See the module; the output, (N, H), may be overwritten."""

    def backward(self, gradient: Tensor, saved: Any, own: Parameters, gradients: Parameters) -> Tensor:
        """See the module."""


class Sage:
    """W_l times the mean of the neighbours' h, plus W_r h, plus b (Hamilton et al. 2017, Algorithm 1)."""

    def __init__(self, means: FixedSparse) -> None:
        self._means = means

    def forward(self, h: Tensor, own: Parameters, inward: float, gain: float, shift: float) -> tuple[Tensor, Any]:
        """Weights first, means afterwards, so that one product serves both."""
        weight = own["weight"] * (inward * gain)
        width = weight.shape[0] // 2
        bias = functional.pad(own["lin_l.bias"] * gain + shift, (width, 0))
        product = times_transposed(h, weight, bias)
        z = self._means.times(product[:, :width])
        return z.add_(product[:, width:]), (h, weight, inward, gain)

    def backward(self, gradient: Tensor, saved: Any, own: Parameters, gradients: Parameters) -> Tensor:
        h, weight, inward, gain = saved
        both = torch.cat([self._means.transposed_times(gradient), gradient], 1)
        torch.mul(times_transposed(both.t(), h.t()), inward * gain, out=gradients["weight"])
        torch.mul(gradient.sum(0), gain, out=gradients["lin_l.bias"])
        return times_transposed(both, weight.t())


class GCN:
    """D^-1/2 (A + I) D^-1/2 h W, plus b (Kipf and Welling 2017, Equation 2)."""

    def __init__(self, normalised: FixedSparse) -> None:
        self._normalised = normalised

    def forward(self, h: Tensor, own: Parameters, inward: float, gain: float, shift: float) -> tuple[Tensor, Any]:
        weight = own["lin.weight"] * (inward * gain)
        z = self._normalised.times(times_transposed(h, weight))
        return z.add_(own["bias"] * gain + shift), (h, weight, inward, gain)

    def backward(self, gradient: Tensor, saved: Any, own: Parameters, gradients: Parameters) -> Tensor:
        h, weight, inward, gain = saved
        before = self._normalised.transposed_times(gradient)
        torch.mul(times_transposed(before.t(), h.t()), inward * gain, out=gradients["lin.weight"])
        torch.mul(gradient.sum(0), gain, out=gradients["bias"])
        return times_transposed(before, weight.t())


class GIN:
    """A perceptron of two layers on (1 + eps) h plus the sum of the neighbours' h (Xu et al. 2019, Equation
    4.1)."""

    def __init__(self, sums: FixedSparse) -> None:
        self._sums = sums

    def forward(self, h: Tensor, own: Parameters, inward: float, gain: float, shift: float) -> tuple[Tensor, Any]:
        read = self._sums.times(h).add_(h * (1 + own["eps"]))
        first, second = own["nn.0.weight"] * inward, own["nn.2.weight"] * gain
        middle = times_transposed(read, first, own["nn.0.bias"]).relu_()
        z = times_transposed(middle, second, own["nn.2.bias"] * gain + shift)
        return z, (h, read, first, middle, second, inward, gain)

    def backward(self, gradient: Tensor, saved: Any, own: Parameters, gradients: Parameters) -> Tensor:
        h, read, first, middle, second, inward, gain = saved
        torch.mul(times_transposed(gradient.t(), middle.t()), gain, out=gradients["nn.2.weight"])
        torch.mul(gradient.sum(0), gain, out=gradients["nn.2.bias"])
        inner = times_transposed(gradient, second.t()).mul_(middle > 0)
        torch.mul(times_transposed(inner.t(), read.t()), inward, out=gradients["nn.0.weight"])
        torch.sum(inner, 0, out=gradients["nn.0.bias"])
        outer = times_transposed(inner, first.t())
        gradients["eps"].copy_((outer * h).sum())
        return self._sums.transposed_times(outer).add_(outer * (1 + own["eps"]))


class GAT:
    """Attention over the neighbours and the node itself (Velickovic et al. 2018, Equations 1 to 6).

    Its gradient is autograd's: attention is a chain of small steps over edges, which leave little to save.
    """

    def __init__(self, edges: Tensor) -> None:
        with torch.inference_mode(False):  # autograd refuses tensors that inference has made
            self._source, self._target = edges.clone()

    def forward(self, h: Tensor, own: Parameters, inward: float, gain: float, shift: float) -> tuple[Tensor, Any]:
        with torch.inference_mode(False), torch.enable_grad():
            leaves = {name: value.clone().requires_grad_() for name, value in {"h": h, **own}.items()}
            z = self._attend(leaves["h"] * inward, leaves) * gain + shift
            return z.detach().clone(), (z, leaves)

    def backward(self, gradient: Tensor, saved: Any, own: Parameters, gradients: Parameters) -> Tensor:
        z, leaves = saved
        with torch.inference_mode(False):
            given = torch.autograd.grad(z, list(leaves.values()), gradient.clone())
        found: dict[str, Tensor] = dict(zip(leaves, given, strict=True))
        for name, value in gradients.items():
            value.copy_(found[name])
        return found["h"]

    def _attend(self, h: Tensor, own: Parameters) -> Tensor:
        source, target = self._source, self._target
        z = functional.linear(h, own["lin.weight"]).view(len(h), GAT_HEADS, -1)
        says, hears = ((z * own[name]).sum(-1) for name in ("att_src", "att_dst"))
        score = functional.leaky_relu(says[source] + hears[target], SLOPE)
        place = target.unsqueeze(1).expand_as(score)
        top = torch.full_like(hears, -torch.inf).scatter_reduce(0, place, score.detach(), "amax")
        weight = (score - top[target]).exp()
        total = torch.zeros_like(hears).index_add(0, target, weight)
        weight = weight / total[target]
        sums = torch.zeros_like(z).index_add(0, target, z[source] * weight.unsqueeze(-1))
        return sums.flatten(1) + own["bias"]


def convolution(pattern: GraphNetwork, adjacency: Tensor) -> Convolution:
    """The layer of `pattern`'s kind on the graph of `adjacency`, (N, N) sparse CSR as in `GraphNetwork`."""
    prepared = pattern.prepare(adjacency)
    if pattern.conv == "gat":
        return GAT(prepared)
    values = prepared.values().to(pattern.before.weight.dtype)
    if pattern.conv == "gcn":
        return GCN(FixedSparse.of_csr(prepared, values))
    if pattern.conv == "gin":
        return GIN(FixedSparse.of_csr(prepared, values))
    degrees = prepared.crow_indices().diff()
    return Sage(FixedSparse.of_csr(prepared, values / degrees.repeat_interleave(degrees)))
