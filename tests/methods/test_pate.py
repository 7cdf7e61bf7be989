"""PATE: who teaches whom, one node moves one vote, what the votes cost, and what is told of them."""

import dataclasses
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats
from tests.methods.drained import returned
from tests.methods.toy_graphs import toy_graph
from tests.secrets_made_here import KEY, secret

from privgraph.data.graph import Graph
from privgraph.data.neighbours import with_node_nulled
from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.answers import Answers
from privgraph.methods.teachers.parts import Parts, random_queries, split_parts
from privgraph.methods.teachers.pate.config import MOVED_COUNTS, Config
from privgraph.methods.teachers.pate.train import ABSTAINS, cast_votes, count_votes, draw_teachers, train
from privgraph.methods.training import Context, train_one
from privgraph.papers.privgnn import pate_dependent
from privgraph.privacy.accountants import PLDAccountant
from privgraph.privacy.events import Gaussian, Laplace
from privgraph.privacy.ledger import Ledger
from privgraph.progress import Event, Metric

AMAZON = PublicFacts(nodes=13752, edges=245861, entries=491722, features=767, classes=10, train_nodes=10314)
LEVEL = 1e-5
"""Chance of a false alarm of each statistical check."""


def votes_of(parts: Parts, config: Config, nodes: int) -> torch.Tensor:
    queries = random_queries(parts.public, 20, 0)
    return returned(cast_votes(parts, queries, config, Context(seed=3, noise_key=KEY), nodes, 100))


def without_private(parts: Parts, node: int) -> Parts:
    """The parts in which one private node (by its place among them) opted out; nobody else is touched."""
    return dataclasses.replace(parts, private=with_node_nulled(parts.private, node))


def test_each_node_draws_its_own_teacher() -> None:
    everybody = torch.arange(5000)
    teams = draw_teachers(everybody, 5000, 20, secret(1))
    for gone in (0, 17, 4999):
        rest = torch.cat([everybody[:gone], everybody[gone + 1 :]])
        assert torch.equal(draw_teachers(rest, 5000, 20, secret(1)), teams[rest])
    assert not torch.equal(teams, draw_teachers(everybody, 5000, 20, secret(2)))
    sizes = np.bincount(teams.numpy(), minlength=20)
    assert len(sizes) == 20
    assert stats.chisquare(sizes).pvalue > LEVEL


@pytest.mark.long
@pytest.mark.parametrize("teacher", ["mlp", "gnn"])
def test_one_private_node_moves_one_vote_a_query(teacher: str) -> None:
    """Every private node leaves in turn, and the teachers are trained again, to the last bit."""
    graph = toy_graph(nodes=80, signal=1.0)
    config = Config(private=0.4, teacher=teacher, teachers=12, epochs=12, hidden=8)
    parts = split_parts(graph, config)
    teams = draw_teachers(parts.private_nodes, graph.num_nodes, config.teachers, secret(3, "sampling/teachers"))
    before = votes_of(parts, config, graph.num_nodes)
    assert torch.equal(before, votes_of(parts, config, graph.num_nodes))
    moved, fell_silent = 0, 0
    for node in range(parts.private.num_nodes):
        after = votes_of(without_private(parts, node), config, graph.num_nodes)
        changed = (after != before).any(dim=1).nonzero().squeeze(1).tolist()
        assert changed in ([], [int(teams[node])]), "no other teacher may notice"
        change = count_votes(after, 3) - count_votes(before, 3)
        assert float(change.abs().max()) <= 1
        assert float(change.abs().sum(1).max()) <= MOVED_COUNTS
        moved += bool(changed)
        fell_silent += bool((after == ABSTAINS).all(dim=1).sum() > (before == ABSTAINS).all(dim=1).sum())
    assert moved > 5, "leaving must matter, or this test sees nothing"
    assert fell_silent > 0, "a teacher of one node, which abstains without it, must be among them"


