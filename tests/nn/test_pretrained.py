"""Weights kept by content: trained once, read back equal, never from a file that is not what it should be."""

import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from privgraph.data.load import load
from privgraph.nn import pretrained as module
from privgraph.nn.backbones import Backbone, network
from privgraph.nn.pretrained import key, pretrained
from privgraph.nn.pretraining import OBJECTIVES, Epoch, PretrainRecipe, pretrain
from privgraph.progress import Log

CPU = torch.device("cpu")
RECIPE = PretrainRecipe(kind="gat", objective="dgi", hidden=8, epochs=3)


@pytest.fixture
def graph() -> tuple[Tensor, Tensor]:
    pairs = torch.triu(torch.rand(12, 12, generator=torch.Generator().manual_seed(0)) < 0.3, 1)
    return torch.randn(12, 5, generator=torch.Generator().manual_seed(1)), (pairs | pairs.t()).nonzero().t()


def told(graph: tuple[Tensor, Tensor], folder: Path | None, recipe: PretrainRecipe = RECIPE) -> list[object]:
    return list(pretrained(*graph, recipe, folder, CPU))


def equal(one: object, other: object) -> bool:
    assert (one.kind, one.features, one.hidden) == (other.kind, other.features, other.hidden)
    return list(one.weights) == list(other.weights) and all(
        torch.equal(value, other.weights[name]) for name, value in one.weights.items()
    )


def test_the_second_time_nothing_is_trained(graph: tuple[Tensor, Tensor], tmp_path: Path) -> None:
    folder = tmp_path / "pretrained"
    *epochs, first = told(graph, folder)
    assert len(epochs) == 3
    (again,) = told(graph, folder)
    assert equal(first, again)
    assert [path.name for path in folder.iterdir()] == [f"{key(*graph, RECIPE)}.npz"], "no draft is left behind"
    *epochs, unkept = told(graph, None)
    assert len(epochs) == 3
    assert equal(first, unkept)


def test_other_data_recipes_and_releases_have_other_names(
    graph: tuple[Tensor, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, edges = graph
    names = [key(x, edges, RECIPE), key(x.double(), edges, RECIPE), key(x.flip(0), edges, RECIPE)]
    names += [key(x.reshape(20, 3), edges, RECIPE), key(x, edges[:, 1:], RECIPE)]
    fields = {"kind": "gcn", "objective": "graphmae", "hidden": 16, "epochs": 4, "learning_rate": 0.01, "seed": 1}
    for name, value in fields.items():
        names.append(key(x, edges, PretrainRecipe(**{**vars(RECIPE), name: value})))
    monkeypatch.setattr(module, "FORMAT", module.FORMAT + 1)
    names.append(key(x, edges, RECIPE))
    monkeypatch.setattr(torch, "__version__", "3.0")
    names.append(key(x, edges, RECIPE))
    names.append(key(x, edges, RECIPE, b"of this installation"))
    assert len(set(names)) == len(names)
    assert key(x.clone(), edges.clone(), RECIPE) == names[-2]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:300])


