"""All attacked runs side by side: which of them gives away most, and the way to each."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.column_types import ColumnConfig

from privgraph.attacks.record import RARE, AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, sides
from privgraph_workbench import live_plot
from privgraph_workbench.figures.attacks import attack_kept
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import columns, findings, keeping, ranking, standings
from privgraph_workbench.views.parts import choosing, layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import markup, rates, verdicts
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import exact_percent, percent, stated

FOUND = f"at {exact_percent(RARE)} FPR"
"""The name of a column: false alarms, in short."""
WIDTHS = {
    "run": 230,
    "verdict": 208,
    "area": 92,
    "test accuracy": 96,
    "PREC@1": 70,
    "interval": 112,
    "similarity alone": 90,
    columns.BARE: 90,
    "promised": 112,
    FOUND: 84,
    "ε at least": 84,
    "attack": 90,
}
"""In pixels: names of runs and verdicts are told whole."""
WIDE = "wide"
MORE = "▲"
"""Marks what gives away more than the same without privacy."""
LABEL, ICON = "Which methods keep it? All attacked runs compared", ":material/table_rows:"
"""A label that changed with the question would fold an open table."""
STEPS = (
    (-1, "The one before", ":material/arrow_upward:"),
    (1, "The next", ":material/arrow_downward:"),
)
KEY, QUESTION, OF, TURN, PICKED = "overview", "overview_question", "overview.of", "overview.turn", "overview.picked"
ROW_PIXELS, MOST_PIXELS = 35, 700
"""Of a table that shows its rows without being scrolled, as long as they are not many."""


def show(run: str, attack: AttackRecord | None, lead: DeltaGenerator) -> None:
    """Who keeps it, at the `lead` of the page, with a table of the strongest attack on each run that asks the
    same, what gives away most first; a row that is chosen opens it. It begins with what the shown `attack` on
    the `run` asks. Here stand the run's place there, and the ways to its neighbours."""
    asked = ranking.by_question(queue.store().all_attacks())
    asked = {asks: asked[asks] for asks in dict.fromkeys(sides(name).asks for name in ATTACKS) if asks in asked}
    runs = {one.run.id for rows in asked.values() for one in rows}
    if len(runs) < 2:
        return
    if st.session_state.pop(PICKED, False):  # whoever has chosen one wants to read what it says
        st.session_state[f"fold.{KEY}"] = False
    shown = None if attack is None else sides(attack.attack).asks
    with lead:
        asks = _question(asked, (run, shown))
        keeping.show(asked[asks], run, _open, _given_away(asked, asks))
        with layout.fold(LABEL, KEY, icon=ICON) as part:
            if part.open:
                _table(asks, asked[asks], run, _given_away(asked, asks))
    if shown in asked:
        _neighbours(asked[shown], run)


def _given_away(asked: Mapping[str, Sequence[ranking.Place]], asks: str) -> frozenset[str]:
    """The runs that give away what another question asks."""
    others = (one for other, rows in asked.items() if other != asks for one in rows)
    return frozenset(one.run.id for one in others if one.severe == verdicts.GIVEN_AWAY)


def _question(asked: Mapping[str, Sequence[ranking.Place]], shown: tuple[str, str | None]) -> str:
    """The question that is compared: that of the `shown` run and attack, until another one is chosen."""
    if len(asked) == 1:
        return next(iter(asked))
    if shown != st.session_state.get(OF) and shown[1] in asked:
        st.session_state[QUESTION] = shown[1]
    st.session_state[OF] = shown
    if st.session_state.get(QUESTION) not in asked:
        st.session_state[QUESTION] = next(iter(asked))
    return str(
        st.pills(  # on a phone they stand below each other
            "Question",
            list(asked),
            required=True,
            format_func=lambda one: f"{one[:1].upper()}{one[1:]}? ({len(asked[one])} runs)",
            key=QUESTION,
            label_visibility="collapsed",
            on_change=_ask,
            args=(asked, shown[0]),
        )
    )


def _ask(asked: Mapping[str, Sequence[ranking.Place]], run: str) -> None:
    """Show an attack that asks the chosen question: on the open run, else on the one that the answer names
    first, else on what gives away least."""
    rows = asked[str(st.session_state[QUESTION])]
    place = ranking.at(rows, run)
    if place is not None:
        _open(rows[place].attack, fold=False)
        return
    _open(standings.first(rows).attack, fold=False)


