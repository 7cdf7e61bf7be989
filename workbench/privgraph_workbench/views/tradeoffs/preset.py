"""With which methods and epsilons the form of a sweep begins, and buttons elsewhere that open it so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from privgraph_workbench.facts import comparing, next_sweep
from privgraph_workbench.facts.next_sweep import Sweep
from privgraph_workbench.views.parts import in_sight
from privgraph_workbench.views.tradeoffs import files
from privgraph_workbench.views.tradeoffs.known import known
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph

FIRST = "progap"
"""The method there, where it fits."""
FORM = "sweep-form"
"""The container of the form."""
_FIELDS = ("sweep_methods", "sweep_epsilons")
_BEGUN, _WITH = "sweep.filled", "sweep.filled_with"
"""For which graph and unit the form was filled in last, and with what."""
_ASKED = "sweep.asked"
"""How often a button has asked for the form."""


def begin(graph: OneGraph, unit: str, offered: Sequence[str], *, every: bool) -> None:
    """Fill in the form for this graph and unit: each field that holds nothing yet, or what it was filled in
    with before."""
    begun = graph.address, unit, every
    if st.session_state.get(_BEGUN) == begun and all(name in st.session_state for name in _FIELDS):
        return
    before, values = st.session_state.get(_WITH, {}), _values(wanted(graph, unit, offered, every=every))
    for name, value in values.items():
        if st.session_state.get(name) in (None, before.get(name)):
            st.session_state[name] = value
    st.session_state[_BEGUN], st.session_state[_WITH] = begun, values


def wanted(graph: OneGraph, unit: str, offered: Sequence[str], *, every: bool) -> Sweep:
    """What the figure of this graph lacks; where it lacks nothing what is taken and its rival; where nothing
    has run one of the methods that are `offered`, or `every` one that is judged by the same nodes, at the
    budgets of the comparison and of the gallery: a comparison uses these runs instead of its own."""
    fitting, found = comparing.fitting(graph.spec, unit), known(graph, unit)
    if found and (
        next_ := next_sweep.lacking(found.table, unit, fitting) or next_sweep.rivals(found.table, found.said)
    ):
        return next_
    one = (FIRST if FIRST in offered else offered[0],)
    return Sweep((every and tuple(fitting)) or one, comparing.EPSILONS[unit])


def button(label: str, key: str, graph: OneGraph, unit: str, asked: Sweep) -> None:
    """Words that open the form with these."""
    if st.button(
        label, key=key, type="tertiary", icon=":material/play_arrow:", on_click=_open, args=(graph, unit, asked)
    ):
        st.rerun()  # the form stands outside this part of the page


def shown() -> None:
    """Bring the form into sight, once for each press of a button."""
    if count := st.session_state.get(_ASKED):
        in_sight.bring(FORM, str(count))


def may(graph: OneGraph) -> bool:
    """Whether anything can be trained on this graph here."""
    return not files.absent(graph.spec)


def typed(epsilons: Sequence[float]) -> str:
    """Epsilons as they are typed.

    >>> typed((0.25, 1.0))
    '0.25, 1'
    """
    return ", ".join(f"{one:g}" for one in epsilons)


def _open(graph: OneGraph, unit: str, asked: Sweep) -> None:
    st.session_state["fold.sweep"] = True
    st.session_state[f"sweep_unit.{st.session_state.get('protects')}"] = unit
    st.session_state[_BEGUN], st.session_state[_WITH] = (graph.address, unit, False), _values(asked)
    st.session_state.update(_values(asked))
    st.session_state[_ASKED] = st.session_state.get(_ASKED, 0) + 1


def _values(asked: Sweep) -> dict[str, Any]:
    """What the fields hold then."""
    return dict(zip(_FIELDS, (list(asked.methods), typed(asked.epsilons)), strict=True))
