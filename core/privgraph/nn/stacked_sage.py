"""S two-layer GraphSAGE networks on S small graphs, as one computation with a backward pass written by hand.

    h      = dropout(relu(batch_norm(W_self x + W_nbr mean_N(x) + b)))
    logits = V_self h + V_nbr mean_N(h) + c                      (GraphSAGE with means: Hamilton et al. 2017,
    Algorithm 1)

- [x, mean_N(x)] depends on no weight and is made once; columns of zeros take no part, and a bag of words
  stays sparse;
- no gradient goes to the input, nor to b, which batch normalisation takes out again;
- the second layer projects first and averages C numbers a node.

Padding needs no mask but in the batch's variance: it has no edge, a zero input, and no part in the loss's
gradient.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from privgraph.nn.message_passing import Keep, SideBySide, Table


class StackedSage:
    """The networks: parameters, gradients and running statistics of all members, each a tensor (S, ...).

    `parameters` and `gradients` are lists of tensors: W (S, K, H), b, batch norm's scale and shift (S, 1, H),
    V (S, 2C, H), V_self before V_nbr, and c (S, 1, C). `statistics` are the running mean and variance (S, 1,
    H).
    """

    eps, momentum = 1e-5, 0.1

    def __init__(
        self,
        graphs: SideBySide,
        x: Tensor,
        *,
        hidden: int,
        classes: int,
        dropout: float,
        generators: Sequence[torch.Generator],
        keep_all: bool = False,
        sparse: bool | None = None,
    ) -> None:
        """`generators` draw the members' weights; `keep_all`: weights of unused features are trained too
        (decay); `sparse`: as `Table`."""
        self.graphs, self.hidden, self.classes = graphs, hidden, classes
        self.members, self.places = graphs.rows.shape
        self.table = Table(graphs.inputs(x), hidden, keep_all=keep_all, sparse=sparse)
        self._mixing = graphs.self_and_means()
        self._initialise(x, generators)
        self.gradients = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._count = torch.tensor(graphs.sizes, dtype=x.dtype, device=x.device).clamp_(min=1).view(-1, 1, 1)
        self._unbiased = self._count / (self._count - 1).clamp(min=1)
        self._valid = graphs.valid.unsqueeze(2).to(x.dtype) if graphs.padded else None
        shape = (self.members, self.places, hidden)
        self._keep = Keep(shape, graphs.sizes, dropout, x) if dropout else None
        self._factor = self._keep.scale if self._keep else 1.0
        self._z, self._h, self._dh = (x.new_empty(shape) for _ in range(3))
        self._u = x.new_empty(self.members, self.places, 2 * classes)
        self._logits = x.new_empty(self.members, self.places, classes)

    def _initialise(self, x: Tensor, generators: Sequence[torch.Generator]) -> None:
        """Uniform within 1/sqrt(inputs) as torch.nn.Linear: W (2F, H), b, V (2C, H), c, in this order."""
        features, hidden = x.shape[1], self.hidden

        def drawn(shape: tuple[int, int], inputs: int) -> Tensor:
            bound = 1 / math.sqrt(inputs)
            return torch.stack(
                [
                    torch.empty(shape, device=generator.device).uniform_(-bound, bound, generator=generator).to(x)
                    for generator in generators
                ]
            )

        self._whole, b = drawn((2 * features, hidden), features), drawn((1, hidden), features)
        v, c = drawn((2 * self.classes, hidden), hidden), drawn((1, self.classes), hidden)
        w = x.new_zeros(self.members, self.table.width, hidden)
        for member, columns in enumerate(self.table.columns):
            w[member, : columns.numel()] = self._whole[member, columns]
        ones, zeros = torch.ones_like(b), torch.zeros_like(b)
        self.parameters = [w, b, ones.clone(), zeros.clone(), v, c]
        self.statistics = [zeros, ones]

    def forward(self, generators: Sequence[torch.Generator]) -> Tensor:
        """Training logits (S, C, N); `generators` are the members' own, for dropout."""
        w, b, scale, shift, v, c = self.parameters
        z = self.table.project(w, self._z)
        mean = z.sum(1, keepdim=True).div_(self._count)
        z.sub_(mean)
        if self._valid is not None:
            z.mul_(self._valid)
        variance = torch.mul(z, z, out=self._dh).sum(1, keepdim=True).div_(self._count)
        self._inverse = (variance + self.eps).rsqrt_()
        self.statistics[0].lerp_(mean.add_(b), self.momentum)
        self.statistics[1].lerp_(variance.mul_(self._unbiased), self.momentum)
        h = torch.addcmul(shift, z.mul_(self._inverse), scale, out=self._h).relu_()
        if self._keep:
            h.mul_(self._keep.draw(generators))
        self._v = v * self._factor  # the kept units' factor, on few numbers instead of on all units
        torch.bmm(h, self._v.transpose(1, 2), out=self._u)
        self._mixing.forward(self._u.view(-1, self.classes), self._logits.view(-1, self.classes))
        return self._logits.add_(c).transpose(1, 2).contiguous()

    def backward(self, gradient: Tensor) -> None:
        """From the logits' gradient (S, C, N), zero at padding, to `gradients`."""
        dw, _, dscale, dshift, dv, dc = self.gradients
        dlogits = self._logits.copy_(gradient.transpose(1, 2))
        torch.sum(gradient.transpose(1, 2), 1, keepdim=True, out=dc)
        du = self._u
        self._mixing.backward(dlogits.view(-1, self.classes), du.view(-1, self.classes))
        torch.bmm(du.transpose(1, 2), self._h, out=dv).mul_(self._factor)
        dh = torch.bmm(du, self._v, out=self._dh)
        dy = torch.ops.aten.threshold_backward.grad_input(dh, self._h, 0, grad_input=dh)  # ReLU and dropout in one
        product = torch.mul(dy, self._z, out=self._h)
        torch.sum(dy, 1, keepdim=True, out=dshift)
        torch.sum(product, 1, keepdim=True, out=dscale)
        slope = self.parameters[2] * self._inverse
        dz = torch.addcmul(dshift / self._count, self._z, dscale / self._count, out=self._z)
        self.table.outer(torch.sub(dy, dz, out=dz).mul_(slope), dw)

    def first_layer(self, member: int) -> Tensor:
        """(2F, H): a member's W with the weights of features that none of its nodes has, which are as they
        were drawn."""
        whole, columns = self._whole[member].clone(), self.table.columns[member]
        whole[columns] = self.parameters[0][member, : columns.numel()]
        return whole

    def evaluate(self, member: int, inputs: Tensor, mixing: Tensor) -> Tensor:
        """Log-posteriors (q, C) of a member in evaluation mode.

        inputs: (r, 2F), [x, mean_N(x)] of the nodes whose hidden vectors are needed; mixing: (q, 2r) sparse,
        as `SideBySide.self_and_means`.
        """
        _, b, scale, shift, v, c = (parameter[member] for parameter in self.parameters)
        mean, variance = (statistic[member] for statistic in self.statistics)
        slope = scale * (variance + self.eps).rsqrt()
        h = torch.addcmul(shift + (b - mean) * slope, inputs @ self.first_layer(member), slope).relu_()
        return (mixing @ (h @ v.t()).view(-1, self.classes) + c).log_softmax(1)
