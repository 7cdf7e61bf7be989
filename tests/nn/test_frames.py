"""In a frame no model depends on another, not even by rounding: one node's leaving changes its own teacher
alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from privgraph.nn.small_graphs import Answer, Frame, Recipe, SmallGraph, train_small_graphs

NODES, FEATURES, CLASSES, TASKS = 400, 40, 4, 12
QUERIES = torch.arange(10)


@pytest.fixture(scope="module")
def table() -> tuple[torch.Tensor, torch.Tensor]:
    draws = torch.Generator().manual_seed(0)
    y = torch.randint(CLASSES, (NODES,), generator=draws)
    return torch.randn(NODES, FEATURES, generator=draws) + torch.eye(FEATURES)[y], y


def drawn(y: torch.Tensor, task: int, leaves: int | None = None) -> SmallGraph:
    """A task of about 100 nodes; where a node `leaves`, it is gone with its edges."""
    draws = torch.Generator().manual_seed(task)
    nodes = torch.randperm(NODES, generator=draws)[: 100 - task]
    edges = torch.randint(len(nodes), (2, 400), generator=draws)
    edges = edges[:, edges[0] != edges[1]].unique(dim=1)
    if leaves is not None:
        stays = torch.arange(len(nodes)) != leaves
        number = stays.cumsum(0) - 1
        edges = number[edges[:, (stays[edges]).all(0)]]
        nodes = nodes[stays]
    return SmallGraph(nodes=nodes, edge_index=edges, labels=y[nodes], queries=QUERIES)


def said(x: torch.Tensor, tasks: Sequence[SmallGraph], frame: Frame | None, hidden: int = 16) -> torch.Tensor:
    answers = train_small_graphs(
        x,
        tasks,
        classes=CLASSES,
        recipe=Recipe(hidden=hidden, epochs=60),
        evaluation_x=x,
        evaluation_adjacency=torch.eye(NODES).to_sparse_csr(),
        generators=lambda i: (torch.Generator().manual_seed(i), torch.Generator().manual_seed(1000 + i)),
        frame=frame,
    )
    found = {answer.index: answer.log_posterior for answer in answers if isinstance(answer, Answer)}
    return torch.stack([found[index] for index in range(len(tasks))])


@pytest.mark.parametrize(
    ("frame", "hidden"),
    [
        (Frame(places=100, sparse=False), 16),
        (Frame(places=100, sparse=True), 16),
        (Frame(places=260, sparse=False), 64),  # large enough for products member by member
    ],
    ids=["dense", "sparse", "large"],
)
@pytest.mark.parametrize("of", [0, 5])
def test_one_nodes_leaving_changes_one_model_to_the_last_digit(
    table: tuple[torch.Tensor, torch.Tensor], of: int, frame: Frame, hidden: int
) -> None:
    x, y = table
    tasks = [drawn(y, task) for task in range(TASKS)]
    left = [drawn(y, task, leaves=7 if task == of else None) for task in range(TASKS)]
    with_node, without = said(x, tasks, frame, hidden), said(x, left, frame, hidden)
    changed = (with_node != without).flatten(1).any(1)
    assert changed.nonzero().squeeze(1).tolist() == [of]


def test_a_frame_says_what_no_frame_says(table: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Padding and features that nobody has change nothing but the last digits."""
    x, y = table
    tasks = [drawn(y, task) for task in range(3)]
    x = x.clone().double()
    x[:, 5:9] = 0
    assert torch.allclose(said(x, tasks, Frame(places=130, sparse=False)), said(x, tasks, None), atol=1e-5)


def test_an_empty_task_keeps_its_place(table: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, y = table
    tasks = [drawn(y, task) for task in range(4)]
    none = torch.zeros(0, dtype=torch.int64)
    empty = SmallGraph(nodes=none, edge_index=torch.zeros(2, 0, dtype=torch.int64), labels=none, queries=QUERIES)
    frame = Frame(places=100, sparse=False)
    whole, without = said(x, tasks, frame), said(x, [tasks[0], empty, *tasks[2:]], frame)
    assert torch.equal(whole[[0, 2, 3]], without[[0, 2, 3]])
    assert without[1].isfinite().all()


def test_a_task_must_fit_into_the_frame(table: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, y = table
    with pytest.raises(ValueError, match="the frame has 99 places; a task has 100 nodes"):
        said(x, [drawn(y, 0)], Frame(places=99, sparse=False))
    with pytest.raises(ValueError, match="places must be at least 1"):
        Frame(places=0, sparse=False)
