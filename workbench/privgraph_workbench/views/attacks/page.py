"""The page Attacks: outsiders, who ask the released model, and worst cases, which play its guarantee."""

from __future__ import annotations

import streamlit as st

from privgraph_workbench.jobs import queue
from privgraph_workbench.views.attacks import comparing, outsider, worst_case
from privgraph_workbench.views.parts import layout

WHO = {
    "outsider": "asks the finished model about people, and tells who it was trained on",
    "worst-case": "an audit, with all the help that the guarantee grants, shows how large ε is at least",
}
LEADS = {
    "outsider": "Somebody outside asks a trained model about people. Can they tell **who was trained on**, **who is "
    "connected**, or **which relations were learnt**?",
    "worst-case": "Somebody who knows everything but one record attacks the noise itself: **how large is ε at least?**",
}
WHO_LAST = "attacks.who"
"""The half of the page that was last open."""


def page(first: str) -> None:
    """Choose who attacks, `first` unless the address says otherwise; the rest is theirs."""
    queue.tick()
    st.title("Attacks")
    kept = st.session_state.get(WHO_LAST)
    if first == "outsider" and kept in WHO and "who" not in st.query_params and "who" not in st.session_state:
        st.query_params["who"] = kept  # one comes back to the half that one left, as to the run
    lead = st.container()
    who_attacks, which_run = layout.columns("who-and-run", (1, 3))
    who = who_attacks.segmented_control(
        "Who attacks",
        list(WHO),
        default=first,
        required=True,
        key="who",
        bind="query-params",
        help="; ".join(f"{one}: {about}" for one, about in WHO.items()),
    )
    st.session_state[WHO_LAST] = who
    lead.markdown(LEADS[str(who)])
    if who == "worst-case":
        for gone in ("found", "attack", comparing.KEY):  # what the address says of outsiders
            st.query_params.pop(gone, None)
        worst_case.body(which_run)
    else:
        outsider.body(which_run, lead)
