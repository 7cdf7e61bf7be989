"""Options and plan of the DP-MLP. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import EPOCH_BY_PRIVATE_LABELS, chosen_epoch_entry, gradient_entry
from privgraph.methods.mlp.config import MlpOptions
from privgraph.methods.plan import EPSILON, Plan
from privgraph.options import Option, OptionError
from privgraph.privacy import statements
from privgraph.privacy.calibration import CalibrationError, calibrate
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.published.progap import repository_accountant
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
        Option("largest norm of one node's gradient", low=0, low_open=True, high=100, group="Training", advanced=True),
    ] = 1.0
    selection: Annotated[
        str,
        Option(
            "which epoch's weights to release: the last, or the best on validation labels, which are private: then nothing is "
            "guaranteed",
            choices=("last", "validation"),
            group="Training",
            advanced=True,
        ),
    ] = "last"

    def stack_key(self) -> tuple[object, ...]:
        return ("dp-mlp", self.layers, self.hidden, self.epochs, self.batch_size, self.selection)

    def rate(self, train_nodes: int) -> float:
        """The probability with which each training node is drawn in a step."""
        return min(1.0, self.batch_size / train_nodes)

    def steps(self, train_nodes: int) -> int:
        """Steps of the whole run: `epochs` expected passes."""
        return self.epochs * train_nodes // min(self.batch_size, train_nodes)

    def noise_multiplier(self, facts: PublicFacts, delta: float) -> float:
        """The smallest noise over clip that keeps epsilon. Raises `OptionError` where none does."""
        return _noise_multiplier(self, facts, delta)

    def entry(self, facts: PublicFacts, noise_multiplier: float, count: int) -> LedgerEntry:
        """`count` steps; the sensitivity is proved in `mechanisms.gradients.PrivateGradients`."""
        return gradient_entry(self.clip, noise_multiplier, self.rate(facts.train_nodes), "training", count)

    def unpaid(self) -> tuple[LedgerEntry, ...]:
        """What reads private nodes without noise: the choice of the epoch, where it is made by their labels."""
        return (chosen_epoch_entry("training"),) if self.selection == "validation" else ()

    def statement(self, facts: PublicFacts, entries: tuple[LedgerEntry, ...]) -> PrivacyStatement:
        """The guarantee of a run with these ledger entries."""
        delta, rule = delta_rule(facts.nodes, self.delta)
        chosen = self.selection == "validation"
        return statements.make_statement(
            unit="node",
            relation=statements.RELATION_NODE_RECORD,
            released="the weights, and predictions for nodes that bring their own features; edges are never read",
            public=(statements.PUBLIC_SIZES,),
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

    def plan(self, facts: PublicFacts) -> Plan:
        """Noise and guarantee. Raises `OptionError` without training nodes, or where epsilon is out of reach."""
        if facts.train_nodes < 1:
            raise OptionError("dp-mlp needs at least one labelled training node (got 0)")
        delta, _ = delta_rule(facts.nodes, self.delta)
        multiplier = self.noise_multiplier(facts, delta)
        return Plan(
            noise={"gradient": multiplier * self.clip, "gradient_multiplier": multiplier},
            statement=self.statement(
                facts, (self.entry(facts, multiplier, self.steps(facts.train_nodes)), *self.unpaid())
            ),
            steps=self.epochs,
            memory_mb=self.memory_of(facts, facts.nodes),
            notes=tuple(f"nothing is guaranteed: {EPOCH_BY_PRIVATE_LABELS}" for _ in self.unpaid()),
        )


@lru_cache(maxsize=256)
def _noise_multiplier(config: Config, facts: PublicFacts, delta: float) -> float:
    steps = config.steps(facts.train_nodes)
    try:
        return calibrate(
            lambda scale: Ledger([config.entry(facts, scale, steps)]).event(),
            config.epsilon,
            delta,
            repository_accountant() if config.accounting == "published" else None,
        )
    except CalibrationError as error:
        raise OptionError(f"epsilon {config.epsilon:g} is out of reach with these options: {error}") from None
