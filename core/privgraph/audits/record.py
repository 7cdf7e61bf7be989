"""What an audit came to, as plain numbers that can be stored, drawn and exported. NumPy only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from privgraph.privacy import old_records
from privgraph.privacy.kinds import FORM, Adversary, Route
from privgraph.privacy.rounding import lower, upper
from privgraph.privacy.serialisation import read_record

COVERS = ("run", "step")


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A lower bound on epsilon by one route, each at the audit's confidence.

    `route` is the threshold (Clopper-Pearson, chosen on one half of the trials and judged on the other), the
    Gaussian (its trade-off, Nasr et al. 2023) or one run (many canaries, Steinke et al. 2023).
    """

    route: Route
    epsilon: float
    detail: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class AuditRecord:
    """One audit of one run.

    `audit` is its name, and `adversary` the kind of attack; `title`, `score` and `notes` are words for
    people. `covers`: "run" where the bound holds for the whole run's guarantee, "step" where it holds for one
    release of it alone. `epsilon` is the bound of the route that was fixed before the audit, at `confidence`
    and `delta`; `bounds` are all routes. `turn`: 0 where the audit stands alone; k where it is the k-th of
    its run, and `confidence` holds for all of them together (`bounds.shared_confidence`). `sound` and
    `published` are the claims for exactly what was audited (infinite: none proved; None: no formula).
    `scores_with`, `scores_without`: histograms on the common `edges` (n + 1,) of the scores in the two
    datasets; `roc_false`, `roc_true`: points of the ROC curve, ascending from (0, 0) to (1, 1). `trials`
    counts both datasets (or canaries).
    """

    run: str
    audit: str
    adversary: Adversary
    title: str
    covers: str
    delta: float
    confidence: float
    epsilon: float
    bounds: tuple[Bound, ...]
    sound: float
    published: float | None
    trials: int
    seconds: float
    seed: int
    score: str
    edges: tuple[float, ...]
    scores_with: tuple[int, ...]
    scores_without: tuple[int, ...]
    roc_false: tuple[float, ...]
    roc_true: tuple[float, ...]
    area: float
    notes: tuple[str, ...] = ()
    turn: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.adversary, Adversary):
            raise ValueError(f"AuditRecord.adversary must be an Adversary (got {self.adversary!r})")
        if self.covers not in COVERS:
            raise ValueError(f"AuditRecord.covers must be one of {', '.join(COVERS)} (got {self.covers})")
        if not (self.epsilon >= 0 and math.isfinite(self.epsilon)):
            raise ValueError(f"AuditRecord.epsilon must be finite and not negative (got {self.epsilon})")
        if not 0 < self.confidence < 1 or not 0 <= self.delta < 1:
            raise ValueError("AuditRecord: confidence and delta must be probabilities")
        if self.turn < 0:
            raise ValueError(f"AuditRecord.turn must not be negative (got {self.turn})")

    def __repr__(self) -> str:
        """What was shown, with which confidence, and the claims; neither histograms nor curves."""
        shown = f"epsilon of {'the run' if self.covers == 'run' else 'one step'} at least {lower(self.epsilon)}"
        published = "" if self.published is None else f", published epsilon {self.published:.4g}"
        claims = f"sound epsilon {upper(self.sound)}{published}, delta {self.delta:g}"
        sure = f"confidence {self.confidence:g}, {self.trials:,} trials"
        return f"AuditRecord({self.audit} of {self.run}: {shown}, {claims}, {sure})"

    @property
    def best_accuracy(self) -> float:
        """The share of right guesses at the best threshold, between the two datasets, each counting half; the
        curve is thinned, and may leave the very best out. (Chosen by what it is judged on: above 1/2 also
        where there is nothing to see.)"""
        return max((1 + true - false) / 2 for true, false in zip(self.roc_true, self.roc_false, strict=True))

    @property
    def refutes_sound(self) -> bool:
        """The attack has shown more than the sound epsilon: something is wrong with us."""
        return self.epsilon > self.sound

    @property
    def refutes_published(self) -> bool:
        """The attack has shown more than the paper's formula claims."""
        return self.published is not None and self.epsilon > self.published

    def to_json(self) -> dict[str, Any]:
        """Strict JSON: infinity is the string "inf"."""
        return {"version": FORM, **_plain(asdict(self))}

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> AuditRecord:
        """What `to_json` wrote, in this version or an earlier one. Raises `ValueError` where the record is of
        another form."""
        fields = dict(record) if isinstance(record, Mapping) else {}
        if fields.get("version") == old_records.AUDITS:
            fields = old_records.audit(fields)
        if fields.pop("version", None) != FORM:
            raise ValueError("this audit was written by another version")
        return read_record(AuditRecord, fields)


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
