"""What is said of budgets side by side: what to take there, what that reaches and costs, and why. No
Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph_workbench.facts import row_words, settling, tied
from privgraph_workbench.facts.candidates import Candidate, candidate, first_of, together_of
from privgraph_workbench.facts.covering import Promised, promised_by
from privgraph_workbench.facts.judging import Judged, Kind, Seen, level_of
from privgraph_workbench.facts.row_words import at, both, counted, plus, reader, spread, title_of, unsure, with_interval
from privgraph_workbench.facts.settling import Needed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.seeds import NO_WIDTH
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import bound, percent

TAKEN = ("blind", "one", "several")
"""Kinds of stretches at which something is taken."""
CLEAR, TIE, FEW_SEEDS, OPEN = "clear", "tie of", "too few seeds", "not told apart"
"""How sure it is what to take at a budget. Too few are seeds that more of them, and not too many, can help;
else what is open stays so."""
MOST_NAMED = 3
"""Methods that a verdict names."""
STRONGER = "taken for its stronger promise"
"""Why of methods that are not told apart one is taken that has not the highest mean."""
FEW_NODES = 100
"""With fewer test nodes it is said how many there are where nothing is told from a guess."""
BLIND = "mlp"
"""A model that reads no edge: it hides all of them, and needs no noise for it."""


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Neighbouring budgets of which the same is said.

    kind: `blind` (edges are to be hidden, and nothing that adds noise is clearly better than a model that
    reads none), `nothing` (no method is clearly better than a guess), `one` (a single method is clearly the
    best), `several` (there is no clear winner), `before` (nothing is better than what a smaller budget gave),
    `unsure` (too little has run). takes: what can be taken, the best first. told: what is said, before the
    reasons; candidates: of whom; why: the reasons, a sentence or two. needed: what would settle it, where no
    more than `seedwise.MOST_SEEDS` seeds would (`settling.needed`). aside: what is not told apart from the
    first, nor from what needs no noise, and so is nothing to take ("": nothing); of `blind` what has a higher
    mean. stronger: why the first is taken though another has a higher mean ("": for none has). alike: by how
    much the higher of the first and the best of the others is above the other, where more seeds are not going
    to tell them apart, or need not. wide: whether seeds are too few to say so. before: the smaller budget
    that gave as much, and stays: by which method. delta: the largest behind what is taken. promised: under
    which relations that is. unclear: methods that are taken and whose cost is not clear. tied: how many are
    not told apart from what is taken at one of the budgets, with it; what needs no noise counts. against:
    what that is, with its mean; where seeds are too few, that which they do not rule out. higher: what has a
    higher mean than what is taken, and floor: what that is not clearly above ("": what is taken). here: where
    nothing is taken at these budgets, what has the highest mean there, and with which. guess: in words, where
    a guess is not beaten. idle: that a model that reads no edge does not beat it either, so that it is taken
    at no budget: a reason of all budgets, said once of them ("": it does).
    """

    epsilons: tuple[float, ...]
    kind: Kind
    takes: tuple[str, ...]
    told: str
    why: str
    candidates: tuple[Candidate, ...] = ()
    needed: tuple[Needed, ...] = ()
    before: float | None = None
    stays: str = ""
    delta: float = 0.0
    aside: str = ""
    promised: tuple[Promised, ...] = ()
    unclear: tuple[str, ...] = ()
    alike: str = ""
    wide: bool = False
    tied: int = 1
    against: tuple[str, ...] = ()
    higher: tuple[str, ...] = ()
    floor: str = ""
    here: str = ""
    guess: str = ""
    idle: str = ""
    stronger: str = ""

    @property
    def sure(self) -> str:
        """The verdict in a line: with what it ties with, or what is not told from it."""
        word, beneath = self.cell
        mark = ": " if word == FEW_SEEDS else " " if self._named else "; "
        return f"{word}{mark}{beneath}" if beneath else self.verdict

    @property
    def word(self) -> str:
        """The verdict in a word or two, wherever it stands."""
        return "tie" if self.verdict.startswith(TIE) else self.verdict

    @property
    def cell(self) -> tuple[str, str]:
        """The verdict in a word or two, and what stands below it: what is not told apart, how many seeds
        would do, and why a higher mean is not taken."""
        named, word = self._named, self.word
        if word == FEW_SEEDS:
            told = f"about {self.seeds}{' of each' * (len(self.needed) > 1)} may tell"
            told += f" {'one' if self.kind == 'nothing' else 'it'} from {named}" * bool(named)
        else:
            told = f"{'with' if word == 'tie' else 'from'} {named}" if named else ""
        best = f"{'nothing is clearly better: ' * (self.before is not None)}at best {self.here}" if self.here else ""
        return word, "; ".join(filter(None, (told, best or self._why_not_higher)))

    @property
    def _named(self) -> str:
        """What it is not told from; "" where it is told from all of it."""
        if self.verdict == CLEAR:
            return ""
        if self.kind == "nothing":
            return self.guess
        left = len(self.against) - MOST_NAMED
        named = [*self.against[:MOST_NAMED], *([f"{left} more"] if left > 0 else [])]
        return both(named) if named else ""

    @property
    def _why_not_higher(self) -> str:
        if self.stronger or not self.higher:
            return self.stronger
        are = "are" if len(self.higher) > 1 else "is"
        return f"{both(self.higher)} {are} higher, but not clearly{f' above {self.floor}' if self.floor else ''}"

    @property
    def seeds(self) -> int:
        """With how many seeds of each it may be settled; 0: not even with `seedwise.MOST_SEEDS`."""
        return settling.count(self.needed)

    @property
    def shown(self) -> tuple[Candidate, ...]:
        """Whom a line of a table is of: of several that are not told apart the first alone."""
        return self.candidates[:1] if self.kind == "several" else self.candidates

    @property
    def verdict(self) -> str:
        """How sure it is what to take: `CLEAR`, a `TIE` of so many, `FEW_SEEDS`, or `OPEN`."""
        if self.kind == "unsure" or self.wide or (self.kind == "one" and self.aside):
            return FEW_SEEDS if self.needed else OPEN
        return CLEAR if self.tied < 2 else f"{TIE} {self.tied}"

    @property
    def clear(self) -> bool:
        """Whether one method is clearly the best."""
        return self.kind == "one" and not self.aside

    @property
    def span(self) -> str:
        """Its budgets in words."""
        return f"ε {self.budgets}"

    @property
    def budgets(self) -> str:
        return " to ".join(f"{one:g}" for one in dict.fromkeys((self.epsilons[0], self.epsilons[-1])))

    @property
    def worth(self) -> str:
        """What its budgets promise, in words; what reads no edge promises more than any of them."""
        if self.kind == "blind":
            return "hides every edge"
        return meaning.strengths(self.epsilons[0], self.epsilons[-1], self.delta)

    @property
    def protection(self) -> str:
        """The same in a cell, with the most that a guess is right; of a smaller budget where that is the one
        to take. What reads no edge hides all of them, and nobody."""
        if self.kind == "blind":
            return "every edge (ε 0), no person"
        if self.kind == "nothing":
            return "–"
        ends = (self.epsilons[0], self.epsilons[-1]) if self.before is None else (self.before, self.before)
        words = meaning.strengths(*ends, self.delta).replace(" protection", "")
        words += "ne" * words.endswith("next to no")
        words += f": {bound(meaning.guess(ends[1], self.delta))}"
        return words if self.before is None else f"that of ε {self.before:g}: {words}"

    @property
    def text(self) -> str:
        return f"{self.span} ({self.worth}): {self.told}. {self.why}"

    @property
    def short(self) -> str:
        """What to take, each with its accuracy, in a few words."""
        return self.taken + f" ({self.left_open})" * bool(self.left_open)

    @property
    def taken(self) -> str:
        """The same without how sure that is."""
        if self.kind not in TAKEN:
            return self._nothing
        return ", ".join(f"{one.short} {percent(one.mean)}" for one in self.shown)

    @property
    def left_open(self) -> str:
        """How sure it is, where what is taken is not clear; without why a higher mean is not taken."""
        if self.kind not in TAKEN or self.verdict == CLEAR:
            return ""
        return self.sure.removesuffix(f"; {self._why_not_higher}")

    @property
    def short_names(self) -> str:
        """What to take, by its names alone."""
        if self.kind not in TAKEN:
            return self._nothing
        return ", ".join(one.short for one in self.shown)

    @property
    def answers(self) -> bool:
        """Whether it says what to take, or that nothing helps; too few runs or seeds say neither."""
        return self.kind != "unsure" and not (self.kind == "nothing" and self.verdict == FEW_SEEDS)

    @property
    def _nothing(self) -> str:
        if self.before is not None:
            return f"{self.stays}, as at ε {self.before:g}"
        if self.kind == "nothing":
            return "don't: not shown to beat a guess" if self.answers else "too few seeds to say"
        return "too little has run"

    @property
    def lines(self) -> list[tuple[str, str, str, str]]:
        """As lines of a table: what to take, its accuracy, over how many seeds, what that costs in points."""
        if self.kind in TAKEN:
            return [(one.title, one.reached, one.seeds, one.costs) for one in self.shown]
        none = self.before is None
        return [
            (self._nothing, "–" if none else one.reached, one.seeds, "–" if none else one.costs)
            for one in self.candidates
        ]


