"""Per-example gradients of ordinary torch modules: through Opacus where that is right, else one example at a
time.

Stacked networks have a faster route of their own (`nn.layers`); this one is for modules that are not stacked,
and the slow twin of that one.
"""

import importlib
import importlib.util
from collections.abc import Callable

import torch
from torch import Tensor, nn

from privgraph.mechanisms.validity import require_separate

ROUTES = ("auto", "opacus", "loop")
Loss = Callable[[Tensor, Tensor], Tensor]


def per_example_gradients(
    module: nn.Module,
    examples: Tensor,
    labels: Tensor,
    *,
    loss: Loss = nn.functional.cross_entropy,
    route: str = "auto",
    also_safe: tuple[type[nn.Module], ...] = (),
) -> Tensor:
    """(B, P): for each of B examples (B, ...), the gradient of its own loss with respect to all P parameters.

    `loss(outputs, labels)` must be the mean over a batch. Modules in which examples may mix are refused
    (`MixesExamples`), whatever Opacus' validator says of them. Route "opacus" hooks each layer (Yousefpour et
    al. 2021), "loop" runs batches of one, and "auto" takes Opacus where it is installed. Dropout must be off
    or the module in evaluation mode for the routes to agree.
    """
    if route not in ROUTES:
        raise ValueError(f"route must be one of {', '.join(ROUTES)} (got {route})")
    require_separate(module, also_safe=also_safe)
    if route == "opacus" or (route == "auto" and importlib.util.find_spec("opacus") is not None):
        return _by_opacus(module, examples, labels, loss)
    return _one_by_one(module, examples, labels, loss)


def _one_by_one(module: nn.Module, examples: Tensor, labels: Tensor, loss: Loss) -> Tensor:
    parameters = list(module.parameters())
    flat_gradients = []
    for position in range(examples.shape[0]):
        one = slice(position, position + 1)
        gradients = torch.autograd.grad(loss(module(examples[one]), labels[one]), parameters)
        flat_gradients.append(torch.cat([gradient.flatten() for gradient in gradients]))
    return torch.stack(flat_gradients)


def _by_opacus(module: nn.Module, examples: Tensor, labels: Tensor, loss: Loss) -> Tensor:
    grad_sample = importlib.import_module("opacus.grad_sample")
    wrapped = grad_sample.GradSampleModule(module, loss_reduction="mean")
    try:
        # Opacus' hooks want an input that takes part in the graph
        batch = examples.clone().requires_grad_() if examples.is_floating_point() else examples
        loss(wrapped(batch), labels).backward()  # type: ignore[no-untyped-call]
        samples = [parameter.grad_sample.flatten(1) for parameter in wrapped.parameters()]
        return torch.cat(samples, 1).detach()
    finally:
        wrapped.remove_hooks()
        for parameter in module.parameters():
            parameter.grad = None
            parameter.grad_sample = None  # type: ignore[attr-defined]
