"""Which methods keep what an attack asks for, and at which budgets: one answer, a table and a figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
from privgraph_workbench.words.numbers import percent

NAMED = 6
"""Methods that the answer names, the best attested first."""
MAJORITY = "majority_class_accuracy"
DIFFER = "the attacked models are more or less accurate than the run, by over 5 points"
BARELY = 0.05
"""An accuracy that exceeds that of naming the largest class by less is no merit."""


def measure(rows: Sequence[ranking.Place]) -> str:
    """Of what the accuracy is: relations have none of nodes."""
    return "PREC@1" if sides(rows[0].attack.attack) == OF_RELATIONS else "test accuracy"


def lines(rows: Sequence[ranking.Place]) -> list[str]:
    """The line of each run in words: its method, what it protects, and options in which runs of that method
    differ; the graph, where there are several."""
    runs = [one.run for one in rows]
    apart, graphs = naming.variants(runs), {one.spec.dataset for one in runs}
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
                    apart[naming.setting(one.run)],
                    naming.data_title(one.run.spec.dataset) if len(graphs) > 1 else "",
                ),
            )
        )
        for one in rows
    ]


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
        if one.private and not one.nothing_to_keep:
            own = told.setdefault(name, Line())
            sure = one.severe >= verdicts.SOMETHING and verdicts.on_average(one.attack)
            more = own.found if sure else own.unclear
            (own.kept if one.kept else more).append(one)
    return told


def show(rows: Sequence[ranking.Place], run: str, open_: Callable[[AttackRecord], None]) -> None:
    """The answer, with the way to each run that it names but the one that is open (`run`); nothing where no
    private run was attacked."""
    if not any(one.private for one in rows):
        return
    told, asks = by_line(rows), sides(rows[0].attack.attack).asks
    held = [(name, one.best) for name, one in told.items() if one.best is not None]
    best = sorted(held, key=lambda one: _order(one[1]))
    graphs = dict.fromkeys(naming.data_title(one.run.spec.dataset) for one in rows)
    where = f" on {markup.literal(next(iter(graphs)))}" if len(graphs) == 1 else ""
    what = f"{asks[:1].upper()}{asks[1:]}"
    if not best:
        st.markdown(f"**{what} is kept by none of these private methods{where}.**")
    else:
        which = f"{len(best)} of {len(told)} private methods{where}"
        st.markdown(f"**{what} is kept by {which}, as far as these attacks tell; what is best attested first:**")
        with st.container(horizontal=True, key="kept-by"):
            for name, one in best[:NAMED]:
                st.button(
                    markup.literal(_chip(name, told[name], one)),
                    key=f"kept.{one.run.id}",
                    type="primary" if one.run.id == run else "secondary",
                    help=f"{_area(one)} {'It is open' if one.run.id == run else 'Open this run'}",
                    on_click=open_,
                    args=(one.attack,),
                )
    st.caption("  \n".join(_beside(rows, told)))


def _order(one: ranking.Place) -> tuple[bool, bool, float]:
    """What is well attested first: by enough attacked models, that are as accurate as the run; then the most
    accurate."""
    return len(one.attack.areas) < FEW, not one.stands_in, -one.accuracy


def _chip(name: str, line: Line, best: ranking.Place) -> str:
    return f"{name}, {naming.budget(best.run)} · {percent(best.accuracy)}{_warned(best)}{_unsure(line, best)}"


def answers(rows: Sequence[ranking.Place]) -> list[ranking.Place]:
    """The runs that the answer names, in its order."""
    return sorted((one.best for one in by_line(rows).values() if one.best is not None), key=_order)


def _unsure(line: Line, best: ranking.Place) -> str:
    """That few models were attacked, and at which smaller epsilons it cannot be told."""
    said = [f"{len(best.attack.areas)} models only"] if len(best.attack.areas) < FEW else []
    less = [one for one in line.unclear if one.sound < best.sound]
    said += [f"{_budgets(less)} unclear"] if less else []
    return f" ({', '.join(said)})" if said else ""


def _warned(one: ranking.Place) -> str:
    """A mark where the attacked models are more or less accurate than the run."""
    return "" if one.stands_in else " ⚠"


def _area(one: ranking.Place) -> str:
    middle, low, high = map(percent, one.attack.found)
    apart = (
        ""
        if one.stands_in
        else f" ⚠ The attacked models reach {percent(one.attack.accuracy)}, the run {percent(one.accuracy)}."
    )
    return (
        f"Right of two: {middle} ({low} to {high}; a coin: 50%), by {attack_words.models_apart(one.attack)}, "
        f"{_tried([one])} tried.{apart}"
    )


def _tried(rows: Sequence[ranking.Place]) -> str:
    """How many scores judged the answers of the same models: "1 attack", "1 to 4 attacks"."""
    counts = sorted({1 + len(one.attack.rivals) for one in rows})
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"{many} attack{'s' * (counts[-1] > 1)}"


def _useless(one: ranking.Place) -> bool:
    """Whether a model does hardly better than naming the largest class: such a one keeps everything."""
    floor = one.run.metrics.get(MAJORITY)
    return floor is not None and one.accuracy < floor + BARELY


def _beside(rows: Sequence[ranking.Place], told: Mapping[str, Line]) -> list[str]:
    """What the answer means and leaves out, in sentences."""
    kept = [one for line in told.values() for one in line.kept]
    free = max((one.accuracy for one in rows if not one.private), default=None)
    floor = max((one.run.metrics.get(MAJORITY, 0.0) for one in rows), default=0.0)
    scale = [f"without privacy up to {percent(free)}"] if free is not None else []
    scale += [f"the largest class alone {percent(floor)}"] if floor and measure(rows) != "PREC@1" else []
    effort = f" ({_tried(kept)} tried on each kept run, of one seed, at 95% each)" if kept else ""
    said = [
        f"**Kept**: the attack failed, as it should; that is no proof{effort}, and tests no ε. "
        f"%: {', '.join([measure(rows), *scale])}."
    ]
    idle = {name for name, one in zip(lines(rows), rows, strict=True) if one.private and one.nothing_to_keep}
    sides_of = {
        "Kept for want of learning (hardly better than the largest class)": [
            name for name, one in told.items() if one.kept and all(map(_useless, one.kept))
        ],
        "Cannot be told": [
            f"{name} at {_budgets(one.unclear)}" for name, one in told.items() if one.unclear and not one.kept
        ],
        "More is found at each ε tried": [
            name for name, one in told.items() if one.found and not one.kept and not one.unclear
        ],
        "Nothing is found without privacy either, which says nothing of ε": sorted(idle),
        "⚠": [DIFFER] * any(one.best is not None and not one.best.stands_in for one in told.values()),
    }
    return said + [f"**{what}**: {'; '.join(map(markup.literal, names))}." for what, names in sides_of.items() if names]


def _budgets(rows: Sequence[ranking.Place]) -> str:
    """Their budgets in a few words: "ε 1, 2"."""
    return "ε " + ", ".join(dict.fromkeys(naming.budget(one.run).removeprefix("ε ") for one in rows))


def table(rows: Sequence[ranking.Place]) -> str:
    """Method by method at which budgets it is kept, as a table in Markdown; "" where no run is private."""
    told = by_line(rows)
    if not told:
        return ""
    cells: list[tuple[str, ...]] = [
        ("method", "kept at", "cannot be told at", "more is found at", "most accurate kept", "models", "attacks")
    ]
    cells.append(("---",) * len(cells[0]))
    for name, one in sorted(told.items(), key=lambda held: -(held[1].best.accuracy if held[1].best else 0.0)):
        best = one.best
        models = sorted({each.attack.models for each in (*one.kept, *one.unclear, *one.found)})
        cells.append(
            (
                markup.literal(name),
                *(_budgets(held) if held else "–" for held in (one.kept, one.unclear, one.found)),
                "–" if best is None else f"**{percent(best.accuracy)}** at {naming.budget(best.run)}{_warned(best)}",
                f"{models[0]}" if len(models) == 1 else f"{models[0]} to {models[-1]}",
                _tried((*one.kept, *one.unclear, *one.found)).split(" attack")[0],
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


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
        "attacks_tried": 1 + len(row.attack.rivals),
        "attack_name": row.attack.attack,
        "models": row.attack.models,
        "dataset": row.run.spec.dataset,
        "graph": naming.data_title(row.run.spec.dataset),
        "seed": row.run.spec.seed,
        "found_at_1_percent": None if place is None else row.attack.rates_found[place].true,
        "public_noise": statement is not None and has_public_noise(statement),
    }
