"""Who is connected: distances against SciPy, pairs against enumeration, attacks on models that are known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial import distance as scipy_distance
from scipy.stats import chisquare
from tests.runs.runs_made_here import done

from privgraph.attacks import links, stealing
from privgraph.attacks.links import MEASURES, Pairs, closeness, distances, draw_pairs, influences
from privgraph.attacks.options import DISTANCES, Attacked, AttackOptions
from privgraph.attacks.outcome import Outcome, outcome
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.shadows import ask
from privgraph.data.build import canonical_edges
from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.baselines.gnn.config import Config as GnnConfig
from privgraph.methods.baselines.network import fit, fit_by_layers
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context, planned
from privgraph.options import OptionError, build
from privgraph.progress import Progress
from privgraph.registry import ATTACKS, method
from privgraph.runs import attack, attacking
from privgraph.runs.attacking import EXAMINER
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore

POSTERIORS = np.array(
    [
        [0.7, 0.2, 0.1, 0.0],
        [0.1, 0.6, 0.3, 0.0],
        [0.25, 0.25, 0.25, 0.25],
        [0.0, 0.0, 0.0, 1.0],
        [0.7, 0.2, 0.1, 0.0],
        [0.05, 0.05, 0.45, 0.45],
    ]
)
ALL = np.array(list(combinations(range(6), 2)))
PATH = np.array([[0, 1, 1, 2, 2, 3, 5, 5], [1, 0, 2, 1, 3, 2, 5, 4]])
"""0 - 1 - 2 - 3 both ways, a self-loop of 5, and 5 -> 4 one way."""


def random_graph(nodes: int, edges: int, seed: int) -> np.ndarray:
    """(2, edges) distinct pairs i < j, uniform, independent of anything else."""
    draw = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(nodes), 2)))
    return np.asarray(pairs[draw.permutation(len(pairs))[:edges]].T)


def found(posteriors: np.ndarray, pairs: Pairs, name: str = "correlation", confidence: float = 0.95) -> Outcome:
    return outcome(closeness(posteriors, pairs.nodes, name), pairs.linked, confidence=confidence)


class TestDistances:
    def test_the_options_offer_what_there_is(self) -> None:
        assert tuple(MEASURES) == DISTANCES

    @pytest.mark.parametrize("name", DISTANCES)
    def test_each_is_scipys(self, name: str) -> None:
        pairs = ALL[~(ALL == 2).any(1)] if name == "correlation" else ALL  # of a constant row SciPy has none
        expected = [getattr(scipy_distance, name)(POSTERIORS[a], POSTERIORS[b]) for a, b in pairs]
        assert distances(POSTERIORS, pairs, name) == pytest.approx(expected, abs=1e-12)
        assert distances(POSTERIORS, pairs[:, ::-1], name) == pytest.approx(expected, abs=1e-12)

    def test_each_by_hand(self) -> None:
        """0.7 0.2 0.1 0 beside 0.1 0.6 0.3 0: differences 0.6, -0.4, -0.2, 0."""
        by_hand = {
            "cosine": 1 - 0.22 / math.sqrt(0.54 * 0.46),
            "euclidean": math.sqrt(0.56),
            "correlation": 1 - (0.22 - 0.25) / math.sqrt((0.54 - 0.25) * (0.46 - 0.25)),
            "chebyshev": 0.6,
            "braycurtis": 1.2 / 2,
            "canberra": 0.6 / 0.8 + 0.4 / 0.8 + 0.2 / 0.4,
            "cityblock": 1.2,
            "sqeuclidean": 0.56,
        }
        for name, value in by_hand.items():
            assert distances(POSTERIORS, np.array([[0, 1]]), name)[0] == pytest.approx(value), name

    def test_a_row_without_preference_is_correlated_with_nothing(self) -> None:
        told = distances(POSTERIORS, np.array([[2, 0], [0, 2], [2, 2], [0, 4]]), "correlation")
        assert told == pytest.approx([1.0, 1.0, 1.0, 0.0])

    def test_chunks_are_laid_end_to_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = distances(POSTERIORS, ALL, "canberra")
        monkeypatch.setattr(links, "CHUNK", 4)
        assert np.array_equal(distances(POSTERIORS, ALL, "canberra"), whole)
        assert distances(POSTERIORS, ALL[:0], "canberra").shape == (0,)

    def test_what_is_no_question_is_refused(self) -> None:
        for posteriors, pairs, name, said in (
            (POSTERIORS, ALL, "hamming", "the distance must be one of cosine"),
            (2 * POSTERIORS, ALL, "cosine", "rows of sum 1"),
            (np.log(POSTERIORS + 1e-9), ALL, "cosine", "rows of sum 1"),
            (POSTERIORS[:, :1], ALL, "cosine", "two classes or more"),
            (POSTERIORS, ALL[:, :1], "cosine", "shape"),
            (POSTERIORS, ALL + 1, "cosine", "nodes 0 to 5"),
            (POSTERIORS, ALL - 1, "cosine", "nodes 0 to 5"),
        ):
            with pytest.raises(ValueError, match=said):
                distances(posteriors, pairs, name)


class TestPairs:
    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(links, "FEWEST", 1)

    @staticmethod
    def sets(pairs: Pairs) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
        one, other = pairs.nodes[pairs.linked], pairs.nodes[~pairs.linked]
        return [frozenset(map(int, pair)) for pair in one], [frozenset(map(int, pair)) for pair in other]

    def test_both_sides_are_uniform(self) -> None:
        """Of 6 nodes, 4 pairs are connected and 11 are not; two of each are drawn 6,000 times."""
        connected = {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3), (4, 5))}
        draw, edges, others, turned = np.random.default_rng(0), Counter[Any](), Counter[Any](), Counter[Any]()
        for _ in range(6000):
            pairs = draw_pairs(PATH, 6, 2, draw)
            assert pairs.linked.tolist() == [True, True, False, False]
            one, other = self.sets(pairs)
            assert set(one) <= connected
            assert not set(other) & connected
            assert all(len(pair) == 2 for pair in (*one, *other)), "nobody is paired with itself"
            assert len(set(one)) == len(set(other)) == 2, "no pair comes twice"
            edges.update([frozenset(one)])
            others.update([frozenset(other)])
            turned.update(bool(low < high) for low, high in pairs.nodes)
        assert len(edges) == math.comb(4, 2)
        assert len(others) == math.comb(11, 2)
        assert chisquare(list(edges.values())).pvalue > 1e-3
        assert chisquare(list(others.values())).pvalue > 1e-3
        assert chisquare(list(turned.values())).pvalue > 1e-3

    def test_all_pairs_can_be_drawn(self) -> None:
        one, other = self.sets(draw_pairs(random_graph(12, 33, 0), 12, 10**6, np.random.default_rng(0)))
        assert sorted(map(sorted, (*one, *other))) == [list(pair) for pair in combinations(range(12), 2)]

    def test_what_is_known_to_be_an_edge_is_on_neither_side(self) -> None:
        edges = random_graph(12, 30, 0)
        one, other = self.sets(draw_pairs(edges[:, :6], 12, 100, np.random.default_rng(0), known=edges))
        whole = {frozenset(map(int, pair)) for pair in edges.T}
        assert set(one) == {frozenset(map(int, pair)) for pair in edges[:, :6].T}
        assert len(other) == 6
        assert not set(other) & whole

    def test_pairs_alike_have_the_classes_and_degrees_of_the_edges(self) -> None:
        """On a graph of hubs whose edges lie mostly within classes, uniform pairs have neither."""
        draw = np.random.default_rng(1)
        labels, heavy = np.arange(600) % 3, np.where(np.arange(600) < 60, 12.0, 1.0)
        ends = draw.choice(600, (2, 4000), p=heavy / heavy.sum())
        kept = (ends[0] != ends[1]) & ((labels[ends[0]] == labels[ends[1]]) | (draw.random(4000) < 0.2))
        edges = ends[:, kept]
        degrees = np.bincount(np.concatenate(list(edges)), minlength=600)

        def told(pairs: Pairs) -> tuple[float, float, float, float]:
            same, size = labels[pairs.nodes], degrees[pairs.nodes]
            halves = [pairs.linked, ~pairs.linked]
            shares = [float((same[half, 0] == same[half, 1]).mean()) for half in halves]
            return shares[0], shares[1], float(size[halves[0]].mean()), float(size[halves[1]].mean())

        alike = draw_pairs(edges, 600, 800, draw, labels=labels)
        one, other = self.sets(alike)
        whole = {frozenset(map(int, pair)) for pair in edges.T}
        assert set(one) <= whole
        assert not set(other) & whole
        assert len(set(one)) == len(one) == len(set(other)) == len(other) > 780
        assert all(len(pair) == 2 for pair in other)
        # pair by pair: the first end is the edge's, the second of the class of the edge's second
        matched = alike.nodes.reshape(2, -1, 2)
        assert np.array_equal(matched[0, :, 0], matched[1, :, 0])
        assert np.array_equal(labels[matched[0, :, 1]], labels[matched[1, :, 1]])
        edge_share, other_share, edge_degree, other_degree = told(alike)
        assert other_share == edge_share > 0.6
        assert other_degree == pytest.approx(edge_degree, rel=0.1)
        _, any_share, any_edge_degree, any_degree = told(draw_pairs(edges, 600, 800, draw))
        assert any_share < 0.45
        assert any_degree < 0.6 * any_edge_degree

    def test_the_other_end_is_that_of_an_edge_between_the_same_classes(self) -> None:
        """Edges go from even to odd nodes below 20 alone: neither a pair of one class is drawn, nor a node
        without an edge."""
        pairs = [(a, b) for a, b in combinations(range(20), 2) if (a + b) % 2]
        edges = np.array(pairs[::3]).T
        drawn = draw_pairs(edges, 60, 30, np.random.default_rng(0), labels=np.arange(60) % 2)
        assert len(drawn.nodes) > 50
        assert (drawn.nodes < 20).all()
        assert (drawn.nodes.sum(1) % 2 == 1).all()

    def test_an_edge_that_nothing_is_like_is_left_out_with_its_pair(self) -> None:
        """Nodes 0 and 1 are the only ones of their class, and connected: no other pair is of that kind."""
        edges = np.array([[0, 2, 4, 6], [1, 3, 5, 7]])
        labels = np.array([1, 1, 0, 0, 0, 0, 0, 0])
        pairs = draw_pairs(edges, 8, 4, np.random.default_rng(0), labels=labels)
        one, other = self.sets(pairs)
        assert frozenset((0, 1)) not in one
        assert len(one) == len(other) == 3
        with pytest.raises(ValueError, match="of the same classes as the edges"):
            draw_pairs(edges[:, :1], 8, 4, np.random.default_rng(0), labels=labels)

    def test_codes_are_all_numbers_below_their_count_and_go_back(self) -> None:
        pairs = np.array(list(combinations(range(40), 2)))
        codes = links._code(pairs[:, 0], pairs[:, 1])
        assert sorted(codes.tolist()) == list(range(len(pairs)))
        assert np.array_equal(links._ends(codes), pairs)
        for high in (2**20, 2**28, 2**30):
            far = np.array([[0, high], [high - 1, high], [0, high + 1], [7, high]])
            assert np.array_equal(links._ends(links._code(far[:, 1], far[:, 0])), far)

    def test_too_little_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(links, "FEWEST", 10)
        draw = np.random.default_rng(0)
        with pytest.raises(ValueError, match=r"10 edges and 10 pairs without one \(it got 4 and 11\)"):
            draw_pairs(PATH, 6, 100, draw)
        with pytest.raises(ValueError, match=r"it got 14 and 1\)"):
            draw_pairs(random_graph(6, 14, 0), 6, 100, draw)
        with pytest.raises(ValueError, match="shape"):
            draw_pairs(PATH.T, 6, 100, draw)
        with pytest.raises(ValueError, match="nodes 0 to 4"):
            draw_pairs(PATH, 5, 100, draw)


class TestModelsThatAreKnown:
    @pytest.mark.parametrize("name", DISTANCES)
    @pytest.mark.parametrize("unlinked", ["any", "alike"])
    def test_a_model_that_says_the_same_of_neighbours_is_found_out(self, name: str, unlinked: str) -> None:
        """Nodes come in pairs, and each says what its partner says."""
        draw = np.random.default_rng(2)
        said = draw.dirichlet(np.ones(5), 150).repeat(2, axis=0)
        edges = np.arange(300).reshape(150, 2).T
        labels = np.zeros(300, dtype=np.int64) if unlinked == "alike" else None
        pairs = draw_pairs(edges, 300, 1000, draw, labels=labels)
        assert found(said, pairs, name).area > 0.999
        # planted: edges taken for the others, and distances for closeness
        assert found(said, replace(pairs, linked=~pairs.linked), name).area < 0.001
        assert outcome(distances(said, pairs.nodes, name), pairs.linked).area < 0.001

    def test_a_model_that_reads_no_edges_tells_nothing_of_them(self) -> None:
        """Posteriors of features alone, and edges drawn without looking at them: over 100 graphs, 95%
        intervals hold 0.5 about as often as they say."""
        held = 0
        for seed in range(100):
            draw = np.random.default_rng(seed)
            said = draw.dirichlet(np.ones(4), 300)
            told = found(said, draw_pairs(random_graph(300, 500, seed), 300, 500, draw))
            held += told.area_low <= 0.5 <= told.area_high
        assert 88 <= held <= 99

    def test_influence_finds_exactly_what_a_model_reads(self) -> None:
        """Answers are a softmax of the sum over neighbours: who is no neighbour moves nobody."""
        draw = np.random.default_rng(3)
        edges = random_graph(60, 90, 3)
        adjacency = np.zeros((60, 60))
        adjacency[edges[0], edges[1]] = adjacency[edges[1], edges[0]] = 1
        x, weights = draw.normal(size=(60, 7)), draw.normal(size=(7, 4))

        def answer(features: np.ndarray) -> np.ndarray:
            logits = (adjacency + np.eye(60)) @ features @ weights / 5
            powers = np.exp(logits - logits.max(1, keepdims=True))
            return np.asarray(powers / powers.sum(1, keepdims=True))

        asked: list[int] = []

        def ask(node: int) -> np.ndarray:
            asked.append(node)
            other = x.copy()
            other[node] *= 1 + 1e-4
            return answer(other)

        pairs = draw_pairs(edges, 60, 90, draw)
        *steps, scores = influences(ask, answer(x), pairs.nodes, delta=1e-4)
        assert isinstance(scores, np.ndarray)
        assert sorted(asked) == sorted(set(pairs.nodes[:, 1].tolist())), "one question a node"
        assert [step.step for step in steps if isinstance(step, Progress)] == list(range(len(asked)))
        assert (scores[~pairs.linked] == 0).all()
        assert (scores[pairs.linked] > 0).all()
        assert outcome(scores, pairs.linked).area == 1.0
        # the derivative of softmax(z_u) along x_v W / 5
        u, v = pairs.nodes[0]
        p, along = answer(x)[u], x[v] @ weights / 5
        assert scores[0] == pytest.approx(float(np.linalg.norm(p * (along - p @ along))), rel=1e-3)
        for wrong in (0.0, math.nan):
            with pytest.raises(ValueError, match="other than 0"):
                next(influences(ask, answer(x), pairs.nodes, delta=wrong))


# The attack as a row of the table

SMALL: dict[str, dict[str, Any]] = {
    "gnn": {"epochs": 3, "hidden": 8},
    "mlp": {"epochs": 3, "hidden": 8, "unit": "none"},
    "edge-rand": {"epochs": 2, "hidden": 8, "epsilon": 8.0},
    "gap": {"unit": "edge", "epochs": 2, "hidden": 8, "depth": 1},
}
QUICK = AttackOptions(targets=2, pairs=300)


def graph() -> Graph:
    return load("social", split_seed=3, data_options={"nodes": 120, "degree": 6})


def subject(name: str, held: Callable[[], Graph] = graph, **options: Any) -> Attacked:
    config = build(method(name).load_config(), SMALL[name] | options)
    statement = config.plan(held().facts).statement
    return Attacked(run="a-run", method=name, config=config, statement=statement, graph=held, seed=3, accuracy=0.5)


def attacked(told: Attacked, options: AttackOptions = QUICK) -> AttackRecord:
    *steps, record = ATTACKS["link"].load_entry()(told, options)
    assert all(isinstance(step, Progress) and 0 <= step.step <= step.total for step in steps)
    assert isinstance(record, AttackRecord)
    return record


@pytest.mark.parametrize("name", SMALL)
def test_a_record_of_every_kind_of_method(name: str) -> None:
    record = attacked(subject(name))
    assert AttackRecord.from_json(record.to_json()) == record
    assert (record.attack, record.models, len(record.areas)) == ("link", 2, 2)
    assert record.outcome.members == record.outcome.others == sum(record.scores_members) > 200
    assert record.bound is None
    assert record.steps is None
    assert not record.drawn
    assert record.exposed == ()
    assert any(note.startswith("no bound on epsilon follows") for note in record.notes)
    areas = dict(part.split() for part in record.notes[0].partition(": ")[2].split(", "))
    assert set(areas) == set(DISTANCES)
    assert areas["correlation"] == f"{record.outcome.area:.3f}"
    assert areas["euclidean"] == areas["sqeuclidean"]


def with_edges_of_no_meaning(nodes: int = 150, edges: int = 400, seed: int = 5) -> Callable[[], Graph]:
    """The features and labels of a graph, with edges that look at neither."""

    def made() -> Graph:
        held = load("social", split_seed=3, data_options={"nodes": nodes, "degree": 6})
        drawn = torch.from_numpy(random_graph(nodes, edges, seed))
        both = canonical_edges(torch.cat([drawn, drawn.flip(0)], 1), nodes, undirected=True)
        return replace(held, edge_index=both, _cache={})

    return made


def test_an_mlp_tells_nothing_of_edges_without_meaning_and_a_graph_network_does() -> None:
    held = with_edges_of_no_meaning(edges=100)
    blind = attacked(subject("mlp", held, epochs=20), AttackOptions(targets=1))
    assert blind.outcome.area_low <= 0.5 <= blind.outcome.area_high
    reader = subject("gnn", held, conv="gcn", epochs=20, dropout=0.0, jump=False)
    for options, least in ((AttackOptions(targets=1), 0.75), (AttackOptions(targets=1, by="influence"), 0.98)):
        seen = attacked(reader, options)
        assert seen.outcome.area > least
        assert seen.outcome.area_low > 0.65


def test_the_first_model_is_the_run_where_there_is_no_noise() -> None:
    told = subject("gnn", epochs=10)
    record = attacked(told)
    *_, asked = ask(told, AttackOptions(shadows=14, targets=2))
    assert not isinstance(asked, Progress)
    assert record.accuracy == pytest.approx(asked.accuracies[0])
    outsider = Outsider()
    for _ in method("gnn").load_train()([planned(told.config, graph(), Context(seed=3, outsider=outsider))]):
        pass
    said = stealing._posteriors(outsider.logits["linked"])
    pairs = stealing._pairs(graph(), graph(), 0, QUICK)
    assert record.outcome == outcome(closeness(said, pairs.nodes, "correlation"), pairs.linked)


def test_an_inductive_run_is_asked_about_the_edges_that_it_has() -> None:
    seen: list[Pairs] = []

    def spy(*given: Any, **how: Any) -> Pairs:
        seen.append(draw_pairs(*given, **how))
        return seen[-1]

    told = replace(subject("gnn"), split="inductive")
    whole = {tuple(map(int, pair)) for pair in graph().edge_index.T}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stealing, "draw_pairs", spy)
        record = attacked(told)
    part = graph().train_mask.long() + 2 * graph().val_mask.long()
    (own, _) = seen
    assert len(own.nodes) == 2 * record.outcome.members
    for pair, linked in zip(own.nodes, own.linked, strict=True):
        assert (tuple(map(int, pair)) in whole) == bool(linked)
        if linked:
            assert part[pair[0]] == part[pair[1]]


@pytest.mark.parametrize("device", ["side by side", "layer by layer"])
@pytest.mark.parametrize("conv", ["sage", "gcn", "gat", "gin"])
def test_a_model_that_is_asked_again_answers_for_the_features_it_is_given(conv: str, device: str) -> None:
    """With its own features a node gets the answer that it had; with others, that of a graph with these."""
    train = fit if device == "side by side" else fit_by_layers
    config = build(GnnConfig, {"epochs": 6, "hidden": 8, "conv": conv})
    whole, outsider = graph(), Outsider()
    for _ in train(whole, config, Context(seed=1, outsider=outsider)):
        pass
    assert outsider.changed is not None
    linked = outsider.logits["linked"]
    for node in (0, 57):
        assert torch.allclose(outsider.changed(node, whole.x[node]), linked, atol=1e-5)
        moved = (outsider.changed(node, whole.x[node] + 1) - linked).abs().amax(1) > 1e-4
        near = torch.zeros(120, dtype=torch.bool)
        near[node] = True
        for _ in range(2):
            source, target = whole.edge_index
            near[target[near[source]]] = True
        assert bool(moved[node])
        assert int(moved.sum()) > 2
        assert not bool((moved & ~near).any()), "two layers carry two steps far"
    assert torch.allclose(outsider.changed(0, whole.x[0]), linked, atol=1e-5), "nothing of a question is kept"
    with pytest.raises(ValueError, match="twice"):
        outsider.may_ask(outsider.changed)


def test_what_cannot_be_done_is_refused_in_words() -> None:
    spec = ATTACKS["link"]
    for told, options, said in (
        (subject("gap"), AttackOptions(by="influence"), "which gap does not answer"),
        (subject("gnn"), AttackOptions(query="alone"), "choose query linked"),
        (subject("gnn"), AttackOptions(query="both"), "choose query linked"),
    ):
        assert spec.refuses(told) is None
        assert said in str(spec.unanswered(told, options))
        with pytest.raises(OptionError, match=said):
            attacked(told, options)
    assert spec.unanswered(subject("edge-rand"), AttackOptions(by="influence")) is None
    parted = replace(subject("gnn"), config=build(method("gnn").load_config(), {"trained_on": "private", "epochs": 1}))
    assert "drops the edges between them" in str(spec.refuses(parted))
    silent = replace(subject("mlp"), method="privgnn", config=build(method("privgnn").load_config(), {}))
    assert "does not tell" in str(spec.refuses(silent))
    with pytest.raises(ValueError, match="10 edges"):
        attacked(subject("mlp", with_edges_of_no_meaning(60, 5)))


def test_from_a_stored_run_to_a_stored_attack(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, as a person starts it, on a karate club of 34 people with 78 friendships."""
    monkeypatch.delenv("PRIVGRAPH_STORE", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    store = RunStore.open()
    run = done(store, make_spec("gnn", "karate", {"epochs": 30, "hidden": 8, "conv": "gcn"}))
    with pytest.raises(OptionError, match="choose query linked"):
        attacking.start(store, run, "link", AttackOptions(query="alone"))
    token = attacking.start(store, run, "link", replace(QUICK, by="influence"))
    (child,) = EXAMINER.children
    assert child.wait(timeout=120) == 0
    EXAMINER.children.clear()
    state = attacking.state(store, run, token)
    assert state is not None
    assert (state.error, state.progress, state.name) == ("", 1.0, "link")
    (record,) = store.attacks(run)
    assert attacking.outcome(store, run, token) == record
    assert (record.run, record.attack, record.title, record.models) == (run, "link", "Stolen edges", 2)
    assert record.outcome.members == record.outcome.others == 78
    assert record.outcome.area_low > 0.7, "what such a network reads of an edge shows"
    assert attack.main([run, "--attack", "link", "--targets", "1", "--unlinked", "alike"]) == 0
    assert [one.options.unlinked for one in store.attacks(run)] == ["any", "alike"]