def stretch(same: Sequence[Judged], seen: Seen) -> Stretch:
    """Budgets side by side of which the same is said."""
    kind, last = same[0].kind, same[-1]
    takes: tuple[str, ...] = ()
    each = [settling.needed(one, seen) for one in same]
    needed = tuple(one for held in each for one in held) if all(each) else ()
    alike = ""
    nearest = max((one.best for one in same), key=lambda row: float(row["mean"]))
    shown = [candidate(nearest, seen, where=at(nearest) if len(same) > 1 else "")]
    here = f"{shown[0].title}, {shown[0].reached}" if kind in ("nothing", "before", "unsure") else ""
    there = f"{title_of(nearest)}, has {with_interval(nearest)}{at(nearest)}"
    if kind == "blind" and seen.blind is not None:
        takes, shown = (BLIND,), [candidate(seen.blind, seen)]
        told = f"take {shown[0].text}"
        why = f"It needs no noise, and no method that adds noise is clearly better: the best, {there}."
    elif kind == "nothing":
        few = row_words.counted_seeds([one.best for one in same])
        told = f"{'too few seeds to say; ' * bool(needed)}no method is shown to beat a guess ({few})"
        why = f"None is clearly better than {guess_words(seen)}: the best, {there}."
    elif kind == "one":
        takes, shown = (last.best["method"],), [first_of(last, seen)]
        told = f"take {shown[0].text}"
        below = [row for row in last.rows if row is not last.best and row not in last.beside]
        why = _above(last.best, [*below[:1], *_below(last, seen)], last, seen)
        why = why or ("" if last.beside else "No other method has run.")
    elif kind == "before" and last.before is not None:
        shown = [candidate(last.before, seen)]
        told = f"stay{at(last.before)}, where {reader(last.before)} has {with_interval(last.before)}"
        why = (
            f"What is promised{at(last.before)} is promised here. No method is clearly better here: the best, {there}."
        )
    elif kind == "several":
        takes = tuple(dict.fromkeys(row["method"] for row in (last.best, *last.alike)))
        rival = max(last.alike, key=lambda row: float(row["mean"]))
        shown = [first_of(last, seen), candidate(rival, seen)]
        told = f"no clear winner: {shown[0].text}; or {shown[1].text}"
        if others := sorted((row for row in last.alike if row is not rival), key=lambda row: -float(row["mean"])):
            shown.append(together_of(others, seen))
            told += f"; or {shown[2].text}"
        why = _several(last, rival, seen)
        lower, higher = sorted((last.best, rival), key=lambda row: float(row["mean"]))
        alike = "" if needed else _apart(higher, lower, seen, level_of(last.rows))
    else:
        told = "too little has run"
        row = last.best
        why = (
            f"{title_of(row)} has fewer than three seeds."
            if row["low"] is None
            else f"{title_of(row)}'s interval is {percent(row['low'])} to {percent(row['high'])}."
        )
    aside = _aside(last, seen) if kind in ("one", "several") else ""
    above = kind == "blind" and seen.blind is not None and nearest["mean"] > seen.blind["mean"]
    beside = f"{title_of(nearest)} has {with_interval(nearest)}{at(nearest)}, which is not clearly better." * above
    behind = [one.best if one.before is None else one.before for one in same]
    return Stretch(
        epsilons=tuple(one.best["asked"] for one in same),
        kind=kind,
        takes=takes,
        told=told,
        why=" ".join(filter(None, (why, aside))),
        candidates=tuple(shown),
        needed=needed,
        before=None if last.before is None else last.before["asked"],
        stays="" if last.before is None else title_of(last.before),
        delta=max(row["delta"] or 0.0 for row in behind),
        aside=aside or beside,
        alike=alike,
        wide=last.wide,
        tied=1 + max(len(tied.tied(one, seen)) for one in same),
        against=tied.against(same, seen, [one.method for one in needed] if kind in ("blind", "before") else ()),
        higher=tied.higher(same, seen),
        floor=_measure(seen) if last.beside else "",
        here=here,
        guess=guess_words(seen),
        idle=_idle(seen),
        stronger=STRONGER if last.promises_more else "",
        unclear=tuple(row["method"] for row in _taken(kind, last, seen) if candidate(row, seen).unclear),
        promised=() if kind in ("blind", "nothing") else promised_by([*behind, *last.alike]),
    )


