"""Options, accounting and plan of DP-GNN. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import EPOCH_BY_PRIVATE_LABELS, chosen_epoch_entry
from privgraph.methods.base import EPSILON, NODE, Calibrated, Lever, MethodConfig, Price, Work
from privgraph.methods.kept import Kept
from privgraph.methods.levers import BATCH, EPOCHS, GRADIENT_NOISE
from privgraph.options import Option, check
from privgraph.papers import dp_gnn as published
from privgraph.privacy import statements
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import SampledTerms
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry, WorstCase
from privgraph.privacy.statement import Gap, PrivacyStatement

GAP_SAMPLED_LISTS = Gap(
    title="Neighbour lists sampled by degree",
    claim="with every node in at most K lists, removing a node changes at most K + 1 gradients",
    fails="the authors' sampler keeps an edge with a probability that depends on the degree, and drops "
    "whole lists that come out too long; when a node leaves, the degrees of its neighbours fall, and "
    "lists that never held it may change",
    holds="the bound holds if the lists are fixed before anybody leaves; that is how they are drawn here, "
    "and the neighbouring relation says so",
    size="for the best coupling, K/2 times the sum of 1/degree over its neighbours further entries change "
    "on average; what that does to epsilon has not been measured",
    evidence="suspected",
    source="Daigavane et al. 2021, as its published code samples",
)
NO_INFERENCE_PRIVACY = (
    "predictions are not released: a prediction reads its node's true neighbours without noise, and may reveal them"
)


def step_event(noise_multiplier: float, max_degree: int, rate: float) -> SampledTerms:
    """One step: noise of standard deviation `noise_multiplier` times C on the sum of gradients clipped to C.

    Unit: one node z. Relation: opt-out (roster and sampled lists are frozen; z's features, label, gradient
    and kept edges go). Each training node is a root of the step's sample independently with probability q =
    `rate`.

    Claim: z stands behind at most K + 1 terms of the sum where it takes part and behind at most K where it
    does not, K = `max_degree`; what that costs is proved, and attained, in `privgraph.privacy.sampled_terms`.
    Proof of what that proof asks for:
    1. Let S be the roots other than z whose list holds z. |S| <= K, and S is drawn once, before the first
       step: no coin of a step and no departure changes it.
    2. With z the sum has a gradient of norm at most C for every drawn root. z stands behind those of S and
       behind its own, if it trains. Without z its own is no term, and those of S are computed from lists from
       which z is struck: at most K.
    3. A root outside S that is not z reads neither z's features nor its label. Given the weights, its
       gradient is the same in both datasets: a function of its own record, of its list, and of no other
       root's coin.
    4. Every root is drawn by a coin of its own, with chance q in both datasets.
    """
    return SampledTerms(rate=rate, present=max_degree + 1, absent=max_degree, noise_multiplier=noise_multiplier)


@dataclass(frozen=True, kw_only=True)
class Config(MethodConfig):
    """Private gradients over bounded neighbourhoods."""

    unit: Annotated[str, NODE] = "node"
    epsilon: Annotated[float, EPSILON] = 8.0
    max_degree: Annotated[
        int,
        Option(
            "how many neighbours a node may read, and by how many it may be read: more see more, and cost more noise",
            unit="neighbours",
            low=1,
            high=200,
        ),
    ] = 2
    hidden: Annotated[int, Option("width of each layer", unit="units", low=4, high=256, scale="log")] = 64
    learning_rate: Annotated[float, Option("step size of Adam", low=1e-5, high=1, scale="log", group="Training")] = 0.01
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

    def __post_init__(self) -> None:
        check(self)

    @property
    def keeps(self) -> Kept:
        return Kept.VALIDATED if self.selection == "validation" else Kept.LAST

    def stack_key(self) -> tuple[object, ...]:
        return ("dp-gnn", self.max_degree, self.hidden, self.epochs, self.batch_size, self.selection)

    def rate(self, train_nodes: int) -> float:
        """The probability with which each training node is drawn in a step."""
        return min(1.0, self.batch_size / train_nodes)

    def steps(self, train_nodes: int) -> int:
        """Steps of the whole run: `epochs` expected passes."""
        return self.epochs * train_nodes // min(self.batch_size, train_nodes)

    def entry(self, facts: PublicFacts, noise_multiplier: float, count: int) -> LedgerEntry:
        """`count` steps whose noise has standard deviation `noise_multiplier` times the clip."""
        rate = self.rate(facts.train_nodes)
        terms = published.affected_terms(self.max_degree, hops=1)
        return LedgerEntry(
            kind=MechanismKind.LISTED_GRADIENTS,
            mechanism="private gradients of subgraphs",
            stage="training",
            event=step_event(noise_multiplier, self.max_degree, rate),
            event_as_published=published.step_event(
                noise_multiplier=noise_multiplier / (2 * terms),
                nodes=facts.train_nodes,
                batch=min(self.batch_size, facts.train_nodes),
                terms=terms,
            ),
            count=count,
            noise_std=noise_multiplier * self.clip,
            sensitivity=(2 * self.max_degree + 1) * self.clip,
            sampling_rate=rate,
            note=f"one node moves the sum of a step by at most {2 * self.max_degree + 1} clips: by 1 with "
            "its own gradient, which comes or goes, and by 2 with each gradient of at most "
            f"{self.max_degree} others that read it, which may turn round. The sensitivity is that of a "
            "step in which all of these are drawn",
            worst=WorstCase(clip=self.clip, max_degree=self.max_degree),
        )

    def unpaid(self) -> tuple[LedgerEntry, ...]:
        """What reads private nodes without noise: the choice of the epoch, where it is made by their
        labels."""
        return (chosen_epoch_entry("training"),) if self.selection == "validation" else ()

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        gaps = [GAP_SAMPLED_LISTS]
        assumptions = [
            statements.ASSUME_FROZEN_SAMPLE,
            statements.ASSUME_POISSON,
            statements.ASSUME_GRADIENTS,
            NO_INFERENCE_PRIVACY,
        ]
        if self.selection == "validation":
            gaps.append(statements.GAP_EPOCH_SELECTION)
        else:
            assumptions.append(statements.ASSUME_LAST_EPOCH)
        return statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_SAMPLE,
            relation=statements.RELATION_NODE_OPT_OUT,
            release=Release.WEIGHTS,
            released="the weights alone; no prediction is covered, since a prediction reads true neighbours",
            public=(statements.PUBLIC_SIZES, statements.PUBLIC_ROSTER),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=published.published_accountant(),
            accountant_as_published="Daigavane et al. 2021: Renyi divergences up to order 9.9, batches "
            "drawn without replacement",
            assumptions=(*assumptions, statements.ASSUME_ONE_RUN),
            gaps=(*gaps, statements.GAP_TUNING),
        )

    def refuses(self, facts: PublicFacts) -> str | None:
        if facts.train_nodes < 1:
            return "dp-gnn needs at least one labelled training node (got 0)"
        return None

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return delta_rule(facts.nodes, self.delta)

    def calibration(self, facts: PublicFacts) -> Calibrated:
        """Of the noise multiplier: noise over clip."""
        count = self.steps(facts.train_nodes)

        def ledger(scale: float) -> Ledger:
            return Ledger([self.entry(facts, scale, count)])

        if self.accounting == "published":
            return Calibrated(lambda scale: ledger(scale).event_as_published(), published.published_accountant())
        return Calibrated(lambda scale: ledger(scale).event())

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (self.entry(facts, scale, self.steps(facts.train_nodes)), *self.unpaid())

    @property
    def price(self) -> Price:
        degree = Lever(
            option="max_degree",
            axis="largest degree (neighbours read, and lists a node may be in)",
            about="A node moves its own gradient, and that of every list that holds it.",
            value=self.max_degree,
        )
        return Price(
            options=("max_degree", "epochs", "batch_size", "selection"),
            noise=GRADIENT_NOISE,
            levers=(Lever(**EPOCHS, value=self.epochs), Lever(**BATCH, value=self.batch_size), degree),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        rows = min(self.batch_size, facts.train_nodes) * (self.max_degree + 1)
        floats = (facts.nodes + rows) * (facts.features + 8 * self.hidden) + rows * self.max_degree
        return Work(
            noise={"gradient": scale * self.clip, "gradient_multiplier": scale},
            steps=self.epochs,
            memory_mb=400 + 4 * floats / 2**20,
            notes=tuple(f"nothing is guaranteed: {EPOCH_BY_PRIVATE_LABELS}" for _ in self.unpaid()),
        )