def _table(asks: str, rows: Sequence[ranking.Place], run: str, given_away: Collection[str]) -> None:
    titles, common = ranking.names(rows)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_caption(rows, common), width="stretch")
        with st.popover("How to read it", icon=":material/help:"):
            st.markdown("\n".join(f"- {one}" for one in _about(rows)))
    if ranking.at(rows, run) is None:
        st.caption("The open run is not among these rows.")
    st.markdown(keeping.table(rows, given_away))
    kept = keeping.data(rows)
    live_plot.show(attack_kept.plot(kept, layout.theme()), key=f"attack_kept.{asks}")
    figure_exports("attack_kept", kept, _statements(rows), name=f"attacks-{asks.replace(' ', '-')}")
    kept_first = st.toggle("Runs: what is kept first, the most accurate on top", value=True, key="overview_kept_first")
    if kept_first:
        rows = sorted(rows, key=lambda one: (not one.kept, -one.accuracy))
    turn = st.session_state.setdefault(TURN, 0)
    measure = standings.measure(rows)
    compared = any(one.bare is not None for one in rows)
    lines = [
        _line(columns.marked(titles[one.run.id], one.run.id == run), one, measure, compared=compared) for one in rows
    ]
    picked = st.dataframe(
        lines,
        hide_index=True,
        alt="Of each attacked run the attack that found most",
        on_select="rerun",
        selection_mode="single-row",
        key=f"{KEY}.{asks}.{turn}.{kept_first}",
        column_config=_columns(rows, dict.fromkeys(name for row in lines for name in row)),
        height=min(MOST_PIXELS, ROW_PIXELS * (len(rows) + 1) + 3),
    )
    if any(one.more_with_privacy for one in rows):
        st.caption(
            f"{MORE}: clearly more is found than without privacy. Noise on edges leaves a network little to learn from "
            "neighbours; it then learns its training nodes by heart, and an ε for edges does not limit that."
        )
    places = picked["selection"]["rows"]
    if places and places[0] < len(rows):
        _open(rows[places[0]].attack)
        st.rerun()


def _columns(rows: Sequence[ranking.Place], names: Iterable[str]) -> dict[str, ColumnConfig]:
    """The verdict in the colour that it has everywhere, and the area as a bar that begins at a guess."""
    held = columns.config(names, WIDTHS)
    coloured = {_word(one): verdicts.colour(one.attack, one.severe) for one in rows}
    held["verdict"] = st.column_config.MultiselectColumn(
        options=list(coloured), color=list(coloured.values()), width=WIDTHS["verdict"], help=columns.HELP["verdict"]
    )
    held["area"] = st.column_config.ProgressColumn(
        min_value=0.5, max_value=1.0, format="%.3f", width=WIDTHS["area"], help=columns.HELP["area"]
    )
    return held


def _neighbours(rows: Sequence[ranking.Place], run: str) -> None:
    """The place of the open run, and the ways to the one that gives away a little more and a little less."""
    place = ranking.at(rows, run)
    if place is None or len(rows) < 2:
        return
    ranked = sum(one.ranked for one in rows)
    left = len(rows) - ranked
    of = f"{ranked}{f' ({left} more: undecided)' * bool(left)}"
    where = f"Number {place + 1} of {of}" if rows[place].ranked else f"Undecided, so not among the {ranked} ranked"
    with st.container(horizontal=True, vertical_alignment="center", key="overview-neighbours"):
        st.caption(f"{where} by what is given away ({sides(rows[place].attack.attack).asks})", width="content")
        titles = ranking.names(rows)[0]
        for step, label, icon in STEPS:
            if 0 <= place + step < len(rows):
                other = rows[place + step]
                st.button(
                    label,
                    key=f"overview.step.{step}",
                    type="tertiary",
                    icon=icon,
                    on_click=_open,
                    args=(other.attack,),
                    help=f"{markup.literal(titles[other.run.id])}: {_word(other)}, {percent(other.attack.found[0])}",
                )


def _open(attack: AttackRecord, *, fold: bool = True) -> None:
    """Show that attack on its run, and `fold` the table. It begins anew, without a tick: what is shown may be
    changed elsewhere."""
    of_run = queue.store().attacks(attack.run)
    found = {"found": str(of_run.index(attack) + 1)} if attack in of_run else {}
    choosing.open_run(attack.run, ("found", "over", "attack"), **found)
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    st.session_state[PICKED] = fold


