"""Options, accounting and plan of a prompt tuned with private gradients. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import gradient_entry
from privgraph.methods.base import EPSILON, NODE, Calibrated, Lever, MethodConfig, Price, Work, refusal
from privgraph.methods.levers import BATCH, EPOCHS, GRADIENT_NOISE
from privgraph.methods.prompts.options import OWN_PUBLIC, PromptOptions
from privgraph.methods.prompts.prompt.config import entry_bytes, memory_mb
from privgraph.options import Option
from privgraph.papers.progap import repository_accountant
from privgraph.privacy import statements
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import NonPrivate, PrivacyEvent
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

ONE_EXAMPLE = (
    "a private node is read in its own ego-graph alone: no other example, and no prediction for a "
    "public node, reads its features or edges"
)
NOT_BY_LABEL = "the nodes that are tuned on were drawn by their numbers, without looking at labels"
SVD_OF_EVERYBODY = (
    "the decomposition of the features was computed on private nodes too, without noise: one node's "
    "leaving changes every example, and the pre-trained network"
)


@dataclass(frozen=True, kw_only=True)
class Config(PromptOptions, MethodConfig):
    """One prompt and its head on a frozen network, tuned with private gradients on a few private nodes."""

    unit: Annotated[str, NODE] = "node"
    epsilon: Annotated[float, EPSILON] = 8.0
    shots: Annotated[
        int,
        Option(
            "private nodes that are tuned on, for each class that there is; drawn at random, since choosing "
            "some of each class would read private labels. 0 takes all private nodes",
            low=0,
            high=10**4,
            zero="all",
        ),
    ] = 5
    batch_size: Annotated[
        int, Option("expected number of nodes in a step", unit="nodes", low=1, high=10**6, group="Prompt")
    ] = 256
    clip: Annotated[
        float,
        Option("largest norm of one node's gradient", low=1e-6, high=100, group="Prompt", advanced=True),
    ] = 1.0

    def stack_key(self) -> tuple[object, ...]:
        return ("prompt-dpsgd", self.shots, self.batch_size, *self.prepared_key(), *self.prompt_key())

    def slots(self, facts: PublicFacts) -> int:
        """How many private nodes are tuned on. Raises `OptionError` where the parts do not fit."""
        private = self.sizes(facts.nodes).private
        return min(self.shots * facts.classes, private) if self.shots else private

    def rate(self, facts: PublicFacts) -> float:
        """The probability with which each of them is drawn in a step."""
        return min(1.0, self.batch_size / self.slots(facts))

    def steps(self, facts: PublicFacts) -> int:
        """Steps of the whole run: `epochs` expected passes."""
        slots = self.slots(facts)
        return self.epochs * slots // min(self.batch_size, slots)

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return delta_rule(self.sizes(facts.nodes).private, self.delta, what="private nodes")

    def refuses(self, facts: PublicFacts) -> str | None:
        return refusal(lambda: self.sizes(facts.nodes))

    def calibration(self, facts: PublicFacts) -> Calibrated:
        """Of the noise multiplier: noise over clip."""
        count = self.steps(facts)

        def steps(scale: float) -> PrivacyEvent:
            return Ledger([self.entry(facts, scale, count)]).event()

        return Calibrated(steps, repository_accountant() if self.accounting == "published" else None)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (*self.unpaid(), self.entry(facts, scale, self.steps(facts)))

    @property
    def price(self) -> Price:
        shots = Lever(
            option="shots",
            axis="shots (private nodes tuned on, for each class)",
            about="Among more nodes, each is drawn less often.",
            value=self.shots,
        )
        return Price(
            options=("shots", "epochs", "batch_size", "svd", "private"),
            noise=GRADIENT_NOISE,
            levers=(Lever(**EPOCHS, value=self.epochs), Lever(**BATCH, value=self.batch_size), shots),
        )

    def entry(self, facts: PublicFacts, noise_multiplier: float, count: int) -> LedgerEntry:
        """`count` steps; the sensitivity is proved in `mechanisms.gradients.PrivateGradients`."""
        return gradient_entry(self.clip, noise_multiplier, self.rate(facts), "training", count)

    def unpaid(self) -> tuple[LedgerEntry, ...]:
        """What reads private nodes without noise: their features, where they shape the decomposition."""
        if self.svd == "public":
            return ()
        event = NonPrivate(reason=SVD_OF_EVERYBODY)
        return (
            LedgerEntry(
                kind=MechanismKind.UNPROTECTED,
                mechanism="decomposition of everybody's features",
                stage="features",
                event=event,
            ),
        )

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        pretraining = "the public part" if self.pretrain_on == OWN_PUBLIC else self.pretrain_on
        return statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_ROSTER,
            relation=statements.RELATION_ROSTER,
            release=Release.PROMPT,
            released="the prompt and its head, and predictions for public nodes, which read no private node",
            public=(
                "the public nodes: their features, and the edges among them",
                f"the pre-trained network, which {pretraining} alone has shaped",
                "who is on the roster of private nodes, and in which order they are drawn",
                "the number of nodes and of classes",
            ),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=repository_accountant(),
            assumptions=(
                ONE_EXAMPLE,
                NOT_BY_LABEL,
                statements.ASSUME_POISSON,
                statements.ASSUME_GRADIENTS,
                statements.ASSUME_LAST_EPOCH,
                statements.ASSUME_ONE_RUN,
            ),
            gaps=(statements.GAP_TUNING,),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        slots = self.slots(facts)
        expected = self.rate(facts) * slots
        notes = [
            f"{slots:,} nodes; the sum of a step's {expected:.0f} clipped gradients has norm at most "
            f"{expected * self.clip:.3g}, and its noise a standard deviation of {scale * self.clip:.3g} in "
            "every coordinate"
        ]
        if self.unpaid():
            notes.append(f"nothing is guaranteed: {SVD_OF_EVERYBODY}")
        return Work(
            noise={"gradient": scale * self.clip, "gradient_multiplier": scale},
            steps=self.pretrain_epochs + self.epochs,
            step="epochs of pre-training and tuning",
            memory_mb=memory_mb(self, facts, min(slots, self.batch_size)),
            entry_bytes=entry_bytes(self),
            notes=tuple(notes),
        )
