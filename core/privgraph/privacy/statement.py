"""The privacy statement: what a run's guarantee really says, in words and three numbers never mixed up."""

from __future__ import annotations

from dataclasses import dataclass

from privgraph.privacy.ledger import LedgerEntry

UNITS = ("none", "edge", "node")
FREE, FROZEN_SAMPLE, FROZEN_DEGREES, REPLACED_RECORD = "free", "frozen sample", "frozen degrees", "replaced record"
NEIGHBOURS = (FREE, FROZEN_SAMPLE, FROZEN_DEGREES, REPLACED_RECORD)
"""How two neighbours differ, for those who must not read sentences: `free`, where the unit is there or was never there; where a
node opts out of a graph whose sample of edges, or whose degrees, stay as they were drawn or counted with it; and where a node's
record is replaced by another, with the sample of edges as it is."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Where a published analysis promises more than holds.

    `claim` is what the paper says, `fails` the step that does not hold, `holds` what does, `size` the
    difference in numbers; `evidence` is proved, audited or suspected.
    """

    title: str
    claim: str
    fails: str
    holds: str
    size: str
    evidence: str
    source: str


@dataclass(frozen=True, kw_only=True)
class PrivacyStatement:
    """One run's guarantee.

    `epsilon` is sound for the noise that was used, under `relation` and `assumptions`; infinite when nothing
    is guaranteed. `epsilon_as_published` is the paper's own formula at the same noise, None where no paper
    has one. `epsilon_audited` is the lower bound that an attack has shown, at `audit_confidence`, None before
    an audit, and `audited_by` the name of the audit, which says what was attacked. `neighbours` is the kind of
    `relation`, one of `NEIGHBOURS`. `per_holder` lists (holder, epsilon) where holders differ. `known_faults` are
    sentences on what was wrong with the program that made the run, where that is known by now: the epsilons
    do not count them.
    """

    unit: str
    relation: str
    released: str
    public: tuple[str, ...]
    delta: float
    delta_rule: str
    epsilon: float
    epsilon_as_published: float | None
    accountant: str
    accountant_as_published: str = ""
    epsilon_audited: float | None = None
    audit_confidence: float | None = None
    audited_by: str = ""
    neighbours: str = FREE
    assumptions: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    data_dependent: bool = False
    per_holder: tuple[tuple[str, float], ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    known_faults: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"PrivacyStatement.unit must be one of {', '.join(UNITS)} (got {self.unit})")
        if self.neighbours not in NEIGHBOURS:
            raise ValueError(
                f"PrivacyStatement.neighbours must be one of {', '.join(NEIGHBOURS)} (got {self.neighbours})"
            )
        if not 0 <= self.delta < 1:
            raise ValueError(f"PrivacyStatement.delta must lie in [0, 1) (got {self.delta})")
        if not self.epsilon >= 0:
            raise ValueError(f"PrivacyStatement.epsilon must not be negative (got {self.epsilon})")
