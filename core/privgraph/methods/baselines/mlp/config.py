"""Options and plan of the MLP that ignores edges. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import NO_NOISE, Fixed, MethodConfig, Price, Work
from privgraph.methods.kept import Kept
from privgraph.options import Option, check
from privgraph.privacy import statements
from privgraph.privacy.delta import edge_delta_rule
from privgraph.privacy.events import NonPrivate, Nothing
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

EDGES_UNREAD = "edges are never read: two graphs that differ in edges alone give the same result"


@dataclass(frozen=True, kw_only=True)
class MlpOptions(MethodConfig):
    """The network's options, shared by the MLP and the DP-MLP."""

    layers: Annotated[int, Option("dense layers, the last one included", low=1, high=6)] = 3
    hidden: Annotated[int, Option("width of each hidden layer", unit="units", low=4, high=512, scale="log")] = 64
    learning_rate: Annotated[float, Option("step size of Adam", low=1e-5, high=1, scale="log", group="Training")] = 0.01

    def __post_init__(self) -> None:
        check(self)

    def memory_of(self, facts: PublicFacts, examples: int) -> float:
        """A rough upper estimate in megabytes, with `examples` rows in a pass."""
        return 300 + 4 * (2 * facts.nodes * facts.features + 12 * examples * self.hidden * self.layers) / 2**20


@dataclass(frozen=True, kw_only=True)
class Config(MlpOptions):
    """A perceptron on features alone."""

    unit: Annotated[
        str,
        Option("what one guarantee protects: a single edge, or nothing", choices=("none", "edge"), group="Privacy"),
    ] = "edge"
    dropout: Annotated[
        float, Option("share of the hidden values that are dropped in training", low=0, high=0.95, group="Training")
    ] = 0.5
    weight_decay: Annotated[
        float, Option("L2 penalty on the weights", low=0, high=1, group="Training", advanced=True)
    ] = 5e-4
    epochs: Annotated[int, Option("passes over the training nodes", low=1, high=5000, group="Training")] = 200

    @property
    def keeps(self) -> Kept:
        return Kept.VALIDATED

    def stack_key(self) -> tuple[object, ...]:
        return ("mlp", self.layers, self.hidden, self.dropout, self.weight_decay, self.epochs)

    def entry(self) -> LedgerEntry:
        """The one ledger entry of a run."""
        if self.unit == "edge":
            return LedgerEntry(
                kind=MechanismKind.NOTHING, mechanism="none", stage="training", event=Nothing(), note=EDGES_UNREAD
            )
        return LedgerEntry(
            kind=MechanismKind.UNPROTECTED,
            mechanism="training without protection",
            stage="training",
            event=NonPrivate(reason="weights and predictions are computed from features and labels without noise"),
        )

    def refuses(self, facts: PublicFacts) -> str | None:
        return None

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        if self.unit == "none":
            return 0.0, "not applicable: nothing is protected"
        return edge_delta_rule(facts.nodes, self.delta)

    def calibration(self, facts: PublicFacts) -> Fixed:
        """None: there is nothing to hide from a method that never looks."""
        return NO_NOISE

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (self.entry(),)

    @property
    def price(self) -> Price:
        return Price()

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        """Perfect for edges, nothing for nodes."""
        delta, rule = self.delta_and_rule(facts)
        if self.unit == "none":
            return statements.make_statement(
                unit="none",
                neighbours=Neighbours.NONE,
                relation=statements.RELATION_NONE,
                release=Release.MODEL,
                released="weights and predictions, computed from features and labels without any noise",
                public=("everything that is released may reveal features and labels",),
                delta=delta,
                delta_rule=rule,
                ledger=entries,
                assumptions=("features and labels are not protected; edges are never read",),
            )
        directed = statements.RELATION_EDGE_DIRECTED
        return statements.make_statement(
            unit="edge",
            neighbours=Neighbours.UNDIRECTED_EDGE if facts.undirected else Neighbours.DIRECTED_EDGE,
            relation=statements.RELATION_EDGE_UNDIRECTED if facts.undirected else directed,
            release=Release.MODEL,
            released="weights and predictions, computed from features and labels without any noise",
            public=("|V|", "features and labels of all nodes", "which nodes train, validate and test"),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=0.0,
            accountant_as_published="edges are not used (ProGAP, section 5.2)",
            assumptions=(EDGES_UNREAD, statements.ASSUME_EDGE_PUBLIC),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        return Work(
            steps=self.epochs,
            memory_mb=self.memory_of(facts, facts.nodes),
            notes=("edges cost nothing, whatever epsilon is asked for; features and labels are not protected",),
        )
