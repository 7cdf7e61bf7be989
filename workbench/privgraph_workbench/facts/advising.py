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
from privgraph_workbench.figures.seeds import FEWEST, reach
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import percent

HIDES = {"edge": "edges", "node": "people"}
UNITS = {"edge": "one edge", "node": "one person with everything about them"}
BLIND = "mlp"
"""A model that reads no edge: it hides all of them, and needs no noise for it."""
NETWORK = "gnn"
"""A network without privacy."""
IGNORES = "the model that ignores edges"
READS_NONE = (
    "reads no edge, so that its weights and predictions hide every edge (ε = 0, δ = 0) where features, labels and the "
    "split are public. It protects no person."
)
"""What such a model promises."""
WIDE = 0.3
"""An interval as wide as that says too little to choose by."""
BASIS = (
    "In brackets: 95% intervals over seeds. Clearly better means that they do not meet; how many seeds would do is "
    "estimated from the present means and spreads. Accuracies are measured on test labels: choosing by them reads "
    "private data, and no ε here pays for it. Choose on a public graph that is like yours, or treat the choice as an "
    "assumption."
)
"""What is called clear, and what the choice itself reads."""
ACCURACY, PREC = "test accuracy", "PREC@1 of relations"
"""What is compared: methods that predict relations have no accuracy."""
MOST_SEEDS = 20
"""With so many seeds a setting what can be told apart is; what cannot is as good."""
Kind = Literal["blind", "one", "several", "unsure"]


@dataclass(frozen=True, kw_only=True)
class Needed:
    """How many seeds a method would need at a budget to be told from another there, about."""

    method: str
    epsilon: float
    seeds: int


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Neighbouring budgets of which the same is said.

    kind: `blind` (edges are to be hidden, and nothing that adds noise is clearly better than a model that
    reads none), `one` (a single method is clearly the best), `several` (one has the highest mean, and others
    cannot be told from it), `unsure` (too little has run). takes: what can be taken, the best first; nothing
    where it is unsure. told: what is said, before the reasons; why: these, a sentence or two. needed: what
    would settle it, where no more than `MOST_SEEDS` seeds would.
    """

    epsilons: tuple[float, ...]
    kind: Kind
    takes: tuple[str, ...]
    told: str
    why: str
    needed: tuple[Needed, ...] = ()

    @property
    def span(self) -> str:
        """Its budgets in words."""
        ends = dict.fromkeys((self.epsilons[0], self.epsilons[-1]))
        return f"ε {' to '.join(f'{one:g}' for one in ends)}"

    @property
    def worth(self) -> str:
        """What its budgets promise, in words."""
        words = dict.fromkeys(meaning.strength(one) for one in (self.epsilons[0], self.epsilons[-1]))
        return f"{' to '.join(words)} protection"

    @property
    def text(self) -> str:
        return f"{self.span} ({self.worth}): {self.told}. {self.why}"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said of each stretch of budgets, and beside it. methods: how many that protect the unit have
    run; thin: why nothing can be chosen yet, "" where something can; absent: titles of those that have not
    run; score: what the percentages are."""

    unit: str
    stretches: tuple[Stretch, ...] = ()
    methods: int = 0
    thin: str = ""
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    score: str = ACCURACY

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
        return f"To hide {HIDES[self.unit]} ({self.score}):"

    @property
    def text(self) -> str:
        """All of it, a line each."""
        return "\n".join([self.heading, *(one.text for one in self.stretches), *self.notes, BASIS])


def verdict(
    records: Sequence[RunRecord], unit: str, expected: Sequence[str] = (), networks: Sequence[RunRecord] = ()
) -> Verdict:
    """What the finished runs of a comparison say, also before all of them are finished; those `expected` that
    have not run are named. `networks`: runs of networks without privacy on the same graph at any options, of
    which the most accurate is the one that is compared with, as in the figure.

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
    notes += _beside_network(judged, tradeoff.data(networks or records))
    return Verdict(
        unit=unit,
        stretches=stretches,
        methods=len(methods),
        thin=_thin(stretches, absent, len(expected)),
        absent=absent,
        notes=tuple(notes),
        score=PREC if "relation prediction" in METHODS[methods[0]].tasks else ACCURACY,
    )


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What a method that is taken promises, in a line, and a run of it that says so in full: "" where none
    does. epsilon: of that run."""

    method: str
    text: str
    run: str = ""
    epsilon: float | None = None


def promises(records: Sequence[RunRecord], said: Verdict) -> list[Promise]:
    """Of each method that is taken first at some budget, at the smallest of these; of a model that reads no
    edge, what follows from that."""
    found = []
    first = {one.takes[0]: one.epsilons[0] for one in reversed(said.stretches) if one.takes}
    for name in dict.fromkeys(one.takes[0] for one in said.stretches if one.takes):
        if name == BLIND:
            found.append(Promise(method=name, text=READS_NONE))
            continue
        for run in sorted(records, key=lambda one: one.spec.seed):
            told, asked = run.statement, run.spec.asked_epsilon
            if run.spec.method == name and told is not None and told.unit == said.unit and asked == first[name]:
                text = (
                    f"hides {meaning.protected(told.unit, told.neighbours)}, δ = {told.delta:.2g}. May be released: "
                    f"{told.released}. Taken as public: {'; '.join(told.public)}."
                )
                found.append(Promise(method=name, text=text, run=run.id, epsilon=asked))
                break
    return found


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
    return one.kind, one.best["method"] if one.kind in ("one", "several") else ""


