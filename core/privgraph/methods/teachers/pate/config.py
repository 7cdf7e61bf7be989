"""Options, accounting and plan of PATE on a graph. No torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import (
    EPSILON,
    NODE,
    Calibrated,
    Fixed,
    GivenNoise,
    Lever,
    MethodConfig,
    Price,
    Work,
    refusal,
)
from privgraph.methods.levers import PARTS, QUERIES
from privgraph.methods.teachers.options import StudentOptions
from privgraph.options import AUTO, Option, OptionError, Scalar, check
from privgraph.papers.privgnn import pate_independent
from privgraph.papers.privgnn_gaps import GAP_PATE_DATA_DEPENDENT
from privgraph.privacy import statements
from privgraph.privacy.accountants import Accountant
from privgraph.privacy.composition import UnsupportedEvent, flatten
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import Gaussian, Laplace, PrivacyEvent, Repeated
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.renyi import RenyiAccountant
from privgraph.privacy.statement import PrivacyStatement

ONE_TEACHER = (
    "a node is read by the one teacher that it drew, and so moves at most one vote a query; teachers "
    "are trained one at a time on tensors of their own, so that not even rounding carries from one to "
    "another"
)
MOVED_COUNTS = 2
"""Counts of a query that a moved vote changes: the one that it leaves and the one that it joins, each by
1."""


class Moments:
    """PATE's data-independent moments (Papernot et al. 2017) of queries whose two moved counts are an event
    each.

    min over l from 1 to 8 of [Q min(2 lambda^2 l (l+1), 2 lambda l) + log(1/delta)] / l for Laplace noise of
    scale 1/lambda: sound, and loose. It cannot say less than log(1/delta)/8.
    """

    name = "moments up to order 8 that do not look at the votes (Papernot et al. 2017)"

    def supports(self, event: PrivacyEvent) -> bool:
        """Queries with one and the same Laplace noise."""
        parts = flatten(event)
        return len(parts) == 1 and isinstance(parts[0][0], Laplace) and parts[0][1] % MOVED_COUNTS == 0

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        """Epsilon at `delta` in (0, 1). Raises `UnsupportedEvent`."""
        if not self.supports(event):
            raise UnsupportedEvent("PATE's moments are for queries with one Laplace noise")
        ((noise, count),) = flatten(event)
        assert isinstance(noise, Laplace)
        if delta == 0:
            return math.inf
        return pate_independent(queries=count // MOVED_COUNTS, noise=1 / noise.noise_multiplier, delta=delta)


@dataclass(frozen=True, kw_only=True)
class Config(StudentOptions, MethodConfig):
    """Teachers on disjoint parts of the private nodes vote on public nodes; noisy majorities train a
    student."""

    unit: Annotated[str, NODE] = "node"
    epsilon: Annotated[float, EPSILON] = 4.0
    teacher: Annotated[
        str,
        Option(
            "what a teacher is: mlp reads features alone (PATEM), gnn reads the edges among its own nodes too (PATEG)",
            choices=("mlp", "gnn"),
            label="Kind of teacher",
        ),
    ] = "mlp"
    teachers: Annotated[
        int,
        Option(
            "how many teachers share the private nodes: more outvote more noise, and each learns from fewer nodes",
            low=1,
            high=1000,
            scale="log",
        ),
    ] = 20
    queries: Annotated[
        int,
        Option(
            "public nodes that the teachers label, drawn at random; each costs privacy",
            unit="nodes",
            low=1,
            high=10**6,
            scale="log",
        ),
    ] = 1000
    noise: Annotated[
        str,
        Option(
            "the noise on the counts of votes: laplace as in the paper, or gaussian, with lighter tails",
            choices=("laplace", "gaussian"),
            group="Privacy",
        ),
    ] = "laplace"
    lam: Annotated[
        float,
        Option(
            "the paper's lambda: the noise on a count has scale 1/lambda (its standard deviation if "
            "gaussian); 0 chooses the largest lambda that keeps epsilon",
            low=0,
            least=1e-9,
            high=1000,
            group="Privacy",
            label="Lambda",
            zero=AUTO,
        ),
    ] = 0.0
    analysis: Annotated[
        str,
        Option(
            "whether to show the paper's smaller, data-dependent epsilon after the run as well: it is "
            "computed from the private votes, is itself not private, and is no guarantee",
            choices=("independent", "dependent"),
            group="Privacy",
            advanced=True,
        ),
    ] = "independent"

    def __post_init__(self) -> None:
        check(self)
        if self.analysis == "dependent" and self.noise != "laplace":
            raise OptionError(
                f"analysis must be independent with {self.noise} noise: the paper's moments are for laplace"
            )

    def stack_key(self) -> tuple[object, ...]:
        return ("pate", self.teacher, self.teachers, self.queries, *self.student_key())

    def asked(self, nodes: int) -> int:
        """How many queries are made: as many as wanted, or all public nodes that may be asked about."""
        return min(self.queries, self.sizes(nodes).train)

    def refuses(self, facts: PublicFacts) -> str | None:
        return refusal(lambda: self.sizes(facts.nodes))

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return delta_rule(self.sizes(facts.nodes).private, self.delta, what="private nodes")

    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """Of the scale of the noise, in votes."""
        if self.lam > 0:
            return Fixed(1 / self.lam)
        count = MOVED_COUNTS * self.asked(facts.nodes)
        judge = _published(self.noise) if self.accounting == "published" else None
        return Calibrated(lambda scale: Repeated(event=_event(self.noise, scale), count=count), judge)

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (self.entry(self.asked(facts.nodes), scale),)

    @property
    def price(self) -> Price:
        return Price(
            options=("queries", "noise", *PARTS),
            noise="noise scale on a count of votes (votes)",
            given=GivenNoise(option="lam", symbol="λ", value=self.lam),
            levers=(Lever(**QUERIES, value=self.queries),),
            filled_in=self._filled_in,
        )

    def _filled_in(self, ledger: Sequence[LedgerEntry]) -> dict[str, Scalar]:
        found = [entry.noise_std for entry in ledger if entry.noise_std]
        return {"lam": self._spread / found[0]} if found else {}

    @property
    def _spread(self) -> float:
        """The standard deviation of the noise at scale 1."""
        return math.sqrt(2) if self.noise == "laplace" else 1.0

    def entry(self, queries: int, scale: float) -> LedgerEntry:
        """All queries, with noise of this scale."""
        return LedgerEntry(
            kind=MechanismKind.PART_MAXIMUM,
            mechanism=f"noisy count of votes ({self.noise})",
            stage="labels",
            event=_event(self.noise, scale),
            count=MOVED_COUNTS * queries,
            noise_std=scale * self._spread,
            sensitivity=1.0,
            norm="L1" if self.noise == "laplace" else "L2",
            note=f"{queries:,} queries; a node moves at most two counts of a query, by one vote each",
        )

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        delta, rule = self.delta_and_rule(facts)
        judge = _published(self.noise)
        dependent = (GAP_PATE_DATA_DEPENDENT,) if self.analysis == "dependent" else ()
        return statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_ROSTER,
            relation=statements.RELATION_ROSTER,
            release=Release.LABELS,
            released="the labels of the queries, and with them the student's weights and predictions for "
            "all public nodes: everything after the noisy maximum is post-processing",
            public=(
                "the public graph: its features and edges, and which nodes are asked about",
                "which nodes are public, and the sizes of the parts",
                "the number of classes",
            ),
            delta=delta,
            delta_rule=rule,
            ledger=entries,
            published=judge,
            assumptions=(ONE_TEACHER, statements.ASSUME_LAST_EPOCH, statements.ASSUME_ONE_RUN),
            gaps=(*dependent, statements.GAP_TUNING),
        )

    def work(self, facts: PublicFacts, scale: float) -> Work:
        sizes, std = self.sizes(facts.nodes), scale * self._spread
        floats = 4 * facts.nodes * facts.features + 12 * sizes.public * self.hidden
        return Work(
            noise={"votes": std, "scale": scale},
            steps=self.teachers + self.pretrain + self.epochs,
            step="teachers and epochs of the student",
            memory_mb=400 + 4 * floats / 2**20,
            entry_bytes=24,
            notes=tuple(self._notes(self.asked(facts.nodes), std)),
        )

    def _notes(self, queries: int, std: float) -> list[str]:
        notes = [f"{self.teachers} votes a query, and noise of standard deviation {std:.3g} on each count"]
        if std > self.teachers:
            notes.append("the noise outweighs all votes together: expect random labels, ask less or take more teachers")
        if queries < self.queries:
            notes.append(f"{queries:,} public nodes may be asked about, not {self.queries:,}: all of them are")
        if self.analysis == "dependent":
            notes.append("the data-dependent epsilon is known after the run: it is computed from private votes")
        return notes


def _event(noise: str, scale: float) -> Laplace | Gaussian:
    """One count that moves by 1 (see `mechanisms.noisy_max`, which draws this noise)."""
    return Laplace(noise_multiplier=scale) if noise == "laplace" else Gaussian(noise_multiplier=scale)


def _published(noise: str) -> Accountant:
    """Papernot et al. 2017 for Laplace noise, 2018 (Renyi divergence alpha/sigma^2 a query) for Gaussian
    noise."""
    return Moments() if noise == "laplace" else RenyiAccountant(conversion="mironov", continuous=True)
