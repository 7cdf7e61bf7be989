"""Options and guarantee of Label-Hist. No torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import gradient_entry
from privgraph.mechanisms.histogram_entries import histogram_entry
from privgraph.methods.base import NO_NOISE, Calibrated, Fixed, Lever, MethodConfig, Price, Work
from privgraph.methods.kept import Kept
from privgraph.methods.levers import BATCH, EPOCHS
from privgraph.methods.teachers.privgnn.options import MOST_NODES
from privgraph.options import Option, check
from privgraph.privacy import statements
from privgraph.privacy.delta import delta_rule, edge_delta_rule
from privgraph.privacy.events import Gaussian
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

TABLE, GRADIENTS, NONE = "class-table", "gradients", "none"

RELATION_NODE = (
    "one training node opts out: the roster and who trains stay as they were drawn, and the node's features, label "
    "and all its edges are removed"
)


@dataclass(frozen=True, kw_only=True)
class Config(MethodConfig):
    """How many neighbours of each class a node has, through noise and once; everything after is computed from
    that."""

    features: Annotated[
        str,
        Option(
            "what features tell where training nodes are protected: a noisy table of what each class looks like, a "
            "perceptron trained with private gradients, or nothing; where edges are protected, a perceptron reads "
            "them without noise",
            choices=(TABLE, GRADIENTS, NONE),
            group="Node level",
        ),
    ] = TABLE
    share: Annotated[
        float,
        Option(
            "share of the budget that the histograms take, the rest goes to the features (node-level privacy only)",
            low=0.01,
            high=0.99,
            group="Node level",
        ),
    ] = 0.5
    smoothing: Annotated[
        int,
        Option(
            "rounds in which scores are averaged over edges among nodes that do not train: it costs no epsilon, and "
            "reads these edges without noise (node-level privacy only)",
            unit="rounds",
            low=0,
            high=10,
            zero="none",
            group="Node level",
        ),
    ] = 2
    dimensions: Annotated[
        int,
        Option(
            "numbers that describe a node in the table of classes, learnt from nodes that do not train",
            low=1,
            high=256,
            group="Node level",
            advanced=True,
        ),
    ] = 24
    batch_size: Annotated[
        int,
        Option("expected training nodes in a batch (private gradients only)", unit="nodes", low=1, high=10**6,
               group="Node level", advanced=True),
    ] = 1024  # fmt: skip
    clip: Annotated[
        float,
        Option("largest norm of one node's gradient (private gradients only)", low=1e-6, high=100, group="Node level",
               advanced=True),
    ] = 1.0  # fmt: skip
    hidden: Annotated[int, Option("width of the perceptron's hidden layer", unit="units", low=4, high=512)] = 64
    dropout: Annotated[
        float, Option("share of hidden values dropped in training (edge-level privacy only)", low=0, high=0.95,
                      group="Training")
    ] = 0.5  # fmt: skip
    learning_rate: Annotated[float, Option("step size of Adam", low=1e-5, high=1, scale="log", group="Training")] = 0.01
    weight_decay: Annotated[
        float, Option("L2 penalty on the perceptron's weights", low=0, high=1, group="Training", advanced=True)
    ] = 5e-4
    epochs: Annotated[int, Option("passes over the training nodes", low=1, high=5000, group="Training")] = 60
    folds: Annotated[
        int,
        Option(
            "parts of the training nodes; a perceptron that has not seen a part tells what it says of it, so that the "
            "reader learns what features are worth (edge-level privacy only)",
            low=2,
            high=20,
            group="Training",
            advanced=True,
        ),
    ] = 3

    def __post_init__(self) -> None:
        check(self)

    @property
    def trains(self) -> bool:
        """Whether a perceptron is trained."""
        return self.unit != "node" or self.features == GRADIENTS

    @property
    def width(self) -> int:
        """Numbers of a node in a pass of a member's perceptrons."""
        return self.hidden * (1 if self.unit == "node" else 1 + self.folds)

    @property
    def keeps(self) -> Kept:
        return Kept.LAST if self.unit == "node" else Kept.VALIDATED

    def stack_key(self) -> tuple[object, ...]:
        network = (self.hidden, self.weight_decay, self.epochs)
        if self.unit != "node":
            return ("label-hist", "edge", *network, self.dropout, self.folds)
        return ("label-hist", "node", *network, self.features, self.smoothing, self.dimensions, self.batch_size)

    def refuses(self, facts: PublicFacts) -> str | None:
        if self.accounting == "published":
            return "accounting must be sound: no paper has a formula for label-hist"
        if facts.train_nodes < 2 * self.folds and self.unit != "node":
            return (
                f"label-hist needs two labelled training nodes for each of {self.folds} folds (got {facts.train_nodes})"
            )
        if self.unit == "node" and not 1 <= facts.train_nodes < min(facts.nodes, MOST_NODES):
            return (
                f"node-level privacy needs between 1 and {MOST_NODES:,} labelled training nodes, and nodes that do "
                f"not train (got {facts.train_nodes:,} of {facts.nodes:,})"
            )
        return None

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        if self.unit == "none":
            return 0.0, "nothing is protected"
        return (delta_rule if self.unit == "node" else edge_delta_rule)(facts.nodes, self.delta)

    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """Of the scale s: that of one Gaussian of sensitivity 1 which costs about what all together cost."""
        if self.unit == "none":
            return NO_NOISE
        return Calibrated(lambda scale: Ledger(self.entries(facts, scale)).event())

    # Gaussians whose squared inverse multipliers add up to s^-2 are together one of multiplier s; T steps of
    # rate q and multiplier m are about one of m / (q sqrt T). What they cost is composed exactly.

    def histogram_std(self, scale: float) -> float:
        """Standard deviation of the noise on each number of a histogram."""
        alone = self.unit != "node" or self.features == NONE
        return scale if alone else scale / math.sqrt(self.share)

    def table_std(self, scale: float) -> float:
        """Standard deviation of the noise on each number of the table of classes."""
        return scale / math.sqrt(1 - self.share)

    def rate(self, facts: PublicFacts) -> float:
        """The probability with which a training node is drawn in a step."""
        return min(1.0, self.batch_size / facts.train_nodes)

    def gradient_steps(self, facts: PublicFacts) -> int:
        """Steps of the private gradients: `epochs` expected passes."""
        return self.epochs * facts.train_nodes // min(self.batch_size, facts.train_nodes)

    def gradient_multiplier(self, facts: PublicFacts, scale: float) -> float:
        """Noise over clip of a private gradient."""
        return scale * self.rate(facts) * math.sqrt(self.gradient_steps(facts) / (1 - self.share))

    def gradient_entry(self, facts: PublicFacts, scale: float, count: int) -> LedgerEntry:
        """`count` steps; the sensitivity is proved in `mechanisms.gradients.PrivateGradients`."""
        return gradient_entry(self.clip, self.gradient_multiplier(facts, scale), self.rate(facts), "perceptron", count)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        ledger = []
        if self.unit == "node" and self.features == GRADIENTS:
            ledger.append(self.gradient_entry(facts, scale, self.gradient_steps(facts)))
        if self.unit == "node" and self.features == TABLE:
            ledger.append(table_entry(self.table_std(scale)))
        return (*ledger, histogram_entry(self.unit, self.histogram_std(scale)))

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        stated = partial(
            statements.make_statement,
            unit=self.unit,
            release=Release.AGGREGATES,
            delta=delta,
            delta_rule=rule,
            ledger=entries,
        )
        if self.unit == "none":
            return stated(
                neighbours=Neighbours.NONE,
                relation=statements.RELATION_NONE,
                released="histograms and predictions, computed without any noise",
                public=(),
            )
        if self.unit == "edge":
            undirected = facts.undirected
            return stated(
                neighbours=Neighbours.UNDIRECTED_EDGE if undirected else Neighbours.DIRECTED_EDGE,
                relation=statements.RELATION_EDGE_UNDIRECTED if undirected else statements.RELATION_EDGE_DIRECTED,
                released="the noisy class histograms and the predictions of all nodes",
                public=(statements.PUBLIC_SIZES, "features, labels and the split"),
                assumptions=(statements.ASSUME_EDGE_PUBLIC, statements.ASSUME_ONE_RUN),
                gaps=(statements.GAP_TUNING,),
            )
        private = (statements.ASSUME_POISSON, statements.ASSUME_GRADIENTS) if self.features == GRADIENTS else ()
        table = "the noisy table of classes, and " * (self.features == TABLE)
        released = (
            f"{table}the noisy class histograms, and predictions, of nodes that do not train; a training node's own"
        )
        return stated(
            neighbours=Neighbours.FROZEN_DEGREES,
            relation=RELATION_NODE,
            released=f"{released} prediction is a part of its record, and is not covered when others see it",
            public=(
                statements.PUBLIC_SIZES,
                statements.WHO_TRAINS,
                "features of nodes that do not train, and the edges among them: the reader uses both",
            ),
            assumptions=(*private, statements.ASSUME_ONE_RUN),
            gaps=(statements.GAP_TUNING,),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        noise = {}
        if self.unit != "none":
            noise["histogram_std"] = self.histogram_std(scale)
        if self.unit == "node" and self.features == TABLE:
            noise["table_std"] = self.table_std(scale)
        if self.unit == "node" and self.features == GRADIENTS:
            noise["gradient_multiplier"] = self.gradient_multiplier(facts, scale)
        width = 2 * facts.features + 14 * self.width + 30 * facts.classes
        return Work(
            steps=self.epochs if self.trains else 1,
            memory_mb=350 + 4 * facts.nodes * width / 2**20,
            # smoothing gathers a row of doubles for each edge among nodes that do not train
            entry_bytes=16 + (16 * facts.classes * (1 - facts.train_nodes / facts.nodes) ** 2) * (self.unit == "node"),
            step="epochs of the perceptron" if self.trains else "releases",
            noise=noise,
        )

    @property
    def price(self) -> Price:
        if self.unit != "node":
            return Price(
                noise="noise (standard deviation on each number of a histogram)" if self.unit == "edge" else ""
            )
        trained = (Lever(**EPOCHS, value=self.epochs), Lever(**BATCH, value=self.batch_size))
        return Price(
            options=("features", "share", *(("epochs", "batch_size") if self.features == GRADIENTS else ())),
            noise="noise scale s (histograms: s over the root of their share, where features are read)",
            levers=tuple(replace(one, held=self._held) for one in trained) if self.features == GRADIENTS else (),
        )

    def _held(self, changed: MethodConfig, facts: PublicFacts, scale: float) -> PrivacyStatement:
        """Another number of passes, or another batch, at the same noise."""
        assert isinstance(changed, Config)
        multiplier = self.gradient_multiplier(facts, scale)
        steps = changed.gradient_steps(facts)
        entries = (
            gradient_entry(self.clip, multiplier, changed.rate(facts), "perceptron", steps),
            histogram_entry(self.unit, self.histogram_std(scale)),
        )
        return changed.statement(facts, scale, entries)


def table_entry(std: float) -> LedgerEntry:
    """The table of classes; its sensitivity, 1, is proved in `methods.teachers.privgnn.table`."""
    return LedgerEntry(
        kind=MechanismKind.CLASS_SUMS,
        mechanism="noisy table of class sums",
        stage="table",
        event=Gaussian(noise_multiplier=std),
        noise_std=std,
        sensitivity=1.0,
        note="each training node adds a vector of length at most 1 to the column of its class",
    )
