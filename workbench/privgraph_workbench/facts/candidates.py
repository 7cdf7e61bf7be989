"""What may be taken at a budget, in words. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privgraph_workbench.facts.covering import mark
from privgraph_workbench.facts.judging import Judged, Seen
from privgraph_workbench.facts.row_words import both, counted, reader, seeds_of, title_of, with_interval, yours_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.numbers import percent, whole


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What may be taken at a budget, or has the highest mean where nothing is. reached: its accuracy with the
    interval; cost: by how many points that is below a network without privacy ("": not known); between: its
    95% interval ("": not known), and unclear: whether that includes 0; paired: whether these are over seeds
    that it shares with the network; seeds: how many it is said from, and
    yours: how many of them did not come with the program; rivals: what is not told apart from it, nor from
    what needs no noise; promise: in what it promises less than others at the same ε ("": in nothing)."""

    title: str
    mean: float
    reached: str
    cost: str = ""
    between: str = ""
    unclear: bool = False
    paired: bool = False
    seeds: str = ""
    yours: str = "0"
    rivals: tuple[str, ...] = ()
    promise: str = ""

    @property
    def with_yours(self) -> str:
        """Its seeds with how many of them are one's own.

        >>> [Candidate(title="", mean=0.6, reached="", seeds="9", yours=one).with_yours for one in "039"]
        ['9', '9 (3 yours)', '9 (all yours)']
        """
        if self.yours == "0":
            return self.seeds
        return f"{self.seeds} ({'all' if self.yours == self.seeds else self.yours} yours)"

    @property
    def left_open(self) -> str:
        """What it may yet lose against; "" where that is nothing."""
        return f"{both(self.rivals)} may be better" if self.rivals else ""

    @property
    def short(self) -> str:
        """Its title without what stands in brackets behind it."""
        return self.title.replace(" and ", " or ").partition(" (")[0]

    @property
    def named(self) -> str:
        """Its title with that.

        >>> Candidate(title="ProGAP", mean=0.6, reached="60.0%", rivals=("GAP",)).named
        'ProGAP (GAP may be better)'
        >>> Candidate(title="DP-MLP (reads no edge)", mean=0.6, reached="60.0%", rivals=("GAP",)).named
        'DP-MLP (reads no edge; GAP may be better)'
        """
        if not self.left_open:
            return self.title
        words = self.title.removesuffix(")")
        return f"{words}{' (' if words == self.title else '; '}{self.left_open})"

    @property
    def text(self) -> str:
        cost = f", costs {counted(self.cost, 'point')}{self._between}" if self.cost else ""
        return f"{self.named}, {self.reached}{cost}"

    @property
    def costs(self) -> str:
        """Its cost in a cell."""
        return f"{self.cost}{self._between}" if self.cost else "–"

    @property
    def _between(self) -> str:
        return f" ({self.between})" if self.between else ""


def candidate(row: Row, seen: Seen, *, where: str = "") -> Candidate:
    """With its cost, which no interval tells to a decimal: over the seeds that it shares with the network,
    where these are three or more, for splits differ; without where no network has run on the same nodes."""
    shared = None if seen.bare is None else seen.seeds.shared(seen.bare, row)[1]
    far = shared if shared or seen.bare is None else seen.seeds.difference(seen.bare, row)
    return Candidate(
        title=title_of(row) if row is seen.free else reader(row),
        mean=row["mean"],
        reached=with_interval(row) + where,
        seeds=str(row["seeds"]),
        yours=yours_of([row]),
        cost="" if seen.bare is None else _points(seen.bare["mean"] - row["mean"] if far is None else far[0]),
        between="" if far is None else f"{_points(far[1])} to {_points(far[2])}",
        promise=mark(row),
        unclear=far is not None and far[1] <= 0 <= far[2],
        paired=shared is not None,
    )


def _points(share: float) -> str:
    """A share in whole points."""
    return whole(100 * share)


def first_of(one: Judged, seen: Seen) -> Candidate:
    """The best of a budget, with what is not told apart from it and is nothing to take."""
    return replace(candidate(one.best, seen), rivals=tuple(title_of(row) for row in one.beside))


def together_of(rows: Sequence[Row], seen: Seen) -> Candidate:
    """Further methods that cannot be told from the best, the best of them first."""
    if len(rows) == 1:
        return candidate(rows[0], seen)
    first, last = candidate(rows[0], seen), candidate(rows[-1], seen)
    return Candidate(
        title=both([reader(row) for row in rows]),
        mean=first.mean,
        reached=f"means {percent(last.mean)} to {percent(first.mean)}",
        seeds=seeds_of(rows),
        yours=yours_of(rows),
        cost=first.cost if first.cost == last.cost else f"{first.cost} to {last.cost}",
        paired=first.paired and last.paired,
    )
