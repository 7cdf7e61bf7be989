"""The shadow model attack of PrivGNN's Appendix C: who trained, told by a classifier of posteriors.

Olatunji, Nejdl and Khosla (Membership inference attack on graph neural networks, TPS-ISA 2021), as PrivGNN
applies it (Olatunji et al., TMLR 2023, Appendix C, Figure 4). What the attacker has: a part of the graph that
the target never saw (features, labels and edges, of the same kind as the target's), the architecture of the
target, its width and its number of epochs, and the target's posteriors for the nodes in question, asked with
the edges that they have in their own part. The attacker has neither weights, nor noise, nor teachers. It
trains a shadow network on nodes of its own, fits a binary classifier to tell the shadow's training nodes
from the shadow's others by their posteriors, and asks that classifier about the target's posteriors.

Two settings. Attack-1 asks who of private and public nodes is private; the attacker does not know how the
target was trained, and trains its shadow on true labels of a private part of its own. Attack-2 asks which
public nodes the student learnt from, among all public ones; the attacker knows that the target is a student,
trained in the presence of all public nodes, and trains its shadow in the same way. Nobody teaches the shadow:
its labels are true ones, where the target's went through noise.

The classifier is that of the attack's published code (rebMIGraph): plain posteriors, hidden layers of 100 and
50 units, Adam with step size 0.01, 100 epochs, batches of 32. That code computes its AUROC from hard
decisions, class against class, in batches; the area here is that of the scores, and `decided` is the one of
hard decisions, over all nodes at once. Needs torch.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from privgraph.attacks.outcome import Outcome, outcome
from privgraph.attacks.signals import Array, Bools
from privgraph.data.graph import Graph
from privgraph.data.splits import subgraph
from privgraph.home import home
from privgraph.methods.baselines.gnn.config import Config as GnnConfig
from privgraph.methods.keys import run_keys
from privgraph.methods.outsider import Outsider
from privgraph.methods.teachers.parts import Parts, split_parts
from privgraph.methods.teachers.privgnn.config import Config as PrivGnnConfig
from privgraph.methods.teachers.privgnn.queries import choose
from privgraph.methods.training import Context, train_one
from privgraph.progress import Progress, Result
from privgraph.registry import method
from privgraph.streams import noise_key, stream, stream_seed

SETTINGS = ("attack-1", "attack-2")
HIDDEN, EPOCHS, BATCH, STEP = (100, 50), 100, 32, 0.01
_SUM = 1e-4
"""How far the sum of a posterior may be from 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackModel:
    """A classifier of posteriors (n, C), fitted by `fit_attack_model`; `ordered`: reads them descending."""

    network: MLPClassifier
    classes: int
    ordered: bool

    def scores(self, posteriors: Array) -> Array:
        """(n,) in [0, 1]: how much posteriors (n, C) look like those of a shadow's training node.

        Raises `ValueError` for another number of classes, or for rows that are no posteriors.
        """
        read = _posteriors(posteriors, "the target's")
        if read.shape[1] != self.classes:
            raise ValueError(f"the attack model was fitted to {self.classes} classes (got {read.shape[1]})")
        found = self.network.predict_proba(_features(read, self.ordered))[:, list(self.network.classes_).index(True)]
        return np.asarray(found, dtype=np.float64)


def fit_attack_model(trained: Array, unseen: Array, *, seed: int, ordered: bool = False) -> AttackModel:
    """Learn to tell a shadow model's training nodes from others by its posteriors.

    Args:
        trained: (n, C) the shadow model's posteriors of nodes that it was trained on.
        unseen: (m, C) those of nodes that it was not trained on. The larger side is cut to the size of the
            smaller one, at random, so that the classifier cannot win by naming the larger one.
        seed: Of the classifier's weights, its batches, and that cut.
        ordered: Read each posterior in descending order: how sure, and not of what. The published code reads
            plain posteriors.

    Raises `ValueError` where a side has fewer than two nodes, where numbers of classes differ, or where rows
    are no posteriors.
    """
    one, other = _posteriors(trained, "the shadow's training nodes'"), _posteriors(unseen, "the shadow's other nodes'")
    if one.shape[1] != other.shape[1]:
        raise ValueError(f"both sides need posteriors of the same classes (got {one.shape[1]} and {other.shape[1]})")
    size = min(len(one), len(other))
    if size < 2:
        raise ValueError(f"an attack model is fitted to two nodes of each side or more (got {len(one)}, {len(other)})")
    random = stream(seed, "attack/shadow/classifier")
    rows = np.concatenate([one[random.permutation(len(one))[:size]], other[random.permutation(len(other))[:size]]])
    network = MLPClassifier(
        HIDDEN,
        learning_rate_init=STEP,
        batch_size=min(BATCH, 2 * size),
        max_iter=EPOCHS,
        n_iter_no_change=EPOCHS + 1,
        alpha=0.0,
        random_state=int(random.integers(2**31)),
    )
    with warnings.catch_warnings():
        # the number of epochs is part of the attack: that it has not converged by then is no fault
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(_features(rows, ordered), np.arange(2 * size) < size)
    return AttackModel(network=network, classes=one.shape[1], ordered=ordered)