def _taken(kind: Kind, one: Judged, seen: Seen) -> list[Row]:
    """The rows that may be taken at a budget."""
    if kind == "blind":
        return _free(seen)
    return [one.best, *one.alike] if kind in ("one", "several") else []


def guess_words(seen: Seen) -> str:
    """What takes no learning, and how often it is right."""
    return "a guess" if seen.guess is None else f"a guess ({percent(seen.guess)})"


def _idle(seen: Seen) -> str:
    """That what hides edges without noise beats no guess for all that is known; "" where it does."""
    if seen.free is None or not seen.idle:
        return ""
    nodes = seen.free["test_nodes"]
    few = "" if nodes is None or nodes >= FEW_NODES else f"; {counted(nodes, 'test node')} are too few to advise"
    return f"{title_of(seen.free).partition(' (')[0]} ({spread(seen.free)}) is not told from {guess_words(seen)}{few}"


def _measure(seen: Seen) -> str:
    """What everything must be above: what hides edges without noise, else a guess."""
    if seen.free is None or seen.idle:
        return guess_words(seen)
    return f"{title_of(seen.free)} ({percent(seen.free['mean'])})"


def _aside(one: Judged, seen: Seen) -> str:
    """What is not told apart from the best, nor from what needs no noise."""
    if not one.beside:
        return ""
    seeds = min(row["seeds"] for row in (one.best, *one.beside))
    said, lower = [], [row for row in one.beside if row["mean"] <= one.best["mean"]]
    for row in (row for row in one.beside if row not in lower):
        said.append(unsure(f"{title_of(row)}'s mean", row, _measure(seen)))
    if lower:
        named = both([f"{title_of(row)} ({percent(row['mean'])})" for row in lower])
        are = "are" if len(lower) > 1 else "is"
        end = f", nor from {_measure(seen)}: {counted(seeds, 'seed')}."
        said.append(f"{named} {are} not told apart from {title_of(one.best)}{end}")
    return " ".join(said)


