"""GCON's core, a rival that the workbench does not offer: convex graph learning by objective perturbation.

Wei et al., GCON: Differentially Private Graph Convolutional Network via Objective Perturbation, ICDE 2025.
Edges are protected in the released weights alone: inference reads a node's own edges as they are. The noise
is NumPy's floats, not the lattice's. Settings are chosen by validation labels, which no epsilon pays for.
"""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import gamma

from privgraph.data.graph import Graph
from privgraph.methods.aggregation.label_hist.config import Config
from privgraph.methods.aggregation.label_hist.train import train_on_features
from privgraph.methods.training import Context, planned

Array = NDArray[np.float64]
RESTARTS, STEPS, PENALTIES, AT_INFERENCE = (0.3, 0.6), (1, 2, 4), (0.02, 0.1), (0.0, 0.5)


def accuracy(graph: Graph, epsilon: float, delta: float, seed: int) -> float:
    """Test accuracy of the setting that is best on validation nodes."""
    member = planned(Config(unit="none"), graph, Context(seed=seed, noise_key=b""))
    training = train_on_features([member], [0])
    while True:
        try:
            next(training)
        except StopIteration as ended:
            [(_, unseen)] = ended.value
            break
    train, val, test = (getattr(graph, f"{name}_mask").numpy() for name in ("train", "val", "test"))
    y = graph.y.numpy()
    x = unseen.exp().numpy()
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    source, target = graph.edge_index.numpy()
    sums = sparse.csr_array((np.ones(len(source)), (target, source)), shape=(len(y), len(y)))
    mean = sparse.diags_array(1 / (sums.sum(1) + 1)) @ (sums + sparse.eye_array(len(y)))
    found = [
        (float((said[val] == y[val]).mean()), float((said[test] == y[test]).mean()))
        for said in _settings(mean, x, y, train, graph.num_classes, epsilon, delta, np.random.default_rng(seed))
    ]
    return max(found)[1]


def _settings(
    mean: sparse.csr_array, x: Array, y: NDArray[np.int64], train: NDArray[np.bool_], classes: int, epsilon: float,
    delta: float, rng: np.random.Generator,
) -> Iterator[NDArray[np.int64]]:  # fmt: skip
    """Predicted classes (|V|,), a setting after the other."""
    for restart, steps in product(RESTARTS, STEPS):
        z = x
        for _ in range(steps):
            z = (1 - restart) * (mean @ z) + restart * x
        sensitivity = 2 * (1 - restart) / restart * (1 - (1 - restart) ** steps)
        for penalty in PENALTIES:
            rate = _rate(epsilon, delta, sensitivity, int(train.sum()), x.shape[1], classes, penalty)
            if rate > 0:
                weights = _fitted(z[train], y[train], classes, rate, penalty, rng)
                for own in AT_INFERENCE:
                    yield (((1 - own) * (mean @ x) + own * x) @ weights).argmax(1)


def _rate(epsilon: float, delta: float, sensitivity: float, n: int, d: int, classes: int, penalty: float) -> float:
    """The largest rate of the noise's gamma law that costs at most `epsilon`, and 0 where there is none."""
    tail = float(gamma.ppf(1 - delta / classes, d))
    second, third = 1 / (4 * classes), 1 / (6 * math.sqrt(3) * classes)  # of the logistic loss's derivatives
    fitting = 0.0
    for rate in np.logspace(-3, 3, 2000):
        bound = (tail / rate + n / classes) / (n * penalty)
        jacobian = classes * d * math.log1p((2 * second + third * bound) * sensitivity / (d * n * penalty))
        if rate * sensitivity * (1 + bound / 4) + jacobian <= epsilon:
            fitting = float(rate)
    return fitting


def _fitted(
    z: Array, y: NDArray[np.int64], classes: int, rate: float, penalty: float, rng: np.random.Generator
) -> Array:
    """Weights (d, C) of the perturbed objective: a logistic loss for each class, a ridge, a random slope."""
    n, d = z.shape
    signs = 2 * np.eye(classes)[y] - 1
    direction = rng.standard_normal((d, classes))
    slope = direction / np.linalg.norm(direction, axis=0) * rng.gamma(d, 1 / rate, size=classes)

    def cost(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(d, classes)
        margins = z @ weights * signs
        loss = np.logaddexp(0, -margins).sum() / (classes * n)
        pull = z.T @ (-signs / (1 + np.exp(margins))) / (classes * n) + penalty * weights + slope / n
        return float(loss + penalty / 2 * (weights**2).sum() + (slope * weights).sum() / n), pull.ravel()

    found = minimize(cost, np.zeros(d * classes), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    weights: Array = found.x.reshape(d, classes)
    return weights