def _features(posteriors: Array, ordered: bool) -> Array:
    return np.asarray(-np.sort(-posteriors, axis=1)) if ordered else posteriors


def _posteriors(rows: Array, whose: str) -> Array:
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ValueError(f"{whose} posteriors must have shape (nodes, classes), two classes or more (got {rows.shape})")
    if not (np.isfinite(rows).all() and (rows >= 0).all() and (np.abs(rows.sum(1) - 1) <= _SUM).all()):
        raise ValueError(f"{whose} posteriors must be non-negative rows of sum 1")
    return rows


@dataclass(frozen=True, kw_only=True)
class ShadowOptions:
    """Which of the `SETTINGS`, how many pairs of a shadow and a target (`seeds`), the `share` of the graph's
    nodes that is the attacker's, `ordered` as in `fit_attack_model`, the `confidence` of intervals, and the
    `seed` that all pairs' seeds are made of. Raises `ValueError` for values out of range."""

    setting: str = "attack-1"
    seeds: int = 3
    share: float = 0.5
    ordered: bool = False
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            raise ValueError(f"setting must be one of {', '.join(SETTINGS)} (got {self.setting})")
        if self.seeds < 1:
            raise ValueError(f"seeds must be at least 1 (got {self.seeds})")
        if not 0 < self.share < 1:
            raise ValueError(f"share must lie between 0 and 1 (got {self.share})")
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence must lie between 0 and 1 (got {self.confidence})")


@dataclass(frozen=True, kw_only=True, eq=False)
class ShadowTrial:
    """One shadow and one target: `nodes` (T,) that were judged, as numbers in the whole graph, their `scores`
    (T,) and who were `members` (T,), and what that comes to.

    decided: balanced accuracy of naming those a member whose score is above 1/2, which is the area of hard
    decisions. shadow_accuracy, accuracy: of shadow and target on their own test nodes.
    """

    seed: int
    nodes: NDArray[np.int64]
    scores: Array
    members: Bools
    outcome: Outcome
    decided: float
    shadow_accuracy: float
    accuracy: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ShadowAttack:
    """What the attack came to on a method, one trial a seed."""

    method: str
    setting: str
    trials: tuple[ShadowTrial, ...]

    @property
    def area(self) -> float:
        """The mean area under the ROC curve over trials."""
        return float(np.mean([trial.outcome.area for trial in self.trials]))


def shadow_attack(
    graph: Graph, config: GnnConfig | PrivGnnConfig, options: ShadowOptions, *, device: str = "cpu"
) -> Iterator[Progress | ShadowAttack]:
    """Train shadows and targets on parts of `graph`, tell how far it is, and end with a `ShadowAttack`.

    graph: with all edges; its masks are not read. config: of `privgnn`, or of `gnn` with trained_on private
    (baseline B1); its parts are cut from the target's share of the graph. Two methods with the same parts and
    options are attacked on the same nodes, with the same shadow. Noise is as secret as a run's.

    Raises `ValueError` for another method, for attack-2 on B1 (which nobody labelled), and for attack-2 where
    a gate decides in secret which nodes the student learns from. Raises `OptionError` where the parts do not
    fit into the target's share of the graph.
    """
    _refuse(config, options)
    name = "privgnn" if isinstance(config, PrivGnnConfig) else "gnn"
    trials: list[ShadowTrial] = []
    for index in range(options.seeds):
        seed = stream_seed(options.seed, f"attack/shadow/trial/{index}") % 2**31
        order = torch.from_numpy(stream(seed, "attack/shadow/nodes").permutation(graph.num_nodes))
        count = int(options.share * graph.num_nodes)
        theirs, own = order[count:].sort().values, order[:count].sort().values
        mine, target = (replace(subgraph(graph, nodes), split_seed=seed) for nodes in (own, theirs))
        told: list[_Told] = []
        shadow = _shadow_config(config, target, options.setting)
        for stage, which, setup in (("shadow", mine, shadow), ("target", target, config)):
            done, of = 2 * index + len(told), 2 * options.seeds
            for event in _train(which, setup, seed, f"{stage}/{index}/{options}", device):
                if isinstance(event, _Told):
                    told.append(event)
                else:
                    step = int(1000 * (done + event.step / max(1, event.total)))
                    yield Progress(step=step, total=1000 * of, stage=f"{stage} {index + 1} of {options.seeds}")
        trials.append(_judged(told, mine, shadow, target, config, options, seed, theirs.numpy()))
    yield ShadowAttack(method=name, setting=options.setting, trials=tuple(trials))