def _below(one: Judged, seen: Seen) -> list[Row]:
    """What needs no noise, where the best is clearly above it."""
    return [row for row in _free(seen) if row not in one.beside]


def _free(seen: Seen) -> list[Row]:
    return [] if seen.free is None else [seen.free]


def _apart(one: Row, other: Row, seen: Seen, level: float) -> str:
    """By how many points the one is above the other, with the interval."""
    found = seen.seeds.difference(one, other, level)
    if found is None:
        return f"{plus(one['mean'] - other['mean'])} points"
    ends = "the same in every seed" if found[2] - found[1] <= NO_WIDTH else f"{plus(found[1])} to {plus(found[2])}"
    return f"{plus(found[0])} points ({ends})"


def _above(best: Row, rows: Sequence[Row], one: Judged, seen: Seen) -> str:
    """What it is clearly above, and by how much; "" where that is nothing."""
    level = level_of(one.rows)
    told = [
        f"{title_of(row)}{', the next best,' * (row in one.rows)} by {_apart(best, row, seen, level)}" for row in rows
    ]
    return f"Clearly above {both(told)}." if told else ""


def _several(one: Judged, rival: Row, seen: Seen) -> str:
    """What the first of a budget is not clearly above, and what it is."""
    level, best = level_of(one.rows), one.best
    count = min(best["seeds"], rival["seeds"])
    far = f"{_apart(best, rival, seen, level)}, {counted(count, 'seed')}."
    lead = f"{STRONGER.capitalize()}. " if one.promises_more else ""
    said = f"{lead}Not clearly above {title_of(rival)}: {far}"
    second = next((row for row in one.rows if row is not best and row not in one.beside), rival)
    clear = _above(best, [*([second] if second not in one.alike else []), *_below(one, seen)], one, seen)
    others = [title_of(row) for row in one.alike if row is not rival]
    nor = f" Nor is {title_of(best)} clearly above {both(others)}." if others else ""
    return " ".join(filter(None, (f"{said}{nor}", clear)))
