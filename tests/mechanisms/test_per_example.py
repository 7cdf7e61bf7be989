"""Per-example gradients of ordinary modules: Opacus against batches of one, and refusals."""

import pytest
import torch
from torch import nn

from privgraph.mechanisms.per_example import per_example_gradients
from privgraph.mechanisms.validity import MixesExamples


def _module() -> nn.Module:
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Linear(5, 8), nn.SELU(), nn.GroupNorm(1, 8), nn.Linear(8, 6), nn.Tanh(), nn.LayerNorm(6), nn.Linear(6, 3)
    )
    return module.double()


def test_opacus_agrees_with_batches_of_one() -> None:
    pytest.importorskip("opacus")
    generator = torch.Generator().manual_seed(1)
    examples = torch.randn(7, 5, generator=generator, dtype=torch.float64)
    labels = torch.randint(3, (7,), generator=generator)
    module = _module()
    loop = per_example_gradients(module, examples, labels, route="loop")
    hooks = per_example_gradients(module, examples, labels, route="opacus")
    assert loop.shape == (7, sum(parameter.numel() for parameter in module.parameters()))
    torch.testing.assert_close(hooks, loop, rtol=1e-6, atol=1e-9)
    again = per_example_gradients(module, examples, labels)  # the hooks are gone: a second time works
    torch.testing.assert_close(again, loop, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("route", ["opacus", "loop", "auto"])
def test_modules_that_mix_examples_are_refused_on_every_route(route: str) -> None:
    module = nn.Sequential(nn.Linear(5, 3), nn.BatchNorm1d(3))
    with pytest.raises(MixesExamples, match="BatchNorm1d"):
        per_example_gradients(module, torch.randn(4, 5), torch.zeros(4, dtype=torch.int64), route=route)


def test_an_unknown_route_is_refused() -> None:
    with pytest.raises(ValueError, match="route must be one of"):
        per_example_gradients(_module(), torch.randn(4, 5), torch.zeros(4, dtype=torch.int64), route="fast")
