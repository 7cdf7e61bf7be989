"""Gradients of single tuples from what a layer takes and what comes back to it (PvGaLM, section 3.3).

A linear layer s = W a has, of one token, the gradient r a^T, where r is the gradient of s. A tuple's gradient
is the sum over the tokens of its texts. It is formed for each tuple where the weight is small, as LoRA's are.
Where the weight is large, the norm is taken from the tokens' inner products (ghost norms: Goodfellow 2015; Li
et al. 2022),

    |sum_t r_t a_t^T|^2 = sum_st <r_s, r_t> <a_s, a_t>,

and only the sum over all tuples is formed. An embedding's gradient is sparse: tokens of one number within a
tuple are added up first. A position is a row like any other, since the encoder asks for positions text by
text (positions that are broadcast give a wrong gradient: Opacus, issues 841 and 845).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

CANCELLED = 64.0
"""Ghost norms are enlarged by so many roundings of the square of the sum of the tokens' lengths: their terms
have both signs."""


@dataclass(frozen=True, eq=False)
class Call:
    """What a layer took (n, L, ...), of texts of the tuples `owner` (n,), and what it gave."""

    layer: nn.Module
    taken: Tensor
    given: Tensor
    owner: Tensor


class Recorder:
    """All calls of the layers that own trained weights, while `recording`. Set `owner` before each pass."""

    def __init__(self, model: nn.Module) -> None:
        self.calls: list[Call] = []
        self.owner = torch.empty(0, dtype=torch.int64)
        self.layers = trained_layers(model)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Raises `ValueError` where a layer is called for fewer or more texts than there are owners."""

        def keep(layer: nn.Module, taken: tuple[Tensor, ...], given: Tensor) -> None:
            if taken[0].shape[0] != len(self.owner):
                raise ValueError("a layer's input must have a row for each text: one that is broadcast has not")
            self.calls.append(Call(layer, taken[0].detach(), given, self.owner))

        hooks = [layer.register_forward_hook(keep) for layer in self.layers]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


def trained_layers(model: nn.Module) -> list[nn.Module]:
    """The layers that own trained weights. Raises `ValueError` for a kind that has no rule here."""
    found: list[nn.Module] = []
    seen: set[int] = set()
    for name, layer in model.named_modules():
        own = [weight for weight in layer.parameters(recurse=False) if weight.requires_grad]
        if not own:
            continue
        if not (isinstance(layer, nn.Linear | nn.Embedding | nn.LayerNorm) or _is_rms_norm(layer)):
            raise ValueError(f"gradients of single tuples have no rule for {name}, a {type(layer).__name__}")
        if isinstance(layer, nn.Embedding) and (layer.max_norm is not None or layer.scale_grad_by_freq):
            raise ValueError(f"gradients of single tuples have no rule for the scaled embedding {name}")
        if seen & {id(weight) for weight in own}:
            raise ValueError(f"gradients of single tuples need weights of one layer each; {name} shares its own")
        seen |= {id(weight) for weight in own}
        found.append(layer)
    return found


def _is_rms_norm(layer: nn.Module) -> bool:
    """Whether `layer` is a root-mean-square norm as transformers have it: one weight and an epsilon."""
    return type(layer).__name__.endswith("RMSNorm") and hasattr(layer, "variance_epsilon")


class Gradient(Protocol):
    """Gradients of B tuples for one weight."""

    def squared(self) -> Tensor:
        """(B,) float64: squared norms, none too small."""
        ...

    def summed(self, factor: Tensor) -> Tensor:
        """In float64 and the weight's shape: the sum over tuples, each times its factor (B,). What has the
        factor 0 is left out, whatever it is."""
        ...


class Formed:
    """Each tuple's gradient, formed: (B, ...)."""

    def __init__(self, each: Tensor) -> None:
        self._each, self._shape = each.flatten(1), each.shape[1:]

    def squared(self) -> Tensor:
        return self._each.double().square().sum(1)

    def summed(self, factor: Tensor) -> Tensor:
        total = self._each.new_zeros(self._each.shape[1], dtype=torch.float64)
        for row, share in zip(self._each, factor.tolist(), strict=True):
            if share:
                total += row.double() * share
        return total.view(self._shape)


