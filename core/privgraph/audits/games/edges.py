"""Randomised response, played by `mechanisms.randomised_response`."""

import math
from dataclasses import dataclass

import numpy as np

from privgraph.audits.games.base import Array, Dice
from privgraph.mechanisms.randomised_response import CountedResponse, Response, randomise

PAIRS = 60
"""Trials that share a graph: pairs of nodes, each with a trial of its own, that answer independently."""


@dataclass(frozen=True, kw_only=True)
class ResponseGame:
    """The answer of one pair of nodes, joined or not; the answers of all other pairs have nothing to do with
    it."""

    response: Response
    undirected: bool

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        noise = dice.secret("noise")
        first = np.arange(0, 2 * PAIRS, 2)
        pairs = np.stack([first, first + 1])
        joined = np.concatenate([pairs, pairs[::-1]], 1) if self.undirected else pairs
        edges = joined if present else joined[:, :0]
        p, r = self.response.one_to_one, self.response.zero_to_one
        ratios = np.array([math.log1p(-p) - math.log1p(-r), math.log(p / r)])
        scores = np.zeros((trials, 3))
        for start in range(0, trials, PAIRS):
            own = scores[start : start + PAIRS]
            before = None
            for _ in range(count):
                reported = randomise(
                    edges, 2 * PAIRS, self.response, noise, undirected=self.undirected, most_edges=10**7
                )
                dense = np.zeros((2 * PAIRS, 2 * PAIRS), dtype=np.int64)
                dense[reported[0], reported[1]] = 1
                answers = dense[pairs[0], pairs[1]][: len(own)]
                own[:, :2] += ratios[answers][:, None]
                if before is not None:
                    own[:, 2] += answers != before
                before = answers
        return scores


@dataclass(frozen=True, kw_only=True)
class CountedResponseGame:
    """The response with a noisy number of edges: the whole randomisation of a small path, whose last edge
    comes or goes."""

    response: CountedResponse
    undirected: bool

    def play(self, present: bool, trials: int, count: int, dice: Dice) -> Array:
        nodes = 6
        path = np.stack([np.arange(nodes - 1), np.arange(1, nodes)])[:, : nodes - (1 if present else 2)]
        edges = np.concatenate([path, path[::-1]], 1) if self.undirected else path
        noise, counted = dice.secret("noise"), dice.secret("count")
        scores = np.zeros((trials, 3))
        for trial in range(trials):
            for _ in range(count):
                source, target = self.response.randomise(
                    edges, nodes, noise, counted, undirected=self.undirected, most_edges=10**7
                )
                scores[trial] += bool(((source == nodes - 2) & (target == nodes - 1)).any())
        return scores
