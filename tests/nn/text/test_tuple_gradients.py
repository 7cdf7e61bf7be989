"""Gradients of tuples of texts: two routes, slow twins, and that a tuple hangs on nothing but itself."""

from collections.abc import Callable

import pytest
import torch
from tests.torch_threads import threads
from torch import Tensor

from privgraph.nn.text.adapters import adapt, trainable
from privgraph.nn.text.encoder import TextEncoder, load_encoder
from privgraph.nn.text.factors import Tokens
from privgraph.nn.text.losses import Contrast
from privgraph.nn.text.tuple_gradients import ROUTES, clipped_sum

WORDS = [f"word{number}" for number in range(60)]
LOSS = Contrast()


def clipped(to: float) -> Callable[[Tensor], Tensor]:
    return lambda squared: (to / squared.sqrt().clamp_min(1e-30)).clamp_max(1)


def texts(count: int, seed: int = 0) -> list[str]:
    dice = torch.Generator().manual_seed(seed)
    return [
        " ".join(WORDS[int(one)] for one in torch.randint(60, (int(torch.randint(1, 9, (1,), generator=dice)),),
                                                        generator=dice))
        for _ in range(count)
    ]  # fmt: skip


def adapted(double: bool = True, seed: int = 0, kind: str = "attention", name: str = "tiny") -> TextEncoder:
    """The tiny encoder, with updates that are not zero: else half of the gradients are."""
    encoder = load_encoder(name)
    dice = torch.Generator().manual_seed(seed)
    adapt(encoder, rank=3, alpha=6.0, generator=dice, adapted=kind)
    for name, weight in trainable(encoder):
        if "lora_B" in name:
            weight.data.normal_(0, 0.3, generator=dice)
    return encoder.double() if double else encoder


def drawn(tuples: int, negatives: int = 3, of: int = 30, seed: int = 1) -> Tensor:
    return torch.randint(of, (tuples, 2 + negatives), generator=torch.Generator().manual_seed(seed))


class Only:
    """Factors that are given, in the order in which tuples come."""

    def __init__(self, factors: list[float]) -> None:
        self._left = iter(factors)

    def __call__(self, squared: Tensor) -> Tensor:
        return torch.tensor([next(self._left) for _ in squared])


def twin(encoder: TextEncoder, ids: list[Tensor], tuples: Tensor, loss: Contrast = LOSS) -> list[Tensor]:
    """(P,) for each tuple: each text encoded by itself, without any padding."""
    weights = [weight for _, weight in trainable(encoder)]
    found = []
    for one in tuples.tolist():
        alone = [ids[text].unsqueeze(0) for text in one]
        vectors = torch.cat([encoder(each, torch.ones_like(each, dtype=torch.bool)) for each in alone])
        gradients = torch.autograd.grad(loss(vectors.unsqueeze(0)).sum(), weights)
        found.append(torch.cat([part.flatten() for part in gradients]))
    return found


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("loss", [LOSS, Contrast(kind="hinge", similarity="dot", margin=2.0)], ids=["nce", "hinge"])
@pytest.mark.parametrize("clip", [0.05, 1e9])
def test_both_routes_sum_what_a_slow_twin_clips(route: str, loss: Contrast, clip: float) -> None:
    encoder = adapted()
    ids, tuples = encoder.tokenize(texts(30), 16), drawn(7)
    each = torch.stack(twin(encoder, ids, tuples, loss))
    norms = each.norm(dim=1)
    expected = (each * (clip / norms.clamp_min(1e-30)).clamp_max(1).unsqueeze(1)).sum(0)
    found = clipped_sum(encoder, ids, tuples, loss, clipped(clip), route=route)
    assert found.squared.sqrt() == pytest.approx(norms, rel=1e-9)
    assert (found.total - expected).norm() <= 1e-9 * max(1.0, float(expected.norm()))
    assert found.losses == pytest.approx(
        torch.stack([loss(encoder(*encoder.padded([ids[t] for t in one])).unsqueeze(0))[0] for one in tuples.tolist()])
        .detach()
        .float(),
        rel=1e-5,
    )


def test_one_at_a_time_a_tuple_hangs_on_itself_alone_to_the_last_bit() -> None:
    encoder = adapted(double=False)
    ids, tuples = encoder.tokenize(texts(30), 16), drawn(6)
    for row in range(6):
        own = clipped_sum(encoder, ids, tuples[row : row + 1], LOSS, clipped(1.0))
        assert clipped_sum(encoder, ids, tuples, LOSS, clipped(1.0)).squared[row] == own.squared[0]
        only = Only([0.0] * row + [1.0] + [0.0] * (5 - row))
        alone = clipped_sum(
            encoder, ids, tuples, LOSS, lambda squared, only=only: clipped(1.0)(squared) * only(squared)
        )
        assert alone.total.equal(own.total)


def test_one_at_a_time_a_sum_is_the_same_bits_with_any_number_of_threads() -> None:
    encoder = adapted(double=False)
    ids, tuples = encoder.tokenize(texts(30), 32), drawn(12)
    sums = []
    for count in (1, 2, 5):
        with threads(count):
            sums.append(clipped_sum(encoder, ids, tuples, LOSS, clipped(0.5)))
    for one in sums[1:]:
        assert torch.equal(one.total, sums[0].total)
        assert torch.equal(one.squared, sums[0].squared)
        assert torch.equal(one.losses, sums[0].losses)


