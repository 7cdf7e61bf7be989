"""Options and plan of EdgeRand. No torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from scipy.optimize import brentq

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import (
    Response,
    asymmetric,
    pair_count,
    refuse_if_too_many,
    symmetric,
)
from privgraph.methods.base import EPSILON, Fixed, MethodConfig, Price, Work, refusal
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.options import Option, OptionError
from privgraph.privacy import statements
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Laplace, PureDP
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

DENSITY_SHARE = 0.1
"""Share of epsilon that a private edge count costs, as in the GAP and ProGAP code."""


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
            "how many edges to aim at: the true number, taken as public, or a noisy one paid from epsilon",
            choices=("public", "private"),
            group="Privacy",
            advanced=True,
        ),
    ] = "public"
    most_edges: Annotated[
        int,
        Option("refuse to make more edges than this", unit="edges", low=1, high=10**9, group="Privacy", advanced=True),
    ] = 20_000_000

    def stack_key(self) -> tuple[object, ...]:
        return ("edge-rand", self.response, self.density, *self.network_key())

    @property
    def counts_privately(self) -> bool:
        """Whether part of epsilon pays for a noisy number of edges (only the asymmetric response needs a
        number)."""
        return self.response == "asymmetric" and self.density == "private"

    @property
    def response_epsilon(self) -> float:
        """What the answers of the pairs may cost."""
        # Moved towards privacy by a hair, so that the rounding of the sum never exceeds the epsilon asked
        # for.
        return self.epsilon * (1 - DENSITY_SHARE) * (1 - 1e-12) if self.counts_privately else self.epsilon

    @property
    def count_scale(self) -> float:
        """The scale b of the Laplace noise on the number of edges, whose sensitivity is 1."""
        return 1 / (self.epsilon * DENSITY_SHARE)

    def probabilities(self, edges: float, nodes: int, undirected: bool) -> Response:
        """The response for a graph of `edges` edges (pairs if undirected). Raises `OptionError` below two
        nodes."""
        pairs = pair_count(nodes, undirected)
        if pairs == 0:
            raise OptionError("edge-rand needs a graph of at least 2 nodes (got 1)")
        if self.response == "symmetric":
            return symmetric(self.response_epsilon)
        return asymmetric(self.response_epsilon, min(max(edges, 1.0), float(pairs)) / pairs)

    def refuses(self, facts: PublicFacts) -> str | None:
        return refusal(lambda: self.probabilities(facts.edges, facts.nodes, facts.undirected))

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return 0.0, "0: the guarantee is pure, and an asked delta is not needed"

    def calibration(self, facts: PublicFacts) -> Fixed:
        """Of the share of the true edges that is denied, which follows from epsilon."""
        return Fixed(self._denied(facts))

    @property
    def price(self) -> Price:
        return Price(
            options=("response", "density"),
            noise="share of the true edges that are denied",
            fixed="Here the method fixes the split: every pair is answered for once, and a private number "
            "of edges takes a set share of epsilon.",
            highest=1.0,
        )

    def _denied(self, facts: PublicFacts) -> float:
        return 1 - self.probabilities(facts.edges, facts.nodes, facts.undirected).one_to_one

    def _denying(self, facts: PublicFacts, share: float) -> Config:
        """The same options with the epsilon at which that share of the edges is denied: it falls as epsilon
        grows."""
        if share == self._denied(facts):
            return self
        low, high = math.log(float(EPSILON.low or 0)), math.log(60.0)

        def at(log_epsilon: float) -> Config:
            return replace(self, epsilon=math.exp(log_epsilon))

        def off(log_epsilon: float) -> float:
            return math.log(at(log_epsilon)._denied(facts) / share)

        if off(low) <= 0:
            raise OptionError(f"noise: at most {at(low)._denied(facts):.4g} of the edges can be denied")
        if off(high) >= 0:
            raise OptionError(f"noise: so few denied edges as {share:.3g} protect nothing")
        return at(float(brentq(off, low, high, xtol=1e-12)))

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return self._denying(facts, scale)._entries(facts)

    def _entries(self, facts: PublicFacts) -> tuple[LedgerEntry, ...]:
        response = self.probabilities(facts.edges, facts.nodes, facts.undirected)
        if not self.counts_privately:
            answers = LedgerEntry(
                kind=MechanismKind.RANDOMISED_RESPONSE,
                mechanism="randomised response",
                stage="edges",
                event=response.event(),
                note=f"each pair once: an edge is kept with probability {response.one_to_one:.4g}, "
                f"an absent one invented with probability {response.zero_to_one:.4g}",
            )
            return (answers,)
        count = LedgerEntry(
            kind=MechanismKind.EDGE_COUNT,
            mechanism="Laplace",
            stage="number of edges",
            event=Laplace(noise_multiplier=self.count_scale),
            noise_std=2**0.5 * self.count_scale,
            sensitivity=1.0,
            norm="L1",
        )
        # The probabilities follow the noisy count, and so are not known before; their epsilon is.
        answers = LedgerEntry(
            kind=MechanismKind.RANDOMISED_RESPONSE,
            mechanism="randomised response",
            stage="edges",
            event=PureDP(epsilon=self.response_epsilon),
            note="each pair once, with probabilities that keep the noisy number of edges",
        )
        return count, answers

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        ledger = Ledger(entries)
        event = ledger.event()
        public = ["|V|", "features and labels of all nodes", "which nodes train, validate and test"]
        assumptions = [
            "features and labels tell nothing that must be hidden about edges: who can guess friendships "
            "from them still can",
        ]
        if self.response == "asymmetric" and self.density == "public":
            public.insert(1, "|E|")
            assumptions.append(
                "|E|, from which the probabilities are set, was known before: neighbours are given the same"
            )
        statement = statements.make_statement(
            unit="edge",
            neighbours=Neighbours.UNDIRECTED_EDGE if facts.undirected else Neighbours.DIRECTED_EDGE,
            relation=statements.RELATION_EDGE_UNDIRECTED if facts.undirected else statements.RELATION_EDGE_DIRECTED,
            release=Release.GRAPH,
            released="the randomised graph, and with it weights and predictions for all nodes: everything "
            "after the randomisation is post-processing",
            public=public,
            delta=delta,
            delta_rule=rule,
            ledger=ledger,
            published=tight().epsilon(event, 0.0),
            accountant_as_published="exact, pure: one answer a pair",
            assumptions=(*assumptions, statements.ASSUME_EDGE_PUBLIC, statements.ASSUME_ONE_RUN),
            gaps=(statements.GAP_TUNING,),
        )
        return replace(statement, accountant="exact, pure: the sum of what each mechanism can lose at most")

    def work(self, facts: PublicFacts, scale: float) -> Work:
        """Raises `OptionError` where the randomised graph would be too large."""
        response = self.probabilities(facts.edges, facts.nodes, facts.undirected)
        pairs = pair_count(facts.nodes, facts.undirected)
        if not self.counts_privately:
            # By what is public: a refusal that read the true number of edges would tell it.
            refuse_if_too_many(pairs * response.zero_to_one, self.most_edges)
        expected = response.expected_edges(pairs, facts.edges)
        true_share = response.one_to_one * facts.edges / expected
        return Work(
            noise={"one_to_one": response.one_to_one, "zero_to_one": response.zero_to_one},
            steps=self.epochs,
            memory_mb=self.memory_mb(facts.nodes, int(expected) * (2 if facts.undirected else 1), facts.features),
            notes=(f"about {true_share:.1%} of the {expected:,.0f} edges that the network will see are true ones",),
        )
