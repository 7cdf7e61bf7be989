"""What a run predicts for its nodes: files are read without pickles, and hold the accuracy that is told."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.methods.toy_graphs import toy_graph

from privgraph.methods import predictions
from privgraph.methods.accuracies import split_accuracies
from privgraph.methods.training import Context, train_one
from privgraph.progress import Artifact
from privgraph.registry import method


def test_a_file_is_read_without_pickles_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    assert predictions.read(tmp_path) is None
    file = tmp_path / predictions.NAME
    np.savez(file, node=np.array([1, 3], dtype=np.int32), prediction=np.array([0, 1]), probabilities=np.ones((2, 2)))
    found = predictions.read(tmp_path)
    assert (found.of(1), found.of(2), found.of(3)) == (0, None, 1)
    np.savez(file, prediction=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="pickle"):
        predictions.read(tmp_path)
    np.savez(file, prediction=np.array([0.5]))
    with pytest.raises(ValueError, match="whole numbers"):
        predictions.read(tmp_path)
    np.savez(file, other=np.array([1]))
    with pytest.raises(ValueError, match="cannot be read"):
        predictions.read(tmp_path)
    file.write_bytes(b"no archive")
    with pytest.raises((ValueError, zipfile.BadZipFile)):
        predictions.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gnn", {"epochs": 8}),
        ("dp-mlp", {"epochs": 3, "epsilon": 4.0}),
        ("heter-poisson", {"epochs": 3, "epsilon": 4.0}),
        ("gap", {"epochs": 3, "epsilon": 4.0}),
    ],
)
def test_they_are_those_of_the_accuracy_that_is_told(name: str, options: dict[str, float], tmp_path: Path) -> None:
    graph, spec = toy_graph(), method(name)
    context = Context(noise_key=bytes(32), folder=tmp_path)
    events = list(train_one(spec.load_train(), spec.load_config()(**options), graph, context))
    assert [event.name for event in events if isinstance(event, Artifact)] == [predictions.NAME]
    covered = spec.load_config()(**options).unit == "edge"
    (title,) = (event.title for event in events if isinstance(event, Artifact))
    assert title.endswith("(not for release)") != covered, "at edge level alone, and never without privacy"
    found, last = predictions.read(tmp_path), events[-1]
    right = [found.of(int(node)) == int(graph.y[node]) for node in graph.test_mask.nonzero().squeeze(1)]
    assert np.mean(right) == pytest.approx(last.metrics["test_accuracy"])


@pytest.mark.parametrize("right", [0, 7, 16_777_217, 16_999_999])
def test_the_number_of_right_ones_follows_from_an_accuracy(right: int) -> None:
    """Single precision counts to 2^24: a mean in it is of no whole number any more."""
    nodes = 17_000_000
    y = torch.zeros(nodes, dtype=torch.int8)
    predicted = y.clone()
    predicted[right:] = 1
    (accuracy,) = split_accuracies(predicted, y, {"val": torch.ones(nodes, dtype=torch.bool)}).values()
    assert accuracy == right / nodes


def test_a_split_without_nodes_has_no_accuracy() -> None:
    y = torch.tensor([0, 1, 1])
    masks = {"train": torch.tensor([True, True, False]), "test": torch.zeros(3, dtype=torch.bool)}
    assert split_accuracies(torch.tensor([0, 0, 1]), y, masks) == {"train_accuracy": 0.5}