@pytest.mark.parametrize("tokens", [1, 40])
def test_batches_larger_than_memory_have_the_same_sum(tokens: int) -> None:
    encoder = adapted()
    ids, tuples = encoder.tokenize(texts(30), 16), drawn(9)
    whole = clipped_sum(encoder, ids, tuples, LOSS, clipped(0.3), route="factored")
    parts = clipped_sum(encoder, ids, tuples, LOSS, clipped(0.3), route="factored", tokens=tokens)
    assert (whole.total - parts.total).norm() <= 1e-12 * whole.total.norm()
    assert parts.squared == pytest.approx(whole.squared, rel=1e-12)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("absurd", [float("nan"), float("inf")])
def test_a_tuple_whose_norm_is_no_number_counts_as_zero_and_leaves_the_others(route: str, absurd: float) -> None:
    encoder = adapted()
    ids, tuples = encoder.tokenize(texts(30), 16), drawn(5)

    tuples[2, 0] = 29  # nobody else's anchor
    tuples[[0, 1, 3, 4], 0] = torch.tensor([3, 4, 5, 6])
    with torch.no_grad():
        marked = encoder(*encoder.padded([ids[29]]))[0]

    def broken(vectors: Tensor) -> Tensor:
        hit = (vectors[:, 0] - marked).norm(dim=1).detach() < 1e-9
        return LOSS(vectors) * torch.where(hit, absurd, 1.0)

    wanted = clipped_sum(encoder, ids, tuples[[0, 1, 3, 4]], LOSS, clipped(0.5), route=route).total
    found = clipped_sum(encoder, ids, tuples, broken, clipped(0.5), route=route)
    assert (~torch.isfinite(found.squared)).tolist() == [False, False, True, False, False]
    assert (found.total - wanted).norm() <= 1e-9 * wanted.norm()


class Scaled(torch.nn.Module):
    """A layer of a kind that there is no rule for."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer, self.weight = layer, torch.nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) * self.weight


def test_a_trained_layer_without_a_rule_is_refused() -> None:
    encoder = adapted(kind="everything")
    encoder.model.embeddings.LayerNorm = Scaled(encoder.model.embeddings.LayerNorm)
    ids = encoder.tokenize(texts(30), 16)
    with pytest.raises(ValueError, match=r"no rule for model\.embeddings\.LayerNorm, a Scaled"):
        clipped_sum(encoder, ids, drawn(2), LOSS, clipped(1.0), route="factored")
    shared = adapted(kind="everything")
    first, second = (layer.attention.self for layer in shared.model.encoder.layer)
    second.query.weight = first.query.weight
    with pytest.raises(ValueError, match="shares its own"):
        clipped_sum(shared, ids, drawn(2), LOSS, clipped(1.0), route="factored")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", ["linear", "everything"])
@pytest.mark.parametrize("clip", [0.3, 1e9])
def test_every_kind_of_weight_has_the_slow_twins_clipped_sum(route: str, kind: str, clip: float) -> None:
    """Linear, embedding, position, layer norm and bias, weight by weight."""
    encoder = adapted(kind=kind)
    ids, tuples = encoder.tokenize(texts(30), 16), drawn(6)
    tuples[0, 2] = tuples[0, 1]  # a text that stands twice in a tuple
    each = torch.stack(twin(encoder, ids, tuples))
    norms = each.norm(dim=1)
    found = clipped_sum(encoder, ids, tuples, LOSS, clipped(clip), route=route)
    assert found.squared.sqrt() == pytest.approx(norms, rel=1e-6)
    expected = (each * (clip / norms).clamp_max(1).unsqueeze(1)).sum(0)
    start = 0
    for name, weight in trainable(encoder):
        part = slice(start, start := start + weight.numel())
        assert (found.total[part] - expected[part]).norm() <= 1e-6 * max(1.0, float(expected.norm())), name


def test_a_ghost_norm_is_never_too_small() -> None:
    """In single precision, tokens that all but cancel: what is left is enlarged by what rounding can hide."""
    dice = torch.Generator().manual_seed(0)
    taken = torch.randn(6, 40, generator=dice).repeat_interleave(2, 0)
    back = torch.randn(6, 50, generator=dice).repeat_interleave(2, 0)
    back[1::2] *= -(1 + 1e-5)
    owner = torch.tensor([0] * 6 + [1] * 6)
    exact = [
        torch.einsum("to,ti->oi", back[rows].double(), taken[rows].double()).norm() for rows in (owner == 0, owner == 1)
    ]
    found = Tokens(taken, back, owner, 2).squared().sqrt()
    lengths = float((taken.norm(dim=1) * back.norm(dim=1))[:6].sum())
    for own, true in zip(found.tolist(), exact, strict=True):
        assert float(true) <= own <= float(true) + 3e-3 * lengths
    plain = Tokens(taken[::2], back[::2], owner[::2], 2).squared().sqrt()
    whole = [
        torch.einsum("to,ti->oi", back[::2][owner[::2] == one], taken[::2][owner[::2] == one]).norm() for one in (0, 1)
    ]
    assert plain == pytest.approx(torch.stack(whole).double(), rel=1e-3)