def _caption(rows: Sequence[ranking.Place], common: str) -> str:
    """What the table is, and what its columns do not say by themselves."""
    which = f"Runs {common}. " if common else ""
    said = [f"{which}Tick a row to open it; {columns.POINT}."]
    if any(one.unit == "edge" and not verdicts.covered(one.attack, one.unit) for one in rows):
        said.append("An ε in brackets is for edges, and does not limit what is asked here, however small it is.")
    return " ".join(said)


def _about(rows: Sequence[ranking.Place]) -> list[str]:
    """How to read the table of one question: what each number means, and why there is none."""
    said = [
        "By the verdict first, then by the area; what is undecided has no place and stands last. The score of each "
        "attack was chosen in advance, and of several attacks on a run the one that found most is listed.",
        *verdicts.RULES,
        f"**At {exact_percent(RARE)} false alarms**: the share that is found then.",
    ]
    attacks = [one.attack for one in rows]
    if any(rates.at_rare(one) == rates.NONE for one in attacks):
        said[-1] += f" A dash: of so few others, {exact_percent(RARE)} is less than one, so it cannot be measured."
    if any(verdicts.wide(one.attack, one.severe) for one in rows):
        said.append(f"**{WIDE}**: the interval reaches below {verdicts.FAR:.0%}; open the run to attack more models.")
    if any(one.by_classes is not None for one in attacks):
        return [*said, "No bound on ε follows, for we did not draw the edges."]
    said.append(
        "**ε at least**: no ε below it can be claimed for such a model; of a run that protects nothing, how large a "
        "claim would have to be."
    )
    if reasons := _unbounded(rows):
        said[-1] += f" A dash: no bound follows, because {'; or '.join(reasons)}."
    if any(map(findings.too_few, attacks)):
        said[-1] += f" Of fewer than {findings.FEW_NODES} nodes trained on, hardly any attack bounds ε."
    return said


def _unbounded(rows: Sequence[ranking.Place]) -> list[str]:
    """Why rows of a table with bounds have none."""
    held = [one for one in rows if one.attack.bound is None and one.attack.by_classes is None]
    return list(dict.fromkeys(findings.no_bound(one.attack, one.unit) for one in held))


def _statements(rows: Sequence[ranking.Place]) -> dict[str, PrivacyStatement]:
    """The statements of all these runs, each with what the attack on it has shown."""
    by_run = {one.run.id: one for one in rows}
    return statements_of(
        [one.run for one in by_run.values()],
        lambda run, said: attack_words.with_bounds(said, [by_run[run.id].attack]),
    )


def _word(row: ranking.Place) -> str:
    word = verdicts.word(row.attack, row.severe) if row.ranked else "undecided"
    return f"{word} ({WIDE})" if verdicts.wide(row.attack, row.severe) else word


def _line(title: str, row: ranking.Place, measure: str, *, compared: bool) -> dict[str, object]:
    """The run first: a number says nothing as long as it is not known whose it is."""
    attack = row.attack
    value, low, high = row.most
    rival = None if verdicts.caution(attack) else attack_words.best_rival(attack)
    alike = attack.by_classes
    if row.alike is not None and row.alike.run != attack.run:
        alike = verdicts.similarity(attack, row.alike)[0]
    bare = "" if row.bare is None else f"{row.bare.found[0]:.3f}{f' {MORE}' * row.more_with_privacy}"
    return {
        "run": title,
        "verdict": [_word(row)],
        "area": round(value, 3),
        measure: percent(row.accuracy),
        "interval": f"{low:.3f} to {high:.3f}",
        **({} if alike is None else {"similarity alone": f"{alike:.3f}"}),
        **({columns.BARE: bare} if compared else {}),
        "promised": _promised(attack, row.unit),
        FOUND: rates.at_rare(attack),
        **({"ε at least": findings.bound(attack)} if attack.by_classes is None else {}),
        "attack": attack_words.kind(attack, brief=True) if rival is None else attack_words.called(rival[0]),
    }


def _promised(attack: AttackRecord, unit: str) -> str:
    """The run's epsilon with what it protects; in brackets where it does not limit what the attack asks."""
    if unit == "none" or math.isinf(attack.sound):
        return "nothing"
    said = f"ε {stated('sound', attack.sound)}, {columns.PROTECTS[unit]}"
    return said if verdicts.covered(attack, unit) else f"({said})"
