"""Options, noise and guarantee of fine-tuning on randomised relations. No torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import (
    CountedResponse,
    pair_count,
    refuse_if_too_many,
    symmetric,
)
from privgraph.methods.base import EPSILON, Fixed, MethodConfig, Price, Work, refusal
from privgraph.methods.relations.options import (
    ASSUME_TEXTS_PUBLIC,
    PUBLIC_TEXTS,
    RELATION_PAIR,
    RelationOptions,
)
from privgraph.options import Option, OptionError, check
from privgraph.privacy import statements
from privgraph.privacy.accountants import tight
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement


@dataclass(frozen=True, kw_only=True)
class Config(RelationOptions, MethodConfig):
    """Randomised response on every pair of texts of a domain, then fine-tuning on the pairs that answer 1."""

    stacks: ClassVar[bool] = False  # adapters are trained one after another

    unit: Annotated[
        str, Option("what one guarantee protects: a single relation", choices=("edge",), group="Privacy")
    ] = "edge"
    epsilon: Annotated[float, EPSILON] = 10.0
    response: Annotated[
        str,
        Option(
            "symmetric lies equally often about every pair, as in the paper; asymmetric keeps the number of relations, "
            "and pays for a noisy one from epsilon",
            choices=("symmetric", "asymmetric"),
            group="Privacy",
        ),
    ] = "symmetric"
    most_relations: Annotated[
        int,
        Option(
            "refuse to make more relations than this",
            unit="relations",
            low=1,
            high=10**9,
            group="Privacy",
            advanced=True,
        ),
    ] = 5_000_000

    def __post_init__(self) -> None:
        check(self)

    def stack_key(self) -> tuple[object, ...]:
        return ("relation-rand", self.response, self.step_size, self.weight_decay, *self.tuning_key())

    @property
    def counted(self) -> CountedResponse | None:
        """The asymmetric response, which pays for a noisy number of relations; None for the symmetric one."""
        return CountedResponse(epsilon=self.epsilon) if self.response == "asymmetric" else None

    @property
    def response_epsilon(self) -> float:
        """What the answers of the pairs may cost."""
        return self.counted.response_epsilon if self.counted else self.epsilon

    def pairs(self, facts: PublicFacts) -> int:
        """N (N - 1) / 2: unordered pairs of the domain's N texts."""
        return pair_count(self.trained_texts(facts), undirected=True)

    def refuses(self, facts: PublicFacts) -> str | None:
        def checked() -> None:
            self.check_data(facts)
            if not self.pairs(facts):
                raise OptionError("randomised response on relations needs a domain of at least 2 texts (got fewer)")
            if not self.counted:
                # By what is public: a refusal that read the true number of relations would tell it.
                refuse_if_too_many(self.pairs(facts) * symmetric(self.epsilon).zero_to_one, self.most_relations)

        if self.accounting == "published" and self.response == "asymmetric":
            return "accounting must be sound: the paper has a formula for the symmetric response alone"
        return refusal(checked)

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return 0.0, "0: the guarantee is pure, and an asked delta is not needed"

    def calibration(self, facts: PublicFacts) -> Fixed:
        """Of the odds of an answer 1 from a pair that is not related, against one that is: e^-epsilon."""
        return Fixed(math.exp(-self.response_epsilon))

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        own = self
        if scale != math.exp(-self.response_epsilon):
            if not 0 < scale < 1:
                raise OptionError(f"noise: odds lie between 0 and 1 (got {scale:g})")
            own = replace(self, epsilon=CountedResponse.total(-math.log(scale)) if self.counted else -math.log(scale))
        if own.counted:
            return own.counted.entries("relations")
        response = symmetric(own.epsilon)
        return (
            LedgerEntry(
                kind=MechanismKind.RANDOMISED_RESPONSE,
                mechanism="randomised response",
                stage="relations",
                event=response.event(),
                note=f"each pair of texts once: a relation is kept with probability {response.one_to_one:.4g}, "
                f"an absent one invented with probability {response.zero_to_one:.4g}",
            ),
        )

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        ledger = Ledger(entries)
        published = tight().epsilon(ledger.event(), 0.0) if self.response == "symmetric" else None
        made = statements.make_statement(
            unit="edge",
            neighbours=Neighbours.UNDIRECTED_EDGE,
            relation=RELATION_PAIR,
            release=Release.GRAPH,
            released="the randomised relations, and with them the adapter (adapter_model and adapter_config) and the "
            "vector of any text: everything after the randomisation is post-processing",
            public=PUBLIC_TEXTS,
            delta=delta,
            delta_rule=rule,
            ledger=ledger,
            published=published,
            accountant_as_published="exact, pure: one answer a pair" if published is not None else "",
            assumptions=(ASSUME_TEXTS_PUBLIC, self.base_public, statements.ASSUME_ONE_RUN),
            gaps=(statements.GAP_TUNING,),
        )
        return replace(made, accountant="exact, pure: the sum of what each mechanism can lose at most")

    def work(self, facts: PublicFacts, scale: float) -> Work:
        noise, memory = {"odds": scale}, self.memory_mb(facts)
        if self.counted:
            noise["relation_count_std"] = 2**0.5 * self.counted.count_scale
        else:
            response = symmetric(self.epsilon)
            noise |= {"one_to_one": response.one_to_one, "zero_to_one": response.zero_to_one}
            memory += self.pairs(facts) * response.zero_to_one * 16 / 2**20
        return Work(steps=self.steps, step="steps", memory_mb=memory, entry_bytes=16, noise=noise)

    @property
    def price(self) -> Price:
        return Price(
            options=("response", "trained_on"),
            noise="odds of an invented relation against a true one",
            highest=1.0,
            filled_in=lambda ledger: {"learning_rate": self.step_size},
        )
