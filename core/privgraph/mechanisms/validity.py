"""Which modules have per-example gradients at all: those in which no example sees another.

Opacus' validator names layers that it knows to be wrong and passes the rest: graph convolutions among them,
where one example's output is a sum over others (Opacus 1.6: its issues 586 and 588). Here it is the other way
round: what is not known to keep examples apart is refused.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

SAFE: tuple[type[nn.Module], ...] = (
    nn.Linear,
    nn.Bilinear,
    nn.Embedding,
    nn.Identity,
    nn.Flatten,
    nn.Dropout,
    nn.AlphaDropout,
    nn.LayerNorm,
    nn.GroupNorm,
    nn.RMSNorm,
    nn.ReLU,
    nn.LeakyReLU,
    nn.PReLU,
    nn.ELU,
    nn.SELU,
    nn.GELU,
    nn.SiLU,
    nn.Tanh,
    nn.Sigmoid,
    nn.Softplus,
    nn.LogSoftmax,
    nn.Softmax,
    nn.Sequential,
)
"""Modules that treat the first dimension as examples and never mix them (the softmaxes over another
dimension)."""


class MixesExamples(ValueError):
    """A module in which, for all that is known, one example's gradient depends on other examples."""


def complaints(module: nn.Module, *, also_safe: tuple[type[nn.Module], ...] = ()) -> list[str]:
    """A sentence for every part of `module` that is not known to keep examples apart.

    Types are compared exactly: a subclass may do anything. A container of one's own, whose `forward` was read
    and found to treat examples apart, is named in `also_safe`.
    """
    sentences = []
    for name, part in module.named_modules():
        label = f"{name or 'the module itself'} ({type(part).__name__})"
        if type(part) in (nn.Softmax, nn.LogSoftmax) and getattr(part, "dim", None) in (0, None):
            sentences.append(f"{label} normalises over examples")
        elif type(part) is nn.Flatten and part.start_dim == 0:
            sentences.append(f"{label} flattens examples into one")
        elif isinstance(part, nn.modules.batchnorm._BatchNorm):
            sentences.append(f"{label} normalises over the examples of a batch; use GroupNorm")
        elif any(base.__name__ == "MessagePassing" for base in type(part).__mro__):
            sentences.append(f"{label} sums over neighbours, so that every example sees others")
        elif type(part) not in (*SAFE, *also_safe):
            sentences.append(f"{label} is not known to keep examples apart")
    return sentences


def require_separate(module: nn.Module, *, also_safe: tuple[type[nn.Module], ...] = ()) -> None:
    """Raise `MixesExamples`, naming every part, unless `module` has per-example gradients."""
    found = complaints(module, also_safe=also_safe)
    if found:
        raise MixesExamples("no per-example gradients: " + "; ".join(found))


def examples_interact(
    forward: Callable[[Tensor], Tensor], parameters: list[Tensor], examples: Tensor, generator: torch.Generator
) -> bool:
    """Whether, on these examples (B, ...), B >= 2, one's gradient is seen to move when the others are
    redrawn.

    An experiment, not a proof: True is certain, False only says that nothing was seen. `forward` gives (B,
    ...); the gradient is of the sum of squares of the first example's output with respect to `parameters`.
    """
    if examples.shape[0] < 2:
        raise ValueError(f"two examples at least are needed to see them interact (got {examples.shape[0]})")
    others = torch.randn(examples[1:].shape, generator=generator, dtype=examples.dtype, device=examples.device)
    redrawn = torch.cat([examples[:1], others])
    before, after = (
        torch.autograd.grad(forward(batch)[0].square().sum(), parameters, allow_unused=True)
        for batch in (examples, redrawn)
    )
    for first, second in zip(before, after, strict=True):
        if (first is None) != (second is None):
            return True
        if first is not None and not torch.allclose(first, second, rtol=1e-5, atol=1e-8):
            return True
    return False
