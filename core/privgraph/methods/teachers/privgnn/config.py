"""Noise, accounting and plan of PrivGNN. No torch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax, NoisyPosterior, NoisyVotes
from privgraph.methods.base import Calibrated, Fixed, GivenNoise, Lever, Price, Work, refusal
from privgraph.methods.levers import PARTS, QUERIES
from privgraph.methods.teachers.privgnn.options import GATED, MOST_NODES, POSTERIORS, PrivGnnOptions
from privgraph.options import OptionError, Scalar
from privgraph.papers import privgnn_gaps as gaps
from privgraph.papers.privgnn import paper_accountant
from privgraph.papers.privgnn_releases import published_event
from privgraph.privacy import statements
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import Laplace, NonPrivate, PoissonSampled, PrivacyEvent, Repeated, SampledOnce, Single
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

RELEASED = {
    "table": "the noisy table (what the private nodes of each class look like together), and with it any "
    "number of answers, the student and its predictions: everything after the noise is "
    "post-processing",
    "votes": "the noisy votes for each query, and with them the student and its predictions: everything "
    "after the noise is post-processing",
    "labels": "the noisy label of each query, and with them the student and its predictions: everything "
    "after the noise is post-processing; posteriors and counts are not released",
}
ASSUME_SAMPLE = "every private node is in the sample of a query independently with the stated rate"
ASSUME_TWO_GRAPHS = (
    "no edge joins the private graph and the public one, and who is public was not decided by anything private"
)
PUBLIC = (
    "the public graph: features and edges of all its nodes, and which of them are asked about",
    "the set of classes",
    "which nodes are private, and how many: delta (and, with teachers, the shape of their arithmetic) is chosen by "
    "their number",
)
READ_ONCE = ("table",)
"""The releases that read every private node once, whatever is asked afterwards."""

Mechanism = NoisyVotes | NoisyMax | NoisyPosterior


@dataclass(frozen=True, kw_only=True)
class Config(PrivGnnOptions):
    """Private nodes label public ones through noise, all at once or query by query; a student learns from the
    labels."""

    def stack_key(self) -> tuple[object, ...]:
        return ("privgnn", *self.student_key(), *self.answers_key(), self.gate, self.gate_noise, self.answers,
                self.pooling, self.labelled, self.soft)  # fmt: skip

    def answers_key(self) -> tuple[object, ...]:
        """What must agree for two runs of one seed to have the same answers before noise."""
        answered_by = "one teacher" if self.release in ("posterior", "log-posterior") else self.release
        return (*self.partition_key(), self.hidden, self.dropout, self.learning_rate, self.epochs, answered_by,
                self.queries, self.rate, self.sampling, self.strategy, self.neighbours, self.distance, self.teachers,
                self.encoder)  # fmt: skip

    def places(self, private: int) -> int:
        """The most nodes that a teacher is trained on, of `private` private nodes: K, or what a group can
        hold.

        A group larger than that (by eight standard deviations) loses those farthest from the query. It is
        chosen by what is public, since it shapes the arithmetic of all teachers.
        """
        mean = self.rate * private / (self.teachers if self.release == "ensemble" else 1)
        largest = 16 * math.ceil((mean + 8 * math.sqrt(mean) + 16) / 16)
        return min(self.neighbours or largest, largest, private)

    def asked(self, facts: PublicFacts) -> int:
        """How many queries there are: as many as wanted, or as there are public training nodes."""
        return min(self.queries, self.sizes(facts.nodes).train)

    def answered(self, facts: PublicFacts) -> int:
        """How many answers there are at most; but for a table, each of them is paid for."""
        return min(self.answers, self.asked(facts)) if self.gate else self.asked(facts)

    def mechanism(self, classes: int, scale: float) -> Mechanism:
        """What adds noise of scale 1/lambda = `scale` to an answer, or to the table."""
        if self.release in ("table", "votes"):
            return NoisyVotes(std=scale)
        if self.release == "ensemble":
            return NoisyMax(kind=self.maximum, scale=scale)
        return NoisyPosterior(lam=1 / scale, classes=classes)

    def gate_mechanism(self, classes: int, scale: float) -> NoisyGate:
        """The gate: its threshold is public, since it counts deviations of the noise, not nodes."""
        std = self.mechanism(classes, scale).std
        return NoisyGate(std=self.gate_noise * std, threshold=self.gate * std)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        """The ledger of a run whose noise has this scale, in the order in which it is written."""
        ledger = [self._answers_entry(facts, scale)]
        if self.gate:
            gate = self.gate_mechanism(facts.classes, scale)
            ledger.insert(
                0,
                LedgerEntry(
                    kind=MechanismKind.GATE,
                    mechanism="gate",
                    stage="gates",
                    event=PoissonSampled(rate=self.rate, event=gate.event()),
                    count=self.asked(facts),
                    noise_std=gate.std,
                    sensitivity=1.0,
                    sampling_rate=self.rate,
                    note="whether the largest count passes, on a sample of its own; each query is tested once",
                ),
            )
        return tuple(ledger)

    def _answers_entry(self, facts: PublicFacts, scale: float) -> LedgerEntry:
        mechanism, count = self.mechanism(facts.classes, scale), self.answered(facts)
        sensitivity, norm, note = _WORDS[self.release]
        if self.release in READ_ONCE:
            return LedgerEntry(
                kind=_MECHANISMS[self.release],
                mechanism=_NAMES[self.release],
                stage="table",
                event=mechanism.event(),
                noise_std=mechanism.std,
                sensitivity=sensitivity,
                norm=norm,
                note=note,
            )
        once = self.sampling == "once" and self.release != "log-posterior"
        fresh = PoissonSampled(rate=self.rate, event=mechanism.event())
        event: Single = fresh
        if self.release == "log-posterior":
            event = NonPrivate(reason="noise on log-probabilities: one node may change them by any amount")
        elif once:
            event = SampledOnce(rate=self.rate, event=Repeated(event=mechanism.event(), count=count))
            note += f"; {count:,} answers from one and the same sample"
        published_answer = mechanism.event() if self.release in GATED else Laplace(noise_multiplier=scale)
        if self.gate:
            note += "; paid in full, also where fewer queries pass"
        return LedgerEntry(
            kind=_MECHANISMS[self.release],
            mechanism=_NAMES[self.release],
            stage="answers",
            event=event,
            event_as_published=None if once else PoissonSampled(rate=self.rate, event=published_answer),
            count=1 if once else count,
            noise_std=mechanism.std,
            sensitivity=sensitivity,
            norm=norm,
            sampling_rate=self.rate,
            note=note,
        )

    def event_as_published(self, facts: PublicFacts, scale: float) -> PrivacyEvent | None:
        """As the paper counts: a sample an answer, also where there is one for all; posteriors of sensitivity
        1; a table not at all."""
        return published_event(
            self.release,
            scale=scale,
            rate=self.rate,
            queries=self.asked(facts),
            maximum=self.maximum,
            gate_sigma=self.gate_mechanism(facts.classes, scale).std if self.gate else 0.0,
            answers=self.answered(facts),
        )

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return delta_rule(self.sizes(facts.nodes).private, self.delta, what="private nodes")

    def refuses(self, facts: PublicFacts) -> str | None:
        if facts.classes < 2:
            return f"privgnn needs at least 2 classes (got {facts.classes})"
        reason = refusal(lambda: self.sizes(facts.nodes))
        if reason is None and self.release == "table" and self.sizes(facts.nodes).private > MOST_NODES:
            return f"release table sums at most {MOST_NODES:,} private nodes exactly: take another release"
        return reason

    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """Of the scale 1/lambda."""
        if self.lam:
            return Fixed(1 / self.lam)
        if self.accounting == "published":
            return Calibrated(lambda scale: self._published_event(facts, scale), paper_accountant())
        if self.release == "log-posterior":
            raise OptionError(
                "release log-posterior protects nobody, so that no noise reaches a sound epsilon: give lam, "
                "or take accounting published"
            )
        return Calibrated(lambda scale: Ledger(self.entries(facts, scale)).event())

    def _published_event(self, facts: PublicFacts, scale: float) -> PrivacyEvent:
        counted = self.event_as_published(facts, scale)
        if counted is None:
            raise OptionError(
                f"accounting must be sound with release {self.release}, for which the paper has no formula "
                "(or give lam)"
            )
        return counted

    @property
    def price(self) -> Price:
        rate = Lever(
            option="rate",
            axis="sampling rate γ",
            about="A node that is seldom drawn for an answer is seldom read.",
            value=self.rate,
        )
        return Price(
            options=("release", "queries", "rate", "sampling", "maximum", "gate", "gate_noise", "answers", *PARTS),
            noise="noise scale 1/λ (votes, sums of a table, or chances of a class)",
            given=GivenNoise(option="lam", symbol="λ", value=self.lam),
            levers=() if self.release in READ_ONCE else (Lever(**QUERIES, value=self.queries), rate),
            filled_in=self._filled_in,
        )

    def _filled_in(self, ledger: Sequence[LedgerEntry]) -> dict[str, Scalar]:
        found = [entry.noise_std for entry in ledger if entry.noise_std and entry.stage != "gates"]
        spread = self.mechanism(2, 1.0).std  # at scale 1, whatever the number of classes
        return {"lam": spread / found[0]} if found else {}

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        counted = self.event_as_published(facts, scale)
        public = [
            *PUBLIC,
            *(["the encoder, learnt from the public graph alone"] * (not self.trains_teachers)),
        ]
        return statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_ROSTER,
            relation=statements.RELATION_ROSTER,
            release=_RELEASES.get(self.release, Release.LABELS),
            released=RELEASED.get(self.release, RELEASED["labels"]),
            public=public,
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=None if counted is None else paper_accountant().epsilon(counted, delta),
            accountant_as_published=paper_accountant().name
            + (", applied to this release's own noise" if self.release not in POSTERIORS else ""),
            assumptions=(
                *(() if self.release in READ_ONCE else (ASSUME_SAMPLE,)),
                ASSUME_TWO_GRAPHS,
                *((statements.ASSUME_COMMON_SAMPLES,) if self.common and self.release not in READ_ONCE else ()),
                statements.ASSUME_LAST_EPOCH,
                statements.ASSUME_ONE_RUN,
            ),
            gaps=self._gaps(facts, entries[-1], scale),
        )

    def _gaps(self, facts: PublicFacts, entry: LedgerEntry, scale: float) -> tuple[Gap, ...]:
        """What the paper claims otherwise about such a run, with the size at this run's noise where that is
        known."""
        delta, _ = self.delta_and_rule(facts)
        known_gaps: list[Gap] = []
        if self.release == "posterior" and self.sampling == "query":
            known_gaps += [
                gaps.argmax_gap(
                    queries=self.asked(facts), rate=self.rate, noise=1 / scale, classes=facts.classes, delta=delta
                )
            ]
        elif self.release == "posterior":
            known_gaps += [gaps.GAP_ARGMAX]
        if self.release == "log-posterior":
            known_gaps += [gaps.GAP_LOG_POSTERIOR]
        if isinstance(entry.event, SampledOnce):
            known_gaps += [gaps.one_sample_gap(entry.event, delta)]
        if self.release in POSTERIORS:
            known_gaps += [gaps.GAP_POSTERIOR_SENSITIVITY]
        return (*known_gaps, gaps.GAP_THEOREM_7, gaps.GAP_DELTA, statements.GAP_TUNING)

    def work(self, facts: PublicFacts, scale: float) -> Work:
        noise = {"lambda": 1 / scale, "noise_scale": scale, "noise_std": self.mechanism(facts.classes, scale).std}
        if self.gate:
            gate = self.gate_mechanism(facts.classes, scale)
            noise |= {"gate_std": gate.std, "gate_threshold": gate.threshold}
        return Work(
            noise=noise,
            steps=self.query_steps(facts) + self.pretrain + self.epochs,
            step="queries and epochs of the student",
            memory_mb=self.memory_mb(facts),
            entry_bytes=36,
            notes=self._notes(facts, noise),
        )

    def query_steps(self, facts: PublicFacts) -> int:
        """Progress steps before the student: one a query, and one more a gate."""
        return self.asked(facts) * (2 if self.gate else 1)

    def _notes(self, facts: PublicFacts, noise: Mapping[str, float]) -> tuple[str, ...]:
        sizes = self.sizes(facts.nodes)
        notes = [
            f"{sizes.private:,} private nodes; of {sizes.public:,} public ones {sizes.train:,} may be asked "
            f"about, and {sizes.val + sizes.test:,} are kept for an evaluator",
            ("the table" if self.release == "table" else f"each of {self.asked(facts):,} answers")
            + f" gets noise of standard deviation {noise['noise_std']:.3g}, where "
            + {
                "table": f"{sizes.private:,} nodes add {self.encoder} numbers each, of length at most 1 "
                "together; any answer made of it has the same noise, and costs nothing more",
                "votes": f"about {self.rate * sizes.private:,.0f} nodes vote, each with a weight of at most 1",
                "ensemble": f"{self.teachers} teachers vote",
                "posterior": "the numbers are probabilities, at most 1",
                "log-posterior": "the numbers are logarithms of probabilities, and have no bound",
            }[self.release],
        ]
        if self.asked(facts) < self.queries:
            notes.append(
                f"there are {sizes.train:,} public training nodes, and all of them are asked about instead "
                f"of {self.queries:,}"
            )
        if self.release == "log-posterior":
            notes.append(
                "this release protects nobody, whatever the noise: it is for comparison with the official code"
            )
        return tuple(notes)

    def memory_mb(self, facts: PublicFacts) -> float:
        """A rough upper estimate of one run's peak, the features included."""
        sizes = self.sizes(facts.nodes)
        floats = facts.nodes * 3 * facts.features + sizes.public * (2 * facts.features + 12 * self.hidden)
        kept = self.asked(facts) * (min(self.neighbours or 10**9, sizes.private) * 2 + 8 * facts.classes)
        budget = TEACHERS_MEMORY_MB if self.trains_teachers else 100 + 24 * min(facts.features, 2048) ** 2 / 2**20
        return 520 + budget + 4 * (floats + kept) / 2**20


