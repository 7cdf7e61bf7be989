"""What GAP and ProGAP share: options, calibrated noise, ledger and statement. No torch.

Both read edges only through aggregation perturbation, once a hop or stage, and at node level train everything
with private gradients. They differ in what is trained when: `schedule`.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import (
    EPOCH_BY_PRIVATE_LABELS,
    aggregation_entry,
    chosen_epoch_entry,
    gradient_entry,
    replaced_aggregation_entry,
    replaced_aggregation_sensitivity,
    replaced_gradient_entry,
)
from privgraph.methods.base import NO_NOISE, Calibrated, Fixed, Lever, MethodConfig, Price, Work
from privgraph.methods.kept import Kept
from privgraph.methods.levers import BATCH, EPOCHS, Said
from privgraph.options import AUTO, Option, check
from privgraph.papers.progap import repository_accountant
from privgraph.privacy.delta import delta_rule, edge_delta_rule
from privgraph.privacy.events import NonPrivate
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement
from privgraph.privacy.statements import (
    ASSUME_EDGE_PUBLIC,
    ASSUME_FROZEN_SAMPLE,
    ASSUME_GRADIENTS,
    ASSUME_LAST_EPOCH,
    ASSUME_ONE_RUN,
    ASSUME_POISSON,
    GAP_DEGREE_BOUND,
    GAP_EPOCH_SELECTION,
    GAP_TUNING,
    PUBLIC_ROSTER,
    PUBLIC_SIZES,
    RELATION_EDGE_DIRECTED,
    RELATION_EDGE_UNDIRECTED,
    RELATION_NODE_OPT_OUT,
    RELATION_NONE,
    make_statement,
    undirected_edge_gap,
)

TRAIN, AGGREGATE = "train", "aggregate"

RELATION_NODE_REPLACED = (
    "one node's record is replaced by another: its features, its label and its kept edges, of which it "
    "has at most D in and D out before and after; the roster of nodes and all other kept edges stay as "
    "they are"
)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Private gradients of one training stage: Poisson rate, number of steps, expected batch size."""

    rate: float
    steps: int
    expected_batch: float


