"""What attacks on a run have found: one in full, with others laid over its curve."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.options import Attacked
from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.figures.attacks import attack_areas, attack_exposure, attack_map, attack_roc, attack_scores
from privgraph_workbench.figures.audits.audit_roc import SCALES
from privgraph_workbench.views.attacks import baseline, comparing, findings, verdict
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of


def show(record: RunRecord, subject: Attacked, attacks: Sequence[AttackRecord]) -> None:
    """One attack in full, with others laid over its curve."""
    titles = {str(place): findings.title(one, place) for place, one in enumerate(attacks, start=1)}
    seen = st.session_state.get("attacks_seen")
    if seen is not None and seen[0] == record.id and seen[1] < len(attacks):
        st.session_state["found"] = str(len(attacks))
    st.session_state["attacks_seen"] = (record.id, len(attacks))
    asked = st.query_params.get("found")
    if asked is not None and asked not in titles:
        st.warning(f"In this page's address, there is no attack number {markup.literal(asked[:20])} on this run.")
    if st.session_state.get("found") not in titles:
        st.session_state["found"] = asked if asked in titles else str(len(titles))
    chosen = str(st.selectbox("Which attack on it", list(titles), key="found", format_func=lambda place: titles[place]))
    st.query_params["found"] = chosen
    attack = attacks[int(chosen) - 1]
    verdict.show(attack, subject.statement.unit, baseline.beside(record, attack))
    baseline.offer(record, attack)
    findings.numbers(attack)
    with st.expander("What the attacker knows", expanded=False):
        findings.attacker(attack)
    name, statements = f"{record.id}-attack-{chosen}", statements_of([record])
    _curves(record, attacks, int(chosen) - 1, name)
    one, other = st.columns(2, gap="large")
    with one:
        scores = attack_scores.data(attack)
        live_plot.show(attack_scores.plot(scores, layout.theme()), key=f"attack_scores.{name}")
        figure_exports("attack_scores", scores, statements, name=name)
    with other:
        groups = attack_exposure.data(attack)
        live_plot.show(attack_exposure.plot(groups, layout.theme()), key=f"attack_exposure.{name}")
        st.caption(findings.exposure(attack))
        figure_exports("attack_exposure", groups, statements, name=name)
    if attack.exposed and verdict.guessing(attack):
        st.caption(
            "Which nodes are exposed most is not listed: the attack cannot be told from guessing, and a guess, too, "
            "puts some nodes before all others."
        )
    elif attack.exposed:
        listed, mapped = st.columns(2, gap="large")
        with listed:
            findings.exposed(attack)
        with mapped:
            if attack.map_nodes:
                nodes = attack_map.data(attack)
                live_plot.show(attack_map.plot(nodes, layout.theme()), key=f"attack_map.{name}")
                figure_exports("attack_map", nodes, statements, name=name)
            else:
                st.info("This attack was made before maps were kept: attack again to see these nodes in the graph.")
    findings.history(attacks)


def _unit(record: RunRecord) -> str:
    return "none" if record.statement is None else record.statement.unit


def _curves(record: RunRecord, attacks: Sequence[AttackRecord], chosen: int, name: str) -> None:
    """The curve of an attack, with others that ask the same laid over it, and their numbers below."""
    offered = comparing.others(record, attacks, chosen)
    over = comparing.choose(record, offered)
    scale = st.segmented_control(
        "Axes of the curve",
        list(SCALES),
        default="log",
        required=True,
        key="roc_scale",
        bind="query-params",
        help="; ".join(f"{key}: {meaning}" for key, meaning in SCALES.items()),
    )
    drawn = [attacks[chosen], *(one.attack for one in over)]
    runs = [record, *(one.run for one in over)]
    names = comparing.labels(runs, drawn)
    rows = attack_roc.data(drawn, str(scale), names)
    statements = statements_of(list({one.id: one for one in runs}.values()))
    curve, notes = st.columns((3, 2), gap="large")  # about as wide as high, as such curves are read
    with curve:
        live_plot.show(attack_roc.plot(rows, layout.theme()), key=f"attack_roc.{name}")
        figure_exports("attack_roc", rows, statements, name=name)
    with notes:
        for note in (*attack_roc.chart(rows).notes, *findings.without_line(names, drawn, [_unit(run) for run in runs])):
            st.caption(markup.literal(note))
    if over:
        areas = attack_areas.data(drawn, names)
        live_plot.show(attack_areas.plot(areas, layout.theme()), key=f"attack_areas.{name}")
        figure_exports("attack_areas", areas, statements, name=name)
        comparing.table(names, drawn, runs)
