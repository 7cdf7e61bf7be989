"""What is said of one budget of a comparison: whether something is clearly better than what needs no noise,
and which method is best. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from privgraph_workbench.facts.covering import less
from privgraph_workbench.facts.seedwise import APART, Seedwise, together
from privgraph_workbench.figures.chart import Row

WIDE = 0.3
"""An interval as wide as that says too little to choose by."""
OPEN = 0.1
"""An interval that reaches as far above a guess leaves open whether a method is worth its training. Like
`APART`, both are of accuracies, which go up to 1; of a score that ends far below (`Seen.scale`) they are as
much less."""
Kind = Literal["blind", "nothing", "one", "several", "before", "unsure"]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What every budget is judged by: the runs seed by seed, the unit, a model that reads no edge, and a
    network without privacy (None: it has not run), and how often a guess is right (None: not known). scale:
    where the score ends, of which `APART` and what is wide are shares."""

    seeds: Seedwise
    unit: str
    blind: Row | None
    bare: Row | None
    guess: float | None
    scale: float = 1.0

    @property
    def margin(self) -> float:
        """By how much methods in a tie may be apart."""
        return APART * self.scale

    @property
    def free(self) -> Row | None:
        """What hides the unit without noise."""
        return self.blind if self.unit == "edge" else None

    @property
    def idle(self) -> bool:
        """Whether what hides the unit without noise is itself not shown to beat a guess."""
        return self.free is not None and self.seeds.no_better_than_guess(self.free)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One budget: its rows by their means, what is said of it, the best, and what cannot be told from it.
    beside: what cannot be told from it either, nor from what needs no noise: that is nothing to take; of the
    kind `before` also what is no worse and was had at a smaller budget. wide: whether the seeds are too few
    to say so: of the kind `nothing` an interval reaches far above a guess, or there is none; of others the
    difference from one that it is not told apart from may be more than a tie's margin. promises_more: whether
    the best is so by what it promises, where another one has a higher mean.

    Raises `ValueError` for a row whose sound epsilon exceeds the budget: nothing of it may be advised there.
    """

    rows: list[Row]
    kind: Kind
    best: Row
    alike: tuple[Row, ...] = ()
    beside: tuple[Row, ...] = ()
    before: Row | None = None
    wide: bool = False
    promises_more: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            if not keeps(row):
                raise ValueError(f"{row['method']} was asked for epsilon {row['asked']} and has {row['epsilon']}")


def keeps(row: Row) -> bool:
    """Whether the sound epsilon of a setting is no larger than the one that was asked for: not where its
    noise was chosen by a published formula that does not hold, nor where nothing is promised (infinite).

    >>> keeps({"asked": 1.0, "epsilon": 0.9997}), keeps({"asked": 1.0, "epsilon": 633.7})
    (True, False)
    """
    return row["asked"] is not None and bool(row["epsilon"] <= row["asked"])


def judged(rows: list[Row], seen: Seen) -> Judged:
    """What is said of the rows of one budget. What hides edges without noise is the same at each: where it is
    not told from a guess it is taken at none, and a method need not be above it, but what is not clearly
    above it has it beside itself. Of what is not told apart that is the best which promises most."""
    known = [row for row in rows if row["low"] is not None and row["high"] - row["low"] <= WIDE * seen.scale]
    if not known:
        return Judged(rows=rows, kind="unsure", best=rows[0])
    level = together(len(rows))
    if seen.free is not None and not seen.idle:
        better = [row for row in rows if seen.seeds.clear(row, seen.free, level)]
    else:
        better = [row for row in rows if seen.seeds.above_guess(row, level)]
    if not better:
        if seen.free is not None and not seen.idle:
            far = any(apart(seen.free, row, seen, level) for row in rows)
            return Judged(rows=rows, kind="blind", best=rows[0], wide=far)
        return Judged(rows=rows, kind="nothing", best=rows[0], wide=any(_left_open(row, seen) for row in rows))
    level = level_of(rows)
    best = _most_promised(better, seen, level)
    others = [*rows, *([seen.free] if seen.free is not None and seen.idle else [])]
    close = [row for row in others if row is not best and not seen.seeds.clear(best, row, level)]
    alike = tuple(row for row in close if row in better)
    beside = tuple(row for row in close if row not in better)
    far = any(apart(best, row, seen, level) for row in alike)
    return Judged(
        rows=rows,
        kind="several" if alike else "one",
        best=best,
        alike=alike,
        beside=beside,
        wide=far,
        promises_more=best is not better[0],
    )


def _most_promised(better: Sequence[Row], seen: Seen, level: float) -> Row:
    """Of the rows that are not told from the first, which has the highest mean, the first of those that
    promise more than it, and no other of them more than that one; the first itself where there is none."""
    open_ = [row for row in better if not any(seen.seeds.clear(one, row, level) for one in better)]
    best = better[0]
    for row in open_:
        if set(less(row)) < set(less(best)):
            best = row
    return best


def apart(taken: Row, other: Row, seen: Seen, level: float) -> bool:
    """Whether the other, which is not clearly below what is taken, may be better or worse than that by more
    than a tie's margin, for all that seeds tell."""
    found = seen.seeds.difference(taken, other, level)
    return found is None or (found[1] <= 0 and max(-found[1], found[2]) > seen.margin)


def _left_open(row: Row, seen: Seen) -> bool:
    """Whether it may yet be far better than a guess, for all that its seeds tell."""
    return row["high"] is None or row["high"] - (row["guess"] or seen.guess or 0.0) > OPEN * seen.scale


def kept(one: Judged, smaller: Sequence[Judged], seen: Seen) -> Judged:
    """The same, or that nothing at this budget is better than the best that smaller ones gave, where what
    would be taken here does not promise more."""
    won = [two.best for two in smaller if two.kind in ("one", "several") and _promised_here(two.best, one)]
    before = max(won, key=lambda row: float(row["mean"]), default=None)
    if before is None or one.kind == "unsure":
        return one
    if one.kind in ("one", "several") and one.best["mean"] >= before["mean"]:
        return one
    if any(seen.seeds.clear(row, before, together(len(one.rows))) for row in one.rows):
        return one
    far = any(apart(before, row, seen, together(len(one.rows))) for row in one.rows)
    return Judged(rows=one.rows, kind="before", best=one.rows[0], before=before, wide=far)


def _promised_here(row: Row, one: Judged) -> bool:
    """Whether what a row of a smaller budget promises is promised at this one, by what would be taken
    here."""
    as_much = one.kind not in ("one", "several") or set(less(row)) <= set(less(one.best))
    return as_much and bool(row["delta"] <= one.best["delta"])


def level_of(rows: Sequence[Row]) -> float:
    """Of the intervals that tell which is best: a wrong one would have to beat the right one, and each of the
    others might (Hsu 1984)."""
    return together(len(rows) - 1)
