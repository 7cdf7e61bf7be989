"""What attacks have found of the relations that the chosen runs learnt from, and the way to another one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph.runs import attacking
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming, rates
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import lower, number, percent

ASKS = "which relations were learnt from"


def show(pair: Pair) -> None:
    """The newest attack of each kind on each run, as a figure and in numbers; and the way to make one, or
    another."""
    st.divider()
    st.markdown("### Can an outsider tell which relations it learnt from?")
    st.markdown(
        "Somebody has the encoder and all texts. Of two relations that the base finds about as alike, a coin chose the "
        "one that was learnt from, and the other was left out: which was it? Right half of the time is guessing."
    )
    found = [(record, attack) for record in pair.records for attack in newest(queue.store().attacks(record.id))]
    if found:
        rows = attack_areas.data(
            [attack for _, attack in found], [f"{naming.name(record)}: {attack.title}" for record, attack in found]
        )
        drawn_figure("attack_areas", rows, statements_of(list({one.id: one for one, _ in found}.values())), pair.first)
        st.dataframe(
            [_numbers(record, attack) for record, attack in found],
            hide_index=True,
            alt="What attacks on the chosen runs found of their relations",
        )
    going = [one for record in pair.records for one in attacking.states(queue.store(), record.id) if not one.done]
    for one in going:
        st.progress(
            min(1.0, max(0.0, one.progress)),
            text=f"An attack is under way: {markup.literal(one.stage or 'starting')} (the page Attacks follows it)",
        )
    if not found and not going:
        st.caption(
            "No attack on either run has found that yet. It trains the run again some times: minutes for each training."
        )
    for record in pair.records:
        st.page_link(
            shell.page("attacks"),
            label=f"Attack {naming.name(record)}",
            icon=":material/gavel:",
            query_params={"run": record.id, "attack": "relations"},
        )


def newest(attacks: Sequence[AttackRecord]) -> list[AttackRecord]:
    """The last attack of each kind that asks about relations."""
    return list({one.attack: one for one in attacks if sides(one.attack).asks == ASKS}.values())


def _numbers(record: RunRecord, attack: AttackRecord) -> dict[str, str]:
    found = attack.outcome
    return {
        "run": naming.name(record),
        "attack": attack.title,
        "area": number(found.area),
        "interval": f"{found.area_low:.3f} to {found.area_high:.3f}",
        f"found at {percent(found.rates[-1].false)} false alarms": f"{rates.found(found, found.rates[-1])} "
        f"({rates.interval(found, found.rates[-1])})",
        "signed-rank p": "–" if attack.signed_rank is None else number(attack.signed_rank),
        "ε at least": "none" if not attack.bound else lower(attack.bound),
    }
