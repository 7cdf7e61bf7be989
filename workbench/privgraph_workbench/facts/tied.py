"""What is not told apart from what is taken at a budget. No Streamlit."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from privgraph_workbench.facts.covering import other_promise
from privgraph_workbench.facts.judging import Judged, Seen, apart, level_of
from privgraph_workbench.facts.row_words import at, counted, title_of
from privgraph_workbench.facts.seedwise import together
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.numbers import percent


def tied(one: Judged, seen: Seen) -> list[Row]:
    """What is not told apart at a budget from what is taken: of methods those that may be taken; where what
    needs no noise, or a smaller budget, gives as much, all that are not clearly below it."""
    kept = seen.free if one.kind == "blind" else one.before
    if kept is not None:
        level = together(len(one.rows))
        return [row for row in one.rows if not seen.seeds.clear(kept, row, level)]
    if one.kind == "nothing":
        return [row for row in one.rows if row["high"] is None or row["high"] >= (seen.guess or 0.0)]
    return list(one.alike)


def against(same: Sequence[Judged], seen: Seen, among: Collection[str] = ()) -> tuple[str, ...]:
    """What is not told apart from what is taken, the highest mean first, each with it, and of several budgets
    with that at which it has it, and how its promise differs; where seeds are too few that which may be
    better or worse by more than a tie's margin, of the methods `among` alone (none: of all)."""
    held = [row for row in _against(same, seen) if not among or row["method"] in among]
    taken = _taken(same[-1], seen)
    where = len(same) > 1
    first = {title_of(row): _with_seeds(row, taken, at(row) * where) for row in reversed(held)}
    return tuple(f"{title} ({first[title]})" for title in dict.fromkeys(title_of(row) for row in held))


def higher(same: Sequence[Judged], seen: Seen) -> tuple[str, ...]:
    """What is not taken though its mean is higher than that of what is, the highest first."""
    if same[-1].kind in ("nothing", "unsure"):
        return ()
    mean = float(_taken(same[-1], seen)["mean"])
    held = [*_against(same, seen), *(row for one in same for row in one.beside)]
    held.sort(key=lambda row: -float(row["mean"]))
    return tuple(dict.fromkeys(title_of(row) for row in held if row["mean"] > mean))


def _taken(one: Judged, seen: Seen) -> Row:
    return (seen.free if one.kind == "blind" else one.before) or one.best


def _against(same: Sequence[Judged], seen: Seen) -> list[Row]:
    """The rows that stand against what is taken, the highest mean first."""
    held: list[Row] = []
    for one in same:
        kept = seen.free if one.kind == "blind" else one.before
        if one.kind == "one":
            held += one.beside
        elif one.kind == "several":
            held += [row for row in one.alike if not one.wide or apart(one.best, row, seen, level_of(one.rows))]
        elif kept is not None:
            level = together(len(one.rows))
            others = [row for row in tied(one, seen) if row["method"] != kept["method"]]
            held += [row for row in others if not one.wide or apart(kept, row, seen, level)]
    held.sort(key=lambda row: -float(row["mean"]))
    return held


def _with_seeds(row: Row, taken: Row, where: str) -> str:
    """Its mean and `where` it has it, its seeds where they are fewer than what is taken has, and its promise
    where that is another one."""
    told = (
        percent(row["mean"]) + where + (f", {counted(row['seeds'], 'seed')}" if row["seeds"] < taken["seeds"] else "")
    )
    return "; ".join(filter(None, (told, other_promise(row, taken))))
