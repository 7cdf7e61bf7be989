"""All graphs in one table; whoever chooses a row looks at that graph."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from privgraph.data.files import absent
from privgraph.data.spec import DatasetSpec
from privgraph_workbench.facts import datasets
from privgraph_workbench.forms import beginnings, data_options
from privgraph_workbench.views.parts import choosing, layout

PIXELS = 214
"""Height of the table: five rows, which scroll, for the chosen graph stands below it. Of fewer it is less."""
ROW = 35
TABLE = "catalogue"


def show(chosen: DatasetSpec, begin_anew: Callable[[], None], *, opened: bool) -> None:
    """The table, in which the `chosen` graph is marked; `begin_anew` is called when the page goes over to
    another, and the table closes: what was chosen stands in its place. Next time its row is the first."""
    every = sorted(datasets.choices(), key=lambda spec: spec != chosen)
    label = f"The whole catalogue: {choosing.counted(every)}"
    with layout.fold(label, "catalogue", icon=":material/list:", opened=opened):
        titles = choosing.graphs(every)

        def take() -> None:
            picked = st.session_state[TABLE]["selection"]
            rows = [*picked["rows"], *(row for row, _ in picked["cells"])]
            if rows:
                choosing.put("data", every[rows[0]].name)
                st.session_state["fold.catalogue"] = False
                begin_anew()

        st.dataframe(
            [{"chosen": "●" * (spec == chosen), **_row(spec, titles[spec.name])} for spec in every],
            hide_index=True,
            key=TABLE,
            height=min(PIXELS, ROW * (len(every) + 1) + 3),
            on_select=take,
            selection_mode=["single-row", "single-cell"],
            alt="All graphs: title, kind, sizes, and whether the files are here",
            placeholder="your choice",
            column_config={
                "chosen": st.column_config.TextColumn("", width=24),
                "graph": st.column_config.TextColumn(width=190),
                "here": st.column_config.TextColumn(width=80, help="Whether its files are on this machine"),
                **{
                    name: st.column_config.NumberColumn(format="localized")
                    for name in ("nodes", "edges", "features", "classes")
                },
            },
        )
        st.caption("A click on a row chooses its graph, one on a heading sorts.")


def _row(spec: DatasetSpec, title: str) -> dict[str, object]:
    return {
        "graph": title,
        "here": _here(spec),
        **data_options.sizes(spec, beginnings.data_options(spec)),
        "predicts": "relations" if spec.domains else "classes of nodes",
        "kind": datasets.KINDS[spec.kind],
    }


def _here(spec: DatasetSpec) -> str:
    missing = len(absent(spec))
    return f"{missing} to get" if missing else "yes"
