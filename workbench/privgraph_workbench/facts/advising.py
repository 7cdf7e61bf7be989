"""What finished runs of a comparison say: what to take at which epsilon, and how sure it is. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from privgraph.options import listed
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.numbers import percent

HIDES = {"edge": "edges", "node": "people"}
UNITS = {"edge": "one edge", "node": "one person with everything about them"}
BLIND = "mlp"
"""A model that reads no edge: it hides all of them, and needs no noise for it."""
IGNORES = "the model that ignores edges"
WIDE = 0.3
"""An interval as wide as that says too little to choose by."""
BASIS = (
    "In brackets: 95% intervals over seeds. Clearly better means that they do not meet. Accuracies are measured on "
    "test labels: choosing by them reads private data, and no ε here pays for it. Choose on a public graph that is "
    "like yours, or treat the choice as an assumption."
)
"""What is called clear, and what the choice itself reads."""
Kind = Literal["blind", "one", "several", "unsure"]


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Neighbouring budgets of which the same is said.

    kind: `blind` (edges are to be hidden, and nothing that adds noise is clearly better than a model that
    reads none), `one` (a single method is clearly the best), `several` (one has the highest mean, and others
    cannot be told from it), `unsure` (too little has run). takes: what can be taken, the best first; nothing
    where it is unsure. told: what is said, before the reasons; why: these, a sentence or two.
    """

    epsilons: tuple[float, ...]
    kind: Kind
    takes: tuple[str, ...]
    told: str
    why: str

    @property
    def span(self) -> str:
        """Its budgets in words."""
        ends = dict.fromkeys((self.epsilons[0], self.epsilons[-1]))
        return f"ε {' to '.join(f'{one:g}' for one in ends)}"

    @property
    def text(self) -> str:
        return f"{self.span}: {self.told}. {self.why}"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said of each stretch of budgets, and beside it. methods: how many that protect the unit have
    run; thin: why nothing can be chosen yet, "" where something can; absent: titles of those that have not
    run."""

    unit: str
    stretches: tuple[Stretch, ...] = ()
    methods: int = 0
    thin: str = ""
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether it says of some budget what to take."""
        return not self.thin and any(one.kind in ("blind", "one") for one in self.stretches)

    @property
    def heading(self) -> str:
        """What the stretches are about, or that nothing can be said."""
        if not self.methods:
            return "No method has a finished run yet."
        if self.thin:
            return f"Too little has run to say what hides {HIDES[self.unit]} best: {self.thin}."
        return f"To hide {HIDES[self.unit]}:"

    @property
    def text(self) -> str:
        """All of it, a line each."""
        return "\n".join([self.heading, *(one.text for one in self.stretches), *self.notes, BASIS])


def verdict(records: Sequence[RunRecord], unit: str, expected: Sequence[str] = ()) -> Verdict:
    """What the finished runs of a comparison say, also before all of them are finished; those `expected` that
    have not run are named.

    Each budget is judged by the methods that ran at it. A method is clearly better than another where its
    interval over seeds lies above the other's. To hide edges, a model that reads none is taken where nothing
    is clearly better than it. Budgets side by side of which the same is said are told in one.
    """
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    private = [row for row in rows if row["unit"] == unit and row["asked"] is not None and row["method"] != BLIND]
    private.sort(key=lambda row: (row["asked"], -row["mean"]))
    methods = list(dict.fromkeys(row["method"] for row in private))
    absent = tuple(METHODS[name].title for name in expected if name not in methods)
    if not methods:
        return Verdict(unit=unit, absent=absent)
    at = {asked: list(held) for asked, held in groupby(private, key=lambda row: row["asked"])}
    single = [asked for asked, held in at.items() if len(held) < 2 <= len(methods)]
    blind = next((row for row in rows if row["method"] == BLIND and row["unit"] == "none"), None)
    judged = [_judged(held, blind, unit) for asked, held in at.items() if asked not in single]
    stretches = tuple(_stretch(list(same), blind, unit) for _, same in groupby(judged, key=_alike))
    notes = [f"A single method has run at ε {listed([f'{one:g}' for one in single])}."] if single else []
    if unit == "node":
        notes += _beside_blind([row for held in at.values() for row in held], blind)
    notes += [f"Not run yet: {', '.join(absent)}."] if absent else []
    notes += _beside_network(judged, rows)
    return Verdict(
        unit=unit,
        stretches=stretches,
        methods=len(methods),
        thin=_thin(stretches, absent, len(expected)),
        absent=absent,
        notes=tuple(notes),
    )


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """One budget: its rows by their means, what is said of it, the best, and what cannot be told from it."""

    rows: list[Row]
    kind: Kind
    best: Row
    alike: tuple[Row, ...] = ()


def _judged(rows: list[Row], blind: Row | None, unit: str) -> _Judged:
    known = [row for row in rows if row["low"] is not None and row["high"] - row["low"] <= WIDE]
    if not known:
        return _Judged(rows=rows, kind="unsure", best=rows[0])
    better = [row for row in rows if unit == "node" or blind is None or _clear(row, blind)]
    if not better:
        return _Judged(rows=rows, kind="blind", best=rows[0])
    best = better[0]
    alike = tuple(row for row in rows if row is not best and not _clear(best, row))
    return _Judged(rows=rows, kind="several" if alike else "one", best=best, alike=alike)


def _alike(one: _Judged) -> tuple[str, str]:
    """By what budgets side by side are told in one."""
    return one.kind, one.best["method"] if one.kind == "one" else ""


