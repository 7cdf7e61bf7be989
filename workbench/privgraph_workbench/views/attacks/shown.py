"""What attacks on a run have found: one in full, with others laid over its curve."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.options import Attacked
from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.figures.attacks import attack_areas, attack_exposure, attack_map, attack_roc, attack_scores
from privgraph_workbench.figures.audits.audit_roc import SCALES
from privgraph_workbench.views.attacks import baseline, comparing, findings, verdict
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of

MANY = 4
"""Attacks laid over a curve from which on bands are drawn when they are asked for."""


def choose(record: RunRecord, attacks: Sequence[AttackRecord]) -> AttackRecord:
    """The attack that is shown: the one that the address names, or what gives away most; a new one comes to
    the front by itself."""
    titles = {str(place) for place in range(1, len(attacks) + 1)}
    seen = st.session_state.get("attacks_seen")
    if seen is not None and seen[0] == record.id and seen[1] < len(attacks):
        st.session_state["found"] = str(len(attacks))
    st.session_state["attacks_seen"] = (record.id, len(attacks))
    asked = st.query_params.get("found")
    if asked is not None and asked not in titles:
        st.warning(f"In this page's address, there is no attack number {markup.literal(asked[:20])} on this run.")
    if st.session_state.get("found") not in titles:
        st.session_state["found"] = asked if asked in titles else str(_first(record, attacks))
    return attacks[int(st.session_state["found"]) - 1]


def show(record: RunRecord, subject: Attacked, attacks: Sequence[AttackRecord]) -> None:
    """The chosen attack in full, with others laid over its curve."""
    titles = {str(place): findings.title(one, place) for place, one in enumerate(attacks, start=1)}
    summary(record, attacks)
    chosen = str(st.session_state["found"])
    if len(titles) > 1:
        chosen = str(
            st.selectbox("Which attack on it", list(titles), key="found", format_func=lambda place: titles[place])
        )
    st.query_params["found"] = chosen
    attack = attacks[int(chosen) - 1]
    without = baseline.beside(record, attack)
    verdict.show(attack, subject.statement.unit, without, verdict.learnt(record))
    baseline.offer(record, attack)
    findings.numbers(attack, subject.statement.unit)
    with st.expander("What the attacker knows", expanded=False):
        findings.attacker(attack)
    name, statements = f"{record.id}-attack-{chosen}", statements_of([record])
    _curves(record, attacks, int(chosen) - 1, without, name)
    groups = attack_exposure.data(attack, None if without is attack else without)
    live_plot.show(attack_exposure.plot(groups, layout.theme()), key=f"attack_exposure.{name}")
    st.caption(" ".join((findings.exposure(attack), *attack_exposure.chart(groups).notes)))
    figure_exports("attack_exposure", groups, statements, name=name)
    if attack.exposed and (why := findings.nobody(attack)):
        st.caption(why)
    elif attack.exposed:
        listed, mapped = layout.columns("exposed", 2)
        with listed:
            findings.exposed(attack, attacks)
        with mapped:
            if attack.map_nodes:
                nodes = attack_map.data(attack)
                live_plot.show(attack_map.plot(nodes, layout.theme()), key=f"attack_map.{name}")
                figure_exports("attack_map", nodes, statements, name=name)
            else:
                st.caption("This attack was made before maps were kept: attack again to see these nodes in the graph.")
    findings.history(attacks)


def strongest(attacks: Sequence[AttackRecord], severe: Sequence[int], unit: str) -> int:
    """The number, from 1, of the attack that is shown first: what gives away most (`severe`, as
    `verdict.severity` has it), then what the run promises to hide (who trained, where it promises nothing),
    then the largest area; the newest of equals."""
    hidden = "edge" if unit == "edge" else "node"

    def order(number: int) -> tuple[int, bool, float, int]:
        one = attacks[number - 1]
        return severe[number - 1], sides(one.attack).unit == hidden, one.found[0], number

    return max(range(1, len(attacks) + 1), key=order)


def _severe(record: RunRecord, attacks: Sequence[AttackRecord]) -> list[int]:
    return [verdict.severity(one, baseline.beside(record, one), verdict.learnt(record)) for one in attacks]


def _first(record: RunRecord, attacks: Sequence[AttackRecord]) -> int:
    return strongest(attacks, _severe(record, attacks), _unit(record))


def summary(record: RunRecord, attacks: Sequence[AttackRecord]) -> None:
    """What was found at best of each question, in a line each, with the way to that attack."""
    severe, chosen = _severe(record, attacks), st.session_state["found"]
    questions = dict.fromkeys(sides(one.attack).asks for one in attacks)
    for asks in questions:
        places = [place for place, one in enumerate(attacks) if sides(one.attack).asks == asks]
        place = max(places, key=lambda own: (severe[own], attacks[own].found[0]))
        one = attacks[place]
        value, low, high = one.found
        told = f"area {value:.3f} ({low:.3f} to {high:.3f}), by {markup.literal(findings.short(one))}"
        with st.container(horizontal=True, vertical_alignment="center", key=f"best-{place + 1}"):
            st.markdown(f"**{asks[:1].upper()}{asks[1:]}?**", width="content")
            word, colour = verdict.SEVERITIES[severe[place]]
            st.badge(word, color=colour)
            st.markdown(told, width="content")
            if str(place + 1) != chosen:
                st.button(
                    "Show it",
                    key=f"show_attack.{place + 1}",
                    type="tertiary",
                    icon=":material/visibility:",
                    on_click=st.session_state.update,
                    args=({"found": str(place + 1)},),
                )
    st.caption(verdict.WORDS)


def _unit(record: RunRecord) -> str:
    return "none" if record.statement is None else record.statement.unit


def _curves(
    record: RunRecord, attacks: Sequence[AttackRecord], chosen: int, without: AttackRecord | None, name: str
) -> None:
    """The curve of an attack, with others that ask the same laid over it, and their numbers below. What is
    found `without` any edge is always among them: it says what a curve has to be compared with."""
    offered = comparing.others(record, attacks, chosen)
    over = comparing.choose(record, offered)
    if without is not None and without.run != record.id and without not in [one.attack for one in over]:
        perceptron = next(run for run in baseline.perceptrons(record) if run.id == without.run)
        over.append(comparing.Other(name=baseline.METHOD, attack=without, run=perceptron))
    scale = st.segmented_control(
        "Axes of the curve",
        list(SCALES),
        default="log",
        required=True,
        key="roc_scale",
        bind="query-params",
        help="; ".join(f"{key}: {meaning}" for key, meaning in SCALES.items()),
    )
    many = len(over) >= MANY
    banded = not over or st.toggle(
        "Bands",
        value=not many,
        key=f"roc_bands.{many}",
        help="From the lowest to the highest curve of all attacked models. Many bands hide the curves",
    )
    drawn = [attacks[chosen], *(one.attack for one in over)]
    runs = [record, *(one.run for one in over)]
    names = comparing.labels(runs, drawn)
    rows = [row for row in attack_roc.data(drawn, str(scale), names) if banded or row["curve"] != "band"]
    statements = statements_of(list({one.id: one for one in runs}.values()))
    curve, beside = layout.columns("curves", (3, 2))  # about as wide as high, as such curves are read
    with curve:
        live_plot.show(attack_roc.plot(rows, layout.theme()), key=f"attack_roc.{name}")
        figure_exports("attack_roc", rows, statements, name=name)
    with beside:
        scores = attack_scores.data(attacks[chosen])
        live_plot.show(attack_scores.plot(scores, layout.theme()), key=f"attack_scores.{name}")
        figure_exports("attack_scores", scores, statements_of([record]), name=name)
        for note in (*attack_roc.chart(rows).notes, *findings.without_line(names, drawn, [_unit(run) for run in runs])):
            st.caption(markup.literal(note))
    if over:
        areas = attack_areas.data(drawn, names)
        live_plot.show(attack_areas.plot(areas, layout.theme()), key=f"attack_areas.{name}")
        figure_exports("attack_areas", areas, statements, name=name)
        comparing.table(names, drawn, runs)
        if any(one.sound < more.sound and one.found[0] > more.found[0] for one in drawn for more in drawn):
            st.caption(
                "Where an area grows as ε falls, look at the two accuracies: noise on edges leaves a network little to "
                "learn from neighbours, and one that is right about its training nodes alone has learnt these by heart."
            )
