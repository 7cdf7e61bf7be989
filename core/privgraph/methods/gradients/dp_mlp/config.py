"""Options and plan of the DP-MLP. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import EPOCH_BY_PRIVATE_LABELS, chosen_epoch_entry, gradient_entry
from privgraph.methods.base import EPSILON, Calibrated, Lever, Price, Work
from privgraph.methods.baselines.mlp.config import MlpOptions
from privgraph.methods.kept import Kept
from privgraph.methods.levers import BATCH, EPOCHS, GRADIENT_NOISE
from privgraph.options import Option
from privgraph.papers.progap import repository_accountant
from privgraph.privacy import statements
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import PrivacyEvent
from privgraph.privacy.kinds import Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement


@dataclass(frozen=True, kw_only=True)
class Config(MlpOptions):
    """A perceptron on features alone, trained with private gradients."""

    unit: Annotated[
        str, Option("what one guarantee protects: a node's features and label", choices=("node",), group="Privacy")
    ] = "node"
    epsilon: Annotated[float, EPSILON] = 8.0
    epochs: Annotated[int, Option("expected passes over the training nodes", low=1, high=1000, group="Training")] = 40
    batch_size: Annotated[
        int, Option("expected number of training nodes in a step", unit="nodes", low=1, high=10**6, group="Training")
    ] = 1024
    clip: Annotated[
        float,
        Option("largest norm of one node's gradient", low=1e-6, high=100, group="Training", advanced=True),
    ] = 1.0
    selection: Annotated[
        str,
        Option(
            "which epoch's weights to release: the last, or the best on validation labels, which are "
            "private: then nothing is guaranteed",
            choices=("last", "validation"),
            group="Training",
            advanced=True,
        ),
    ] = "last"

    @property
    def keeps(self) -> Kept:
        return Kept.VALIDATED if self.selection == "validation" else Kept.LAST

    def stack_key(self) -> tuple[object, ...]:
        return ("dp-mlp", self.layers, self.hidden, self.epochs, self.batch_size, self.selection)

    def rate(self, train_nodes: int) -> float:
        """The probability with which each training node is drawn in a step."""
        return min(1.0, self.batch_size / train_nodes)

    def steps(self, train_nodes: int) -> int:
        """Steps of the whole run: `epochs` expected passes."""
        return self.epochs * train_nodes // min(self.batch_size, train_nodes)

    def entry(self, facts: PublicFacts, noise_multiplier: float, count: int) -> LedgerEntry:
        """`count` steps; the sensitivity is proved in `mechanisms.gradients.PrivateGradients`."""
        return gradient_entry(self.clip, noise_multiplier, self.rate(facts.train_nodes), "training", count)

    def unpaid(self) -> tuple[LedgerEntry, ...]:
        """What reads private nodes without noise: the choice of the epoch, where it is made by their
        labels."""
        return (chosen_epoch_entry("training"),) if self.selection == "validation" else ()

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        chosen = self.selection == "validation"
        return statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_ROSTER,
            relation=statements.RELATION_ROSTER,
            release=Release.MODEL,
            released="the weights, and predictions for nodes that bring their own features; edges are never read",
            public=(statements.PUBLIC_SIZES, statements.PUBLIC_ROSTER),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=repository_accountant(),
            assumptions=(
                statements.ASSUME_POISSON,
                statements.ASSUME_GRADIENTS,
                "a node's own prediction is shown to that node alone: it is computed from its own features",
                *(() if chosen else (statements.ASSUME_LAST_EPOCH,)),
                statements.ASSUME_ONE_RUN,
            ),
            gaps=(*((statements.GAP_EPOCH_SELECTION,) if chosen else ()), statements.GAP_TUNING),
        )

    def refuses(self, facts: PublicFacts) -> str | None:
        if facts.train_nodes < 1:
            return "dp-mlp needs at least one labelled training node (got 0)"
        return None

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return delta_rule(facts.nodes, self.delta)

    def calibration(self, facts: PublicFacts) -> Calibrated:
        """Of the noise multiplier: noise over clip."""
        count = self.steps(facts.train_nodes)

        def steps(scale: float) -> PrivacyEvent:
            return Ledger([self.entry(facts, scale, count)]).event()

        if self.accounting == "published":
            return Calibrated(steps, repository_accountant())
        return Calibrated(steps)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (self.entry(facts, scale, self.steps(facts.train_nodes)), *self.unpaid())

    @property
    def price(self) -> Price:
        return Price(
            options=("epochs", "batch_size", "selection"),
            noise=GRADIENT_NOISE,
            levers=(Lever(**EPOCHS, value=self.epochs), Lever(**BATCH, value=self.batch_size)),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        return Work(
            noise={"gradient": scale * self.clip, "gradient_multiplier": scale},
            steps=self.epochs,
            memory_mb=self.memory_of(facts, facts.nodes),
            notes=tuple(f"nothing is guaranteed: {EPOCH_BY_PRIVATE_LABELS}" for _ in self.unpaid()),
        )