class Tokens:
    """A large matrix: of T tokens, what was taken (T, d) and what came back (T, p)."""

    def __init__(self, taken: Tensor, back: Tensor, owner: Tensor, tuples: int) -> None:
        order = owner.argsort(stable=True)
        self._taken, self._back, self._owner = taken[order], back[order], owner[order]
        self._counts = torch.bincount(owner, minlength=tuples).tolist()

    def squared(self) -> Tensor:
        share, found = CANCELLED * torch.finfo(self._back.dtype).eps, []
        pairs = zip(torch.split(self._taken, self._counts), torch.split(self._back, self._counts), strict=True)
        for a, r in pairs:
            lengths = (a.norm(dim=1) * r.norm(dim=1)).sum().double()
            own = ((a @ a.T) * (r @ r.T)).sum(dtype=torch.float64)
            found.append(own.clamp_min(0) + share * lengths.square())
        return torch.stack(found)

    def summed(self, factor: Tensor) -> Tensor:
        shares = factor[self._owner].unsqueeze(1)
        back = (self._back.double() * shares).where(shares > 0, 0)
        return back.T @ self._taken.double().where(shares > 0, 0)


class Rows:
    """An embedding (V, d): rows (R, d) of the numbers `ids` (R,), of the tuples `owner` (R,)."""

    def __init__(self, back: Tensor, ids: Tensor, owner: Tensor, layer: nn.Embedding, tuples: int) -> None:
        if layer.padding_idx is not None:
            back = back * (ids != layer.padding_idx).unsqueeze(1)
        keys, place = torch.unique(owner * layer.num_embeddings + ids, return_inverse=True)
        self._rows = back.new_zeros(len(keys), back.shape[1]).index_add_(0, place, back)
        self._owner, self._ids = keys // layer.num_embeddings, keys % layer.num_embeddings
        self._tuples, self._numbers = tuples, layer.num_embeddings

    def squared(self) -> Tensor:
        own = self._rows.double().square().sum(1)
        return own.new_zeros(self._tuples).index_add_(0, self._owner, own)

    def summed(self, factor: Tensor) -> Tensor:
        shares = factor[self._owner].unsqueeze(1)
        rows = (self._rows.double() * shares).where(shares > 0, 0)
        return rows.new_zeros(self._numbers, rows.shape[1]).index_add_(0, self._ids, rows)


def gradients_of(calls: list[tuple[Call, Tensor]], tuples: int) -> dict[nn.Parameter, Gradient]:
    """Gradients of `tuples` tuples for one layer's trained weights, from its calls and what came back."""
    layer = calls[0][0].layer
    found: dict[nn.Parameter, Gradient] = {}
    if isinstance(layer, nn.Embedding):
        back = torch.cat([back.flatten(0, -2) for _, back in calls])
        ids = torch.cat([call.taken.flatten() for call, _ in calls])
        owner = torch.cat([_token_owners(call) for call, _ in calls])
        return {nn.Module.get_parameter(layer, "weight"): Rows(back, ids, owner, layer, tuples)}
    weight, bias = layer.weight, getattr(layer, "bias", None)
    if isinstance(weight, nn.Parameter) and weight.requires_grad:
        found[weight] = _matrix(calls, tuples) if isinstance(layer, nn.Linear) else _scales(calls, tuples)
    if isinstance(bias, nn.Parameter) and bias.requires_grad:
        found[bias] = Formed(_added(calls, [back.sum(1) for _, back in calls], tuples))
    return found


def _token_owners(call: Call) -> Tensor:
    return call.owner.repeat_interleave(call.taken.shape[1])


def _added(calls: list[tuple[Call, Tensor]], each: list[Tensor], tuples: int) -> Tensor:
    """Texts' parts added where they meet in a tuple."""
    found = each[0].new_zeros(tuples, *each[0].shape[1:])
    for (call, _), part in zip(calls, each, strict=True):
        found.index_add_(0, call.owner, part)
    return found


def _matrix(calls: list[tuple[Call, Tensor]], tuples: int) -> Gradient:
    """Formed where that is smaller than the inner products of the longest tuple's tokens."""
    (call, back), *_ = calls
    owner = torch.cat([_token_owners(call) for call, _ in calls])
    longest = int(torch.bincount(owner, minlength=tuples).max())
    if longest**2 < call.taken.shape[-1] * back.shape[-1]:
        taken = torch.cat([call.taken.flatten(0, 1) for call, _ in calls])
        return Tokens(taken, torch.cat([back.flatten(0, 1) for _, back in calls]), owner, tuples)
    return Formed(_added(calls, [back.transpose(1, 2) @ call.taken for call, back in calls], tuples))


def _scales(calls: list[tuple[Call, Tensor]], tuples: int) -> Formed:
    return Formed(_added(calls, [(back * _standard(call)).sum(1) for call, back in calls], tuples))


def _standard(call: Call) -> Tensor:
    """What a norm's weight is multiplied with."""
    if isinstance(call.layer, nn.LayerNorm):
        return nn.functional.layer_norm(call.taken, call.layer.normalized_shape, eps=call.layer.eps)
    epsilon = float(call.layer.variance_epsilon)  # type: ignore[arg-type]
    wide = call.taken.float() if call.taken.dtype != torch.float64 else call.taken  # as the layer itself does it
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + epsilon)).to(call.taken.dtype)