def test_teachers_without_nodes_abstain() -> None:
    votes = torch.tensor([[0, 2], [ABSTAINS, ABSTAINS], [0, 1]])
    assert count_votes(votes, 3).tolist() == [[2, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_law_of_a_label_is_within_the_guarantee(noise: str) -> None:
    """The noisy maximum of all votes of three teachers and all their neighbours, by quadrature."""
    scale, classes = 1.3, 3
    law = stats.laplace(scale=scale) if noise == "laplace" else stats.norm(scale=scale)
    t = np.linspace(-30, 35, 20_001)
    density, below = ([of(t - count) for count in range(4)] for of in (law.pdf, law.cdf))

    def label_law(counts: tuple[int, ...]) -> np.ndarray:
        chances = []
        for label, own in enumerate(counts):
            others = [below[count] for other, count in enumerate(counts) if other != label]
            chances.append(np.trapezoid(density[own] * np.prod(others, axis=0), t))
        return np.array(chances)

    laws = {counts: label_law(counts) for counts in product(range(4), repeat=classes) if sum(counts) in (2, 3)}
    assert all(found.sum() == pytest.approx(1, abs=1e-5) for found in laws.values())
    config = Config(noise=noise, lam=1 / scale, queries=1)
    neighbours = [
        (laws[one], laws[other])
        for one, other in product(laws, repeat=2)
        if max(change := [abs(a - b) for a, b in zip(one, other, strict=True)]) <= 1 and sum(change) <= MOVED_COUNTS
    ]

    def holds(said: float) -> bool:
        """Whether the epsilon of noise of scale `said` covers every pair of neighbours."""
        event = Ledger([config.entry(1, said)]).event()
        for delta in (0.3, 0.1, 0.01, 1e-3):
            epsilon = PLDAccountant().epsilon(event, delta)
            excess = max(float(np.maximum(one - math.exp(epsilon) * other, 0).sum()) for one, other in neighbours)
            if excess > delta + 1e-9:
                return False
        return True

    assert holds(scale)
    assert not holds(3 * scale)


@pytest.mark.parametrize(("queries", "lam", "printed"), [(500, 0.1, 27.82), (500, 0.8, 800.97), (1000, 0.1, 47.82)])
def test_the_printed_epsilons_of_pateg(queries: int, lam: float, printed: float) -> None:
    """Table 2, Amazon, at delta = 1/2500; the sound epsilon of the same noise is about half."""
    statement = Config(preset="amazon", queries=queries, lam=lam, delta=1 / 2500).plan(AMAZON).statement
    assert statement.epsilon_as_published == pytest.approx(printed, abs=0.01)
    assert 0.3 * printed < statement.epsilon < 0.65 * printed


@pytest.fixture(scope="module")
def graph() -> Graph:
    return toy_graph(nodes=600, signal=2.0)


def run(graph: Graph, folder: Path | None = None, seed: int = 0, **given: object) -> tuple[list[Event], Context]:
    context = Context(seed=seed, folder=folder, noise_key=KEY)
    config = Config(
        **{"private": 0.3, "public_train": 0.6, "public_test": 0.1, "teachers": 5, "epochs": 30, "hidden": 16, **given}
    )  # type: ignore[arg-type]
    return list(train_one(train, config, graph, context)), context


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_noise_has_the_scale_and_shape_that_is_accounted(noise: str, graph: Graph, tmp_path: Path) -> None:
    lam = 0.05
    _, context = run(graph, tmp_path, noise=noise, lam=lam, epochs=1)
    answers = Answers.load(tmp_path)
    sample = (answers.after - answers.before).astype(np.float64).ravel()
    (entry,) = context.ledger.entries
    assert entry.event == (Laplace if noise == "laplace" else Gaussian)(noise_multiplier=1 / lam)
    assert entry.noise_std == pytest.approx(answers.noise_std)
    assert entry.count == MOVED_COUNTS * len(answers.queries)

    def accepts(scale: float) -> bool:
        if noise == "laplace":
            total, law = np.abs(sample).sum() / scale, stats.gamma(len(sample))
            shape = stats.kstest(sample / scale, "laplace").pvalue
        else:
            total, law = np.square(sample / scale).sum(), stats.chi2(len(sample))
            shape = stats.kstest(sample / scale, "norm").pvalue
        return bool(law.ppf(LEVEL / 2) < total < law.ppf(1 - LEVEL / 2) and shape > LEVEL)

    assert accepts(1 / lam)
    assert not accepts(2 / 3 / lam)
    assert not accepts(3 / 2 / lam)
    assert abs(float(np.corrcoef((answers.after - answers.before).T)[0, 1])) < 5 / math.sqrt(len(answers.queries))


@pytest.mark.parametrize("teacher", ["mlp", "gnn"])
def test_little_noise_teaches_and_much_noise_does_not(teacher: str, graph: Graph) -> None:
    def result(**given: object) -> dict[str, float]:
        events, _ = run(graph, teacher=teacher, **given)
        return dict(events[-1].metrics)

    clear, drowned = result(lam=20.0), result(epsilon=0.1)
    assert clear["label_accuracy"] > 0.75
    assert clear["test_accuracy"] > 0.75
    assert clear["majority_accuracy"] > clear["teacher_accuracy"], "a crowd is wiser than its members"
    assert abs(drowned["label_accuracy"] - 1 / 3) < 0.12, "noise of that size leaves nothing but chance"
    assert drowned["teacher_accuracy"] == clear["teacher_accuracy"]


def test_the_data_dependent_epsilon_is_for_study_alone(graph: Graph, tmp_path: Path) -> None:
    given = {"lam": 1.0, "queries": 40, "teachers": 20, "epochs": 5}
    events, _ = run(graph, tmp_path, analysis="dependent", **given)
    found = Answers.load(tmp_path)
    epsilon = events[-1].metrics["epsilon_data_dependent"]
    delta = 1e-3
    assert epsilon == pytest.approx(pate_dependent(found.before.tolist(), noise=1.0, delta=delta))
    (metric,) = [event for event in events if isinstance(event, Metric) and event.name == "epsilon_data_dependent"]
    assert metric.evaluator
    plain, _ = run(graph, **given)
    assert "epsilon_data_dependent" not in plain[-1].metrics


def test_public_labels_steer_nothing_and_noise_is_fresh(graph: Graph, tmp_path: Path) -> None:
    def released(folder: str, of: Graph, seed: int = 0) -> np.ndarray:
        (tmp_path / folder).mkdir()
        run(of, tmp_path / folder, seed, lam=0.2, queries=60)
        return Answers.load(tmp_path / folder).released

    first = released("a", graph)
    parts = split_parts(graph, Config(private=0.3, public_train=0.6, public_test=0.1))
    y = graph.y.clone()
    y[parts.public_nodes] = (y[parts.public_nodes] + 1) % 3
    assert (released("b", dataclasses.replace(graph, y=y, _cache={})) == first).all()
    assert (released("c", graph, seed=1) != first).any()
