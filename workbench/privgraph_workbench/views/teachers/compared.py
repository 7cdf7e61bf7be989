"""All finished runs of teachers side by side, those whose answers were not kept too."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words.listing import told_in_list
from privgraph_workbench.words.numbers import kept, percent


def show(found: Sequence[RunRecord], answered: Collection[str]) -> None:
    """A line for each setting, by epsilon; a click opens a run of it here where its answers were kept
    (`answered`), and all of its runs on the page Runs otherwise."""
    with layout.fold("All methods and settings, compared", "compared", icon=":material/table_rows:") as part:
        if not part.open:
            return
        rows = [row for row in tradeoff.data(found) if placed(row["epsilon"])]
        rows.sort(key=lambda row: (row["graph"], row["epsilon"], -row["mean"]))
        words = told_in_list(found)
        picked = st.dataframe(
            [_line(row, words, answered) for row in rows],
            hide_index=True,
            alt="Accuracy of each setting of each method with teachers, by epsilon",
            on_select="rerun",
            selection_mode="single-row",
            key="compared",
        )
        st.caption("Methods draw test nodes of their own: compare accuracies of different methods with care.")
        places = picked["selection"]["rows"]
        if places and places[0] < len(rows):
            _open(str(rows[places[0]]["runs"]).split(), answered)


def _line(row: Row, words: dict[str, list[str]], answered: Collection[str]) -> dict[str, object]:
    runs = str(row["runs"]).split()
    band = "" if row["low"] is None else f" ({percent(row['low'])} to {percent(row['high'])})"
    return {
        "graph": row["graph"],
        "method": row["title"],
        EPSILONS["sound"].title: kept(row["asked"], row["epsilon"]),
        "accuracy (95% over seeds)": f"{percent(row['mean'])}{band}",
        "seeds": row["seeds"],
        "answers kept": "yes" if any(run in answered for run in runs) else "no",
        "setting": ", ".join(words[runs[0]]),
        "may be released": row["released"],
    }


def _open(runs: Sequence[str], answered: Collection[str]) -> None:
    here = next((run for run in runs if run in answered), None)
    if here is None:
        st.switch_page(shell.page("runs"), query_params={"chosen": ",".join(runs)})
    del st.session_state["compared"]  # or the row would open again whenever the page is drawn
    st.query_params["run"] = here
    st.rerun()
