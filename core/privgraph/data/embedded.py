"""Graphs that need no network: an invented social network, two similarity graphs, and the karate club."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from privgraph.data.parts import Parts
from privgraph.options import Option, OptionError, check
from privgraph.streams import stream

NEIGHBOURS = 5


@dataclass(frozen=True, kw_only=True)
class SocialOptions:
    """A contextual stochastic block model."""

    nodes: Annotated[int, Option("how many people there are", low=20, high=1_000_000, scale="log", group="Data")] = 2000
    classes: Annotated[int, Option("how many groups they belong to", low=2, high=50, group="Data")] = 4
    degree: Annotated[float, Option("how many friends a person has on average", low=0, high=500, group="Data")] = 20.0
    homophily: Annotated[
        float,
        Option(
            "share of friendships inside one's own group; 1 over the number of groups means chance",
            low=0,
            high=1,
            group="Data",
        ),
    ] = 0.8
    signal: Annotated[
        float,
        Option(
            "how much a person's own features tell about the group: distance of group centres in standard deviations",
            low=0,
            high=10,
            group="Data",
        ),
    ] = 1.5
    features: Annotated[
        int, Option("how many features a person has", low=1, high=2000, group="Data", advanced=True)
    ] = 32
    seed: Annotated[int, Option("which network is drawn", low=0, high=2**31 - 1, group="Data", advanced=True)] = 0

    def __post_init__(self) -> None:
        check(self)
        if self.nodes < 5 * self.classes:
            raise OptionError(f"nodes must be at least 5 times classes (got {self.nodes} and {self.classes})")
        if self.degree > self.nodes / (2 * self.classes):
            raise OptionError(
                f"degree must be at most nodes over twice the classes, {self.nodes / (2 * self.classes):g} "
                f"(got {self.degree:g})"
            )


def social(options: SocialOptions) -> Parts:
    """A contextual stochastic block model (Deshpande et al., NeurIPS 2018), of any number of classes.

    Classes are of equal size, up to one. There are |V| degree / 2 friendships, without repetition; each lies
    inside a class with chance `homophily`, and is otherwise drawn evenly. Features are normal with unit
    variance around class centres, of which any two lie `signal` apart (where F < C there is no room for that:
    the centres then have random directions).
    """
    rng = stream(options.seed, "data/social")
    nodes, classes = options.nodes, options.classes
    y = rng.permutation(np.arange(nodes, dtype=np.int64) % classes)
    directions = rng.standard_normal((options.features, classes))
    if options.features >= classes:
        directions, _ = np.linalg.qr(directions)
    else:
        directions /= np.linalg.norm(directions, axis=0)
    centres = directions.T * (options.signal / math.sqrt(2))
    x = rng.standard_normal((nodes, options.features)) + centres[y]
    pairs = round(nodes * options.degree / 2)
    inside = int(rng.binomial(pairs, options.homophily)) if pairs else 0
    edges = np.concatenate([_pairs(rng, y, inside, same=True), _pairs(rng, y, pairs - inside, same=False)])
    return Parts(
        x=x.astype(np.float32),
        y=y,
        edges=edges.T,
        class_names=[f"group {label + 1}" for label in range(classes)],
        feature_names=[f"hint {column + 1}" for column in range(options.features)],
    )


def _pairs(rng: np.random.Generator, y: NDArray[np.int64], wanted: int, *, same: bool) -> NDArray[np.int64]:
    """(wanted, 2) distinct unordered pairs of nodes of the same class, or of different classes, uniformly."""
    nodes, order = y.size, np.argsort(y, kind="stable")
    starts = np.searchsorted(y[order], np.arange(y.max() + 2))
    pair_codes = np.empty(0, dtype=np.int64)
    while pair_codes.size < wanted:
        draw = 2 * (wanted - pair_codes.size) + 16
        left = rng.integers(nodes, size=draw)
        if same:
            low, high = starts[y[left]], starts[y[left] + 1]
            right = order[low + (rng.random(draw) * (high - low)).astype(np.int64)]
        else:
            right = rng.integers(nodes, size=draw)
        good = (left != right) & ((y[left] == y[right]) == same)
        low, high = np.minimum(left, right)[good], np.maximum(left, right)[good]
        keys = np.concatenate([pair_codes, low * nodes + high])
        # Keep the order of drawing, so that cutting the surplus favours no pair.
        _, first = np.unique(keys, return_index=True)
        pair_codes = keys[np.sort(first)][:wanted]
    return np.stack([pair_codes // nodes, pair_codes % nodes], axis=1)


def similarity_edges(x: NDArray[np.float64], neighbours: int = NEIGHBOURS) -> NDArray[np.int64]:
    """(2, |V| neighbours): each row of x (|V|, F) with its nearest other rows, by Euclidean distance.

    Deterministic: ties go to the lower row.
    """
    squared = (x**2).sum(1)
    distance = squared[:, None] + squared[None, :] - 2 * (x @ x.T)
    np.fill_diagonal(distance, np.inf)
    # Rounding makes equal distances depend on the order of summation; nine digits are the same everywhere.
    nearest = np.argsort(np.round(distance, 9), axis=1, kind="stable")[:, :neighbours]
    return np.stack([nearest.ravel(), np.repeat(np.arange(x.shape[0]), neighbours)]).astype(np.int64)


def digits() -> Parts:
    """1,797 images of 8 x 8 grey values, each joined to its 5 nearest."""
    from sklearn.datasets import load_digits

    return _measured(load_digits())


def patients() -> Parts:
    """569 tumours with 30 measurements of their cells, each joined to its 5 nearest."""
    from sklearn.datasets import load_breast_cancer

    return _measured(load_breast_cancer())


def _measured(table: Any) -> Parts:
    """A table of scikit-learn as a similarity graph; scaled by all rows, which is public preprocessing."""
    from sklearn.preprocessing import scale

    x = scale(table.data)
    return Parts(
        x=x.astype(np.float32),
        y=table.target,
        edges=similarity_edges(x),
        class_names=table.target_names,
        feature_names=table.feature_names,
    )


def karate() -> Parts:
    """34 members, 78 friendships, two sides; the features are one-hot identities, as nothing else is
    known."""
    import networkx

    club = networkx.karate_club_graph()
    sides = ("Mr. Hi", "Officer")
    return Parts(
        x=np.eye(club.number_of_nodes(), dtype=np.float32),
        y=np.array([sides.index(club.nodes[node]["club"]) for node in sorted(club)]),
        edges=np.array(club.edges()).T,
        class_names=sides,
        feature_names=[f"member {node + 1}" for node in sorted(club)],
    )
