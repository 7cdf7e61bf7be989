"""Which methods keep what an attack asks for, and at which budgets: one answer, a table and a figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from privgraph.attacks.record import FEW, RARE, AttackRecord
from privgraph.registry import OF_RELATIONS, sides
from privgraph.runs.final_statement import has_public_noise
from privgraph_workbench.figures.attacks import attack_kept
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.views.attacks import ranking
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import markup, naming, verdicts
from privgraph_workbench.words.numbers import between, percent

NAMED = 6
"""Methods that the answer names, those with the fewest caveats first."""
MAJORITY = "majority_class_accuracy"
COIN = "a coin: 50%"
CLOSE = f"{verdicts.CLOSE:.0%}"
KEPT, UNLEARNT, UNCLEAR, FOUND, IDLE = STATES = (
    "Kept",
    "Kept for want of learning (hardly better than the largest class)",
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
        if one.private and not _idle(one):
            own = told.setdefault(name, Line())
            sure = one.severe >= verdicts.SOMETHING and verdicts.on_average(one.attack)
            more = own.found if sure else own.unclear
            (own.kept if one.kept else more).append(one)
    return told


def show(
    rows: Sequence[ranking.Place],
    run: str,
    open_: Callable[[AttackRecord], None],
    given_away: Collection[str] = (),
) -> None:
    """The answer, with the way to each run that it names but the one that is open (`run`); nothing where no
    private run was attacked. `given_away`: the runs that give away what another question asks."""
    if not any(one.private for one in rows):
        return
    told = by_line(rows)
    best = ordered(told, given_away)
    graphs = dict.fromkeys(naming.graph_title(one.run) for one in rows)
    where = f" on {markup.literal(next(iter(graphs)))}" if len(graphs) == 1 else ""
    st.markdown(f"**{_answer(rows, told, best, where)}**", help=_meaning(rows, best) if best else None)
    if best:
        with st.container(horizontal=True, key="kept-by"):
            for name, one in best[:NAMED]:
                said = caveats(told[name], one, given_away)
                st.button(
                    markup.literal(_chip(name, one, warned=bool(said))),
                    key=f"kept.{one.run.id}",
                    type="primary" if one.run.id == run else "secondary",
                    help=_about(one, said, measure(rows), here=one.run.id == run),
                    on_click=open_,
                    args=(one.attack,),
                )
    st.caption("  \n".join(_beside(rows, told, best, caveats_of(told, run, given_away))))


def _chip(name: str, one: ranking.Place, *, warned: bool) -> str:
    return f"{name}, {naming.budget(one.run)}: ≤ {percent(one.attack.found[2])}{' ⚠' * warned}"


def _about(one: ranking.Place, caveats: Sequence[str], of: str, *, here: bool) -> str:
    """What stands under the mouse."""
    middle, low, high = one.attack.found
    warned = f" ⚠ {markup.literal('; '.join(caveats))}." if caveats else ""
    return (
        f"Right of two: {percent(middle)} ({between(low, high)}; {verdicts.yardstick(one.attack, one.alike)}), by "
        f"{attack_words.models_apart(one.attack)}, {_tried([one])} tried. {of[:1].upper()}{of[1:]}: "
        f"{percent(one.accuracy)}.{warned} {'It is open' if here else 'Open this run'}"
    )


def _answer(
    rows: Sequence[ranking.Place], told: Mapping[str, Line], best: Sequence[tuple[str, ranking.Place]], where: str
) -> str:
    asks, judged = sides(rows[0].attack.attack).asks, " that can be judged" * any(map(_idle, rows))
    if not told:
        return f"Nothing can be said of {asks}{where}: without privacy nothing is found either."
    if best:
        keep = "keep" if len(best) > 1 else "keeps"
        return (
            f"{len(best)} of {len(told)} private methods{where}{judged} {keep} secret {asks}, as far as these attacks "
            "tell:"
        )
    if len(told) == 1:
        return f"The one private method{where}{judged} does not keep secret {asks}."
    return f"None of {len(told)} private methods{where}{judged} keeps secret {asks}."


def _meaning(rows: Sequence[ranking.Place], best: Sequence[tuple[str, ranking.Place]]) -> str:
    """What the answer means, beside it."""
    return (
        "Of each method the run that is most accurate among those kept, with the fewest caveats first. **≤**: the "
        "upper end of the interval of how often the attack picks the right one of two, at 95% confidence for each run "
        "alone. "
        f"That is no proof, and tests no ε: {_tried([one for _, one in best])} tried on each."
    )


def caveats_of(told: Mapping[str, Line], run: str, given_away: Collection[str]) -> list[str]:
    """The caveats of a run, where the answer names it."""
    held = [(line, line.best) for line in told.values() if line.best is not None and line.best.run.id == run]
    return [one for line, best in held if best is not None for one in caveats(line, best, given_away)]


def ordered(told: Mapping[str, Line], given_away: Collection[str] = ()) -> list[tuple[str, ranking.Place]]:
    """The best run of each line that has one, those with the fewest caveats first, then those of which least
    can be found (the upper end of the interval)."""
    held = [(name, line.best) for name, line in told.items() if line.best is not None]
    return sorted(
        ((name, best) for name, best in held if best is not None),
        key=lambda one: (len(caveats(told[one[0]], one[1], given_away)), one[1].attack.found[2]),
    )


def answers(rows: Sequence[ranking.Place]) -> list[ranking.Place]:
    """The runs that the answer names, in its order."""
    return [one for _, one in ordered(by_line(rows))]


def first(rows: Sequence[ranking.Place]) -> ranking.Place:
    """What the answer names first; where it names none, a run of which something is found without privacy,
    then what gives away most."""
    telling = [one for line in by_line(rows).values() for one in (*line.unclear, *line.found)]
    return next(iter((*answers(rows), *telling, *rows)))


def caveats(line: Line, best: ranking.Place, given_away: Collection[str] = ()) -> list[str]:
    """What speaks against relying on it that the best run of a line keeps it, each in a few words."""
    said = []
    if len(best.attack.areas) < FEW:
        said.append(f"{len(best.attack.areas)} attacked models are too few for a mean")
    if not best.stands_in:
        reached = best.attack.accuracy
        than = "less" if reached < best.accuracy else "more"
        said.append(
            f"the attacked models are {than} accurate than the run ({percent(reached)}, not {percent(best.accuracy)})"
        )
    if less := [one for one in line.unclear if one.sound < best.sound]:
        said.append(f"at {_budgets(less)} it cannot be told")
    if best.trains_public:
        said.append("its contract takes who trains as public, and promises nothing of it")
    if best.run.id in given_away:
        said.append("it gives away something else (another question of this page)")
    return said


def _tried(rows: Sequence[ranking.Place]) -> str:
    """How many attacks judged each run: "1 attack", "1 to 4 attacks"."""
    counts = sorted({one.tried for one in rows})
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"{many} attack{'s' * (counts[-1] > 1)}"


def _idle(one: ranking.Place) -> bool:
    """Whether a private run cannot be judged: of its method nothing is found without privacy either."""
    return one.private and one.nothing_to_keep


def _useless(one: ranking.Place) -> bool:
    """Whether a model does hardly better than naming the largest class: such a one keeps everything."""
    floor = one.run.metrics.get(MAJORITY)
    return floor is not None and one.accuracy < floor + BARELY


def _beside(
    rows: Sequence[ranking.Place],
    told: Mapping[str, Line],
    best: Sequence[tuple[str, ranking.Place]],
    warned: Sequence[str],
) -> list[str]:
    """What the answer is measured by, what speaks against the open run (`warned`), and what the answer leaves
    out, in sentences."""
    said = []
    if best:
        alike = [one.alike for _, one in best if one.alike is not None]
        against = verdicts.yardstick(best[0][1].attack, alike[0]) if alike else f"{COIN}; kept: below {CLOSE}"
        said.append(f"**≤**: the attack picks the right one of two at most so often ({against}).")
    said += [f"**⚠** The open run: {markup.literal('; '.join(warned))}."] if warned else []
    states: dict[str, list[str]] = {}
    for name, line in told.items():
        answer = answer_of(line)
        where = f" at {_budgets(line.unclear)}" if answer == UNCLEAR and line.unclear else ""
        states.setdefault(answer, []).append(f"{name}{where}")
    idle: dict[str, list[ranking.Place]] = {}
    for name, one in zip(lines(rows), rows, strict=True):
        if _idle(one):
            idle.setdefault(name, []).append(one)
    states[IDLE] = [f"{name} at {_budgets(sorted(held, key=lambda one: one.sound))}" for name, held in idle.items()]
    left = [
        f"**{what}**: {'; '.join(map(markup.literal, states[what]))}."
        for what in (FOUND, UNCLEAR, UNLEARNT, IDLE)
        if states.get(what)
    ]
    return [*said, " ".join(left)] if left else said


def answer_of(line: Line) -> str:
    """What holds of a line, in a few words."""
    if line.best is not None:
        return KEPT
    if line.kept and all(map(_useless, line.kept)):
        return UNLEARNT
    return UNCLEAR if line.unclear or line.kept else FOUND


def _budgets(rows: Sequence[ranking.Place]) -> str:
    """Their budgets in a few words: "ε 1, 2"."""
    return "ε " + ", ".join(dict.fromkeys(naming.budget(one.run).removeprefix("ε ") for one in rows))


def table(rows: Sequence[ranking.Place], given_away: Collection[str] = ()) -> str:
    """Method by method at which budgets it is kept, in the order of the answer, as a table in Markdown; ""
    where no run is private."""
    told = by_line(rows)
    if not told:
        return ""
    cells: list[tuple[str, ...]] = [
        ("method", "kept at", "cannot be told at", "more is found at", "most accurate kept", "tried", "remarks")
    ]
    cells.append(("---",) * len(cells[0]))
    order = [name for name, _ in ordered(told, given_away)]
    rest = sorted((name for name in told if name not in order), key=lambda name: STATES.index(answer_of(told[name])))
    for name in (*order, *rest):
        one, best = told[name], told[name].best
        said = [] if best is None else caveats(one, best, given_away)
        cells.append(
            (
                markup.literal(name),
                *(_budgets(held) if held else "–" for held in (one.kept, one.unclear, one.found)),
                "–" if best is None else _best(best, measure(rows)),
                _effort((*one.kept, *one.unclear, *one.found)),
                markup.literal("; ".join(said) or ("" if one.best is not None else answer_of(one).lower())),
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _best(best: ranking.Place, of: str) -> str:
    return (
        f"{naming.budget(best.run)}: **≤ {percent(best.attack.found[2])}**, {of.removeprefix('test ')} "
        f"{percent(best.accuracy)}"
    )


def _effort(rows: Sequence[ranking.Place]) -> str:
    """How many models were trained for the attacks, and how many attacks were tried on their answers."""
    models = sorted({one.attack.models for one in rows})
    many = "–".join(map(str, dict.fromkeys((models[0], models[-1]))))
    return f"{many} model{'s' * (models[-1] > 1)}, {_tried(rows)}"


def data(rows: Sequence[ranking.Place]) -> list[Row]:
    """The rows of the figure, a line for each method and what it protects, private ones first."""
    names = lines(rows)
    order = sorted(range(len(rows)), key=lambda place: (not rows[place].private, names[place]))
    return attack_kept.data(
        [rows[place].attack for place in order],
        [names[place] for place in order],
        [rows[place].kept for place in order],
        measure(rows),
        [_more(rows[place]) for place in order],
    )


def _more(row: ranking.Place) -> Row:
    """What a CSV says of the run besides."""
    rates = row.attack.outcome.rates
    place = next((at for at, one in enumerate(rates) if one.false == RARE and row.attack.outcome.measurable(one)), None)
    statement = row.run.statement
    return {
        "protects": row.unit,
        "verdict": verdicts.word(row.attack, row.severe),
        "accuracy_attacked": row.attack.accuracy,
        "area_not_private": None if row.bare is None else row.bare.found[0],
        "not_private_run": None if row.bare is None else row.bare.run,
        "attacks_tried": row.tried,
        "attack_name": row.attack.attack,
        "models": row.attack.models,
        "dataset": row.run.spec.dataset,
        "graph": naming.data_title(row.run.spec.dataset),
        "seed": row.run.spec.seed,
        "found_at_1_percent": None if place is None else row.attack.rates_found[place].true,
        "public_noise": statement is not None and has_public_noise(statement),
    }
