"""Who is connected: distances against SciPy, pairs against enumeration, attacks on models that are known."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.spatial import distance as scipy_distance
from scipy.stats import chisquare
from tests.attacks.attacked_here import random_graph

from privgraph.attacks import links
from privgraph.attacks.links import Pairs, closeness, distances, draw_pairs, influences
from privgraph.attacks.options import DISTANCES
from privgraph.attacks.outcome import Outcome, outcome
from privgraph.progress import Progress

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


def found(posteriors: np.ndarray, pairs: Pairs, name: str = "correlation", confidence: float = 0.95) -> Outcome:
    return outcome(closeness(posteriors, pairs.nodes, name), pairs.linked, confidence=confidence)


class TestDistances:
    @pytest.mark.parametrize("name", DISTANCES)
    def test_each_is_scipys(self, name: str) -> None:
        pairs = ALL[~(ALL == 2).any(1)] if name == "correlation" else ALL  # of a constant row SciPy has none
        expected = [getattr(scipy_distance, name)(POSTERIORS[a], POSTERIORS[b]) for a, b in pairs]
        assert distances(POSTERIORS, pairs, name) == pytest.approx(expected, abs=1e-12)
        assert distances(POSTERIORS, pairs[:, ::-1], name) == pytest.approx(expected, abs=1e-12)

    def test_a_row_without_preference_is_correlated_with_nothing(self) -> None:
        told = distances(POSTERIORS, np.array([[2, 0], [0, 2], [2, 2], [0, 4]]), "correlation")
        assert told == pytest.approx([1.0, 1.0, 1.0, 0.0])

    def test_chunks_are_laid_end_to_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = distances(POSTERIORS, ALL, "canberra")
        monkeypatch.setattr(links, "CHUNK", 4)
        assert np.array_equal(distances(POSTERIORS, ALL, "canberra"), whole)
        assert distances(POSTERIORS, ALL[:0], "canberra").shape == (0,)


class TestPairs:
    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(links, "FEWEST", 1)

    @staticmethod
    def sets(pairs: Pairs) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
        one, other = pairs.nodes[pairs.linked], pairs.nodes[~pairs.linked]
        return [frozenset(map(int, pair)) for pair in one], [frozenset(map(int, pair)) for pair in other]

    @pytest.mark.long
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

    @pytest.mark.long
    def test_a_model_that_reads_no_edges_tells_nothing_of_them(self) -> None:
        """Over 100 graphs, 95% intervals hold 0.5 about as often as they say."""
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
