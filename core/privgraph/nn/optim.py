"""Adam for stacked networks."""

from collections.abc import Sequence

import torch
from torch import Tensor


class StackedAdam:
    """Adam (Kingma and Ba 2015) on parameters (S, P), as torch.optim.Adam with its defaults.

    `learning_rates` is (S,); `weight_decay` is added to the gradient (L2). A step is the same arithmetic for
    every member, so that a member's path does not depend on its stack.
    """

    beta1 = 0.9
    beta2 = 0.999
    eps = 1e-8

    def __init__(self, parameters: Tensor, learning_rates: Tensor, weight_decay: float = 0.0) -> None:
        self._parameters = parameters
        self._rates = learning_rates.to(parameters).unsqueeze(1)
        self._decay = weight_decay
        self._first = torch.zeros_like(parameters)
        self._second = torch.zeros_like(parameters)
        self._steps = 0

    def step(self, gradients: Tensor) -> None:
        """One step along `gradients`, (S, P)."""
        self._steps += 1
        if self._decay:
            gradients = gradients.add(self._parameters, alpha=self._decay)
        self._first.lerp_(gradients, 1 - self.beta1)
        self._second.mul_(self.beta2).addcmul_(gradients, gradients, value=1 - self.beta2)
        spread = (self._second / (1 - self.beta2**self._steps)).sqrt_().add_(self.eps)
        self._parameters.addcdiv_(self._first * (self._rates / (1 - self.beta1**self._steps)), spread, value=-1)


class FusedAdam:
    """Adam as `StackedAdam`, on several tensors and with one learning rate, in a single pass over memory a
    step.

    torch.optim.Adam(fused=True) is the same kernel behind bookkeeping that costs more than a step of small
    models.
    """

    def __init__(self, parameters: Sequence[Tensor], learning_rate: float, weight_decay: float = 0.0) -> None:
        self._parameters = list(parameters)
        self._rate, self._decay = learning_rate, weight_decay
        self._first = [torch.zeros_like(parameter) for parameter in parameters]
        self._second = [torch.zeros_like(parameter) for parameter in parameters]
        self._steps = [torch.zeros((), dtype=torch.float32, device=parameter.device) for parameter in parameters]

    def step(self, gradients: Sequence[Tensor]) -> None:
        """One step along `gradients`, of the parameters' shapes."""
        for count in self._steps:
            count.add_(1)
        torch._fused_adam_(
            self._parameters,
            list(gradients),
            self._first,
            self._second,
            [],
            self._steps,
            lr=self._rate,
            beta1=StackedAdam.beta1,
            beta2=StackedAdam.beta2,
            weight_decay=self._decay,
            eps=StackedAdam.eps,
            amsgrad=False,
            maximize=False,
        )