def _refuse(config: GnnConfig | PrivGnnConfig, options: ShadowOptions) -> None:
    if isinstance(config, GnnConfig):
        if config.trained_on != "private":
            raise ValueError(f"of gnn, the attack is on trained_on private (got {config.trained_on})")
        if options.setting == "attack-2":
            raise ValueError("attack-2 asks which public nodes were labelled by private ones: it needs privgnn")
    elif not isinstance(config, PrivGnnConfig):
        raise ValueError(f"the attack needs options of privgnn or gnn (got {type(config).__name__})")
    elif options.setting == "attack-2" and config.gate and not _labels_all(config):
        raise ValueError("attack-2 needs to know who was labelled, which a gate decides: take gate 0")


def _labels_all(config: PrivGnnConfig) -> bool:
    """Whether the student learns from all public training nodes, and not from the queries alone."""
    return config.pooling and config.labelled == "all" and not config.trains_teachers


def _shadow_config(config: GnnConfig | PrivGnnConfig, target: Graph, setting: str) -> GnnConfig:
    """The target's network on true labels, on parts of the same shares: private nodes for attack-1, public
    training nodes for attack-2."""
    sizes, nodes = config.sizes(target.num_nodes), target.num_nodes
    return GnnConfig(
        trained_on="private" if setting == "attack-1" else "public",
        private=sizes.private / nodes,
        public_train=(sizes.train + sizes.val) / nodes,
        public_test=sizes.test / nodes,
        hidden=config.hidden,
        dropout=config.dropout,
        learning_rate=config.learning_rate,
        epochs=config.epochs,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Told:
    """What a model says of all nodes of its graph: posteriors (|V|, C), and its accuracy on test nodes."""

    posteriors: Array
    accuracy: float


def _train(
    graph: Graph, config: GnnConfig | PrivGnnConfig, seed: int, text: str, device: str
) -> Iterator[Progress | _Told]:
    on, outsider = torch.device(device), Outsider()
    (key,) = run_keys(noise_key(home()), [f"attack/shadow/{text}/{config}"], [graph], on.type)
    context = Context(seed=seed, noise_key=key.noise, shared_key=key.shared, device=on, outsider=outsider)
    name = "privgnn" if isinstance(config, PrivGnnConfig) else "gnn"
    accuracy = float("nan")
    for event in train_one(method(name).load_train(), config, graph, context):
        if isinstance(event, Progress):
            yield event
        elif isinstance(event, Result):
            accuracy = event.metrics["test_accuracy"]
    logits = outsider.logits["linked"].double().numpy()
    yield _Told(posteriors=np.asarray(softmax(logits, axis=1)), accuracy=accuracy)


def _judged(
    told: list[_Told],
    mine: Graph,
    shadow: GnnConfig,
    target: Graph,
    config: GnnConfig | PrivGnnConfig,
    options: ShadowOptions,
    seed: int,
    numbers: NDArray[np.int64],
) -> ShadowTrial:
    """Fit to what the shadow says of its graph `mine`, and judge what the target says of its own."""
    asked, learnt = targets(split_parts(mine, shadow), shadow, options.setting, seed)
    says = told[0].posteriors[asked]
    model = fit_attack_model(says[learnt], says[~learnt], seed=seed, ordered=options.ordered)
    nodes, members = targets(split_parts(target, config), config, options.setting, seed)
    scores = model.scores(told[1].posteriors[nodes])
    named = scores > 0.5
    return ShadowTrial(
        seed=seed,
        nodes=numbers[nodes],
        scores=scores,
        members=members,
        outcome=outcome(scores, members, confidence=options.confidence),
        decided=float((named[members].mean() + (~named[~members]).mean()) / 2),
        shadow_accuracy=told[0].accuracy,
        accuracy=told[1].accuracy,
    )


def targets(
    parts: Parts, config: GnnConfig | PrivGnnConfig, setting: str, seed: int
) -> tuple[NDArray[np.int64], Bools]:
    """Who is asked about, (T,) numbers in the graph that `parts` were cut from, and who of them are members.

    In attack-1 all nodes of both parts, and the private ones. In attack-2 all public nodes, and those that
    the student of that `seed` learns from. Raises `ValueError` for another setting.
    """
    if setting not in SETTINGS:
        raise ValueError(f"setting must be one of {', '.join(SETTINGS)} (got {setting})")
    private, public = parts.private_nodes.numpy(), parts.public_nodes.numpy()
    if setting == "attack-1":
        return np.concatenate([private, public]), np.arange(len(private) + len(public)) < len(private)
    members: Bools = parts.public.train_mask.numpy().copy()
    if isinstance(config, PrivGnnConfig) and not _labels_all(config):
        count = min(config.queries, int(members.sum()))
        chosen = choose(parts.public, count, config.strategy, seed)
        members = np.isin(np.arange(len(public)), chosen)
    return public, members