TEACHERS_MEMORY_MB = 1024
"""What teachers that train together may take."""

_MECHANISMS = {
    "table": MechanismKind.CLASS_SUMS,
    "votes": MechanismKind.WEIGHTED_VOTES,
    "ensemble": MechanismKind.MAXIMUM,
    "posterior": MechanismKind.POSTERIOR,
    "log-posterior": MechanismKind.LOG_POSTERIOR,
}
_RELEASES = {"table": Release.TABLE, "votes": Release.VOTES}
_NAMES = {
    "table": "noisy table of class sums",
    "votes": "noisy weighted votes",
    "ensemble": "noisy maximum of teachers' votes",
    "posterior": "noisy argmax of a posterior",
    "log-posterior": "noisy argmax of log-probabilities",
}
_WORDS: Mapping[str, tuple[float | None, str, str]] = {
    "table": (
        1.0,
        "L2",
        "every private node adds a vector of length at most 1 to the column of its own label; released once",
    ),
    "votes": (1.0, "L2", "each private node of the sample votes for its own label, with a weight between -1 and 1"),
    "ensemble": (2.0, "L1", "one node can move one teacher's vote; the label alone is released"),
    "posterior": (2.0, "L1", "another node can turn any posterior into any other; the label alone is released"),
    "log-posterior": (None, "L1", "the sensitivity of a logarithm has no bound"),
}
