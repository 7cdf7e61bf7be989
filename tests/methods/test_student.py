"""The student: its arithmetic by hand, and what it reads and what it does not."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.methods.drained import returned
from tests.secrets_made_here import KEY
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.teachers.options import StudentOptions
from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.teachers.student import Sage, Table, fit_student, student_metrics
from privgraph.methods.training import Context

OPTIONS = StudentOptions(hidden=16, epochs=30)


def public_part(nodes: int = 400, **given: Any) -> Graph:
    graph = load("social", data_options={"nodes": nodes, "degree": 8.0, "features": 12, "signal": 1.0, **given})
    return split_parts(graph, OPTIONS).public


def fitted(public: Graph, rows: Tensor, targets: Tensor) -> Tensor:
    context, total = Context(noise_key=KEY), OPTIONS.pretrain + OPTIONS.epochs
    return returned(fit_student(public, rows, targets, options=OPTIONS, context=context, done=0, total=total))


def queries(public: Graph) -> Tensor:
    return public.train_mask.nonzero().squeeze(1)


def test_one_pass_by_hand_on_a_directed_path() -> None:
    """0 -> 1 -> 2, and 3 alone: a node reads who points at it, and a mean over nobody is 0."""
    public = public_part()
    path = replace(
        public,
        x=torch.randn(4, 3, generator=torch.Generator().manual_seed(0)),
        y=torch.tensor([0, 1, 0, 1]),
        edge_index=torch.tensor([[0, 1], [1, 2]]),
        train_mask=torch.ones(4, dtype=torch.bool),
        val_mask=torch.zeros(4, dtype=torch.bool),
        test_mask=torch.zeros(4, dtype=torch.bool),
        undirected=False,
        _cache={},
    )
    table = Table.of(path, torch.device("cpu"))
    before = torch.stack([torch.zeros(3), path.x[0], path.x[1], torch.zeros(3)])
    assert torch.equal(table.rows, torch.cat([path.x, before], 1))
    model = Sage(3, 4, 2, torch.Generator().manual_seed(1)).eval()
    own, neighbours = model.first.weight[:, :3], model.first.weight[:, 3:]
    hidden = ((path.x @ own.t() + before @ neighbours.t() + model.first.bias) / (1 + 1e-5) ** 0.5).relu()
    above = torch.stack([torch.zeros(4), hidden[0], hidden[1], torch.zeros(4)])
    expected = hidden @ model.second.weight[:, :4].t() + above @ model.second.weight[:, 4:].t() + model.second.bias
    found = model.finish(model.first(table.rows), table.means)
    assert torch.allclose(found, expected, atol=1e-6)
    assert float(model.first.weight.detach().abs().max()) <= 3**-0.5


@pytest.mark.parametrize("soft", [False, True])
def test_it_learns_and_soft_labels_that_are_hard_are_hard_labels(soft: bool) -> None:
    public = public_part()
    rows = queries(public)
    labels = public.y[rows]
    targets = torch.nn.functional.one_hot(labels, public.num_classes).float() if soft else labels
    logits = fitted(public, rows, targets)
    assert logits.shape == (public.num_nodes, public.num_classes)
    assert student_metrics(public, logits)["test_accuracy"] > 0.6, "chance is a quarter"
    other = fitted(public, rows, labels)
    assert torch.allclose(logits, other, atol=1e-3)


def test_true_labels_steer_nothing() -> None:
    """Another truth changes what the evaluator says, and nothing of the student."""
    public = public_part()
    rows = queries(public)
    targets = torch.arange(rows.numel()) % public.num_classes
    logits = fitted(public, rows, targets)
    liar = replace(public, y=public.y.roll(1), _cache={})
    same = fitted(liar, rows, targets)
    assert torch.equal(logits, same)
    assert student_metrics(liar, logits) != student_metrics(public, logits)
