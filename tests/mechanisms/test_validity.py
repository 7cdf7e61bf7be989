"""Which modules have per-example gradients: refused unless known, checked by experiment."""

import pytest
import torch
from torch import Tensor, nn

from privgraph.mechanisms.validity import MixesExamples, complaints, examples_interact, require_separate


def _safe() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.SELU(), nn.GroupNorm(1, 8), nn.Dropout(0.0), nn.Linear(8, 3))


def test_opacus_passes_a_graph_convolution_and_we_refuse_it() -> None:
    validators = pytest.importorskip("opacus.validators")
    convolutions = pytest.importorskip("torch_geometric.nn")
    for layer in (convolutions.GCNConv(4, 3), convolutions.SAGEConv(4, 3), convolutions.GATConv(4, 3)):
        assert validators.ModuleValidator.validate(layer, strict=False) == []
        with pytest.raises(MixesExamples, match="sums over neighbours"):
            require_separate(layer)


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), "1 .BatchNorm1d. normalises over the examples"),
        (nn.Sequential(nn.SyncBatchNorm(3)), "normalises over the examples"),
        (nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=0)), "normalises over examples"),
        (nn.Sequential(nn.Flatten(0)), "flattens examples"),
        (nn.TransformerEncoderLayer(4, 2), "not known to keep examples apart"),
    ],
)
def test_what_mixes_or_may_mix_is_refused_by_name(module: nn.Module, reason: str) -> None:
    with pytest.raises(MixesExamples, match=reason):
        require_separate(module)


def test_a_module_of_ones_own_is_refused_until_it_is_named() -> None:
    class Centre(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x - x.mean(0)

    class Linear(nn.Linear):
        def forward(self, input: Tensor) -> Tensor:
            return super().forward(input - input.mean(0))

    assert "not known" in complaints(nn.Sequential(nn.Linear(2, 2), Centre()))[0]
    assert complaints(nn.Sequential(Linear(2, 2))), "a subclass of a safe module may do anything"
    assert complaints(Centre(), also_safe=(Centre,)) == []


def test_safe_modules_pass_and_show_no_interaction() -> None:
    module = _safe()
    require_separate(module)
    examples = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    assert not examples_interact(module, list(module.parameters()), examples, torch.Generator().manual_seed(1))


def test_batch_norm_and_graph_convolutions_are_seen_to_interact() -> None:
    convolutions = pytest.importorskip("torch_geometric.nn")
    examples = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    normed = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    assert examples_interact(normed, list(normed.parameters()), examples, torch.Generator().manual_seed(1))
    layer = convolutions.GCNConv(4, 3)
    ring = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    assert examples_interact(
        lambda x: layer(x, ring), list(layer.parameters()), examples, torch.Generator().manual_seed(1)
    )


def test_one_example_cannot_show_interaction() -> None:
    with pytest.raises(ValueError, match="two examples"):
        examples_interact(_safe(), [], torch.randn(1, 4), torch.Generator())
