"""What finished runs of a comparison say: what to take at which epsilon, and how sure it is. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from privgraph.options import listed
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.row_words import at, both, reader, title_of, with_interval
from privgraph_workbench.facts.seedwise import Seedwise, together
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff, tradeoff_marks
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import percent, signed, whole
from privgraph_workbench.words.statements import protect_nobody

HIDES = {"edge": "edges", "node": "people"}
UNITS = {"edge": "one edge", "node": "one person with everything about them"}
BLIND = "mlp"
"""A model that reads no edge: it hides all of them, and needs no noise for it."""
NETWORK = "gnn"
"""A network without privacy."""
BARE = "a graph network without privacy"
IGNORES = "the model that ignores edges"
WIDE = 0.3
"""An interval as wide as that says too little to choose by."""
CHOOSING = "Choosing by test labels reads private data, and no ε here pays for it: choose on a public graph like yours."
"""What the choice itself reads."""
BASIS = (
    "In brackets: 95% intervals over seeds. Clearly better: the interval of the difference lies above 0, seed by seed "
    "where most seeds are shared (Student's t), else of the two means (Welch). At each ε there are two questions: what "
    "beats the level without edges (of people: a guess), and which method is best. Each has a chance of at most 5% of "
    "a wrong answer, however many are compared (Bonferroni)."
)
"""What is called clear."""
ACCURACY, PREC = "test accuracy", "PREC@1 of relations"
"""What is compared: methods that predict relations have no accuracy."""
SECRET = "Each ε is that of the same noise with a secret key: train your own before you release anything."
"""What holds where the noise of runs is public."""
Kind = Literal["blind", "nothing", "one", "several", "before", "unsure"]


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
    reads none), `nothing` (no method is clearly better than a guess), `one` (a single method is clearly the
    best), `several` (there is no clear winner), `before` (nothing is better than what a smaller budget gave),
    `unsure` (too little has run). takes: what can be taken, the best first. told: what is said, before the
    reasons; why: these, a sentence or two. needed: what would settle it, where no more than
    `seedwise.MOST_SEEDS` seeds would.
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
        """What its budgets promise, in words; what reads no edge promises more than any of them."""
        return "hides every edge" if self.kind == "blind" else meaning.strengths(self.epsilons[0], self.epsilons[-1])

    @property
    def text(self) -> str:
        return f"{self.span} ({self.worth}): {self.told}. {self.why}"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said of each stretch of budgets, and beside it. methods: how many that protect the unit have
    run; thin: why nothing can be chosen yet, "" where something can; absent: titles of those that have not
    run; score: what the percentages are; bare: what a network without privacy has (None: not known); lead:
    what is true at every budget; public: how many runs behind it protect nobody ("": none)."""

    unit: str
    stretches: tuple[Stretch, ...] = ()
    methods: int = 0
    thin: str = ""
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    score: str = ACCURACY
    bare: float | None = None
    lead: str = ""
    public: str = ""

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
        beside = "" if self.bare is None else f"; costs are points below {BARE}, {percent(self.bare)}"
        return f"To hide {HIDES[self.unit]} ({self.score}{beside}):{self.lead}"

    @property
    def text(self) -> str:
        """All of it, a line each."""
        public = [self.public, SECRET] if self.public else []
        said = [self.heading, *(one.text for one in self.stretches), *public, *self.notes, BASIS, CHOOSING]
        return "\n".join(said)


