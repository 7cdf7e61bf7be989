"""Attacks laid over each other: what can be compared, what the address keeps of it, and the numbers side by
side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from privgraph.attacks.record import RARE, AttackRecord
from privgraph.registry import sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.facts import without_privacy
from privgraph_workbench.jobs import queue
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import columns, findings
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.words import attacks as attack_words
from privgraph_workbench.words import naming, rates
from privgraph_workbench.words.numbers import exact_percent, percent, stated

KEY = "over"
MOST_CURVES = 6
"""Curves in one figure: of more, none can be followed."""


@dataclass(frozen=True, kw_only=True)
class Other:
    """An attack that can be laid over another: its name, the record, and the run that it was made on."""

    name: str
    attack: AttackRecord
    run: RunRecord


def strongest(attacks: Sequence[AttackRecord]) -> dict[tuple[str, str], AttackRecord]:
    """Of the attacks, the newest first, the one with the largest area on each run that asks each question."""
    found: dict[tuple[str, str], AttackRecord] = {}
    for one in attacks:
        key = (one.run, sides(one.attack).asks)
        if key not in found or one.found[0] > found[key].found[0]:
            found[key] = one
    return found


def others(record: RunRecord, attacks: Sequence[AttackRecord], chosen: int) -> dict[str, Other]:
    """What asks the same as the chosen attack, by a key of the address: other attacks on this run by their
    number, and the strongest on each other run, by its id. The same graph comes first, then by method and
    epsilon."""
    question = sides(attacks[chosen].attack).asks
    found = {
        str(place): Other(name=f"this run, {attack_words.title(one, place)}", attack=one, run=record)
        for place, one in enumerate(attacks, start=1)
        if place - 1 != chosen and sides(one.attack).asks == question
    }
    elsewhere = {
        run: one
        for (run, asks), one in strongest(queue.store().all_attacks()).items()
        if run != record.id and asks == question
    }
    if not elsewhere:
        return found
    runs = {
        one.id: one for one in states.readable(queue.store().find(RunQuery(ids=tuple(elsewhere), limit=len(elsewhere))))
    }
    order = sorted(
        runs.values(),
        key=lambda one: (one.spec.dataset != record.spec.dataset, one.spec.method, -elsewhere[one.id].sound, one.id),
    )
    named = choosing.runs(order)
    for one in order:
        own = elsewhere[one.id]
        found[one.id] = Other(name=f"{named[one.id]}: {attack_words.short(own)}", attack=own, run=one)
    return found


def choose(record: RunRecord, offered: Mapping[str, Other]) -> list[Other]:
    """The attacks that are laid over the curve, as the address says."""
    if not offered:
        st.caption("Nothing to lay over this curve yet: no other attack asks the same.")
        return []
    alike = siblings(record, offered)
    if alike and st.button(
        "Compare with this method at other ε",
        help="Lays over the curve the strongest attack on each run of the same method on the same graph at another ε; "
        "the method without privacy is there already",
        icon=":material/stacked_line_chart:",
    ):
        st.query_params[KEY] = alike
    names = {key: one.name for key, one in offered.items()}
    chosen = choosing.several(
        st.container(),
        f"Lay over its curve ({len(offered)} to choose from)",
        names,
        KEY,
        placeholder="other attacks that ask the same, on this run and on others",
    )
    return [offered[key] for key in chosen if key in offered]


def drawn(over: Sequence[Other], forced: Sequence[Other] = ()) -> list[Other]:
    """Those whose curves are drawn beside the chosen attack's, so that each can still be read: the `forced`
    ones, then those with the largest areas, in the order in which they were chosen."""
    room = MOST_CURVES - 1 - len(forced)
    largest = sorted((one for one in over if one not in forced), key=lambda one: -one.attack.found[0])[: max(0, room)]
    return [one for one in over if one in forced or one in largest]


def left_out(chosen: int, shown: int) -> str:
    """Which curves are drawn of so many that were chosen; "" where all are."""
    if shown >= chosen:
        return ""
    return (
        f"{shown + 1} of {chosen + 1} curves are drawn: that of the attack shown here and the {shown} of the others "
        "with the largest areas. All are among the areas below; choose fewer to see another curve."
    )


def siblings(record: RunRecord, offered: Mapping[str, Other]) -> list[str]:
    """Runs of the same method, unit and graph at another epsilon, the smallest first: those with the same
    options, or all where there are none."""
    akin = [
        (one.attack.sound, key, one.run)
        for key, one in offered.items()
        if one.run.id != record.id and one.run.spec.unit != "none" and without_privacy.akin(record, one.run)
    ]
    told = naming.variants([record, *(run for _, _, run in akin)])
    same = [one for one in akin if told[naming.setting(one[2])] == told[naming.setting(record)]]
    return [key for _, key, _ in sorted(same or akin, key=lambda one: one[:2])]


def labels(runs: Sequence[RunRecord], attacks: Sequence[AttackRecord]) -> list[str]:
    """Short names for curves: method and privacy of the run, of graph and seed what differs, and the attack
    where several are drawn. Long ones would cut the legend of an exported figure."""
    distinct = list({one.id: one for one in runs}.values())
    named = dict(zip((one.id for one in distinct), naming.run_labels(distinct, privacy_too=True), strict=True))
    whole, short = ([of(one) for one in distinct] for of in (naming.graph_of, naming.graph_short))
    if len(set(whole)) == len(set(short)):  # their titles tell them apart, without sizes
        for one, long, brief in zip(distinct, whole, short, strict=True):
            named[one.id] = named[one.id].replace(long, brief)
    told = [attack_words.kind(one, brief=True) for one in attacks]
    if len(set(told)) == 1:  # where the kind is the same, the number of models may tell them apart
        told = [attack_words.models_of(one) for one in attacks]
    several = len(set(told)) > 1
    return [f"{named[run.id]}: {one}" if several else named[run.id] for run, one in zip(runs, told, strict=True)]


def table(names: Sequence[str], attacks: Sequence[AttackRecord], runs: Sequence[RunRecord]) -> None:
    """What each found, side by side, in order of the sound epsilon; and how well the runs learnt."""
    order = sorted(range(len(names)), key=lambda place: (attacks[place].sound, names[place]))
    told = [(names[place], attacks[place], runs[place]) for place in order]
    lines = [
        {
            "area": f"{one.found[0]:.3f} ({one.found[1]:.3f} to {one.found[2]:.3f})",
            EPSILONS["sound"].title: "∞" if math.isinf(one.sound) else stated("sound", one.sound),
            "attack": name,
            "protects": columns.PROTECTS.get(str(run.spec.options.get("unit", "none")), "nothing"),
            **{
                f"found at {exact_percent(rate.false)} false alarms": rates.found(one, place)
                for place, rate in enumerate(one.outcome.rates)
                if rate.false >= RARE
            },
            "ε at least": findings.bound(one),
            "test / training accuracy": f"{percent(run.metrics.get('test_accuracy'))} / "
            f"{percent(run.metrics.get('train_accuracy'))}",
        }
        for name, one, run in told
    ]
    st.dataframe(
        lines,
        hide_index=True,
        column_config=columns.config(dict.fromkeys(name for line in lines for name in line)),
        alt="The attacks of the curves above, side by side",
    )
