"""Where a budget goes, on the Accounting page: the shares as a bar with a movable border, and the cost of
each mechanism."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import live_plot
from privgraph_workbench.facts import method_costs
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import entry_costs, ledger, split
from privgraph_workbench.views.parts import layout, statement
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words.numbers import option

SMALLEST, LARGEST = 0.01, 0.99


def show(
    setting: Setting,
    said: PrivacyStatement,
    statements: Mapping[str, PrivacyStatement],
    name: str,
    *,
    of: str = "",
    beside: bool = False,
) -> None:
    """The budget of this setting, for who asks; `of` whom, where two are compared. What stands `beside` has
    no border to be moved: the form sets the other."""
    label = f"Where the budget goes{': ' * bool(of)}{of}"
    with layout.fold(label, "budget.beside" if beside else "budget", icon=":material/donut_small:") as part:
        if part.open:
            with st.spinner("Each mechanism is being counted by itself."):
                _budget(setting, said, statements, name, fixed=beside)


def _budget(
    setting: Setting, said: PrivacyStatement, statements: Mapping[str, PrivacyStatement], name: str, *, fixed: bool
) -> None:
    entries = said.ledger
    shares = ledger.data(entries, said.delta)
    movable = (
        not fixed and setting.price.split is not None and len(entries) > 1 and not method_costs.unprotected(entries)
    )
    st.markdown(
        "**Drag the border** to give the first more or less: the noise of both is planned again for the same ε."
        if movable
        else "The noise of each part is planned for this ε."
        if fixed and setting.price.split is not None
        else setting.price.fixed
    )
    if len(entries) > 1:
        _bar(setting, said, statements, name, shares, movable=movable)
        _costs(said, statements, name)
    statement.ledger(entries, planned=True)


def _bar(
    setting: Setting,
    said: PrivacyStatement,
    statements: Mapping[str, PrivacyStatement],
    name: str,
    shares: Sequence[Row],
    *,
    movable: bool,
) -> None:
    """The shares side by side."""
    rows = split.data(shares, movable=movable)
    moved = partial(_move, setting, float(shares[0]["share"])) if movable else None
    live_plot.show(split.plot(rows, layout.theme()), key=f"split.{name}", on_drag=moved)
    figure_exports("split", rows, statements, name=name)


def _costs(said: PrivacyStatement, statements: Mapping[str, PrivacyStatement], name: str) -> None:
    """Each mechanism by itself, and all others without it."""
    st.markdown("Epsilons do not add up: each mechanism **by itself**, and all others **without it**.")
    costs = method_costs.parts(said.ledger, said.delta)
    rows = entry_costs.data([(_name(part), part.alone, part.without) for part in costs], said.epsilon)
    live_plot.show(entry_costs.plot(rows, layout.theme()), key=f"entry_costs.{name}")
    figure_exports("entry_costs", rows, statements, name=name)


def _move(setting: Setting, present: float, handle: str, share: float) -> None:
    """The border was let go: the option that sets it gets the value that puts it there."""
    border = setting.price.split
    if handle != split.HANDLE or border is None or not 0 < present < 1:
        return
    wanted = min(max(share, SMALLEST), LARGEST)
    value = border.moved(wanted, present)
    if 0 < value < math.inf:
        st.session_state[border.option] = option(float(f"{value:.4g}"))
        st.query_params.pop("scale", None)


def _name(part: method_costs.Part) -> str:
    stage = f", {part.entry.stage}" if part.entry.stage else ""
    return f"{part.entry.mechanism}{stage}"
