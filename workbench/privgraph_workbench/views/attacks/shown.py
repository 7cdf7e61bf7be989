"""What attacks on a run have found: one in full, with others laid over its curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from privgraph.attacks.options import Attacked
from privgraph.attacks.planning import BEYOND, uncovered
from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import ATTACKS, sides
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.advice import BASELINE as BLIND
from privgraph_workbench.facts import without_edges, without_privacy
from privgraph_workbench.figures.attacks import (
    attack_areas,
    attack_exposure,
    attack_map,
    attack_roc,
    attack_scores,
    colours,
)
from privgraph_workbench.figures.audits.audit_roc import SCALES
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import styles
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.views.attacks import baseline, comparing, exposure, findings, further, overall, verdict
from privgraph_workbench.views.parts import given_away, layout, under_way
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import caveats, markup, naming, verdicts
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
        st.toast("The attack has ended: what it found stands on this page.", icon="🕵️")
    elif seen is not None and seen[0] != record.id:  # by Back, too: the address says which one of this run
        st.session_state.pop("found", None)
    st.session_state["attacks_seen"] = (record.id, len(attacks))
    asked = st.query_params.get("found")
    if asked is not None and asked not in titles:
        st.warning(f"In this page's address, there is no attack number {markup.literal(asked[:20])} on this run.")
    if st.session_state.get("found") not in titles:
        st.session_state["found"] = asked if asked in titles else str(_first(record, attacks))
    return attacks[int(st.session_state["found"]) - 1]


def show(
    record: RunRecord,
    subject: Attacked,
    attacks: Sequence[AttackRecord],
    progress: under_way.Drawn,
    about: Callable[[], None] = lambda: None,
) -> None:
    """What all attacks on the run come to that ask what the chosen one asks, with what is to be known `about`
    the run and others; then the chosen one in full, with others laid over its curve. `progress` says how far
    another one is."""
    severe, learnt = _severe(record, attacks), verdicts.learnt(record)
    chosen = str(st.session_state["found"])
    counts = overall.counting(attacks, severe, _unit(record), int(chosen))
    alike = without_edges.beside(queue.store(), record, attacks[counts - 1])
    bare = without_privacy.beside(queue.store(), record, attacks[counts - 1])
    overall.show(record, attacks, severe, counts - 1, alike, None if bare is None else bare[1], chosen, about)
    chosen = _pick(attacks, severe, chosen)
    st.query_params["found"] = chosen
    attack = attacks[int(chosen) - 1]
    without = without_edges.beside(queue.store(), record, attack)
    if progress is not None:
        progress()
    name, statements = f"{record.id}-attack-{chosen}", _statements([record], [attack])
    beyond = uncovered(subject) if any(one.startswith(BEYOND) for one in attack.knows) else ()
    _curves(record, subject, attacks, int(chosen) - 1, without, name)
    if (whom := exposure.groups(attacks[counts - 1])) and attacks[counts - 1].exposed:
        st.markdown(f"Who is exposed? {whom.partition('** ')[0]}**", help="The evaluator's view; the figure is below")
    overall.details(record, attacks, counts - 1)
    st.markdown("##### What follows")
    said = subject.statement
    verdict.show(attack, said.unit, without, learnt, beyond, said.public, led=int(chosen) == counts)
    if hint := _influence(subject, attack, attacks):
        st.caption(hint)
    further.show(record, subject, attack, attacks, severe[int(chosen) - 1], busy=progress is not None)
    baseline.offer(record, attack)
    with layout.fold("The scores behind the curve", "scores", icon=":material/bar_chart:") as part:
        if part.open:
            scores = attack_scores.data(attack)
            live_plot.show(attack_scores.plot(scores, layout.theme()), key=f"attack_scores.{name}")
            figure_exports("attack_scores", scores, statements, name=name)
    with layout.fold(f"Who is exposed: {_groups(attack)}", "exposed", icon=":material/visibility:") as part:
        if part.open:
            _exposed(attack, attacks, without, statements, name)
    every = f"all {len(attacks)} attacks" if len(attacks) > 1 else "the attack"
    with layout.fold(f"Table of {every} on this run", "attacks", icon=":material/table_rows:") as part:
        if part.open:
            findings.history(attacks)


def _pick(attacks: Sequence[AttackRecord], severe: Sequence[int], chosen: str) -> str:
    """Which attack is shown: the lines above lead to the strongest of each question; where there are more, a
    list names all."""
    if len(attacks) == len(given_away.best(attacks, severe)):
        return chosen
    titles = {str(place): attack_words.title(one, place) for place, one in enumerate(attacks, start=1)}
    return str(st.selectbox("Attack shown below", list(titles), key="found", format_func=lambda place: titles[place]))


def _influence(subject: Attacked, attack: AttackRecord, attacks: Sequence[AttackRecord]) -> str:
    """That edges told by distance may be told far better by influence, where that can be asked and was
    not."""
    asked = any(one.attack == attack.attack and one.options.by == "influence" for one in attacks)
    spec = ATTACKS.get(attack.attack)
    if asked or spec is None or "by" not in spec.reads:
        return ""
    if spec.refuses(subject) or spec.unanswered(subject, replace(attack.options, by="influence")):
        return ""
    return (
        "By distance is the weaker way to ask for edges. This model can be asked by influence, too, which finds edges "
        "that similarity does not explain: choose it under *Told by* in a new attack."
    )


def _groups(attack: AttackRecord) -> str:
    nodes = ", and the most exposed nodes" if attack.exposed and not exposure.nobody(attack) else ""
    return f"by degree and by class{nodes} (the evaluator's view)"


def _exposed(
    attack: AttackRecord,
    attacks: Sequence[AttackRecord],
    without: AttackRecord | None,
    statements: Mapping[str, PrivacyStatement],
    name: str,
) -> None:
    """What follows; then groups of nodes, and single ones where more than chance stands behind them."""
    why = exposure.nobody(attack) if attack.exposed else ""
    st.markdown(" ".join(filter(None, (exposure.groups(attack), why))))
    drawn = attack_exposure.data(attack, None if without is attack else without)
    live_plot.show(attack_exposure.plot(drawn, layout.theme()), key=f"attack_exposure.{name}")
    st.caption(" ".join((exposure.measures(attack), *attack_exposure.chart(drawn).notes)))
    figure_exports("attack_exposure", drawn, statements, name=name)
    if attack.exposed and not why:
        listed, mapped = layout.columns("exposed", 2)
        with listed:
            exposure.single(attack, attacks)
        with mapped:
            if attack.map_nodes:
                nodes = attack_map.data(attack)
                live_plot.show(attack_map.plot(nodes, layout.theme()), key=f"attack_map.{name}")
                figure_exports("attack_map", nodes, statements, name=name)
            else:
                st.caption("This attack was made before maps were kept: attack again to see these nodes in the graph.")


def _severe(record: RunRecord, attacks: Sequence[AttackRecord]) -> list[int]:
    return without_edges.severities(queue.store(), record, attacks)


def _first(record: RunRecord, attacks: Sequence[AttackRecord]) -> int:
    return overall.strongest(attacks, _severe(record, attacks), _unit(record))


def _unit(record: RunRecord) -> str:
    return "none" if record.statement is None else record.statement.unit


def _curves(
    record: RunRecord,
    subject: Attacked,
    attacks: Sequence[AttackRecord],
    chosen: int,
    without: AttackRecord | None,
    name: str,
) -> None:
    """The curve of an attack, with others that ask the same laid over it, beside its numbers. What is found
    of the method without privacy, and of edges without reading any, is always among them: it says what a
    curve has to be compared with."""
    curve, beside = layout.columns(styles.SECOND_FIRST, (3, 2))  # about as wide as high, as such curves are read
    bare = without_privacy.beside(queue.store(), record, attacks[chosen])
    with beside:
        findings.numbers(attacks[chosen], subject.statement, without, bare)
        findings.attacker(attacks[chosen], uncovered=False)
    with curve:
        place = st.container()  # the figure stands above what is chosen for it
        offered = comparing.others(record, attacks, chosen)
        over = comparing.choose(record, offered)
        notes = st.container()
    asked = len(over)
    forced = [] if bare is None else [_over(*bare, over)]
    over += [one for one in forced if one not in over]
    without = without_edges.drawn(queue.store(), record, attacks[chosen])
    if without is not None and without.run != record.id:
        found = without_edges.perceptrons(queue.store(), record)
        there = _over(next(run for run in found if run.id == without.run), without, over)
        over += [there] * (there not in over)
        forced += [there] * (there not in forced)
    own = comparing.Other(name="", attack=attacks[chosen], run=record)
    # in the order of the areas below, so that curves and areas have the same colours
    curves = sorted([own, *comparing.drawn(over, forced)], key=lambda one: one.attack.sound)
    with place:
        rows = _roc(curves, len(over), name)
    with notes.expander("How to read the curves", icon=":material/help:"):
        st.caption("\n\n".join(markup.literal(note) for note in attack_roc.chart(rows).notes))
    if asked or len(over) > 1 or without is not None:
        _side_by_side([own, *over], curves, name)


def _over(run: RunRecord, attack: AttackRecord, over: Sequence[comparing.Other]) -> comparing.Other:
    """The attack as one that is laid `over` the curve, where it is among these that one."""
    alone = comparing.Other(name=run.spec.method, attack=attack, run=run)
    return next((one for one in over if one.attack == attack), alone)


def _roc(curves: Sequence[comparing.Other], over: int, name: str) -> list[Row]:
    """The curves, of all that were laid `over` the chosen one, and their files; how they are drawn is chosen
    below them."""
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scale = st.segmented_control(
            "Axes of the curve",
            list(SCALES),
            default="log",
            required=True,
            key="roc_scale",
            bind="query-params",
            help="; ".join(f"{key}: {meaning}" for key, meaning in SCALES.items()),
        )
        many = over >= MANY
        banded = not over or st.toggle(
            "Bands (off: they would hide so many curves)" if many else "Bands",
            value=not many,
            key=f"roc_bands.{many}",
            help="From the lowest to the highest curve of all attacked models. A CSV has them in any case",
        )
    drawn, runs = [one.attack for one in curves], [one.run for one in curves]
    units, graphs = [_unit(run) for run in runs], [naming.graph_of(run) for run in runs]
    names = comparing.labels(runs, drawn)
    names = [f"{name}: similarity alone" if _alone(one) else name for name, one in zip(names, curves, strict=True)]
    told = caveats.pairs(zip(runs, drawn, strict=True))
    rows = attack_roc.data(drawn, str(scale), names, units, graphs, banded=banded, caveats=told)
    with place:
        live_plot.show(attack_roc.plot(rows, layout.theme()), key=f"attack_roc.{name}")
        if left := comparing.left_out(over, len(curves) - 1):
            st.markdown(left)
    figure_exports("attack_roc", rows, _statements(runs, drawn), name=name)
    return rows


def _alone(one: comparing.Other) -> bool:
    """Whether what is found of edges is of a model that reads none."""
    return _flat(one.run) and bool(verdicts.caution(one.attack))


def _side_by_side(every: Sequence[comparing.Other], curves: Sequence[comparing.Other], name: str) -> None:
    """The chosen attack and all that were laid over its curve: areas as a figure, each in the colour of its
    curve where that is drawn, and the numbers as a table."""
    drawn, runs = [one.attack for one in every], [one.run for one in every]
    names = comparing.labels(runs, drawn)
    colours_of = colours.slots([one.attack.sound for one in curves])
    slots = [colours_of[curves.index(one)] if one in curves else NEUTRAL for one in every]
    areas = attack_areas.data(drawn, names, slots, caveats=caveats.pairs(zip(runs, drawn, strict=True)))
    live_plot.show(attack_areas.plot(areas, layout.theme()), key=f"attack_areas.{name}")
    figure_exports("attack_areas", areas, _statements(runs, drawn), name=name)
    flat = [one for one, run in zip(drawn, runs, strict=True) if _flat(run)]
    if any(_above(one, other) for one in flat for other, run in zip(drawn, runs, strict=True) if not _flat(run)):
        st.caption(
            "A model that reads no edge may give away more of who was trained on: it fits each training node by its "
            "features alone, and learns it by heart, where a network averages over neighbours."
        )
    with layout.fold("These attacks as a table", "compared", icon=":material/table_rows:") as part:
        if part.open:
            comparing.table(names, drawn, runs)
            if any(one.sound < more.sound and one.found[0] > more.found[0] for one in drawn for more in drawn):
                st.caption(
                    "Where an area grows as ε falls, look at the two accuracies: noise on edges leaves a network "
                    "little to learn from neighbours, and one that is right about its training nodes alone has learnt "
                    "these by heart."
                )


def _flat(run: RunRecord) -> bool:
    return run.spec.method == BLIND


def _above(one: AttackRecord, other: AttackRecord) -> bool:
    """Whether it finds more of who was trained on, and not by chance."""
    return sides(one.attack).unit == sides(other.attack).unit == "node" and one.found[1] > other.found[2]


def _statements(runs: Sequence[RunRecord], drawn: Sequence[AttackRecord]) -> dict[str, PrivacyStatement]:
    """The statements of the attacked runs, each with what the drawn attacks on it have shown."""
    return statements_of(
        list({one.id: one for one in runs}.values()),
        lambda run, said: attack_words.with_bounds(said, [one for one in drawn if one.run == run.id]),
    )
