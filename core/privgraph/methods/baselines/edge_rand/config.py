"""Options and plan of EdgeRand. No torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import (
    CountedResponse,
    Response,
    asymmetric,
    pair_count,
    refuse_if_too_many,
    symmetric,
)
from privgraph.methods.base import Fixed, MethodConfig, Price, Work
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.options import Option, OptionError
from privgraph.privacy import statements
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import NonPrivate, PureDP
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

COUNT_READ = "the probabilities of all answers are set by the exact number of edges, which is private"


@dataclass(frozen=True, kw_only=True)
class Config(GraphNetworkOptions, MethodConfig):
    """Randomised response on edges, then an ordinary graph network on the randomised graph."""

    unit: Annotated[str, Option("what one guarantee protects: a single edge", choices=("edge",), group="Privacy")] = (
        "edge"
    )
    response: Annotated[
        str,
        Option(
            "asymmetric keeps the number of edges; symmetric lies equally often about every pair, and at a "
            "small epsilon makes a graph so dense that only small ones fit",
            choices=("asymmetric", "symmetric"),
            group="Privacy",
        ),
    ] = "asymmetric"
    density: Annotated[
        str,
        Option(
            "how many edges the asymmetric response aims at: a noisy number, paid from epsilon, or the true one, "
            "with which nothing is guaranteed",
            choices=("private", "public"),
            group="Privacy",
            advanced=True,
        ),
    ] = "private"
    most_edges: Annotated[
        int,
        Option("refuse to make more edges than this", unit="edges", low=1, high=10**9, group="Privacy", advanced=True),
    ] = 20_000_000

    def stack_key(self) -> tuple[object, ...]:
        return ("edge-rand", self.response, self.density, *self.network_key())

    @property
    def counted(self) -> CountedResponse | None:
        """The response that pays for its number of edges; None where it needs none, or takes the true one."""
        paid = self.response == "asymmetric" and self.density == "private"
        return CountedResponse(epsilon=self.epsilon) if paid else None

    @property
    def response_epsilon(self) -> float:
        """What the answers of the pairs may cost."""
        return self.counted.response_epsilon if self.counted else self.epsilon

    def uncounted(self, edges: int, pairs: int) -> Response:
        """The response where no number is paid for; `edges` is the true one, read by the asymmetric response
        alone."""
        if self.response == "symmetric":
            return symmetric(self.epsilon)
        return asymmetric(self.epsilon, min(max(edges, 1), pairs) / pairs)

    def refuses(self, facts: PublicFacts) -> str | None:
        pairs = pair_count(facts.nodes, facts.undirected)
        return None if pairs else "edge-rand needs a graph of at least 2 nodes (got 1)"

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return 0.0, "0: the guarantee is pure, and an asked delta is not needed"

    def calibration(self, facts: PublicFacts) -> Fixed:
        """Of the odds of an answer 1 from a pair that is not joined, against one that is: e^-epsilon."""
        return Fixed(math.exp(-self.response_epsilon))

    @property
    def price(self) -> Price:
        return Price(
            options=("response", "density"),
            noise="odds of an invented edge against a true one",
            highest=1.0,
        )

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        own = self if scale == math.exp(-self.response_epsilon) else self._at(scale)
        if own.counted:
            return own.counted.entries("edges")
        answers = LedgerEntry(
            kind=MechanismKind.RANDOMISED_RESPONSE,
            mechanism="randomised response",
            stage="edges",
            event=symmetric(own.epsilon).event() if own.response == "symmetric" else PureDP(epsilon=own.epsilon),
            note="each pair once",
        )
        if own.response == "symmetric":
            return (answers,)
        count = LedgerEntry(
            kind=MechanismKind.UNPROTECTED,
            mechanism="number of edges",
            stage="number of edges",
            event=NonPrivate(reason=COUNT_READ),
        )
        return count, answers

    def _at(self, scale: float) -> Config:
        """The same options with the epsilon that leaves answers with these odds."""
        if not 0 < scale < 1:
            raise OptionError(f"noise: odds lie between 0 and 1 (got {scale:g})")
        return replace(self, epsilon=CountedResponse.total(-math.log(scale)) if self.counted else -math.log(scale))

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        paid = Ledger([entry for entry in entries if entry.kind is not MechanismKind.UNPROTECTED])
        assumptions = [
            "features and labels tell nothing that must be hidden about edges: who can guess friendships "
            "from them still can",
        ]
        statement = statements.make_statement(
            unit="edge",
            neighbours=Neighbours.UNDIRECTED_EDGE if facts.undirected else Neighbours.DIRECTED_EDGE,
            relation=statements.RELATION_EDGE_UNDIRECTED if facts.undirected else statements.RELATION_EDGE_DIRECTED,
            release=Release.GRAPH,
            released="the randomised graph, and with it weights and predictions for all nodes: everything "
            "after the randomisation is post-processing",
            public=("|V|", "features and labels of all nodes", "which nodes train, validate and test"),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=tight().epsilon(paid.event(), 0.0),
            accountant_as_published="exact, pure: one answer a pair",
            assumptions=(*assumptions, statements.ASSUME_EDGE_PUBLIC, statements.ASSUME_ONE_RUN),
            gaps=(statements.GAP_TUNING,),
        )
        return replace(statement, accountant="exact, pure: the sum of what each mechanism can lose at most")

    def work(self, facts: PublicFacts, scale: float) -> Work:
        """Raises `OptionError` where the randomised graph would be too large by what is public."""
        noise = {"odds": scale}
        pairs = pair_count(facts.nodes, facts.undirected)
        false = 0.0
        if self.counted:
            noise["edge_count_std"] = 2**0.5 * self.counted.count_scale
        elif self.response == "symmetric":
            answers = symmetric(self.epsilon)
            false = pairs * answers.zero_to_one
            refuse_if_too_many(false, self.most_edges)
            noise |= {"one_to_one": answers.one_to_one, "zero_to_one": answers.zero_to_one}
        return Work(
            noise=noise,
            steps=self.epochs,
            memory_mb=self.memory_mb(facts.nodes, facts.features)
            + self.entry_bytes * false * (2 if facts.undirected else 1) / 2**20,
            entry_bytes=self.entry_bytes,
        )