def _changed(path: Path) -> None:
    """One weight is another; the archive itself is whole."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["layers.0.bias"] = arrays["layers.0.bias"] + 1
    np.savez(path, **arrays)


@pytest.mark.parametrize("harm", [_cut, _changed])
def test_a_file_that_cannot_be_used_is_made_anew_and_said_so(
    harm: object, graph: tuple[Tensor, Tensor], tmp_path: Path
) -> None:
    first = told(graph, tmp_path)[-1]
    path = tmp_path / f"{key(*graph, RECIPE)}.npz"
    assert callable(harm)
    harm(path)
    warning, *epochs, second = told(graph, tmp_path)
    assert warning.level == "warning"
    assert [type(epoch) for epoch in epochs] == [Epoch] * 3
    assert equal(first, second)
    (third,) = told(graph, tmp_path)
    assert equal(first, third)


class _Boom:
    """A pickle that says when it is opened."""

    opened: list[bool] = []  # noqa: RUF012

    def __reduce__(self) -> tuple[object, ...]:
        return (self.opened.append, (True,))


def test_no_pickle_is_ever_opened(graph: tuple[Tensor, Tensor], tmp_path: Path) -> None:
    told(graph, tmp_path)
    path = tmp_path / f"{key(*graph, RECIPE)}.npz"
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    with zipfile.ZipFile(path) as file:
        assert all(name.endswith(".npy") for name in file.namelist())
    arrays["layers.0.bias"] = np.array([_Boom()], dtype=object)
    np.savez(path, **arrays)
    _Boom.opened.clear()
    warning, *_ = told(graph, tmp_path)
    assert isinstance(warning, Log)
    assert not _Boom.opened


def test_stopping_leaves_no_file(graph: tuple[Tensor, Tensor], tmp_path: Path) -> None:
    steps = pretrained(*graph, RECIPE, tmp_path, CPU)
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def social() -> tuple[Tensor, Tensor, Tensor]:
    """A network of 120 people in groups: unit rows, edges, labels."""
    graph = load("social", data_options={"nodes": 120, "degree": 10, "homophily": 0.95, "signal": 3})
    x = graph.x - graph.x.mean(0)
    return torch.nn.functional.normalize(x, dim=1), graph.edge_index, graph.y


def run(x: Tensor, edge_index: Tensor, recipe: PretrainRecipe) -> tuple[list[float], Backbone]:
    *epochs, backbone = pretrain(x, edge_index, recipe, CPU)
    assert all(isinstance(epoch, Epoch) for epoch in epochs)
    assert [epoch.number for epoch in epochs] == list(range(1, recipe.epochs + 1))
    return [epoch.loss for epoch in epochs], backbone


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ["gcn", "gt"])
def test_every_objective_learns(kind: str, objective: str, social: tuple[Tensor, Tensor, Tensor]) -> None:
    x, edge_index, _ = social
    recipe = PretrainRecipe(kind=kind, objective=objective, hidden=16, epochs=40, learning_rate=0.01)
    losses, backbone = run(x, edge_index, recipe)
    assert sum(losses[-5:]) < 0.95 * sum(losses[:5])
    first = network(kind, x.shape[1], 16, torch.Generator().manual_seed(0)).state_dict()
    moved = [name for name, value in backbone.weights.items() if not torch.equal(value, first[name])]
    # of two lines that differ in a constant, a softmax tells nothing
    assert set(first) - set(moved) <= {f"layers.{number}.lin_key.bias" for number in range(3)}


def separation(embedded: Tensor, y: Tensor) -> float:
    """How many nodes the nearest class mean of the others' halves gets right."""
    even = torch.arange(len(y)) % 2 == 0
    means = torch.stack([embedded[even & (y == label)].mean(0) for label in range(int(y.max()) + 1)])
    return float((torch.cdist(embedded[~even], means).argmin(1) == y[~even]).double().mean())


@pytest.mark.parametrize("objective", ["dgi", "edge-pred"])
def test_embeddings_tell_groups_apart_that_nobody_told_them(
    objective: str, social: tuple[Tensor, Tensor, Tensor]
) -> None:
    _, edge_index, y = social
    x = torch.nn.functional.normalize(torch.randn(120, 20, generator=torch.Generator().manual_seed(1)), dim=1)
    recipe = PretrainRecipe(kind="gcn", objective=objective, hidden=32, epochs=100, learning_rate=0.005)
    _, backbone = run(x, edge_index, recipe)
    chance = float(torch.bincount(y).max()) / len(y)
    assert separation(x, y) < chance + 0.15, "features say nothing here: all comes from edges"
    assert separation(backbone.whole(x, edge_index), y) > chance + 0.25


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_graph_without_edges_gives_finite_numbers(objective: str, social: tuple[Tensor, Tensor, Tensor]) -> None:
    x, edge_index, _ = social
    recipe = PretrainRecipe(kind="gt", objective=objective, hidden=8, epochs=3)
    losses, backbone = run(x[:5], edge_index[:, :0], recipe)
    assert all(map(math.isfinite, losses))
    assert all(value.isfinite().all() for value in backbone.weights.values())
