"""Which methods keep what an attack asks for, and at which budgets: one answer, a table and a figure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from privgraph.attacks.record import RARE, AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.attacks import attack_kept
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.views.attacks import ranking, standings
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import markup, naming, verdicts
from privgraph_workbench.words.numbers import between, percent

COIN = "a coin: 50%"
CLOSE = f"{verdicts.CLOSE:.0%}"
HIDDEN = {"node": "people", "edge": "edges"}
"""What a method hides that promises something of what attacks on this unit ask."""


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
    told = standings.by_line(rows)
    best = standings.named(told, given_away)
    warnings = [bool(standings.caveats(told[name], one, given_away)) for name, one in best]
    st.markdown(f"**{_answer(rows, told, best, warnings)}**", help=_meaning(told, best) if best else None)
    if best:
        with st.container(horizontal=True, key="kept-by"):
            for name, one in best:
                st.button(
                    markup.literal(
                        _chip(
                            name,
                            one,
                            standings.measure(rows),
                            warned=bool(standings.caveats(told[name], one, given_away)),
                        )
                    ),
                    key=f"kept.{one.run.id}",
                    type="primary" if one.run.id == run else "secondary",
                    help=_about(one, standings.measure(rows), here=one.run.id == run),
                    on_click=open_,
                    args=(one.attack,),
                )
    st.caption("  \n".join(_beside(rows, told, best, given_away)))


def _answer(
    rows: Sequence[ranking.Place],
    told: Mapping[str, standings.Line],
    best: Sequence[tuple[str, ranking.Place]],
    warnings: Sequence[bool],
) -> str:
    """How many of the methods that hide what is asked about keep it, in a sentence."""
    apart = sides(rows[0].attack.attack)
    graphs = dict.fromkeys(naming.graph_title(one.run) for one in rows)
    where = f" on {markup.literal(next(iter(graphs)))}" if len(graphs) == 1 else ""
    if not told:
        return f"Nothing can be said of {apart.asks}{where}: without privacy nothing is found either."
    every = {standings.method_of(one) for line in told.values() for one in line.every if one.promised}
    judged = " and can be judged" * any(map(standings.idle, rows))
    which = f"that hide{'s' * (len(every) == 1)} {HIDDEN[apart.unit]}{judged}{where}"
    if not every:
        return f"No private method was attacked that hides {HIDDEN[apart.unit]}{where}."
    keeps = f"secret {apart.asks}"
    if any(verdicts.caution(one.attack) for one in rows):  # of edges there is always what similarity tells
        keeps = f"{apart.asks} as secret as similarity leaves it"
    if best:
        warned = ", each with a caveat" if all(caveat for caveat in warnings) else ""
        return (
            f"{len(best)} of {len(every)} method{'s' * (len(every) > 1)} {which} keep{'s' * (len(best) == 1)} {keeps}, "
            f"as far as these attacks tell{warned}:"
        )
    if len(every) == 1:
        return f"The one method {which} does not keep {keeps}."
    return f"None of {len(every)} methods {which} keeps {keeps}."


def _meaning(told: Mapping[str, standings.Line], best: Sequence[tuple[str, ranking.Place]]) -> str:
    """What the answer means, beside it, and which methods are counted."""
    counted = {naming.method_title(one.run.spec.method) for line in told.values() for one in line.every if one.promised}
    return (
        f"Counted: {markup.literal(', '.join(sorted(counted)))}; each by its best setting. Named is the run that is "
        "most accurate among those kept, with the lightest caveats first. **≤**: the upper end of the interval of how "
        "often the attack picks the right one of two, at 95% confidence for each run alone. That is no proof, and "
        f"tests no ε: {standings.tried([one for _, one in best])} tried on each."
    )


def _chip(name: str, one: ranking.Place, of: str, *, warned: bool) -> str:
    reached = f"{of.removeprefix('test ')} {percent(one.accuracy)}"
    return f"{name}, {naming.budget(one.run)}: ≤ {percent(one.at_most)}, {reached}{' ⚠' * warned}"


def _about(one: ranking.Place, of: str, *, here: bool) -> str:
    """What stands under the mouse."""
    middle, low, high = one.attack.found
    return (
        f"Right of two: {percent(middle)} ({between(low, high)}; {verdicts.yardstick(one.attack, one.alike)}), by "
        f"{attack_words.models_apart(one.attack)}, {standings.tried([one])} tried. {of[:1].upper()}{of[1:]}: "
        f"{percent(one.accuracy)}. {'It is open' if here else 'Open this run'}"
    )


def _beside(
    rows: Sequence[ranking.Place],
    told: Mapping[str, standings.Line],
    best: Sequence[tuple[str, ranking.Place]],
    given_away: Collection[str],
) -> list[str]:
    """What the answer is measured by and what speaks against relying on it, in sentences; where nothing is
    kept, what holds instead. All of it stands in the table."""
    said = []
    if best:
        alike = [one.alike for _, one in best if one.alike is not None]
        against = (
            verdicts.yardstick(best[0][1].attack, alike[0])
            if alike
            else f"{COIN}; kept: an interval that holds 50% and ends below {CLOSE}"
        )
        tried = standings.tried([one for _, one in best])
        said.append(
            f"**≤**: the attack picks the right one of two at most so often ({against}). {tried} tried on each."
        )
    warned = {name: "; ".join(word for word, _ in standings.caveats(told[name], one, given_away)) for name, one in best}
    if any(warned.values()):
        said.append(
            f"**⚠** {markup.literal('. '.join(f'{name}: {words}' for name, words in warned.items() if words))}."
        )
    states: dict[str, list[str]] = {}
    unpromised: dict[str, dict[str, list[str]]] = {}
    for name, line in told.items():
        what = standings.answer_of(line)
        if standings.promises(line):
            where = f" at {standings.budgets(line.unclear)}" if what == standings.UNCLEAR and line.unclear else ""
            if what != standings.KEPT:
                states.setdefault(what, []).append(f"{name}{where}")
        else:
            why = standings.promises_not(line.every[0])
            kept = f" at {standings.budgets(line.kept)}" if what == standings.KEPT else ""
            unpromised.setdefault(f"{why[:1].upper()}{why[1:]}", {}).setdefault(f"{what.lower()}{kept}", []).append(
                name
            )
    for why, held in unpromised.items():
        states[why] = [f"{', '.join(names)} ({what})" for what, names in held.items()]
    states[standings.IDLE] = [
        f"{name} at {standings.budgets(held)}" for name, held in standings.idle_lines(rows).items()
    ]
    left = [
        f"**{what}**: {'; '.join(map(markup.literal, states[what]))}."
        for what in (standings.FOUND, standings.UNCLEAR, standings.UNLEARNT, *unpromised, standings.IDLE)
        if states.get(what)
    ]
    return said if best else [" ".join(left)]


def table(rows: Sequence[ranking.Place], given_away: Collection[str] = ()) -> str:
    """Method by method at which budgets it is kept, in the order of the answer, as a table in Markdown; ""
    where no run is private."""
    told = standings.by_line(rows)
    if not told:
        return ""
    cells: list[tuple[str, ...]] = [("method", "kept ✓, unclear ?, found ✗", "most accurate kept", "remarks")]
    cells.append(("---",) * len(cells[0]))
    order = [name for name, _ in standings.ordered(told, given_away)]
    rest = sorted(
        (name for name in told if name not in order),
        key=lambda name: standings.STATES.index(standings.answer_of(told[name])),
    )
    for name in (*order, *rest):
        one, best = told[name], told[name].best
        said = [] if standings.promises(one) else [standings.promises_not(one.every[0])]
        said += (
            [standings.answer_of(one).lower()]
            if best is None
            else [word for word, _ in standings.caveats(one, best, given_away)]
        )
        marks = [
            f"{standings.budgets(held)} {mark}"
            for held, mark in ((one.kept, "✓"), (one.unclear, "?"), (one.found, "✗"))
            if held
        ]
        cells.append(
            (
                markup.literal(name),
                "; ".join(marks),
                "–" if best is None else _best(best, standings.measure(rows)),
                markup.literal("; ".join([*said, _effort(one.every)])),
            )
        )
    for name, held in standings.idle_lines(rows).items():
        remarks = f"{standings.IDLE.lower()}, so it cannot be judged; {_effort(held)}"
        cells.append((markup.literal(name), f"{standings.budgets(held)} ?", "–", remarks))
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _best(best: ranking.Place, of: str) -> str:
    return (
        f"{naming.budget(best.run)}: **≤ {percent(best.at_most)}**, {of.removeprefix('test ')} {percent(best.accuracy)}"
    )


def _effort(rows: Sequence[ranking.Place]) -> str:
    """How many models were trained for the attacks, and how many attacks were tried on their answers."""
    models = sorted({one.attack.models for one in rows})
    many = "–".join(map(str, dict.fromkeys((models[0], models[-1]))))
    return f"{many} model{'s' * (models[-1] > 1)}, {standings.tried(rows)}"


def data(rows: Sequence[ranking.Place]) -> list[Row]:
    """The rows of the figure, a line for each method and what it protects, in the order of the table."""
    names, told = standings.lines(rows), standings.by_line(rows)
    places = {name: place for place, (name, _) in enumerate(standings.ordered(told))}
    order = sorted(
        range(len(rows)),
        key=lambda place: (not rows[place].private, places.get(names[place], len(places)), names[place]),
    )
    unclear = {one.run.id for line in told.values() for one in line.unclear}
    unclear |= {one.run.id for held in standings.idle_lines(rows).values() for one in held}
    return attack_kept.data(
        [rows[place].attack for place in order],
        [names[place] for place in order],
        [rows[place].kept and rows[place].run.id not in unclear for place in order],
        standings.measure(rows),
        [{**_more(rows[place]), "unclear": rows[place].run.id in unclear} for place in order],
    )


def _more(row: ranking.Place) -> Row:
    """What a CSV says of the run besides."""
    rates = row.attack.outcome.rates
    place = next((at for at, one in enumerate(rates) if one.false == RARE and row.attack.outcome.measurable(one)), None)
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
    }