def _stretch(same: list[_Judged], blind: Row | None, unit: str) -> Stretch:
    """Budgets side by side of which the same is said."""
    kind, title = same[0].kind, METHODS[same[0].best["method"]].title
    last = same[-1]
    takes: tuple[str, ...] = ()
    needed: tuple[Needed, ...] = ()
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
        takes = tuple(dict.fromkeys(row["method"] for one in reversed(same) for row in (one.best, *one.alike)))
        told, why = f"{title} by default, {_reached(same)}", _several(same, blind, unit)
        needed = _needed(same)
    else:
        told = "too little has run"
        row = last.best
        why = (
            f"{title} has fewer than three seeds."
            if row["low"] is None
            else f"{title}'s interval is {percent(row['low'])} to {percent(row['high'])}."
        )
    budgets = tuple(one.best["asked"] for one in same)
    return Stretch(epsilons=budgets, kind=kind, takes=takes, told=told, why=why, needed=needed)


def _several(same: list[_Judged], blind: Row | None, unit: str) -> str:
    """The same method leads at each of these budgets, and others cannot be told from it."""
    last_of = {row["method"]: row for one in same for row in one.alike}
    names = [f"{_title(row)} ({percent(row['mean'])}{_at(row) * (len(same) > 1)})" for row in last_of.values()]
    above = "It has the highest mean"
    if blind is not None and unit == "edge":
        above = f"It is clearly better than {IGNORES} ({percent(blind['mean'])})"
    counts = [row["seeds"] for one in same for row in (one.best, *one.alike)]
    few, many = min(counts), max(counts)
    by = f"{few} seed{'s' * (few != 1)}" if few == many else f"{few} to {many} seeds"
    return f"{above}. With {by} each, {_and(names)} cannot be told from it; {_told_with(same)}."


def _told_with(same: list[_Judged]) -> str:
    """How many seeds would tell what cannot be told apart, and of what not even `MOST_SEEDS` would."""
    seeds = max((one.seeds for one in _needed(same)), default=0)
    titles = {row["method"]: _title(row) for one in same for row in one.alike}
    apart = {row["method"] for one in same for row in one.alike if seeds_to_tell(one.best, row)}
    if not apart:
        return f"not even {MOST_SEEDS} would do"
    if len(apart) == len(titles):
        return f"about {seeds} would do"
    far, near = ([title for method, title in titles.items() if (method in apart) == told] for told in (True, False))
    return f"about {seeds} would do for {_and(far)}, not even {MOST_SEEDS} for {_and(near)}"


def _needed(same: list[_Judged]) -> tuple[Needed, ...]:
    """The seeds of each method at each budget with which the best would be told from the others, as far as
    `MOST_SEEDS` would do."""
    seeds: dict[tuple[str, float], int] = {}
    for one in same:
        for row in one.alike:
            if told := seeds_to_tell(one.best, row):
                for each in (one.best, row):
                    key = each["method"], each["asked"]
                    seeds[key] = max(told, seeds.get(key, 0))
    return tuple(Needed(method=name, epsilon=asked, seeds=told) for (name, asked), told in seeds.items())


def seeds_to_tell(one: Row, other: Row) -> int | None:
    """With how many seeds each their intervals would not meet, if means and spreads stay as they are; None
    where not even `MOST_SEEDS` would do. Of what has no interval, `FEWEST` seeds tell more."""
    if one["low"] is None or other["low"] is None:
        return FEWEST
    for seeds in range(FEWEST, MOST_SEEDS + 1):
        if _reach(one, seeds) + _reach(other, seeds) < abs(one["mean"] - other["mean"]):
            return seeds
    return None


def _reach(row: Row, seeds: int) -> float:
    """Half the interval of so many seeds, or of those that there are where these are more, at the spread of
    those that there are."""
    held = int(row["seeds"])
    more = max(held, seeds)
    half = max(row["mean"] - row["low"], row["high"] - row["mean"])  # the other end may lie at a bound
    return float(half) * reach(more) / reach(held)


def _at(row: Row) -> str:
    return f" at ε {row['asked']:g}"


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
    if not judged:
        return []
    best = judged[-1].best
    same = [row for row in rows if row["method"] == NETWORK and row["test_nodes"] == best["test_nodes"]]
    network = max(same, key=lambda row: float(row["mean"]), default=None)
    if network is None:
        return []
    here = f"{_title(best)}{_at(best)} ({percent(best['mean'])})"
    if network["low"] is None:
        return [f"For scale: a network without privacy reaches {percent(network['mean'])} (fewer than three seeds)."]
    far = "is clearly below" if _clear(network, best) else "cannot be told from"
    return [f"{here} {far} a network without privacy, {_with_interval(network)}."]
