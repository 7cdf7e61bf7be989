"""All attacked runs side by side: which of them gives away most, and the way to each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.attacks.record import RARE, AttackRecord
from privgraph.registry import ATTACKS, sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.facts import without_edges, without_privacy
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import columns, comparing, findings
from privgraph_workbench.views.parts import choosing, layout, states
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import markup, rates, verdicts
from privgraph_workbench.words.numbers import exact_percent, percent, stated

FOUND = f"at {exact_percent(RARE)} false alarms"
WIDTHS = {
    "run": 334,
    "area": 145,
    "verdict": 180,
    "similarity alone": 90,
    columns.BARE: 100,
    "promised": 120,
    FOUND: 110,
    "ε at least": 90,
    "attack": 90,
}
"""In pixels: names of runs are told whole."""
WIDE = "wide"
KEY, QUESTION, OF, TURN, PICKED = "overview", "overview_question", "overview.of", "overview.turn", "overview.picked"
ROW_PIXELS, MOST_PIXELS = 35, 700
"""Of a table that shows its rows without being scrolled, as long as they are not many."""


def show(run: str, attack: AttackRecord | None) -> None:
    """A table of the strongest attack on each run, for each question, what gives away most first; a row that
    is chosen opens it. It begins with what the shown `attack` on the `run` asks."""
    strongest = comparing.strongest(queue.store().all_attacks())
    ids = tuple(dict.fromkeys(run for run, _ in strongest))
    if len(ids) < 2:
        return
    if st.session_state.pop(PICKED, False):  # whoever has chosen one wants to read what it says
        st.session_state[f"fold.{KEY}"] = False
    with layout.fold(
        f"Which run gives away most? All {len(ids)} attacked runs", KEY, icon=":material/table_rows:"
    ) as part:
        if part.open:
            _table(strongest, ids, (run, None if attack is None else sides(attack.attack).asks))


def _table(
    strongest: Mapping[tuple[str, str], AttackRecord], ids: tuple[str, ...], shown: tuple[str, str | None]
) -> None:
    runs = {one.id: one for one in states.readable(queue.store().find(RunQuery(ids=ids, limit=len(ids))))}
    titles = choosing.runs(runs.values(), short=True)
    held = [one for one in strongest.values() if one.run in runs]
    found = Counter(sides(one.attack).asks for one in held)
    counts = {asks: found[asks] for asks in dict.fromkeys(sides(name).asks for name in ATTACKS) if found[asks]}
    asks = next(iter(counts))
    if len(counts) > 1:
        if shown != st.session_state.get(OF) and shown[1] in counts:
            st.session_state[QUESTION] = shown[1]
        st.session_state[OF] = shown
        st.session_state.setdefault(QUESTION, asks)
        asks = str(
            st.segmented_control(
                "Question",
                list(counts),
                required=True,
                format_func=lambda one: f"{one[:1].upper()}{one[1:]}? {counts[one]} runs",
                key=QUESTION,
            )
        )
    rows = [one for one in held if sides(one.attack).asks == asks]
    alike = {one.run: without_edges.beside(queue.store(), runs[one.run], one) for one in rows}
    severe = {one.run: verdicts.severity(one, alike[one.run], verdicts.learnt(runs[one.run])) for one in rows}
    rows.sort(key=lambda one: (-severe[one.run], -one.found[0], one.run))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            _caption(rows, [_unit(runs[one.run]) for one in rows], [severe[one.run] for one in rows]),
            width="stretch",
        )
        with st.popover("How to read it", icon=":material/help:"):
            st.markdown("\n".join(f"- {one}" for one in _about(rows, [_unit(runs[one.run]) for one in rows])))
    _place(rows, titles, severe, shown[0])
    turn = st.session_state.setdefault(TURN, 0)
    named = {one: columns.marked(title, one == shown[0]) for one, title in titles.items()}
    bare = [_without_privacy(one, rows, runs) for one in rows]
    lines = [
        _line(
            named[one.run],
            one,
            severe[one.run],
            _unit(runs[one.run]),
            alike[one.run],
            free if any(bare) else None,
        )
        for one, free in zip(rows, bare, strict=True)
    ]
    picked = st.dataframe(
        lines,
        hide_index=True,
        alt="Of each attacked run the attack that found most",
        on_select="rerun",
        selection_mode="single-row",
        key=f"{KEY}.{asks}.{turn}",
        column_config=columns.config(dict.fromkeys(name for row in lines for name in row), WIDTHS),
        height=min(MOST_PIXELS, ROW_PIXELS * (len(rows) + 1) + 3),
    )
    places = picked["selection"]["rows"]
    if places and places[0] < len(rows):
        _open(rows[places[0]])


def _unit(record: RunRecord) -> str:
    return "none" if record.statement is None else record.statement.unit


def _place(rows: Sequence[AttackRecord], titles: Mapping[str, str], severe: Mapping[str, int], run: str) -> None:
    """How much the open run gives away, and its place among the others."""
    place, own = next(((place, one) for place, one in enumerate(rows, start=1) if one.run == run), (0, None))
    if own is not None:
        st.markdown(
            f"▸ The open run, **{markup.literal(titles[run])}**, is number {place} of {len(rows)}: "
            f"{verdicts.word(own, severe[run])}, {percent(own.found[0])}."
        )
    elif run in titles:
        st.markdown(f"The open run, **{markup.literal(titles[run])}**, is not among these rows.")


def _open(attack: AttackRecord) -> None:
    """Show that attack on its run, and fold the table. It begins anew, without a tick: what is shown may be
    changed elsewhere."""
    of_run = queue.store().attacks(attack.run)
    found = {"found": str(of_run.index(attack) + 1)} if attack in of_run else {}
    choosing.open_run(attack.run, ("found", "over", "attack"), **found)
    st.session_state[TURN] += 1
    st.session_state[PICKED] = True
    st.rerun()


def _caption(rows: Sequence[AttackRecord], units: Sequence[str], severe: Sequence[int]) -> str:
    """What the table is, and what its columns do not say by themselves."""
    said = [
        "Of each run the attack that found most, each by the score chosen for it in advance: by the verdict first, "
        f"then by the area. Choose a row to open it; {columns.POINT}."
    ]
    if any(unit == "edge" and not verdicts.covered(one, unit) for one, unit in zip(rows, units, strict=True)):
        said.append("An ε in brackets is for edges, and does not limit what is asked here, however small it is.")
    if any(map(verdicts.wide, rows, severe)):
        said.append(f"“{WIDE}”: the interval reaches below {verdicts.FAR:.0%}; open the run to attack more models.")
    return " ".join(said)


def _about(rows: Sequence[AttackRecord], units: Sequence[str]) -> list[str]:
    """How to read the table of one question: what each number means, and why there is none. `units` are what
    the runs protect."""
    said = [*verdicts.RULES, f"**At {exact_percent(RARE)} false alarms**: the share that is found then."]
    if any(rates.at_rare(one) == rates.NONE for one in rows):
        said[-1] += f" A dash: of so few others, {exact_percent(RARE)} is less than one, so it cannot be measured."
    if any(one.by_classes is not None for one in rows):
        return [*said, "No bound on ε follows, for we did not draw the edges."]
    said.append(
        "**ε at least**: no ε below it can be claimed for such a model; of a run that protects nothing, how large a "
        "claim would have to be."
    )
    if reasons := _unbounded(rows, units):
        said[-1] += f" A dash: no bound follows, because {'; or '.join(reasons)}."
    if any(findings.too_few(one) for one in rows):
        said[-1] += f" Of fewer than {findings.FEW_NODES} nodes trained on, hardly any attack bounds ε."
    return said


def _unbounded(rows: Sequence[AttackRecord], units: Sequence[str]) -> list[str]:
    """Why rows of a table with bounds have none."""
    held = [(one, unit) for one, unit in zip(rows, units, strict=True) if one.bound is None and one.by_classes is None]
    return list(dict.fromkeys(findings.no_bound(one, unit) for one, unit in held))


def _without_privacy(attack: AttackRecord, rows: Sequence[AttackRecord], runs: Mapping[str, RunRecord]) -> str:
    """The largest area among the rows on the method of its run without privacy; "" where there is none."""
    own = runs[attack.run]
    if own.spec.unit == "none":
        return ""
    bare = [one for one in rows if runs[one.run].spec.unit == "none"]
    areas = [one.found[0] for one in bare if without_privacy.akin(own, runs[one.run])]
    return f"{max(areas):.3f}" if areas else ""


def _line(
    title: str,
    attack: AttackRecord,
    severe: int,
    unit: str,
    without: AttackRecord | None,
    bare: str | None,
) -> dict[str, str]:
    """The run first: a number says nothing as long as it is not known whose it is."""
    value, low, high = attack.found
    alike = attack.by_classes
    if without is not None and without.run != attack.run:
        alike = verdicts.similarity(attack, without)[0]
    word = verdicts.word(attack, severe)
    return {
        "run": title,
        "area": f"{value:.3f} ({low:.3f} to {high:.3f})",
        **({} if alike is None else {"similarity alone": f"{alike:.3f}"}),
        "verdict": f"{word} ({WIDE})" if verdicts.wide(attack, severe) else word,
        **({} if bare is None else {columns.BARE: bare}),
        "promised": _promised(attack, unit),
        FOUND: rates.at_rare(attack),
        **({"ε at least": findings.bound(attack)} if attack.by_classes is None else {}),
        "attack": attack_words.kind(attack, brief=True),
    }


def _promised(attack: AttackRecord, unit: str) -> str:
    """The run's epsilon with what it protects; in brackets where it does not limit what the attack asks."""
    if unit == "none" or math.isinf(attack.sound):
        return "nothing"
    said = f"ε {stated('sound', attack.sound)}, {columns.PROTECTS[unit]}"
    return said if verdicts.covered(attack, unit) else f"({said})"
