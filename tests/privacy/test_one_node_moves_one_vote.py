"""PrivGNN's teachers as they are trained: a node outside a query's sample, or gone, changes no other query's
answer."""

import numpy as np
import pytest
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY

from privgraph.methods.teachers.parts import split_parts
from privgraph.methods.teachers.privgnn import teachers
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.methods.training import Context


def answers(monkeypatch: pytest.MonkeyPatch, config: Config, left_out: tuple[int, int] | None) -> np.ndarray:
    """Votes before noise, all coins as they fell but for one node's in one query, which is made tails."""
    real = teachers.coins

    def without(queries: int, nodes: int, rate: float, generator: np.random.Generator) -> np.ndarray:
        sampled = real(queries, nodes, rate, generator)
        if queries and left_out is not None:
            assert sampled[left_out]
            sampled[left_out] = False
        return sampled

    monkeypatch.setattr(teachers, "coins", without)
    parts = split_parts(toy_graph(nodes=40), config)
    queries = parts.public.train_mask.nonzero().squeeze(1).numpy()[:6]
    context = Context(seed=1, noise_key=KEY)
    asking = teachers.ask_teachers(parts, queries, config, context, "answers")
    while True:
        try:
            next(asking)
        except StopIteration as end:
            monkeypatch.setattr(teachers, "coins", real)
            return np.asarray(end.value.before)


@pytest.mark.parametrize("release", ["ensemble", "posterior"])
def test_a_node_that_silences_a_teacher_leaves_all_others_as_they_were(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups so small that one node decides whether there is a teacher: the other queries' teachers start as
    before."""
    config = Config(release=release, teachers=3, queries=6, rate=0.25, epochs=4, hidden=4, neighbours=5)
    whole = answers(monkeypatch, config, None)
    parts = split_parts(toy_graph(nodes=40), config)
    context = Context(seed=1, noise_key=KEY)
    queries = parts.public.train_mask.nonzero().squeeze(1).numpy()[:6]
    slots, _, _ = teachers.assign(parts, queries, config, context, "answers")
    smallest = min((one for one in slots if one.queries[0] < 3), key=lambda one: len(one.nodes))
    query = int(smallest.queries[0])
    for node in smallest.nodes[:2]:
        left = answers(monkeypatch, config, (query, int(node)))
        others = np.arange(len(queries)) != query
        assert left[others] == pytest.approx(whole[others], abs=1e-5)
        if release == "ensemble":
            move = left[query] - whole[query]
            assert np.abs(move).max() <= 1
            assert np.abs(move).sum() <= 2


def test_a_teacher_that_diverged_is_uniform() -> None:
    rows = teachers.posterior(np.array([[np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0], [-1.0, -2.0, -np.log(4)]]))
    assert rows[:2] == pytest.approx(1 / 3)
    assert rows.sum(axis=1) == pytest.approx(1.0)
    assert np.argmax(rows[2]) == 0


def test_the_test_sees_teachers_named_by_a_running_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were teachers named by their number among all, another query's answer would change: the check can
    fail."""
    config = Config(release="posterior", queries=6, rate=0.25, epochs=4, hidden=4, neighbours=5)
    real = teachers._slots
    counted = iter(range(10**6))

    def numbered(*arguments: object) -> list[teachers.Slot]:
        return [
            teachers.Slot(slot.nodes, slot.queries, str(next(counted) % 97))
            for slot in real(*arguments)  # type: ignore[arg-type]
        ]

    monkeypatch.setattr(teachers, "_slots", numbered)
    first = answers(monkeypatch, config, None)
    second = answers(monkeypatch, config, None)  # the same coins, other numbers
    assert np.abs(first - second).max() > 1e-3
