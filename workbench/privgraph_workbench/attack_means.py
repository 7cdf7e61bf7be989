"""What one attack found on several runs of a setting: its mean over them, which is the strongest of none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.numbers import number

FEWEST = 2
"""Runs that a mean is over at least."""
DIGITS = 6
"""Of an area, as files have it."""


@dataclass(frozen=True, kw_only=True)
class AttackMean:
    """The mean area of one attack over `runs` runs, and its 95% interval (None: fewer than three runs)."""

    attack: str
    asks: str
    mean: float
    low: float | None
    high: float | None
    runs: int

    @property
    def words(self) -> str:
        """`who was trained on: mean AUC 0.612 over 3 runs (0.581 to 0.643), by BaVarIA`."""
        return f"{self.asks}: mean AUC {self.cell}, by {called(self.attack)}"

    @property
    def cell(self) -> str:
        """`0.612 over 3 runs (0.581 to 0.643)`."""
        low, high = self.low, self.high
        between = "no interval" if low is None or high is None else f"{number(low)} to {number(high)}"
        return f"{number(self.mean)} over {self.runs} runs ({between})"


def of(attacks: Sequence[AttackRecord]) -> list[AttackMean]:
    """Of each attack that was made on two runs or more; of a run that it was made on more than once the
    last."""
    held: dict[tuple[str, str], dict[str, float]] = {}
    for one in attacks:
        held.setdefault((one.attack, one.title), {})[one.run] = one.found[0]
    found = []
    for (attack, _), areas in held.items():
        if len(areas) >= FEWEST:
            mean, low, high = (
                None if value is None else round(value, DIGITS)
                for value in confidence(sorted(areas.values()), most=1.0)
            )
            assert mean is not None
            found.append(
                AttackMean(attack=attack, asks=sides(attack).asks, mean=mean, low=low, high=high, runs=len(areas))
            )
    return sorted(found, key=lambda one: (-one.mean, one.attack))


def words(means: Sequence[AttackMean]) -> str:
    """All of them in a cell; "" of none."""
    return "; ".join(one.words for one in means)
