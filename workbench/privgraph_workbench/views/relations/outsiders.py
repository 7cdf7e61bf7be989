"""What the chosen runs protect: what their ε promises, what attacks have found of their relations, and the
way to another attack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.registry import ATTACKS
from privgraph.registry import attack as attack_spec
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.records import RunRecord, StoreError
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.jobs import queue
from privgraph_workbench.leaks import Leak
from privgraph_workbench.parts import evidence
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import states, under_way
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations.names import role
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.meaning import guess, strength
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import at_most, rounded_delta

ASKS = "which relations were learnt from"
ATTACK = "relations"
POLL_SECONDS = 1.0
OTHERS = (0.5, 1.0, 2.0, 4.0, 10.0)
"""Values of ε whose promise stands beside that of the chosen run."""
TITLES = {name: one.title for name, one in ATTACKS.items()}


def show(pair: Pair) -> None:
    """What is promised; the newest attack of each kind on each run, in words and as a figure; and the way to
    make one, or another."""
    st.divider()
    st.markdown("### What it protects")
    st.markdown(
        "Somebody has the encoder and all texts, and wants to know which of them are joined. What can they learn?"
    )
    first, *rest = _promises(pair)
    st.markdown(f"- {first}")
    if rest:
        st.markdown("\n".join(f"- {one}" for one in rest))
    runs = {record.id: record for record in pair.records}
    frame = evidence.attacks()
    frame = frame[frame.run.isin(runs) & (frame.asks == ASKS)].drop_duplicates(["run", "attack"])  # the newest
    frame = frame.sort_values("epsilon", kind="stable")  # as in the figure
    found = [(runs[one.run], one) for one in frame.record]
    if found:
        _found(pair, frame, found)
    busy = any(_going(record) for record in pair.records)
    shell.fragment(_under_way, run_every=POLL_SECONDS if busy else None)(pair, busy)
    _offer([one for one in pair.records if not _going(one) and one.id not in {record.id for record, _ in found}])
    attacked = {record.id for record, _ in found}
    for record in pair.records:
        st.page_link(
            shell.page("attacks"),
            label=f"{'See the attack' if record.id in attacked else 'Choose an attack'} on {role(record)}",
            icon=":material/gavel:",
            query_params={"run": record.id, "attack": ATTACK},
        )
    tried = {attack.attack for _, attack in found}
    for name in [name for name, one in ATTACKS.items() if one.sides.asks == ASKS and name not in tried] * bool(found):
        st.page_link(
            shell.page("attacks"),
            label=f"Not tried yet: {TITLES[name]}",
            icon=":material/gavel:",
            query_params={"run": found[-1][0].id, "attack": name},
        )


def _promises(pair: Pair) -> list[str]:
    """What holds against every attack, with and without privacy, and what a smaller ε would promise."""
    told = []
    said = None if pair.private is None else pair.private.statement
    if pair.private is not None and said is not None and math.isfinite(said.epsilon):
        most = at_most(guess(said.epsilon, said.delta))
        word = f"{strength(said.epsilon, said.delta)} protection"
        at = markup.literal(naming.budget(pair.private))
        if most == at_most(1.0):
            told.append(f"**At {at}** ({word}): so large an ε excludes next to nothing.")
        else:
            told.append(
                f"**At {at}** ({word}), whatever they try: asked whether one relation was learnt from, they are right "
                f"{most} of the time, even if they know all others. A coin is right 50% of the time. How many "
                "relations there are is taken to be public: the promise is for whom that number does not tell."
            )
        beside = " · ".join(f"ε {one:g}: {bound(guess(one, said.delta))}" for one in OTHERS)
        told.append(
            f"The same for other ε, at most: {beside}. It holds for one relation, not for all of a text together "
            f"(δ = {rounded_delta(said.delta)})."
        )
    if pair.bare is not None:
        told.append("**Without privacy**, nothing is promised: they may learn every relation.")
    return told


def bound(chance: float) -> str:
    """A bound on a chance in percent, rounded up; not to a certainty, which it is not."""
    told = at_most(chance).removeprefix("at most ")
    return "over 99.99%" if told == "100%" and chance < 1 else told


def _found(pair: Pair, frame: pd.DataFrame, found: Sequence[tuple[RunRecord, AttackRecord]]) -> None:
    """What each attack has found, as a badge; the figure and the numbers of all of them in a fold."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for (record, attack), outcome in zip(found, frame.outcome, strict=True):
            st.markdown(f"{role(record).capitalize()}, {markup.literal(attack.title)}", width="content")
            st.badge(outcome, color=evidence.COLOURS[Leak(outcome)])
    with st.expander("Figure and numbers of these attacks", key="fold.attacked", icon=":material/query_stats:"):
        titles = {attack.title for _, attack in found}
        names = [pair.title(record) + f": {attack.title}" * (len(titles) > 1) for record, attack in found]
        slots = [
            relation_ranking.SLOTS[relation_ranking.side(record.spec.method, record.spec.unit)] for record, _ in found
        ]
        rows = attack_areas.data([attack for _, attack in found], names, slots)
        drawn_figure("attack_areas", rows, statements_of(list({one.id: one for one, _ in found}.values())), pair.first)
        evidence.table(frame, "attacks")
        states.badges(evaluator=True)


def _going(record: RunRecord) -> list[Attacking]:
    return [one for one in attacking.states(queue.store(), record.id) if not one.done]


def _under_way(pair: Pair, busy: bool) -> None:
    """How far attacks on these runs are; the page is drawn anew when the last of them ends."""
    going = [(record, one) for record in pair.records for one in _going(record)]
    if busy and not going:
        st.rerun()
    for record, one in going:
        stop = partial(attacking.stop, queue.store(), record.id, one.token)
        under_way.show(one, TITLES, "attack", stop, of=f"{role(record).capitalize()}: ")


def _offer(records: Sequence[RunRecord]) -> None:
    """One click to the paper's attack on each of the runs that none has asked yet, and what it takes."""
    spec, options = attack_spec(ATTACK), AttackOptions()
    able = [
        (record, subject)
        for record in records
        if (subject := attacking.subject(record)) and not (spec.refuses(subject) or spec.unanswered(subject, options))
    ]
    if not able:
        return
    st.caption(_cost([record for record, _ in able], options))
    label = "Attack both runs" if len(able) > 1 else f"Attack {role(able[0][0])}"
    if st.button(label, key="attack_relations", icon=":material/play_arrow:"):
        try:
            for record, _ in able:
                attacking.start(queue.store(), record.id, ATTACK, options)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
        else:
            st.rerun()


def _cost(records: Sequence[RunRecord], options: AttackOptions) -> str:
    """What the attack on all of these takes together."""
    trainings = options.targets * len(records)
    each = "each run" if len(records) > 1 else "the run"
    return (
        f"It trains {each} {options.targets} times again, each time without {options.candidates:,} relations (or half "
        f"of them, where there are fewer than twice as many): {trainings} trainings."
    )
