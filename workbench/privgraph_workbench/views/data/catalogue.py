"""All graphs in one table, with a search; whoever chooses a row looks at that graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from privgraph.data.files import absent
from privgraph.data.spec import DatasetSpec
from privgraph_workbench.facts import datasets
from privgraph_workbench.views.parts import choosing

PIXELS = 320
"""Height of the table, which scrolls; of fewer rows it is lower."""
ROW = 35
TABLE = "catalogue"


def show(begin_anew: Callable[[], None], *, opened: bool) -> None:
    """The table, and a field that leaves those graphs in which every typed word occurs; `begin_anew` is
    called when the page goes over to another."""
    every = datasets.choices()
    with st.expander(
        f"The whole catalogue: {len(every)} graphs", key="fold.catalogue", icon=":material/list:", expanded=opened
    ):
        typed = st.text_input(
            "Search the catalogue",
            key="catalogue_search",
            placeholder="Search: Facebook, relations, yours",
            label_visibility="collapsed",
        )
        found = matching(every, typed)
        if not found:
            st.caption("No graph has all of these words.")
            return
        titles = choosing.graphs(every)

        def take() -> None:
            rows = st.session_state[TABLE]["selection"]["rows"]
            if rows:
                choosing.put("data", found[rows[0]].name)
                begin_anew()

        st.dataframe(
            [_row(spec, titles[spec.name]) for spec in found],
            hide_index=True,
            key=TABLE,
            height=min(PIXELS, ROW * (len(found) + 1) + 3),
            on_select=take,
            selection_mode="single-row",
            alt="All graphs: title, kind, sizes, and whether the files are here",
            placeholder="your choice",
            column_config={
                "graph": st.column_config.TextColumn(width="medium"),
                **{
                    name: st.column_config.NumberColumn(format="localized")
                    for name in ("nodes", "edges", "features", "classes")
                },
            },
        )
        st.caption("The box at the left of a row chooses its graph. A click on a heading sorts.")


def matching(every: Sequence[DatasetSpec], typed: str) -> list[DatasetSpec]:
    """The graphs in whose title, kind, source or task each of the typed words occurs."""
    words = typed.casefold().split()
    return [spec for spec in every if all(word in _text(spec) for word in words)]


def _text(spec: DatasetSpec) -> str:
    what = "relations between texts" if spec.domains else "classes of nodes"
    return " ".join((spec.title, spec.name, datasets.KINDS[spec.kind], what, spec.source)).casefold()


def _row(spec: DatasetSpec, title: str) -> dict[str, object]:
    return {
        "graph": title,
        "nodes": spec.nodes,
        "edges": spec.edges,
        "features": spec.features,
        "classes": spec.classes,
        "predicts": "relations" if spec.domains else "classes of nodes",
        "kind": datasets.KINDS[spec.kind],
        "here": _here(spec),
    }


def _here(spec: DatasetSpec) -> str:
    missing = len(absent(spec))
    if not missing:
        return "yes"
    return f"{missing} file{'s' if missing != 1 else ''} missing"