def _stretch(same: list[_Judged], blind: Row | None, unit: str) -> Stretch:
    """Budgets side by side of which the same is said."""
    kind, title = same[0].kind, METHODS[same[0].best["method"]].title
    last = same[-1]
    takes: tuple[str, ...] = ()
    if kind == "blind" and blind is not None:
        nearest = max((one.best for one in same), key=lambda row: float(row["mean"]))
        takes, told = (BLIND,), f"take {IGNORES}, {_with_interval(blind)}"
        why = (
            "It hides every edge without noise, and no method that adds noise is clearly better: the best, "
            f"{METHODS[nearest['method']].title}, has {_with_interval(nearest)}{_at(nearest)}."
        )
    elif kind == "one":
        takes, told = (same[0].best["method"],), f"take {title}, {_reached(same)}"
        where = _at(last.best) * (len(same) > 1)
        below = [f"the next best, {_title(row)} ({percent(row['mean'])}{where})" for row in last.rows[1:2]]
        below += [f"{IGNORES} ({percent(blind['mean'])})"] if blind is not None and unit == "edge" else []
        why = f"It is clearly above {' and '.join(below)}." if below else "No other method has run."
    elif kind == "several":
        leaders = dict.fromkeys(one.best["method"] for one in same)
        takes = tuple(dict.fromkeys(row["method"] for one in reversed(same) for row in (one.best, *one.alike)))
        told = "no clear winner"
        why = _several(same, blind, unit) if len(leaders) == 1 else _in_turn(same, blind, unit)
    else:
        told = "too little has run"
        row = last.best
        why = (
            f"{title} has fewer than three seeds."
            if row["low"] is None
            else f"{title}'s interval is {percent(row['low'])} to {percent(row['high'])}."
        )
    return Stretch(epsilons=tuple(one.best["asked"] for one in same), kind=kind, takes=takes, told=told, why=why)


def _several(same: list[_Judged], blind: Row | None, unit: str) -> str:
    """The same method leads at each of these budgets, and others cannot be told from it."""
    title = _title(same[0].best)
    reached = _reached(same) if len(same) > 1 else percent(same[0].best["mean"])
    last_of = {row["method"]: row for one in same for row in one.alike}
    names = [f"{_title(row)} ({percent(row['mean'])}{_at(row) * (len(same) > 1)})" for row in last_of.values()]
    if blind is not None and unit == "edge":
        above = f"{title} ({reached}) is clearly better than {IGNORES} ({percent(blind['mean'])})"
    else:
        above = f"{title} has the highest mean ({reached})"
    return f"{above}; {_and(names)} cannot be told from it."


def _in_turn(same: list[_Judged], blind: Row | None, unit: str) -> str:
    """Several methods lead, each at other budgets."""
    led: dict[str, list[Row]] = {}
    for one in same:
        led.setdefault(_title(one.best), []).append(one.best)
    leaders = [
        f"{title} at ε {_epsilons(held)} ({'up to ' * (len(held) > 1)}{percent(max(row['mean'] for row in held))})"
        for title, held in led.items()
    ]
    said = f"The highest means are those of {_and(leaders)}; at each of these ε, others cannot be told from the best."
    if blind is None or unit == "node":
        return said
    return f"{said} Each is clearly better than {IGNORES} ({percent(blind['mean'])})."


def _at(row: Row) -> str:
    return f" at ε {row['asked']:g}"


def _epsilons(rows: Sequence[Row]) -> str:
    return ", ".join(f"{row['asked']:g}" for row in rows)


def _title(row: Row) -> str:
    return METHODS[row["method"]].title


def _and(names: Sequence[str]) -> str:
    """Names with an and before the last.

    >>> _and(["A"]), _and(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _reached(same: Sequence[_Judged]) -> str:
    """The accuracy of the best at one budget with its interval, or at both ends of several."""
    first, last = same[0].best, same[-1].best
    if len(same) == 1:
        return _with_interval(first)
    return f"{percent(first['mean'])}{_at(first)}, {percent(last['mean'])}{_at(last)}"


def _with_interval(row: Row) -> str:
    span = "" if row["low"] is None else f" ({percent(row['low'])} to {percent(row['high'])})"
    return f"{percent(row['mean'])}{span}"


def _clear(one: Row, other: Row) -> bool:
    """Whether the interval of one lies above that of the other; where the other has too few seeds for one,
    above its mean."""
    end = other["mean"] if other["high"] is None else other["high"]
    return one["low"] is not None and bool(one["low"] > end)


def _thin(stretches: Sequence[Stretch], absent: Sequence[str], expected: int) -> str:
    """Why nothing can be chosen yet: half of the methods have not run, or no budget has enough seeds."""
    if 2 * len(absent) >= max(1, expected):
        return f"{listed(absent)} {'have' if len(absent) > 1 else 'has'} not run"
    if all(one.kind == "unsure" for one in stretches):
        return stretches[-1].why.rstrip(".") if stretches else "no two methods share an ε"
    return ""


def _beside_blind(private: Sequence[Row], blind: Row | None) -> list[str]:
    """Whether people's edges bought anything: a model that reads none and protects nobody is no alternative,
    but a measure."""
    if blind is None or any(_clear(row, blind) for row in private):
        return []
    return [
        f"For scale: a model that reads no edge and protects nobody reaches {_with_interval(blind)}, and no method "
        "is clearly better than that at any ε tried."
    ]


def _beside_network(judged: Sequence[_Judged], rows: Sequence[Row]) -> list[str]:
    """How far the best at the largest budget is from a network without privacy."""
    network = next((row for row in rows if row["method"] == "gnn"), None)
    if network is None or not judged:
        return []
    best = judged[-1].best
    here = f"{_title(best)}{_at(best)} ({percent(best['mean'])})"
    if network["low"] is None:
        return [f"For scale: a network without privacy reaches {percent(network['mean'])} (fewer than three seeds)."]
    far = "is clearly below" if _clear(network, best) else "cannot be told from"
    return [f"{here} {far} a network without privacy, {_with_interval(network)}."]
