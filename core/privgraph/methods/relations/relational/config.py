"""Options, noise and guarantee of PvGaLM. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import gradient_entry
from privgraph.methods.base import (
    EPSILON,
    NO_NOISE,
    Calibrated,
    Fixed,
    GivenNoise,
    Lever,
    MethodConfig,
    Price,
    Work,
    refusal,
)
from privgraph.methods.levers import GRADIENT_NOISE
from privgraph.methods.relations.options import (
    ASSUME_POISSON,
    ASSUME_TEXTS_PUBLIC,
    LEARNING_RATE,
    NOISY_LEARNING_RATE,
    PUBLIC_TEXTS,
    RELATION_PAIR,
    RelationOptions,
)
from privgraph.nn.text.naming import ATTENTION, EVERYTHING, LINEAR
from privgraph.options import Option, OptionError, Scalar, check
from privgraph.privacy import statements
from privgraph.privacy.accountants import tight
from privgraph.privacy.delta import edge_delta_rule
from privgraph.privacy.kinds import Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

GAP_BOTH_DIRECTIONS = Gap(
    title="A relation that stands in both directions",
    claim="each entry of the list of relations is one training example, and one of them is what is protected",
    fails="a relation that is listed as (u, v) and as (v, u) is two examples, and both come and go with it",
    holds="here each unordered pair is one example, however often it is listed",
    size="a claimed epsilon of 3.29 is 4.55 where every relation is listed twice (computed at Table 11's noise, with "
    "batch size and steps inferred)",
    evidence="suspected",
    source="PvGaLM, section 4 and Table 11",
)
GAP_CHECKPOINT = Gap(
    title="Choosing the checkpoint",
    claim="the best checkpoint on validation relations is released at no cost",
    fails="where validation relations are as private as the others, the choice reads them without noise",
    holds="here the last step is released, and nothing is chosen",
    size="about as much as listing every relation twice",
    evidence="suspected",
    source="PvGaLM, Appendix D",
)

PUBLIC_COUNT = "the number of relations that are learnt from, by which rate and delta are chosen as published"
ADAPTER = "the adapter (LoRA weights: adapter_model and adapter_config)"
RELEASED = {ATTENTION: ADAPTER, LINEAR: ADAPTER, EVERYTHING: "all weights of the encoder"}
"""What a run releases, by what is trained."""


@dataclass(frozen=True, kw_only=True)
class Config(RelationOptions, MethodConfig):
    """An encoder of texts, fine-tuned on relations with private gradients of tuples."""

    stacks: ClassVar[bool] = False  # adapters are trained one after another

    unit: Annotated[
        str,
        Option(
            "what one guarantee protects: a single relation between two texts, or nothing",
            choices=("none", "edge"),
            group="Privacy",
        ),
    ] = "edge"
    epsilon: Annotated[float, EPSILON] = 4.0
    delta: Annotated[
        float,
        Option(
            "chance that the guarantee may fail; 0 chooses a power of ten below one over the number of texts to the "
            "power 1.5, and, with accounting published, the paper's one over the number of relations",
            low=0,
            least=1e-50,
            high=0.1,
            group="Privacy",
            advanced=True,
            zero="auto",
        ),
    ] = 0.0
    noise_multiplier: Annotated[
        float,
        Option(
            "standard deviation of the noise over the clip; 0 calibrates it to epsilon",
            low=0,
            least=1e-3,
            high=1e6,
            group="Privacy",
            advanced=True,
            zero="auto",
        ),
    ] = 0.0
    clip: Annotated[
        float,
        Option("largest norm C of one tuple's gradient", low=1e-6, high=1000, scale="log", group="Training"),
    ] = 1.0

    def __post_init__(self) -> None:
        check(self)

    def stack_key(self) -> tuple[object, ...]:
        return (
            "relational",
            self.unit,
            self.clip,
            self.step_size,
            self.weight_decay,
            *self.tuning_key(),
        )

    @property
    def step_size(self) -> float:
        return self.learning_rate or (LEARNING_RATE if self.unit == "none" else NOISY_LEARNING_RATE)

    def refuses(self, facts: PublicFacts) -> str | None:
        if self.unit == "edge" and self.pairing == "in-batch":
            return (
                "pairing in-batch is for training without privacy: each relation then stands in the loss of every "
                "other one of its batch, so that no clipping of tuples bounds what one relation changes"
            )

        def checked() -> None:
            self.check_data(facts)
            if self.published and self.trained_relations(facts) < 1:
                raise OptionError("accounting published counts relations, and the domain has none")

        return refusal(checked)

    @property
    def published(self) -> bool:
        """Whether rate and delta follow the number of relations, which is private, as the paper has it."""
        return self.unit == "edge" and self.accounting == "published"

    def rate(self, facts: PublicFacts) -> float:
        """b over the number of texts, at most 1: the probability with which each relation is drawn in a step.

        As published it is b / |E|.
        """
        count = self.trained_relations(facts) if self.published else self.trained_texts(facts)
        return min(1.0, self.batch_size / count)

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        if self.unit == "none":
            return 0.0, "none: nothing is protected"
        if self.published and not self.delta:
            count = self.trained_relations(facts)
            return min(0.1, 1 / count), f"one over {count:,} relations, as published (section 4)"
        return edge_delta_rule(self.trained_texts(facts), self.delta, what="texts")

    def entry(self, facts: PublicFacts, noise_multiplier: float, count: int) -> LedgerEntry:
        """`count` noisy sums of clipped gradients of tuples; the sensitivity is proved in `tuples`."""
        return gradient_entry(self.clip, noise_multiplier, self.rate(facts), "training", count)

    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """Of the noise multiplier: noise over clip."""
        if self.unit == "none":
            return NO_NOISE
        if self.noise_multiplier > 0:
            return Fixed(self.noise_multiplier)
        return Calibrated(lambda scale: Ledger([self.entry(facts, scale, self.steps)]).event())

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (self.entry(facts, scale if self.unit == "edge" else 0.0, self.steps),)

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        protected = self.unit == "edge"
        return statements.make_statement(
            unit=self.unit,
            neighbours=Neighbours.UNDIRECTED_EDGE if protected else Neighbours.NONE,
            relation=RELATION_PAIR if protected else statements.RELATION_NONE,
            release=Release.WEIGHTS,
            released=f"{RELEASED[self.adapted]} after the last step, and with it the vector of any text",
            public=(*PUBLIC_TEXTS, *([PUBLIC_COUNT] if self.published else [])),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=tight() if protected else None,
            accountant_as_published="privacy loss distribution; the paper's PRV accountant agrees to 0.01",
            assumptions=(
                ASSUME_TEXTS_PUBLIC,
                self.base_public,
                ASSUME_POISSON,
                statements.ASSUME_GRADIENTS,
                statements.ASSUME_ONE_RUN,
            )
            if protected
            else (),
            gaps=(GAP_BOTH_DIRECTIONS, GAP_CHECKPOINT, statements.GAP_TUNING) if protected else (),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        notes, noise = [], {}
        if self.unit == "edge":
            notes = [f"each relation is read {self.rate(facts) * self.steps:.2g} times on average"]
            noise = {"gradient": scale * self.clip, "gradient_multiplier": scale}
        return Work(steps=self.steps, step="steps", memory_mb=self.memory_mb(facts), noise=noise, notes=tuple(notes))

    @property
    def price(self) -> Price:
        return Price(
            options=("steps", "batch_size", "noise_multiplier", "trained_on"),
            noise=GRADIENT_NOISE,
            given=GivenNoise(option="noise_multiplier", symbol="σ", value=self.noise_multiplier),
            levers=(
                Lever(
                    option="steps", axis="steps", about="More steps read each relation more often.", value=self.steps
                ),
                Lever(
                    option="batch_size",
                    axis="batch size b",
                    about="A larger batch draws each relation more often.",
                    value=self.batch_size,
                ),
            ),
            filled_in=lambda ledger: {"learning_rate": self.step_size, **_noise_multiplier(ledger)},
        )


def _noise_multiplier(ledger: Sequence[LedgerEntry]) -> dict[str, Scalar]:
    """What the noise came to, from the entry of the gradients."""
    found = [one.noise_std / one.sensitivity for one in ledger if one.noise_std and one.sensitivity]
    return {"noise_multiplier": found[0]} if found else {}
