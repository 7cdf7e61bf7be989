"""Noise, accounting and plan of DP-GPL and DP-GPL+W. No torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import Fixed, GivenNoise, Lever, Price, Work, refusal
from privgraph.methods.levers import QUERIES
from privgraph.methods.prompts.dp_gpl.options import DpGplOptions
from privgraph.methods.prompts.dp_gpl.partition import Floats, Ints, Room, rank_weights
from privgraph.methods.prompts.options import OWN_PUBLIC
from privgraph.options import OptionError, Scalar
from privgraph.papers import dp_gpl_gaps as gaps
from privgraph.papers.dp_gpl import independent_epsilon
from privgraph.papers.dp_gpl_report import Poll
from privgraph.papers.dp_gpl_votes import (
    Asked,
    entries,
    epsilon_at,
    largest_squared_mu,
    squared_mu,
    vote_sigma_for,
)
from privgraph.privacy import statements
from privgraph.privacy.accountants import tight
from privgraph.privacy.calibration import CalibrationError
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import Composed, Gaussian, NonPrivate, PureDP
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry, WorstCase
from privgraph.privacy.statement import Gap, PrivacyStatement

ASSUME_TEACHERS = (
    "a teacher is a function of its own nodes, of public ones and of public numbers: every tensor has a "
    "shape that is public, so that not even rounding carries from one teacher to another on a CPU"
)
SVD_OF_EVERYBODY = (
    "the decomposition of the features was computed on private nodes too, without noise: one node's "
    "leaving changes what every teacher learns from, and the features that the student reads"
)
ASSUME_PUBLIC = "who is public was not decided by anything private, and edges among public nodes are public"


@dataclass(frozen=True, kw_only=True)
class Config(DpGplOptions):
    """Prompts of many teachers, each tuned on its own few private nodes, vote on public nodes; a student
    prompt is released."""

    def stack_key(self) -> tuple[object, ...]:
        resolved = self.resolved()
        return ("dp-gpl", *resolved.prepared_key(), *resolved.prompt_key())

    def fitted(self, nodes: int) -> Self:
        """These options with the preset's, and no more teachers and queries than there are nodes for: what a
        run reads."""
        config = self.resolved()
        sizes = config.sizes(nodes)
        return replace(config, teachers=min(config.teachers, sizes.private), queries=sizes.train)

    def room(self, nodes: int) -> Room:
        """Teachers and slots."""
        private = self.sizes(nodes).private
        return Room.of(private, self.teachers, self.shots, drawn=self.weighting == "private-centrality")

    def public_weights(self) -> tuple[Floats, Ints]:
        """Weights (N,) and ranks (N,) of teachers, where they are public; all ones where `centrality` decides
        later."""
        if self.weighting == "private-centrality":
            return rank_weights(self.teachers, self.ranks, self.w_min, self.w_max)
        return np.ones(self.teachers), np.zeros(self.teachers, dtype=np.int64)

    def largest_weight(self) -> float:
        """What the histogram of a query may change by, over sqrt 2: the largest weight, or all of them (see
        README)."""
        return float(self.public_weights()[0].max()) if self.per_teacher else float(self.teachers)

    def claimed_weight(self) -> float:
        """The largest weight as the paper has it: Algorithm 2 says that it is w_max."""
        return self.w_max if self.weighting == "centrality" else float(self.public_weights()[0].max())

    def answered(self) -> int:
        """How many answers are paid for."""
        return min(self.answers or self.queries, self.queries)

    def settled(self, nodes: int, vote_sigma: float) -> Self:
        """Fitted options with this noise on votes: what a run reads, and what is priced."""
        return replace(self.fitted(nodes), vote_sigma=vote_sigma)

    def refuses(self, facts: PublicFacts) -> str | None:
        if facts.classes < 2:
            return f"dp-gpl needs at least 2 classes (got {facts.classes})"
        own = self.resolved()
        if own.limit and own.accounting == "sound" and not own.per_teacher:
            return (
                "limit needs teachers that have a guarantee of their own: take another weighting than "
                "centrality, and svd public"
            )
        return refusal(lambda: self.sizes(facts.nodes))

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return delta_rule(self.sizes(facts.nodes).private, self.resolved().delta, what="private nodes")

    def calibration(self, facts: PublicFacts) -> Fixed:
        """Of the standard deviation of the noise on votes: mu is known in closed form, and so is the noise
        that keeps it."""
        own = self.fitted(facts.nodes)
        return Fixed(own.vote_sigma or own._solved(self._delta(facts.nodes)))

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return self.settled(facts.nodes, scale).ledger(facts.nodes)

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        return self.settled(facts.nodes, scale)._statement(facts, entries)

    @property
    def price(self) -> Price:
        heaviest = Lever(
            option="w_max",
            axis="largest weight of a vote, before scaling",
            about="A heavier vote moves a count farther.",
            value=self.w_max,
        )
        return Price(
            options=("queries", "answers", "gate_sigma", "teachers", "weighting", "w_min", "w_max", "ranks",
                "limit", "svd",
                     "report", "report_epsilon", "private"),
            noise="noise σ₂ on a count of votes (votes)",
            given=GivenNoise(option="vote_sigma", symbol="σ₂", value=self.resolved().vote_sigma),
            levers=(Lever(**QUERIES, value=self.queries),
                *((heaviest,) if self.weighting == "private-centrality" else ())),
            filled_in=self._filled_in,
        )  # fmt: skip

    def _filled_in(self, ledger: Sequence[LedgerEntry]) -> dict[str, Scalar]:
        found = [entry.noise_std for entry in ledger if entry.noise_std and entry.stage == "labels"]
        return {"vote_sigma": found[-1]} if found else {}  # a gate's test comes first

    def _delta(self, nodes: int) -> float:
        return delta_rule(self.sizes(nodes).private, self.resolved().delta, what="private nodes")[0]

    def asked(self) -> Asked:
        """Queries, answers and their noise, of settled options."""
        return Asked(
            queries=self.queries, answers=self.answered(), vote_sigma=self.vote_sigma, gate_sigma=self.gate_sigma
        )

    def _solved(self, delta: float) -> float:
        if self.accounting == "published":
            return self._calibrated_as_published(delta)
        epsilon = self.epsilon - (self.report_epsilon if self.report == "sanitised" else 0.0)
        if epsilon <= 0:
            raise OptionError(f"report_epsilon must be below epsilon, {self.epsilon:g} (got {self.report_epsilon:g})")
        return vote_sigma_for(
            epsilon,
            delta,
            queries=self.queries,
            answers=self.answered(),
            gate_sigma=self.gate_sigma,
            weight=self.largest_weight(),
        )

    def _calibrated_as_published(self, delta: float) -> float:
        """Theorem 1 solved for sigma2: c + 2 sqrt(c log(1/delta)) = epsilon."""
        depth = math.log(1 / delta)
        slope = (math.sqrt(depth + self.epsilon) - math.sqrt(depth)) ** 2 / self.claimed_weight() ** 2
        left = slope - (self.queries / (2 * self.gate_sigma**2) if self.gate_sigma else 0.0)
        if left <= 0:
            raise CalibrationError("the gate alone costs more")
        return math.sqrt(self.answered() / (2 * left))

    def published_epsilon(self, nodes: int) -> float:
        """Theorem 1, for the largest weight: independent of the data, sensitivity equal to the weight."""
        asked, delta = self.asked(), self._delta(nodes)
        return independent_epsilon(
            queries=asked.queries if asked.gate_sigma else 0,
            answered=asked.answers,
            threshold_sigma=asked.gate_sigma or 1.0,
            vote_sigma=asked.vote_sigma,
            weight=self.claimed_weight(),
            delta=delta,
        )

    def limit_squared_mu(self, nodes: int) -> float:
        """mu^2 that no teacher's nodes may pass, infinite without a limit that is counted soundly."""
        if not self.limit or self.accounting == "published":
            return math.inf
        return largest_squared_mu(self.limit, self._delta(nodes))

    def ledger(self, nodes: int) -> tuple[LedgerEntry, ...]:
        """What is paid for, in the order in which it is written: caps, since what passes a gate is not known
        before."""
        asked, weight, limit = self.asked(), self.largest_weight(), self.limit_squared_mu(nodes)
        paid = entries(asked, weight)
        if not self.per_teacher:
            paid = tuple(
                replace(entry, note=f"one node's leaving may move all {self.teachers} votes") for entry in paid
            )
        if self.svd == "everybody":
            event = NonPrivate(reason=SVD_OF_EVERYBODY)
            paid = (
                LedgerEntry(
                    kind=MechanismKind.UNPROTECTED,
                    mechanism="decomposition of everybody's features",
                    stage="features",
                    event=event,
                ),
                *paid,
            )
        if self.limit and self.accounting == "published":
            reason = "the number of answers is decided by a cost that is computed from private votes, without noise"
            paid = (
                *paid,
                LedgerEntry(
                    kind=MechanismKind.UNPROTECTED,
                    mechanism="data-dependent limit",
                    stage="labels",
                    event=NonPrivate(reason=reason),
                ),
            )
            return paid
        if squared_mu(asked, weight) <= limit:
            return (*paid, *self._report_entries())
        return (
            LedgerEntry(
                kind=MechanismKind.LIMITED_COUNTS,
                mechanism="tests and noisy counts of votes (gaussian), up to a teacher's limit",
                stage="labels",
                event=Gaussian(noise_multiplier=1 / math.sqrt(limit)),
                noise_std=asked.vote_sigma,
                sensitivity=weight * math.sqrt(2),
                note=f"each answer costs a part of the limit; all {asked.answers:,} would cost more than it",
                worst=WorstCase(gate_std=asked.gate_sigma),
            ),
        )

    def _report_entries(self) -> tuple[LedgerEntry, ...]:
        if self.report != "sanitised":
            return ()
        return (
            LedgerEntry(
                kind=MechanismKind.SANITISED_COST,
                mechanism="data-dependent cost and its smooth sensitivity, noisy",
                stage="report",
                event=PureDP(epsilon=self.report_epsilon),
                note="Student's and Laplace noise",
            ),
        )

    def poll(self, classes: int) -> Poll:
        """What a sanitised report takes to be public."""
        asked = self.asked()
        return Poll(
            classes=classes,
            total=float(self.teachers),
            vote_sigma=asked.vote_sigma,
            gate_sigma=asked.gate_sigma,
            threshold=self.threshold,
            weight=self.largest_weight(),
        )

    def report_order(self, nodes: int) -> float:
        """The Renyi order of a sanitised report: the best one for the cost that does not depend on votes, so
        a public one."""
        slope = squared_mu(self.asked(), self.largest_weight()) / 2
        return 1 + math.sqrt(math.log(1 / self._delta(nodes)) / slope)

    def squared_mus(self, nodes: int, weights: Floats) -> Floats:
        """(N,) guaranteed mu^2 of the nodes of teachers with these weights, whatever the votes are."""
        asked, limit, largest = self.asked(), self.limit_squared_mu(nodes), self.largest_weight()
        if not self.per_teacher:
            weights = np.full(len(weights), largest)
        # at stop, all end when the heaviest does
        limits = limit * np.square(weights / largest) if self.at_limit == "stop" else np.full(len(weights), limit)
        return np.minimum(limits, [squared_mu(asked, float(weight)) for weight in weights])

    def guarantees(self, nodes: int, weights: Floats) -> Floats:
        """(N,) epsilon that the nodes of teachers with these weights are guaranteed."""
        if self.svd == "everybody" or (self.limit and self.accounting == "published"):
            return np.full(len(weights), math.inf)
        delta = self._delta(nodes)
        found, place = np.unique(self.squared_mus(nodes, weights), return_inverse=True)
        return np.array([self._with_report(float(one), delta) for one in found])[place]

    def _with_report(self, squared_mu: float, delta: float) -> float:
        """Epsilon of votes that cost `squared_mu` and of the report, which every node pays alike."""
        report = tuple(entry.event for entry in self._report_entries())
        if not report:
            return epsilon_at(squared_mu, delta)
        votes = Gaussian(noise_multiplier=1 / math.sqrt(squared_mu))
        return tight().epsilon(Composed((votes, *report)), delta)

    def _statement(self, facts: PublicFacts, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        """The guarantee of a run, which is known before it: nothing that happens in it changes what is
        paid."""
        delta, rule = self.delta_and_rule(facts)
        statement = statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_ROSTER,
            relation=statements.RELATION_ROSTER,
            release=Release.LABELS if self.student_labels == "hard" else Release.VOTES,
            released=("the noisy label of each answered query, and with them the student's prompt and its predictions")
            if self.student_labels == "hard"
            else "the noisy counts of each answered query, and with them the student's prompt and its predictions",
            public=self._public(),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=self.published_epsilon(facts.nodes),
            accountant_as_published="Theorem 1 of DP-GPL, independent of the data, sensitivity equal to the weight",
            assumptions=(
                *((ASSUME_TEACHERS,) if self.per_teacher else ()),
                ASSUME_PUBLIC,
                statements.ASSUME_LAST_EPOCH,
                statements.ASSUME_ONE_RUN,
            ),
            gaps=self._gaps(facts),
        )
        return replace(statement, per_holder=self._per_holder(facts.nodes))

    def _public(self) -> tuple[str, ...]:
        grown = "the public part of this graph, without labels" if self.pretrain_on == OWN_PUBLIC else self.pretrain_on
        return (
            "the public graph: features and edges of its nodes, and which of them are asked about",
            "which nodes are public, and the numbers of both kinds",
            "the set of classes",
            f"the frozen network, and the graph that it was pre-trained on: {grown}",
            *self._decomposition(),
            *(
                ("the numbers of public neighbours that part one rank from the next: those of public nodes",)
                if self.weighting == "private-centrality"
                else ()
            ),
        )

    def _decomposition(self) -> tuple[str, ...]:
        if self.svd == "everybody":  # not public: see `per_teacher`
            return ()
        return (
            f"the basis and the mean of at most {self.dimensions} dimensions of features, computed on public "
            "nodes alone",
        )

    def _per_holder(self, nodes: int) -> tuple[tuple[str, float], ...]:
        """One line a rank, where ranks are told apart."""
        if self.weighting != "private-centrality" or not self.per_teacher:
            return ()
        weights, ranks = self.public_weights()
        epsilons, count = self.guarantees(nodes, weights), int(ranks.max()) + 1
        lines = []
        for rank in range(count):
            first = int(np.flatnonzero(ranks == rank)[0])
            who = (
                f"a private node of rank {rank + 1} of {count} by public neighbours, teachers of weight "
                f"{weights[first]:.3g}"
            )
            lines.append((who, float(epsilons[first])))
        return tuple(lines)

    def _gaps(self, facts: PublicFacts) -> tuple[Gap, ...]:
        """What the paper claims otherwise about such a run, with the size at this run's noise."""
        asked, delta, weight = self.asked(), self._delta(facts.nodes), self.claimed_weight()
        known_gaps = [gaps.moved_vote_gap(asked, delta, weight)]
        if self.report != "none" or self.accounting == "published":
            known_gaps.append(gaps.data_dependent_gap(asked, delta, weight))
        if self.weighting != "uniform":
            least = self.w_min if self.weighting == "centrality" else float(self.public_weights()[0].min())
            known_gaps.append(gaps.scaled_ranges_gap(asked, delta, smallest=least, largest=weight))
        if self.weighting == "centrality":
            known_gaps.append(gaps.sorted_partition_gap(asked, delta, teachers=self.teachers, weight=weight))
        if self.limit and self.accounting == "published":
            known_gaps.append(gaps.GAP_DEPENDENT_STOP)
        if self.svd == "everybody":
            known_gaps.append(gaps.GAP_DECOMPOSITION)
        return (*known_gaps, statements.GAP_TUNING)

    def work(self, facts: PublicFacts, scale: float) -> Work:
        config = self.settled(facts.nodes, scale)
        room, asked = config.room(facts.nodes), config.asked()
        noise = {"votes": asked.vote_sigma, "largest_weight": config.largest_weight()}
        if asked.gate_sigma:
            noise["gate"] = asked.gate_sigma
        return Work(
            noise=noise,
            steps=config.steps(),
            step="steps (epochs of pre-training, teachers tuned and asked, epochs of the student)",
            memory_mb=config.memory_mb(facts, room),
            entry_bytes=36,
            notes=tuple(config._notes(facts, room, asked, self.resolved())),
        )

    def steps(self) -> int:
        """Epochs of pre-training, teachers tuned, teachers asked, and the student's epochs."""
        return self.pretrain_epochs + 2 * self.teachers + self.student_epochs

    def _notes(self, facts: PublicFacts, room: Room, asked: Asked, wanted: DpGplOptions) -> list[str]:
        private, weight = self.sizes(facts.nodes).private, self.largest_weight()
        mean = room.taught / room.teachers
        notes = [
            f"{room.teachers:,} teachers with {mean:.3g} of {private:,} private nodes each vote on "
            f"{asked.queries:,} queries; each count gets noise of standard deviation {asked.vote_sigma:.3g}"
        ]
        if wanted.teachers > room.teachers:
            notes.append(
                f"{wanted.teachers:,} teachers cannot share {private:,} private nodes: each node has one of its own"
            )
        if wanted.queries > asked.queries:
            notes.append(
                f"{asked.queries:,} queries, not {wanted.queries:,}: half of the public nodes are kept for the test"
            )
        if asked.vote_sigma > room.teachers:
            notes.append("the noise outweighs all votes together: expect random labels, ask less or take more teachers")
        if not self.per_teacher:
            notes.append(
                f"nothing is guaranteed: {SVD_OF_EVERYBODY}"
                if self.svd == "everybody"
                else (
                    "one node's leaving may change every vote: the guarantee covers that, and is as weak "
                    "as that; no teacher has one of its own"
                )
            )
        elif weight > 1:
            notes.append(f"noise is chosen for the heaviest teacher, of weight {weight:.3g}")
        if self.limit and self.accounting == "published":
            notes.append("a limit by the data-dependent cost tells on private votes by itself: nothing is guaranteed")
        if self.limit and squared_mu(asked, weight) > self.limit_squared_mu(facts.nodes):
            notes.append("the limit will be reached before all queries are answered, if all pass")
        return notes

    def memory_mb(self, facts: PublicFacts, room: Room) -> float:
        """A rough upper estimate of one run's peak, the features included."""
        floats = facts.nodes * (2 * facts.features + 4 * self.hidden + self.dimensions)
        return 700 + TEACHERS_MEMORY_MB + 4 * floats / 2**20


TEACHERS_MEMORY_MB = 1024
"""What prompts that are tuned together may take."""
