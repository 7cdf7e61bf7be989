"""A row of accuracy against epsilon in words. No Streamlit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.registry import METHODS
from privgraph_workbench.facts.references import interval
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.seeds import NO_WIDTH
from privgraph_workbench.words.naming import reads_no_edge
from privgraph_workbench.words.numbers import kept, kept_budget, percent, signed


def at(row: Row) -> str:
    return f" at ε {row['asked']:g}"


def sound_at(row: Row) -> float:
    """The epsilon that a row keeps: the one asked for where its noise was chosen by it and keeps it, else the
    sound one."""
    budget = kept_budget(row["asked"], row["epsilon"])
    return float(row["epsilon"] if budget is None else budget)


def at_sound(row: Row) -> str:
    return f" at ε {kept(row['asked'], row['epsilon'])}"


def title_of(row: Row) -> str:
    return METHODS[row["method"]].title


def reader(row: Row) -> str:
    """The method, and that it reads no edge where it reads none."""
    return title_of(row) + " (reads no edge)" * reads_no_edge(row["method"])


def with_interval(row: Row) -> str:
    """An accuracy with its interval over seeds, where it has one."""
    return percent(row["mean"]) + ("" if row["low"] is None else f" ({spread(row)})")


def spread(row: Row) -> str:
    """The interval of an accuracy over seeds. Where all seeds agree it has no width, and how far the test
    nodes alone leave it open is said instead."""
    if row["low"] is None:
        return counted(row["seeds"], "seed")
    if row["high"] - row["low"] > NO_WIDTH:
        return f"{percent(row['low'])} to {percent(row['high'])}"
    nodes = row["test_nodes"]
    ends = [] if nodes is None else [percent(one) for one in interval(row["mean"], nodes)]
    alone = f"; {nodes:,} test nodes alone leave {' to '.join(ends)}" if ends else ""
    return f"same in all {row['seeds']} seeds{alone}"


def plus(share: float) -> str:
    """A difference of shares in points, with its sign.

    >>> plus(0.0846), plus(-0.035)
    ('+8.5', '−3.5')
    """
    points = signed(100 * share)
    return points if points.startswith("−") else f"+{points}"


def counted(number: object, thing: str) -> str:
    """
    >>> counted("1", "point"), counted(3, "seed")
    ('1 point', '3 seeds')
    >>> counted(1200, "run")
    '1,200 runs'
    """
    said = f"{number:,}" if isinstance(number, int) else number
    return f"{said} {thing}{'s' * (str(number) != '1')}"


def protects_of(row: Row, unit: str) -> tuple[str, str]:
    """What a row protects where one unit is to be hidden, and at which sound epsilon: what reads no edge
    hides all of them without noise."""
    if unit == "edge" and row["unit"] == "none" and reads_no_edge(row["method"]):
        return "edge", "0, reads none"
    protects = "nothing" if row["unit"] == "none" else str(row["unit"])
    return protects, "none" if math.isinf(row["epsilon"]) else kept(row["asked"], row["epsilon"])


def unsure(whose: str, row: Row, floor: str) -> str:
    """Why a higher mean is ahead of nothing: what needs no noise (`floor`) is not ruled out."""
    seeds = counted(row["seeds"], "seed")
    tell = "does" if row["seeds"] == 1 else "do"
    between = "" if row["low"] is None else f" ({spread(row)})"
    higher = f"{whose} is higher ({percent(row['mean'])})"
    return f"{higher}, but its {seeds}{between} {tell} not tell it from {floor}."


def counted_seeds(rows: Sequence[Row]) -> str:
    """Of how many seeds these are.

    >>> counted_seeds([{"seeds": 3}, {"seeds": 10}]), counted_seeds([{"seeds": 1}])
    ('3 to 10 seeds', '1 seed')
    """
    return counted(seeds_of(rows), "seed")


def seeds_of(rows: Sequence[Row]) -> str:
    few, most = (end(row["seeds"] for row in rows) for end in (min, max))
    return f"{few}" if few == most else f"{few} to {most}"


def yours_of(rows: Sequence[Row]) -> str:
    """How many of their seeds did not come with the program.

    >>> yours_of([{"seeds": 10, "gallery": 7}, {"seeds": 3}])
    '3'
    """
    own = [row["seeds"] - row.get("gallery", 0) for row in rows]
    return f"{min(own)}" if min(own) == max(own) else f"{min(own)} to {max(own)}"


def both(names: Sequence[str]) -> str:
    """Names with an and before the last.

    >>> both(["A"]), both(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
