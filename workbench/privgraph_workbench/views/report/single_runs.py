"""The runs in the card of a setting on the page Report, one by one: each can be taken out by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.reporting import Told
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.report import plain_names, sharing
from privgraph_workbench.views.report.looks import RUN, RUNS, WAYS
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.measures import STORED
from privgraph_workbench.words.numbers import percent

EACH = "Its runs, one by one"
"""Of the fold; how many they are stands above it. With a number it would close with each run that leaves."""
SEEDS_HERE = "Seeds stand here for you alone: a report for others tells none."


def fold(held: Sequence[RunRecord], told: Mapping[str, Told], graphs: Mapping[str, str], *, share: bool) -> None:
    """The kept runs of a setting by their seeds, folded, each with a button that takes it out; nothing of a
    single run, which goes with its card. `graphs`: as `plain_names.graphs_of` has them."""
    if len(held) < 2:
        return
    # by its setting: it stays open while runs leave, its first one too, and wherever the card is moved
    mark = hashlib.sha256(naming.setting(held[0]).encode()).hexdigest()[:12]
    name = plain_names.setting(held[0], graphs)
    with layout.fold(EACH, f"runs.{mark}") as part:
        if not part.open:
            return
        mixed = len(set(map(noise_is_public, held))) > 1  # else the card says it of all
        with st.container(key=f"{RUNS}-{mark}"):
            for one in sorted(held, key=lambda one: one.spec.seed):
                _run(one, said(one, told, mixed=mixed), f"{name}, seed {one.spec.seed}")
            if share:
                st.caption(SEEDS_HERE)


def _run(one: RunRecord, words: str, name: str) -> None:
    """A run with its button, which is called by all of its `name`: it is heard where nothing stands
    beside it."""
    label = f"Take {markup.literal(name)} out"
    with st.container(key=f"{RUN}-{one.id}", horizontal=True, vertical_alignment="center"):
        st.markdown(words, width="stretch")
        with st.container(key=f"{WAYS}-{one.id}", width="content"):
            st.button(
                label,
                key=f"take_out.{one.id}",  # by the run: a second press of a slow page takes no other one
                icon=":material/close:",
                type="tertiary",
                help=label,
                on_click=collected.remove,
                args=([one.id],),
            )


def said(one: RunRecord, told: Mapping[str, Told], *, mixed: bool) -> str:
    """A run in its setting: `Seed 3: **81.2%**, attacked, audited`. `mixed`: the noise of some of the runs is
    public, and that of others is not."""
    known = told.get(one.id)
    also = {
        "attacked": known is not None and bool(known.attacks),
        "audited": one.epsilon_audited is not None,
        sharing.IS_PUBLIC: mixed and noise_is_public(one),
    }
    return ", ".join([f"Seed {one.spec.seed}: **{percent(one.metrics.get(STORED))}**", *filter(also.get, also)])
