"""Attacked runs method by method: at which budgets each keeps what is asked, and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from privgraph.attacks.record import FEW
from privgraph.registry import OF_RELATIONS, sides
from privgraph_workbench.views.attacks import ranking
from privgraph_workbench.words import naming, verdicts
from privgraph_workbench.words.numbers import percent

NAMED = 6
"""Methods that the answer names at most."""
MAJORITY = "majority_class_accuracy"
KEPT, UNLEARNT, UNCLEAR, FOUND, IDLE = STATES = (
    "Kept",
    "Kept only because little was learnt (hardly better than the largest class)",
    "Cannot be told",
    "More is found",
    "Nothing is found without privacy either",
)
"""What can hold of a line."""
BARELY = 0.05
"""An accuracy that exceeds that of naming the largest class by less is no merit."""


def measure(rows: Sequence[ranking.Place]) -> str:
    """Of what the accuracy is: relations have none of nodes."""
    return "PREC@1" if sides(rows[0].attack.attack) == OF_RELATIONS else "test accuracy"


def lines(rows: Sequence[ranking.Place]) -> list[str]:
    """The line of each run in words: its method, what it protects, and options in which runs of that method
    differ; the graph, where there are several."""
    runs = [one.run for one in rows]
    apart, graphs = naming.variants(runs), {naming.graph_title(one) for one in runs}
    return [
        ", ".join(
            filter(
                None,
                (
                    naming.method_title(one.run.spec.method),
                    ""
                    if f"({naming.privacy(one.run)})" in naming.method_title(one.run.spec.method)
                    else one.unit
                    if one.private
                    else naming.privacy(one.run),
                    _brief(apart[naming.setting(one.run)]),
                    naming.graph_title(one.run) if len(graphs) > 1 else "",
                ),
            )
        )
        for one in rows
    ]


def _brief(options: str) -> str:
    """A single option whose value says what it is, by that alone."""
    name, _, value = options.rpartition(" ")
    return (
        value if name and "," not in options and value[:1].isalpha() and value not in ("yes", "no", "none") else options
    )


@dataclass(kw_only=True)
class Line:
    """The private runs of one line, the smallest epsilon first: those of which it is `kept`, those of which
    that cannot be told (undecided, an interval too wide, or found on the run's own nodes alone), and those of
    which more is `found`."""

    kept: list[ranking.Place] = field(default_factory=list)
    unclear: list[ranking.Place] = field(default_factory=list)
    found: list[ranking.Place] = field(default_factory=list)

    @property
    def every(self) -> tuple[ranking.Place, ...]:
        """All its runs."""
        return (*self.kept, *self.unclear, *self.found)

    @property
    def best(self) -> ranking.Place | None:
        """The most accurate run that keeps it and has learnt something, of equals that with the smallest
        epsilon. None where more is found at a smaller epsilon: what is seen then is the attack's bad luck."""
        least = min((one.sound for one in self.found), default=math.inf)
        held = [one for one in self.kept if one.sound < least and not _useless(one)]
        return max(held, key=lambda one: (one.accuracy, -one.sound), default=None)


def by_line(rows: Sequence[ranking.Place]) -> dict[str, Line]:
    """The lines of private runs, without those of which nothing is found without privacy either."""
    told: dict[str, Line] = {}
    for name, one in sorted(zip(lines(rows), rows, strict=True), key=lambda held: held[1].sound):
        if one.private and not idle(one):
            own = told.setdefault(name, Line())
            sure = one.severe >= verdicts.SOMETHING and round(one.most[1], 3) > 0.5
            more = own.found if sure else own.unclear
            (own.kept if one.kept else more).append(one)
    return told


def named(told: Mapping[str, Line], given_away: Collection[str] = ()) -> list[tuple[str, ranking.Place]]:
    """The runs that the answer names: of each method that promises it the first of its lines, of at most
    `NAMED` methods."""
    first: dict[str, tuple[str, ranking.Place]] = {}
    for name, one in ordered(told, given_away):
        if one.promised:
            first.setdefault(method_of(one), (name, one))
    return list(first.values())[:NAMED]


def method_of(one: ranking.Place) -> str:
    return f"{one.run.spec.method}, {one.unit}"


def ordered(told: Mapping[str, Line], given_away: Collection[str] = ()) -> list[tuple[str, ranking.Place]]:
    """The best run of each line that has one: those that promise it first, then those with the lightest
    caveats, then those of which least can be found (the upper end of the interval)."""
    held = [(name, line.best) for name, line in told.items() if line.best is not None]
    return sorted(
        ((name, best) for name, best in held if best is not None),
        key=lambda one: (
            not one[1].promised,
            sum(weight for _, weight in caveats(told[one[0]], one[1], given_away)),
            one[1].at_most,
        ),
    )


def answers(rows: Sequence[ranking.Place]) -> list[ranking.Place]:
    """The runs that the answer names, in its order."""
    return [one for _, one in named(by_line(rows))]


def first(rows: Sequence[ranking.Place]) -> ranking.Place:
    """What the answer names first; where it names none, a run of which something is found without privacy,
    then what gives away most."""
    telling = [one for line in by_line(rows).values() for one in (*line.unclear, *line.found)]
    return next(iter((*answers(rows), *telling, *rows)))


def caveats(line: Line, best: ranking.Place, given_away: Collection[str] = ()) -> list[tuple[str, int]]:
    """What speaks against relying on it that the best run of a line keeps it, each in a few words and with
    its weight: most weighs that the attack may be unable to find anything of such a model."""
    said = []
    if not best.comparable and not verdicts.caution(best.attack):
        said.append(("without privacy the same attack was not made, so it may find nothing of any such model", 3))
    if len(best.attack.areas) < FEW:
        said.append((f"{len(best.attack.areas)} attacked models are too few for a mean", 3))
    if not best.stands_in:
        less = best.attack.accuracy < best.accuracy
        reached = f"{percent(best.attack.accuracy)}, not {percent(best.accuracy)}"
        weight = 2 if less else 1  # who has learnt less has less to give away
        said.append((f"the attacked models are {'less' if less else 'more'} accurate than the run ({reached})", weight))
    if open_ := [one for one in line.unclear if one.sound < best.sound]:
        said.append((f"at {budgets(open_)} it cannot be told", 1))
    if best.run.id in given_away:
        said.append(("it gives away something else, that another question here asks", 1))
    return said


def tried(rows: Sequence[ranking.Place]) -> str:
    """How many attacks judged each run: "1 attack", "1 to 4 attacks"."""
    counts = sorted({one.tried for one in rows})
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"{many} attack{'s' * (counts[-1] > 1)}"


def idle(one: ranking.Place) -> bool:
    """Whether a private run cannot be judged: of its method nothing is found without privacy either."""
    return one.private and one.nothing_to_keep


def idle_lines(rows: Sequence[ranking.Place]) -> dict[str, list[ranking.Place]]:
    """The lines of runs that cannot be judged, the smallest epsilon first."""
    held: dict[str, list[ranking.Place]] = {}
    for name, one in sorted(zip(lines(rows), rows, strict=True), key=lambda each: each[1].sound):
        if idle(one):
            held.setdefault(name, []).append(one)
    return held


def _useless(one: ranking.Place) -> bool:
    """Whether a model does hardly better than naming the largest class: such a one keeps everything."""
    floor = one.run.metrics.get(MAJORITY)
    return floor is not None and one.accuracy < floor + BARELY


def promises_not(one: ranking.Place) -> str:
    """Why a run promises nothing of what is asked, in a few words."""
    return "takes who trains as public" if verdicts.covered(one.attack, one.unit) else "hides edges alone"


def promises(line: Line) -> bool:
    return any(one.promised for one in line.every)


def answer_of(line: Line) -> str:
    """What holds of a line, in a few words."""
    if line.best is not None:
        return KEPT
    if line.kept and all(map(_useless, line.kept)):
        return UNLEARNT
    return UNCLEAR if line.unclear or line.kept else FOUND


def budgets(rows: Sequence[ranking.Place]) -> str:
    """Their budgets in a few words: "ε 1, 2"."""
    return "ε " + ", ".join(dict.fromkeys(naming.budget(one.run).removeprefix("ε ") for one in rows))