def verdict(
    records: Sequence[RunRecord], unit: str, expected: Sequence[str] = (), networks: Sequence[RunRecord] = ()
) -> Verdict:
    """What the finished runs of a comparison say, also before all of them are finished; those `expected` that
    have not run are named. `networks`: runs of networks without privacy on the same graph at any options, of
    which the most accurate is the one that is compared with, as in the figure.

    Each budget is judged by the methods that ran at it, seed by seed (`Seedwise`). To hide edges, a model
    that reads none is taken where nothing is clearly better than it; else no method helps where none is
    clearly better than a guess. What is promised at a budget is promised at every larger one: where nothing
    reaches more than a smaller budget did, that is said. Budgets side by side of which the same is said are
    told in one.
    """
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    private = [row for row in rows if row["unit"] == unit and row["asked"] is not None and row["method"] != BLIND]
    private.sort(key=lambda row: (row["asked"], -row["mean"]))
    methods = list(dict.fromkeys(row["method"] for row in private))
    absent = tuple(METHODS[name].title for name in expected if name not in methods)
    if not methods:
        return Verdict(unit=unit, absent=absent)
    blind = next((row for row in rows if row["method"] == BLIND and row["unit"] == "none"), None)
    bare = _network(tradeoff.data(networks or records), private[-1]["test_nodes"])
    guess = tradeoff_marks.guessed(private)
    seen = _Seen(seeds=Seedwise.of([*records, *networks]), unit=unit, blind=blind, bare=bare, guess=guess)
    budgets = {asked: list(held) for asked, held in groupby(private, key=lambda row: row["asked"])}
    single = [asked for asked, held in budgets.items() if len(held) < 2 <= len(methods)]
    judged: list[_Judged] = []
    for asked, held in budgets.items():
        if asked not in single:
            judged.append(_kept(_judged(held, seen), judged, seen))
    stretches = tuple(_stretch(list(same), seen) for _, same in groupby(judged, key=_alike))
    notes = [f"A single method has run at ε {listed([f'{one:g}' for one in single])}."] if single else []
    notes += [f"Not run yet: {', '.join(absent)}."] if absent else []
    return Verdict(
        unit=unit,
        stretches=stretches,
        methods=len(methods),
        thin=_thin(stretches, absent, len(expected)),
        absent=absent,
        notes=tuple(notes),
        score=PREC if "relation prediction" in METHODS[methods[0]].tasks else ACCURACY,
        bare=None if bare is None else bare["mean"],
        lead=_lead(judged, seen),
        public=protect_nobody([one.statement for one in records if one.spec.unit == unit and one.statement]),
    )


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What every budget is judged by: the runs seed by seed, the unit, a model that reads no edge, and a
    network without privacy (None: it has not run), and how often a guess is right (None: not known)."""

    seeds: Seedwise
    unit: str
    blind: Row | None
    bare: Row | None
    guess: float | None

    @property
    def free(self) -> Row | None:
        """What hides the unit without noise."""
        return self.blind if self.unit == "edge" else None


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """One budget: its rows by their means, what is said of it, the best, and what cannot be told from it;
    of the kind `before` also what is as good and was had at a smaller budget."""

    rows: list[Row]
    kind: Kind
    best: Row
    alike: tuple[Row, ...] = ()
    before: Row | None = None


def _judged(rows: list[Row], seen: _Seen) -> _Judged:
    known = [row for row in rows if row["low"] is not None and row["high"] - row["low"] <= WIDE]
    if not known:
        return _Judged(rows=rows, kind="unsure", best=rows[0])
    level = together(len(rows))
    if seen.free is not None:
        better = [row for row in rows if seen.seeds.clear(row, seen.free, level)]
    else:
        better = [row for row in rows if seen.seeds.above_guess(row, level)]
    if not better:
        return _Judged(rows=rows, kind="blind" if seen.free is not None else "nothing", best=rows[0])
    best, level = better[0], _level(rows)
    alike = tuple(row for row in rows if row is not best and not seen.seeds.clear(best, row, level))
    return _Judged(rows=rows, kind="several" if alike else "one", best=best, alike=alike)


def _kept(one: _Judged, smaller: Sequence[_Judged], seen: _Seen) -> _Judged:
    """The same, or that nothing at this budget is better than the best that smaller ones gave."""
    won = [two.best for two in smaller if two.kind in ("one", "several") and two.best["delta"] <= one.best["delta"]]
    before = max(won, key=lambda row: float(row["mean"]), default=None)
    if before is None or one.kind == "unsure":
        return one
    if one.kind in ("one", "several") and one.best["mean"] >= before["mean"]:
        return one
    if any(seen.seeds.clear(row, before, together(len(one.rows))) for row in one.rows):
        return one
    return _Judged(rows=one.rows, kind="before", best=one.rows[0], before=before)


def _level(rows: Sequence[Row]) -> float:
    """Of the intervals that tell which is best: a wrong one would have to beat the right one, and each of the
    others might (Hsu 1984)."""
    return together(len(rows) - 1)


def _alike(one: _Judged) -> tuple[str, str]:
    """By what budgets side by side are told in one."""
    told = one.best["method"] if one.kind in ("one", "several") else ""
    return one.kind, told if one.before is None else str(one.before["runs"])


def _stretch(same: list[_Judged], seen: _Seen) -> Stretch:
    """Budgets side by side of which the same is said."""
    kind, title = same[0].kind, title_of(same[0].best)
    last = same[-1]
    takes: tuple[str, ...] = ()
    needed: tuple[Needed, ...] = ()
    nearest = max((one.best for one in same), key=lambda row: float(row["mean"]))
    there = f"{title_of(nearest)}, has {with_interval(nearest)}{at(nearest)}"
    if kind == "blind" and seen.blind is not None:
        takes, told = (BLIND,), f"take {IGNORES}, {with_interval(seen.blind)}{_cost([seen.blind], seen)}"
        why = f"It needs no noise, and no method that adds noise is clearly better: the best, {there}."
    elif kind == "nothing":
        told = "no method helps"
        why = f"None is clearly better than {_guess(seen)}: the best, {there}."
    elif kind == "one":
        takes, told = (same[0].best["method"],), f"take {reader(same[0].best)}, {_reached(same, seen)}"
        below = [*last.rows[1:2], *([seen.free] if seen.free is not None else [])]
        where = f"At ε {last.best['asked']:g} clearly" if len(same) > 1 else "Clearly"
        why = (
            f"{where} above {both([_beaten(last.best, row, seen, _level(last.rows)) for row in below])}."
            if below
            else "No other method has run."
        )
    elif kind == "before" and (before := last.before) is not None:
        told = f"no more than{at(before)}, where {reader(before)} has {with_interval(before)}"
        why = f"What is promised there is promised here. No method is clearly better here: the best, {there}."
    elif kind == "several":
        takes = tuple(dict.fromkeys(row["method"] for one in reversed(same) for row in (one.best, *one.alike)))
        told = f"no clear winner; {reader(same[0].best)} has {_reached(same, seen)}"
        why = _several(last, seen, where=at(last.best) if len(same) > 1 else "")
        needed = _needed(same, seen)
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


def _beaten(best: Row, row: Row, seen: _Seen, level: float) -> str:
    """What is clearly worse, and the interval of how much."""
    title = IGNORES if row is seen.free else f"the next best, {title_of(row)}"
    return f"{title} ({_below(best, row, seen, level)})"


def _below(best: Row, row: Row, seen: _Seen, level: float) -> str:
    """What it reaches, and the interval of how much lower that is."""
    found = seen.seeds.difference(best, row, level)
    far = "" if found is None else f", lower by {' to '.join(signed(100 * one) for one in found[1:])} points"
    return f"{percent(row['mean'])}{far}"


def _several(one: _Judged, seen: _Seen, where: str) -> str:
    """What the first of a budget is clearly above, and of what cannot be told from it the nearest. where: the
    budget, of several."""
    level, others = _level(one.rows), [row for row in one.rows if row is not one.best]
    near = min(one.alike, key=lambda row: abs(float(one.best["mean"] - row["mean"])))
    told = [f"{IGNORES} ({percent(seen.free['mean'])})"] if seen.free is not None else []
    if (second := others[0]) not in one.alike:
        told.append(f"{title_of(second)} ({_below(one.best, second, seen, level)})")
    clear = f"clearly above {both(told)}, but " if told else ""
    count = min(one.best["seeds"], near["seeds"])
    seeds = f"{count} seed{'s' * (count != 1)}"
    said = f"{clear}not clearly above {title_of(near)} ({_below(one.best, near, seen, level)}, {seeds})."
    said = f"{where} {said}".strip()
    return f"{said[0].upper()}{said[1:]}"


def _needed(same: list[_Judged], seen: _Seen) -> tuple[Needed, ...]:
    """The seeds of each method at each budget with which the best would be told from the others, as far as
    `MOST_SEEDS` would do."""
    seeds: dict[tuple[str, float], int] = {}
    for one in same:
        for row in one.alike:
            if told := seen.seeds.to_tell(one.best, row, _level(one.rows)):
                for each in (one.best, row):
                    key = each["method"], each["asked"]
                    seeds[key] = max(told, seeds.get(key, 0))
    return tuple(Needed(method=name, epsilon=asked, seeds=told) for (name, asked), told in seeds.items())


def _reached(same: Sequence[_Judged], seen: _Seen) -> str:
    """The accuracy of the best at one budget with its interval, or at both ends of several, and its cost."""
    ends = [same[0].best] if len(same) == 1 else [same[0].best, same[-1].best]
    said = with_interval(ends[0]) if len(ends) == 1 else ", ".join(f"{percent(row['mean'])}{at(row)}" for row in ends)
    return said + _cost(ends, seen)


def _cost(ends: Sequence[Row], seen: _Seen) -> str:
    """How many points it is below a network without privacy, which no interval tells to a decimal; "" where
    none has run on the same nodes."""
    if seen.bare is None:
        return ""
    points = [f"{whole(100 * (seen.bare['mean'] - row['mean']))}{_unclear(row, seen.bare, seen)}" for row in ends]
    return f", costs {' and '.join(points)} points"


def _unclear(row: Row, bare: Row, seen: _Seen) -> str:
    """A word where a network without privacy is better, but not clearly."""
    far = seen.seeds.difference(bare, row)
    return " (not clear)" if far is not None and far[1] <= 0 < far[0] else ""


def _guess(seen: _Seen) -> str:
    """What takes no learning, and how often it is right."""
    return "a guess" if seen.guess is None else f"a guess ({percent(seen.guess)})"


def _thin(stretches: Sequence[Stretch], absent: Sequence[str], expected: int) -> str:
    """Why nothing can be chosen yet: half of the methods have not run, or no budget has enough seeds."""
    if 2 * len(absent) >= max(1, expected):
        return f"{listed(absent)} {'have' if len(absent) > 1 else 'has'} not run"
    if all(one.kind == "unsure" for one in stretches):
        return stretches[-1].why.rstrip(".") if stretches else "no two methods share an ε"
    return ""


def _lead(judged: Sequence[_Judged], seen: _Seen) -> str:
    """What holds at every budget of people: that no method helps, or none more than a model that reads no
    edge and protects nobody, which is no alternative, but a measure."""
    if seen.unit != "node" or not judged:
        return ""
    if all(one.kind == "nothing" for one in judged):
        return f" no method helps at any ε tried. None is clearly better than {_guess(seen)}."
    if seen.blind is None or any(
        seen.seeds.clear(row, seen.blind, together(len(one.rows))) for one in judged for row in one.rows
    ):
        return ""
    return (
        " at no ε tried is a method clearly better than a model that reads no edge and protects nobody "
        f"({percent(seen.blind['mean'])})."
        + ("" if seen.guess is None else f" Naming the largest class for everybody is right in {percent(seen.guess)}.")
    )


def _network(rows: Sequence[Row], test_nodes: int | None) -> Row | None:
    """The most accurate network without privacy, measured on as many nodes."""
    same = [row for row in rows if row["method"] == NETWORK and row["test_nodes"] == test_nodes]
    return max(same, key=lambda row: float(row["mean"]), default=None)
