"""What the curves of a figure are called: by what tells them apart there, and nothing that all share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.naming import NO_PERSON, UNIT_WORDS, reads_no_edge
from privgraph_workbench.words.numbers import kept, percent


def curve_of(row: Row) -> str:
    """The curve or level of a row, with all in which its setting differs from others of its method."""
    return f"{row['title']}{_unit(row)}" + (f", {row['variant']}" if row["variant"] else "")


def names(rows: Sequence[Row]) -> dict[str, str]:
    """The names of the curves and levels of these rows, by `curve_of`: the unit only where there are several,
    and of options as few as tell those of one method apart."""
    units = {row["unit"] for row in rows if not row["reference"]}
    alike: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        unit = _unit(row) if row["reference"] or len(units) > 1 else ""
        alike.setdefault((f"{row['title']}{unit}", row["unit"]), {})[curve_of(row)] = str(row["variant"])
    found: dict[str, str] = {}
    for (title, _), curves in alike.items():
        told = apart(list(curves.values()))
        found |= {curve: ", ".join(filter(None, (title, told[variant]))) for curve, variant in curves.items()}
    several = Counter(found.values())
    return {curve: name if several[name] == 1 else curve for curve, name in found.items()}


def apart(variants: Sequence[str]) -> dict[str, str]:
    """Of each list of options in words, as few of them as tell it from the others.

    >>> apart(["delta 0.1, depth 1, hops 2", "delta 0.1, depth 2, hops 2", "delta 0.2, depth 3, hops 4"])
    ... # doctest: +NORMALIZE_WHITESPACE
    {'delta 0.1, depth 1, hops 2': 'depth 1', 'delta 0.1, depth 2, hops 2': 'depth 2',
     'delta 0.2, depth 3, hops 4': 'depth 3'}
    """
    said = {one: _options(one) for one in variants}
    left = list(dict.fromkeys(name for options in said.values() for name in options))
    kept: list[str] = []

    def told(chosen: Iterable[str]) -> int:
        wanted = list(chosen)
        return len({tuple(options.get(name, "") for name in wanted) for options in said.values()})

    while told(kept) < len(said):
        best = max(left, key=lambda name: told([*kept, name]))
        kept.append(best)
        left.remove(best)
    return {one: ", ".join(options[name] for name in kept if name in options) for one, options in said.items()}


def point_of(row: Row, called: Mapping[str, str] | None = None) -> str:
    """A point of the figure in a few words; its curve as it is `called` there."""
    curve = curve_of(row)
    sound = "" if row["reference"] else f" at sound ε {kept(row['asked'], row['epsilon'])}"
    seeds = f"{row['seeds']} seed{'s' * (row['seeds'] != 1)}"
    return f"{(called or {}).get(curve, curve)}{sound}: {percent(row['mean'])}, {seeds}"


def _unit(row: Row) -> str:
    if row["reference"] and row["epsilon"] == 0:
        return ", ε = 0"
    if row["unit"] == "none" and reads_no_edge(row["method"]):
        return f", {NO_PERSON}"
    return "" if row["unit"] == "none" and "private" in row["title"] else f", {UNIT_WORDS[row['unit']]}"


def _options(variant: str) -> dict[str, str]:
    """Options in words by their names: what stands before the last word of each."""
    return {one.rpartition(" ")[0] or one: one for one in variant.split(", ") if one}
