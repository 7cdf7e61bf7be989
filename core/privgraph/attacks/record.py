"""What an attack came to, as plain numbers that can be stored, drawn and exported. NumPy only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.outcome import Ahead, Outcome, Rate, mean_interval
from privgraph.privacy.serialisation import read_record

FORM = 1
"""Version of the form in which attacks are stored."""
RARE = 0.01
"""The false positive rate that is told in a sentence, where there are others enough."""

FEW = 3
"""Attacked models from which conclusions are drawn from their mean: of two, an interval says nothing."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Nodes of one kind, such as a class or a range of degrees: how many are targets, and their mean
    exposure."""

    name: str
    nodes: int
    exposure: float


@dataclass(frozen=True, kw_only=True)
class Exposed:
    """A training node of the run that the attack finds: its number, class (its name) and degree, and the
    share of the nodes that did not train whose scores lie below its own."""

    node: int
    label: str
    degree: int
    exposure: float


@dataclass(frozen=True, kw_only=True)
class Mapped:
    """A node of the risk map: its number, class (its name) and degree; its exposure where it trained, None
    where it did not."""

    node: int
    label: str
    degree: int
    exposure: float | None


@dataclass(frozen=True, kw_only=True)
class Rival:
    """What another score finds from the answers of the same models: the name of its attack, and the area
    under the curve of each attacked model, the run's own first."""

    attack: str
    areas: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class AttackRecord:
    """One attack on one run.

    Args:
        run: Id of the run.
        attack: Name of the attack, a key of `ATTACKS`; `title` is for people.
        options: All options of the attack.
        knows: What the attacker knows and sees, in sentences.
        models: How many models were trained for it, those that are attacked included.
        outcome: On the model that trains on the run's own training nodes.
        areas: (K,) area under the curve of each attacked model, the run's own first.
        true_rates: (K, 3) true positive rates of each at `attacks.outcome.RATES`.
        roc_false, roc_true: Points of the run's own ROC curve, ascending from (0, 0) to (1, 1).
        band_false, band_low, band_mean, band_high: (G,) true positive rates over the attacked models, lowest,
            mean and highest, at common false positive rates.
        edges: (B + 1,) bins of the scores, with the counts `scores_members` and `scores_others` (B,).
        exposed: The training nodes of the run that the attack finds most easily, the worst first.
        map_nodes: The most exposed training nodes and some of their neighbours, the most exposed first.
        map_edges: Pairs of node numbers, the edges among them, each once.
        by_degree, by_class: Mean exposure of nodes while they trained, over the attacked models; 0.5 is
            chance.
        drawn: Whether the run's training nodes were drawn by a random split, so that they can be exchanged
            with its test nodes.
        steps: How many neighbouring datasets lie between two nodes and the same two with exchanged places
            (`attacks.exchange.STEPS`), or None where the run's relation has no such walk.
        bound: A lower bound on epsilon at `delta`, or None where there is none; right with chance
            `confidence`, together with all audits of the run where the attack has taken a turn among them.
        turn: Which (`audits.bounds.shared_confidence`); 0 where it stands alone.
        sound: The run's sound epsilon; infinite where nothing is protected.
        accuracy: Test accuracy of the model that was attacked in the run's place; `said` that of the run.
        seconds: How long the attack took.
        signed_rank: The p-value of Wilcoxon's signed-rank test, two-sided, of members against the others they
            are matched with (`attacks.matched.signed_rank`); None where nobody was matched.
        by_classes: Of an attack on edges, the area that the true classes of both ends have alone: pairs of
            one class before all others. None elsewhere.
        rivals: What the other scores find from the same models' answers, where there are any.
    """

    run: str
    attack: str
    title: str
    options: AttackOptions
    knows: tuple[str, ...]
    models: int
    outcome: Outcome
    areas: tuple[float, ...]
    true_rates: tuple[tuple[float, ...], ...]
    roc_false: tuple[float, ...]
    roc_true: tuple[float, ...]
    band_false: tuple[float, ...]
    band_low: tuple[float, ...]
    band_mean: tuple[float, ...]
    band_high: tuple[float, ...]
    edges: tuple[float, ...]
    scores_members: tuple[int, ...]
    scores_others: tuple[int, ...]
    exposed: tuple[Exposed, ...]
    by_degree: tuple[Group, ...]
    by_class: tuple[Group, ...]
    drawn: bool
    steps: int | None
    bound: float | None
    delta: float
    confidence: float
    sound: float
    accuracy: float
    said: float | None
    seconds: float
    notes: tuple[str, ...] = ()
    turn: int = 0
    map_nodes: tuple[Mapped, ...] = ()
    map_edges: tuple[tuple[int, ...], ...] = ()
    signed_rank: float | None = None
    by_classes: float | None = None
    rivals: tuple[Rival, ...] = ()

    def __post_init__(self) -> None:
        if self.bound is not None and not (self.bound >= 0 and math.isfinite(self.bound)):
            raise ValueError(f"AttackRecord.bound must be finite and not negative (got {self.bound})")
        if not 0 < self.confidence < 1 or not 0 <= self.delta < 1:
            raise ValueError("AttackRecord: confidence and delta must be probabilities")
        if self.signed_rank is not None and not 0 <= self.signed_rank <= 1:
            raise ValueError(f"AttackRecord.signed_rank must be a probability (got {self.signed_rank})")
        drawn = {one.node for one in self.map_nodes}
        if any(len(pair) != 2 or not drawn.issuperset(pair) for pair in self.map_edges):
            raise ValueError("AttackRecord.map_edges must be pairs of the nodes in map_nodes")
        if self.turn < 0:
            raise ValueError(f"AttackRecord.turn must not be negative (got {self.turn})")
        if not any(rate.false == RARE for rate in self.outcome.rates) or not self.areas:
            raise ValueError(f"AttackRecord: there must be an attacked model, and a rate at {RARE}")
        for names in (("roc_false", "roc_true"), ("band_false", "band_low", "band_mean", "band_high"),
                      ("scores_members", "scores_others"), ("areas", "true_rates")):  # fmt: skip
            if len({len(getattr(self, name)) for name in names}) > 1:
                raise ValueError(f"AttackRecord: {', '.join(names)} must be of one length")
        if any(len(one.areas) != len(self.areas) for one in self.rivals):
            raise ValueError("AttackRecord.rivals must have an area for each attacked model")
        if len(self.edges) != len(self.scores_members) + 1:
            raise ValueError("AttackRecord.edges must be one more than the bins between them")

    def __repr__(self) -> str:
        """What it found, in one line."""
        low = self.rare
        rare = "" if low is None else f", true positives {low.true:.1%} at {low.false:g} false ones"
        return (
            f"AttackRecord({self.attack} on {self.run}: area {self.outcome.area:.3f} "
            f"({self.outcome.area_low:.3f} to {self.outcome.area_high:.3f}){rare}, {self.models} models)"
        )

    @property
    def rare(self) -> Rate | None:
        """The rates at a false positive rate of 1%, or at the smallest one above of which so many others can
        tell; None where they can tell of none."""
        seen = [rate for rate in self.outcome.rates if rate.false >= RARE and self.outcome.measurable(rate)]
        # one whose interval begins at 0 where something was found says that the others are too few for it
        told = [rate for rate in seen if rate.low > 0 or rate.true == 0] or seen[-1:]
        return min(told, key=lambda rate: rate.false, default=None)

    @property
    def rates_found(self) -> tuple[Rate, ...]:
        """The rates that conclusions are drawn from: as `found`, means of the attacked models with their
        intervals where they are at least `FEW`, else those of the one."""
        if len(self.true_rates) < FEW:
            return self.outcome.rates
        means = [mean_interval(seen, self.confidence) for seen in zip(*self.true_rates, strict=True)]
        return tuple(
            replace(rate, true=mean, low=low, high=high)
            for rate, (mean, low, high) in zip(self.outcome.rates, means, strict=True)
        )

    @property
    def rare_found(self) -> Rate | None:
        """Of `rates_found`, the one at the false positive rate of `rare`."""
        rate = self.rare
        return None if rate is None else next(one for one in self.rates_found if one.false == rate.false)

    @property
    def ahead(self) -> Ahead:
        """How many of the run's own training nodes are found before all others, and how many by chance."""
        found = self.outcome
        rare = [rate.true for rate in found.rates if not found.measurable(rate)]  # those that allow no other
        share = rare or [true for false, true in zip(self.roc_false, self.roc_true, strict=True) if false == 0]
        return Ahead(
            members=found.members, others=found.others, but=0, found=round(max(share, default=0.0) * found.members)
        )

    @property
    def nearly_ahead(self) -> Ahead | None:
        """How many of them are found before all others but the share `RARE`; None where that is not one."""
        return next((one for rate, one in self.ahead_at.items() if rate.false == RARE), None)

    @property
    def ahead_at(self) -> dict[Rate, Ahead]:
        """At each rate that so many others can tell, how many of the run's own training nodes are found, and
        how many by chance."""
        found = self.outcome
        return {
            rate: Ahead(
                members=found.members,
                others=found.others,
                but=int(rate.false * found.others + 1e-9),
                found=round(rate.true * found.members),
            )
            for rate in found.rates
            if found.measurable(rate)
        }

    @property
    def mean_area(self) -> tuple[float, float, float] | None:
        """Mean area of the attacked models, and its interval (`outcome.mean_interval`); None of one."""
        return mean_interval(self.areas, self.confidence) if len(self.areas) > 1 else None

    @property
    def found(self) -> tuple[float, float, float]:
        """The area that conclusions are drawn from, with its interval: the mean of the attacked models where
        they are at least `FEW`, for they differ by more than whom one of them was judged on; else that of
        the one."""
        if self.mean_area is not None and len(self.areas) >= FEW:
            return self.mean_area
        return self.outcome.area, self.outcome.area_low, self.outcome.area_high

    @property
    def refutes_sound(self) -> bool:
        """The attack has shown more than the sound epsilon: something is wrong with us."""
        return self.bound is not None and self.bound > self.sound

    def to_json(self) -> dict[str, Any]:
        """Strict JSON: infinity is the string "inf"."""
        plain: dict[str, Any] = {"version": FORM, **asdict(self)}
        return {name: _plain(value) for name, value in plain.items()}

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> AttackRecord:
        """What `to_json` wrote. Raises `ValueError` where the record is of another form."""
        fields = dict(record) if isinstance(record, Mapping) else {}
        if fields.pop("version", None) != FORM:
            raise ValueError("this attack was written by another version")
        return read_record(AttackRecord, fields)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