@dataclass(frozen=True, kw_only=True)
class AggregationConfig(MethodConfig):
    """Options, noise and guarantee of methods that read edges through aggregation perturbation."""

    depth: Annotated[
        int,
        Option(
            "how many times neighbours are summed (K): deeper sees farther, and each time costs privacy",
            low=1,
            high=10,
            label="Depth K",
        ),
    ] = 2
    hidden: Annotated[int, Option("width of hidden layers", low=1, high=1024)] = 16
    dropout: Annotated[float, Option("share of units dropped in training", low=0, high=0.9, advanced=True)] = 0.0
    learning_rate: Annotated[
        float, Option("step size of Adam", low=0, high=1, low_open=True, scale="log", group="Training")
    ] = 0.01
    epochs: Annotated[
        int,
        Option(
            "passes over the training nodes in each stage; 0 is the papers' choice: 10 for node-level "
            "privacy, else 100",
            low=0,
            high=10_000,
            group="Training",
            zero=AUTO,
        ),
    ] = 0
    weight_decay: Annotated[
        float, Option("L2 penalty on the weights", low=0, high=1, group="Training", advanced=True)
    ] = 0.0
    selection: Annotated[
        str,
        Option(
            "which epoch is kept: the last, or the best on the validation nodes; auto is the best where "
            "that is free (edge-level and no privacy) and the last for node-level privacy, whose validation "
            "labels are private: chosen by these, nothing is guaranteed",
            choices=("auto", "last", "validation"),
            group="Training",
            advanced=True,
        ),
    ] = "auto"
    batch_size: Annotated[
        int,
        Option(
            "expected nodes in a batch (node-level privacy only)", unit="nodes", low=1, high=10**7, group="Node level"
        ),
    ] = 256
    clip: Annotated[
        float,
        Option(
            "the most that one node's gradient may weigh, as an L2 norm (node-level privacy only)",
            low=1e-6,
            high=1000,
            group="Node level",
        ),
    ] = 1.0
    max_degree: Annotated[
        int,
        Option(
            "out-edges that a node keeps (node-level privacy only): fewer lose signal, more need noise",
            unit="edges",
            low=1,
            high=100_000,
            label="Maximum degree D",
            group="Node level",
        ),
    ] = 100

    def __post_init__(self) -> None:
        check(self)

    @abstractmethod
    def schedule(self) -> tuple[tuple[str, str], ...]:
        """What happens, in order: (TRAIN or AGGREGATE, name of the stage)."""

    @property
    @abstractmethod
    def covers_own_rows(self) -> bool:
        """Whether a node's own rows are covered, when its record is replaced by another."""

    @abstractmethod
    def released(self) -> str:
        """What is handed out, in words."""

    def released_rows(self) -> str:
        """Whose cached aggregates and predictions the guarantee covers."""
        if self.covers_own_rows:
            return (
                "the cached noisy aggregates of all nodes, and the predictions of all other nodes: a node's "
                "own prediction also reads its own features without noise, and is not covered when others "
                "see it"
            )
        if self.unit == "node":
            return (
                "the cached noisy aggregates and the predictions of all other nodes: a node's own row and "
                "its own prediction are its own record, and are not covered when others see them"
            )
        return "the cached noisy aggregates and the predictions of all nodes"

    @property
    def effective_epochs(self) -> int:
        """Epochs of each stage, the default filled in."""
        return self.epochs or (10 if self.unit == "node" else 100)

    @property
    def width(self) -> int:
        """Numbers of a node in a pass."""
        return self.hidden * (self.depth + 1)

    @property
    def chooses_epoch(self) -> bool:
        """Whether the epoch is chosen by validation accuracy."""
        return self.selection == "validation" or (self.selection == "auto" and self.unit != "node")

    @property
    def keeps(self) -> Kept:
        return Kept.VALIDATED if self.chooses_epoch else Kept.LAST

    def common_key(self) -> tuple[object, ...]:
        """What must be equal for two runs to be trained as one stacked computation."""
        key = (self.depth, self.hidden, self.dropout, self.effective_epochs, self.weight_decay, self.chooses_epoch)
        return (*key, "node", self.batch_size) if self.unit == "node" else (*key, "full batch")

    def sampling(self, facts: PublicFacts) -> Sampling:
        """Rate B/n and floor(epochs n / B) steps a stage, as the papers' code; a larger batch is
        everything."""
        nodes = facts.train_nodes
        expected = min(self.batch_size, nodes)
        return Sampling(
            rate=expected / nodes, steps=self.effective_epochs * nodes // expected, expected_batch=float(expected)
        )

    def entries(
        self, facts: PublicFacts, scale: float, *, aggregation_std: float | None = None
    ) -> tuple[LedgerEntry, ...]:
        """The ledger of a run whose noise has this scale; sums may have an `aggregation_std` of their own."""
        std = self.aggregation_std(scale) if aggregation_std is None else aggregation_std
        ledger = []
        for kind, stage in self.schedule():
            if kind == AGGREGATE:
                if self.covers_own_rows:
                    ledger.append(replaced_aggregation_entry(self.max_degree, std, stage))
                else:
                    ledger.append(aggregation_entry(self.unit, facts.undirected, self.max_degree, std, stage))
            elif self.unit == "node":
                ledger += self.training_entries(facts, scale, stage)
            elif self.unit == "none":
                ledger.append(unprotected_training(stage))
        return tuple(ledger)

    def training_entries(self, facts: PublicFacts, scale: float, stage: str) -> tuple[LedgerEntry, ...]:
        """Private gradients of one training stage at node level, and the choice of its epoch where that is
        not free."""
        plan = self.sampling(facts)
        entry = replaced_gradient_entry if self.covers_own_rows else gradient_entry
        trained = entry(self.clip, scale, plan.rate, stage, plan.steps)
        return (trained, chosen_epoch_entry(stage)) if self.chooses_epoch else (trained,)

    def aggregation_std(self, scale: float) -> float:
        """Standard deviation of the aggregations' noise: the scale s times the sensitivity, but s itself at
        edge level."""
        if self.unit == "none":
            return 0.0
        if self.covers_own_rows:
            return scale * replaced_aggregation_sensitivity(self.max_degree)
        return scale * math.sqrt(self.max_degree) if self.unit == "node" else scale

    def refuses(self, facts: PublicFacts) -> str | None:
        if self.unit == "node" and facts.train_nodes < 1:
            return "node-level privacy needs at least one labelled training node (got 0)"
        return None

    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """Of the scale s: sums have s times their sensitivity, but s itself at edge level, and gradients s
        times the clip."""
        if self.unit == "none":
            return NO_NOISE
        # A choice of the epoch that nothing covers changes no noise: what is calibrated is the training.
        paid = replace(self, selection="last")
        if self.accounting == "published":
            return Calibrated(
                lambda scale: Ledger(paid.entries(facts, scale)).event_as_published(), repository_accountant()
            )
        return Calibrated(lambda scale: Ledger(paid.entries(facts, scale)).event())

    @property
    def price(self) -> Price:
        depth = Lever(
            option="depth",
            axis="depth K (noisy sums over neighbours)",
            about="Every sum over neighbours is one more release.",
            value=self.depth,
        )
        if self.unit == "edge":
            return Price(
                options=("depth",),
                noise="noise (standard deviation on each number of a sum over neighbours)",
                levers=(depth,),
                filled_in=lambda ledger: {"epochs": self.effective_epochs},
            )
        epochs = Said(option="epochs", axis="epochs of each stage", about=EPOCHS["about"])
        return Price(
            options=("depth", "epochs", "batch_size", "max_degree", "selection", *self.node_level_options()),
            noise="noise scale s (sums: s times their sensitivity, √D; gradients: s times the clip)",
            levers=(
                depth,
                Lever(**epochs, value=self.effective_epochs),
                Lever(**BATCH, value=self.batch_size),
                Lever(
                    option="max_degree",
                    axis="maximum degree D",
                    about="The more sums a node may enter, the more it moves them, through noise that stays as it is.",
                    value=self.max_degree,
                    held=self._degree_held,
                ),
            ),
            filled_in=lambda ledger: {"epochs": self.effective_epochs},
        )

    @abstractmethod
    def node_level_options(self) -> tuple[str, ...]:
        """Further options that enter the price at node level."""

    def _degree_held(self, changed: MethodConfig, facts: PublicFacts, scale: float) -> PrivacyStatement:
        """Another degree bound at the same standard deviations: the sums are more sensitive, the gradients
        are not."""
        assert isinstance(changed, AggregationConfig)
        entries = changed.entries(facts, scale, aggregation_std=self.aggregation_std(scale))
        return changed.statement(facts, scale, entries)

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        if self.unit == "node":
            return delta_rule(facts.nodes, self.delta)
        if self.counts_entries:
            return delta_rule(max(1, facts.entries), what="entries of the adjacency matrix, as published")
        return edge_delta_rule(facts.nodes, self.delta)

    @property
    def counts_entries(self) -> bool:
        """Whether delta follows the number of edges, which is private, as the papers have it."""
        return self.unit == "edge" and self.accounting == "published" and not self.delta

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        ledger = Ledger(entries)
        if self.unit == "none":
            return make_statement(
                unit="none",
                neighbours=Neighbours.NONE,
                relation=RELATION_NONE,
                release=Release.AGGREGATES,
                released=self.released(),
                public=(),
                delta=0.0,
                delta_rule="nothing is protected",
                ledger=ledger,
            )
        delta, rule = self.delta_and_rule(facts)
        gaps: list[Gap] = []
        if self.unit == "edge":
            neighbours = Neighbours.UNDIRECTED_EDGE if facts.undirected else Neighbours.DIRECTED_EDGE
            relation = RELATION_EDGE_UNDIRECTED if facts.undirected else RELATION_EDGE_DIRECTED
            assumptions = [ASSUME_EDGE_PUBLIC]
            public = [PUBLIC_SIZES, "features, labels and the split"]
            if self.counts_entries:
                public.append("the number of edges, by which delta is chosen as published")
            if facts.undirected:
                gaps.append(undirected_edge_gap(ledger, delta))
        else:
            relation = RELATION_NODE_REPLACED if self.covers_own_rows else RELATION_NODE_OPT_OUT
            neighbours = Neighbours.REPLACED_RECORD if self.covers_own_rows else Neighbours.FROZEN_SAMPLE
            assumptions = [ASSUME_FROZEN_SAMPLE, ASSUME_POISSON, ASSUME_GRADIENTS]
            public = [PUBLIC_SIZES, PUBLIC_ROSTER]
            gaps.append(GAP_DEGREE_BOUND)
            if self.chooses_epoch:
                gaps.append(GAP_EPOCH_SELECTION)
            else:
                assumptions.append(ASSUME_LAST_EPOCH)
        return make_statement(
            unit=self.unit,
            neighbours=neighbours,
            relation=relation,
            release=Release.AGGREGATES,
            released=self.released(),
            public=public,
            delta=delta,
            delta_rule=rule,
            ledger=ledger,
            published=repository_accountant(),
            assumptions=(*assumptions, ASSUME_ONE_RUN),
            gaps=(*gaps, GAP_TUNING),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        noise = {} if self.unit == "none" else {"aggregation_std": self.aggregation_std(scale)}
        if self.unit == "node":
            noise["gradient_multiplier"] = scale
        notes = []
        if self.unit != "none":
            notes.append(
                "each number of an aggregate gets noise of standard deviation "
                f"{noise['aggregation_std']:.3g}; a node's neighbours add up to at most its degree"
            )
        if self.unit == "node" and self.chooses_epoch:
            notes.append(f"nothing is guaranteed: {EPOCH_BY_PRIVATE_LABELS}")
        return Work(
            noise=noise,
            steps=self.effective_epochs * sum(kind == TRAIN for kind, _ in self.schedule()),
            step="epochs over all stages",
            memory_mb=self.memory_mb(facts),
            entry_bytes=36,
            notes=tuple(notes),
        )

    def memory_mb(self, facts: PublicFacts) -> float:
        """A rough upper estimate of one run's peak, the features included."""
        table = facts.nodes * (2 * facts.features + 14 * self.width + 4 * facts.classes) * 4
        return 350 + table / 2**20


def unprotected_training(stage: str) -> LedgerEntry:
    """The entry of training without protection."""
    return LedgerEntry(
        kind=MechanismKind.UNPROTECTED,
        mechanism="training",
        stage=stage,
        event=NonPrivate(reason="gradients without noise"),
    )
