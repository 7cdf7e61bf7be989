"""An audit that begins: it is started, told of, and watched where it was asked for."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from privgraph.audits.options import AuditOptions
from privgraph.options import OptionError
from privgraph.runs import auditing
from privgraph.runs.records import StoreError
from privgraph_workbench.jobs import queue
from privgraph_workbench.words import markup

UNTOLD, IN_FORM = "audit_begun", "audit_begun_in_form"
"""That nobody was told yet that an audit has begun; which one was started in the form."""


def begin(run: str, audit: str, options: AuditOptions, *, in_form: bool = False) -> None:
    """Start an audit and draw the page anew; why it cannot be started, in one sentence."""
    try:
        token = auditing.start(queue.store(), run, audit, options)
    except (StoreError, OptionError, OSError) as error:
        st.error(markup.sentence(error))
        return
    st.session_state[UNTOLD] = True
    st.session_state[IN_FORM] = token if in_form else None
    st.rerun()


def tell() -> None:
    """That an audit has begun, once."""
    if st.session_state.pop(UNTOLD, False):
        st.toast("The audit has begun.", icon="🔎")


def in_form(going: Collection[str]) -> bool:
    """Whether one of the audits under way was started in the form."""
    return st.session_state.get(IN_FORM) in going
