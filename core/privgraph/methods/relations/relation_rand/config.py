"""Options, noise and guarantee of fine-tuning on randomised relations. No torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import (
    SHAVE,
    Response,
    asymmetric,
    pair_count,
    refuse_if_too_many,
    symmetric,
)
from privgraph.methods.base import EPSILON, Fixed, MethodConfig, Price, Work, refusal
from privgraph.methods.relations.options import (
    ASSUME_TEXTS_PUBLIC,
    PUBLIC_RELATIONS,
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
            "symmetric lies equally often about every pair, as in the paper; asymmetric keeps the number of relations",
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

    def probabilities(self, facts: PublicFacts) -> Response:
        """The two chances of answering 1. Raises `OptionError` where a domain has fewer than two texts."""
        pairs = self.pairs(facts)
        if pairs == 0:
            raise OptionError("randomised response on relations needs a domain of at least 2 texts (got fewer)")
        if self.response == "symmetric":
            return symmetric(self.epsilon)
        return asymmetric(self.epsilon, min(max(self.trained_relations(facts), 1), pairs) / pairs)

    def true_share(self, facts: PublicFacts) -> float:
        """Which share of the relations that are learnt from will be true ones, as is to be expected."""
        response, true = self.probabilities(facts), self.trained_relations(facts)
        return response.one_to_one * true / response.expected_edges(self.pairs(facts), true)

    def pairs(self, facts: PublicFacts) -> int:
        """N (N - 1) / 2: unordered pairs of the domain's N texts."""
        return pair_count(facts.entities[self.domain_pair(facts)[0]], undirected=True)

    def refuses(self, facts: PublicFacts) -> str | None:
        def checked() -> None:
            self.check_data(facts)
            # By what is public: a refusal that read the true number of relations would tell it.
            refuse_if_too_many(self.pairs(facts) * self.probabilities(facts).zero_to_one, self.most_relations)

        if self.accounting == "published" and self.response == "asymmetric":
            return "accounting must be sound: the paper has a formula for the symmetric response alone"
        return refusal(checked)

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return 0.0, "0: the guarantee is pure, and an asked delta is not needed"

    def calibration(self, facts: PublicFacts) -> Fixed:
        """Of the share of the true relations that is denied, which follows from epsilon."""
        return Fixed(1 - self.probabilities(facts).one_to_one)

    def denying(self, facts: PublicFacts, share: float) -> Response:
        """The response that denies that share of the true relations. Raises `OptionError` where none does."""
        own = self.probabilities(facts)
        if share == 1 - own.one_to_one:
            return own
        density = max(self.trained_relations(facts), 1) / self.pairs(facts)
        most = 0.5 if self.response == "symmetric" else 1 - density
        if not 2 * SHAVE < share < most:
            raise OptionError(f"noise: between none and {most:.4g} of the relations can be denied (got {share:.4g})")
        odds = (1 - share) / (share - SHAVE)  # before the response is moved towards privacy by that share
        if self.response == "symmetric":
            return symmetric(math.log(odds))
        return asymmetric(math.log(odds * (1 - density) / density), density)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        response = self.denying(facts, scale)
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
            public=(PUBLIC_RELATIONS, "texts and their domains"),
            delta=delta,
            delta_rule=rule,
            ledger=ledger,
            published=published,
            accountant_as_published="exact, pure: one answer a pair" if published is not None else "",
            assumptions=(ASSUME_TEXTS_PUBLIC, self.base_public, statements.ASSUME_ONE_RUN),
            gaps=(statements.GAP_TUNING,),
        )
        return replace(made, accountant="exact, pure: one answer a pair")

    def work(self, facts: PublicFacts, scale: float) -> Work:
        response, true = self.probabilities(facts), self.trained_relations(facts)
        expected = response.expected_edges(self.pairs(facts), true)
        return Work(
            steps=self.steps,
            step="steps",
            memory_mb=self.memory_mb(facts) + expected * 16 / 1e6,
            noise={"one_to_one": response.one_to_one, "zero_to_one": response.zero_to_one},
            notes=(
                f"about {self.true_share(facts):.1%} of the {expected:,.0f} relations that are learnt "
                "from will be true ones",
            ),
        )

    @property
    def price(self) -> Price:
        return Price(
            options=("response", "trained_on"),
            noise="share of the true relations that are denied",
            fixed="Every pair answers once: there is nothing to split.",
            highest=0.5 if self.response == "symmetric" else 1.0,
            filled_in=lambda ledger: {"learning_rate": self.step_size},
        )
