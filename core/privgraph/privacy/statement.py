"""The privacy statement: what a run's guarantee really says, in words and three numbers never mixed up."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from privgraph.privacy.kinds import Adversary, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.rounding import lower, upper

UNITS = ("none", "edge", "node")
NOT_AUDITED: Mapping[str, Any] = MappingProxyType(
    {"epsilon_audited": None, "audit_confidence": None, "audited_by": "", "adversary": None}
)
"""What tells of an attack's lower bound where there is none: fields of a statement, and of a run's record."""


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


@dataclass(frozen=True, kw_only=True, repr=False)
class PrivacyStatement:
    """One run's guarantee.

    Args:
        unit: What is protected: `none`, `edge` or `node`.
        neighbours: The kind of `relation`: programs decide by it, and never by the words.
        relation: How two neighbouring graphs differ, in words.
        release: The kind of `released`.
        released: What may leave, in words.
        public: What is taken to be public, in words.
        delta: The chance that the guarantee may fail, in [0, 1).
        delta_rule: How delta was chosen, in words.
        epsilon: Sound for the noise that was used, under `relation` and `assumptions`; infinite where nothing
            is guaranteed.
        epsilon_as_published: The paper's own formula at the same noise; None where no paper has one.
        accountant: What computed `epsilon`, in words.
        accountant_as_published: What computed `epsilon_as_published`, in words.
        epsilon_audited: The lower bound that an attack has shown; None before an audit.
        audit_confidence: The chance that this bound is right, in (0, 1).
        audited_by: The name of the audit.
        adversary: The kind of its attack.
        assumptions: Sentences that must hold.
        gaps: Where the published analysis promises more than holds.
        data_dependent: Whether `epsilon` was computed from the private data, and is itself not private.
        per_holder: Pairs of holder and epsilon, where holders differ.
        ledger: What was run, with which noise, how often.
        tuned: Whether `epsilon` is the price of choosing this run among others, of which `ledger` holds one:
            it then composes with others by adding epsilons and deltas, and not by its ledger.
        known_faults: Sentences on what was wrong with the program that made the run, where that is known by
            now; the epsilons do not count them.

    Raises:
        ValueError: A number or a name is out of its range.
    """

    unit: str
    neighbours: Neighbours
    relation: str
    release: Release
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
    adversary: Adversary | None = None
    assumptions: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    data_dependent: bool = False
    per_holder: tuple[tuple[str, float], ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    tuned: bool = False
    known_faults: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Unit, relation, delta and the epsilons; `privgraph.statement_text` writes all of it."""
        said = [f"unit {self.unit}", f"neighbours {self.neighbours}", f"sound epsilon {upper(self.epsilon)}"]
        if self.epsilon_as_published is not None:
            said.append(f"published epsilon {self.epsilon_as_published:.4g}")
        if self.epsilon_audited is not None:
            said.append(f"audited epsilon at least {lower(self.epsilon_audited)}")
        return f"PrivacyStatement({', '.join([*said, f'delta {self.delta:g}'])})"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"PrivacyStatement.unit must be one of {', '.join(UNITS)} (got {self.unit})")
        for kind, value in ((Neighbours, self.neighbours), (Release, self.release)):
            if not isinstance(value, kind):
                raise ValueError(f"PrivacyStatement: {value!r} is no {kind.__name__}")
        if not 0 <= self.delta < 1:
            raise ValueError(f"PrivacyStatement.delta must lie in [0, 1) (got {self.delta})")
        if not self.epsilon >= 0:
            raise ValueError(f"PrivacyStatement.epsilon must not be negative (got {self.epsilon})")


def audited_of(shown: object) -> dict[str, Any]:
    """What a statement or a run's record tells of an attack's lower bound, whole: it never goes without its
    confidence, its audit and its adversary."""
    return {name: getattr(shown, name) for name in NOT_AUDITED}
