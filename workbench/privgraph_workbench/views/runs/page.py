"""The Runs page: find, compare, tag, stop and delete runs, or change one and run it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from privgraph.options import Option, OptionError, Parameter
from privgraph.registry import METHODS
from privgraph.runs.records import STATES, RunQuery, RunRecord, StoreError
from privgraph_workbench import live_plot
from privgraph_workbench.facts import datasets, plans
from privgraph_workbench.figures.runs import compare, curves
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import choosing, collected, composition, layout, states
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.runs.one_run import form_address
from privgraph_workbench.words import differences, markup, meaning, naming
from privgraph_workbench.words.naming import method_title, run_labels, statements_of, unit_of
from privgraph_workbench.words.numbers import duration, option, percent, stated
from privgraph_workbench.words.statements import three_numbers

PAGE_SIZE = 50
MOST_COMPARED = 6
UNITS = ("none", "edge", "node")
ORDERS = {
    "newest": ("created", True),
    "oldest": ("created", False),
    "test accuracy": ("test_accuracy", True),
    "sound epsilon": ("sound_epsilon", False),
    "time": ("seconds", True),
    "method": ("method", False),
    "data": ("dataset", False),
}
COLUMNS = {
    "open": st.column_config.LinkColumn("Run", display_text="open", help="Open the run", width="small"),
    # what a narrow screen has room for stands first
    "method": st.column_config.TextColumn("Method"),
    "test_accuracy": st.column_config.NumberColumn("Accuracy", format="%.1f%%", width=80, help="On the test nodes"),
    "sound_epsilon": st.column_config.TextColumn(
        EPSILONS["sound"].title, width=70, help="What the noise does guarantee; ∞: nothing"
    ),
    "state": st.column_config.TextColumn("State", width="small"),
    "tuning": st.column_config.TextColumn("Tuning", width=200, help=states.TRIED),
    "dataset": st.column_config.TextColumn("Data", width="medium"),
    "nodes": st.column_config.NumberColumn("Nodes", format="localized", width="small", help="How large its graph is"),
    "unit": st.column_config.TextColumn("Protects", help="What one guarantee protects: an edge, a node, or nothing"),
    "published_epsilon": st.column_config.TextColumn(
        EPSILONS["published"].title, help="The paper's own formula at the same noise"
    ),
    "audited_epsilon": st.column_config.TextColumn(
        EPSILONS["audited"].title, help="At least so much: shown by an attack"
    ),
    "seed": st.column_config.NumberColumn("Seed", format="%d"),
    "seconds": st.column_config.NumberColumn(
        "Seconds", format="%.1f", help="Of the whole batch, where runs were trained together"
    ),
    "created": st.column_config.DatetimeColumn("Submitted", format="distance"),
    "tags": st.column_config.ListColumn("Tags"),
    "gallery": st.column_config.CheckboxColumn("Gallery", help=states.GALLERY),
}


def page() -> None:
    """Filters, the table, and what can be done with the chosen runs."""
    queue.tick()
    st.title("Runs")
    store = queue.store()
    if not store.count():
        st.info("Nothing has run here yet.", icon="🕸️")
        st.page_link(shell.page("start"), label="Start with the demo", icon=":material/play_arrow:")
        return
    query = _filters()
    total = store.count(query)
    if not total:
        _nothing(query)
        return
    asked = [run for run in st.query_params.get("chosen", "").split(",") if run]
    if len(asked) > 1:
        st.markdown(f"**{len(asked)} runs are chosen.** [Side by side](#side-by-side) they stand below the list.")
    start = _page_number(total)
    rows = store.find_rows(_at(query, start), graphs=True)
    chosen = _table(rows)
    shown = "" if total <= PAGE_SIZE else f" Shown: {start + 1:,} to {start + len(rows):,}."
    st.caption(
        f"{total:,} run{'s' if total != 1 else ''}.{shown} Tick rows to compare, tag, stop or delete them, "
        "or a single one to change and run it again."
    )
    if chosen:
        records = {record.id: record for record in store.find(RunQuery(ids=tuple(chosen)))}
        _missing([run for run in chosen if run not in records])
        found = [records[run] for run in chosen if run in records]
        if found:
            _actions(found)
            _compare([record for record in found if not record.unreadable])


def _nothing(query: RunQuery) -> None:
    """No run is found: what can be done about it."""
    filtered = query.methods or query.datasets or query.states or query.units or query.tags
    advice = ["Take a filter away."] if filtered else []
    if query.text:
        advice.append("Every word of a search must be found; an option is found as name=value, such as epsilon=2.")
    st.info(" ".join(["No run is like that.", *advice]))


def _at(query: RunQuery, start: int) -> RunQuery:
    return replace(query, limit=PAGE_SIZE, offset=start)


def _filters() -> RunQuery:
    """The filters, all in the address; values there that mean nothing are named and left out."""
    known = {
        "of_method": list(METHODS),
        "of_data": [spec.name for spec in datasets.choices()],
        "of_state": list(STATES),
        "of_unit": list(UNITS),
        "tagged": queue.store().tags(),
    }
    for key, admitted in known.items():
        for value in st.query_params.get_all(key):
            if value not in admitted:
                st.warning(f"In this page's address, {key} has no value {markup.literal(value[:80])}; it is left out.")
    order_asked = st.query_params.get("order", "newest")
    if order_asked not in ORDERS:
        st.warning(
            f"In this page's address, runs cannot be ordered by {markup.literal(order_asked[:80])}; the "
            "newest come first."
        )
    shared: dict[str, Any] = {"bind": "query-params"}
    text, order = st.columns([4, 1])
    words_ = text.text_input(
        "Search", key="find", placeholder="id, option=value, note or tag", live="300ms", type="search", **shared
    )
    chosen_order = order.selectbox("Order", list(ORDERS), key="order", **shared)
    columns = st.columns(5)
    methods = columns[0].multiselect("Method", known["of_method"], key="of_method", **shared)
    data = choosing.several(columns[1], "Data", choosing.graphs(datasets.choices()), "of_data")
    in_states = columns[2].multiselect("State", known["of_state"], key="of_state", **shared)
    units = columns[3].multiselect("Protects", known["of_unit"], key="of_unit", **shared)
    tags = columns[4].multiselect("Tags", known["tagged"], key="tagged", **shared)
    column, descending = ORDERS[chosen_order]
    return RunQuery(
        text=words_ or "",
        methods=tuple(methods),
        datasets=tuple(data),
        states=tuple(in_states),
        units=tuple(units),
        tags=tuple(tags),
        order=column,
        descending=descending,
    )


def _page_number(total: int) -> int:
    """Where the shown part of the list starts."""
    pages = -(-total // PAGE_SIZE)
    if pages == 1:
        return 0
    number = Parameter("page", int, 1, Option("which part of the list", low=1, high=pages, label=f"Page of {pages}"))
    for complaint in widgets.complaints([number]):
        st.warning(complaint)
    try:
        with st.container(width=180):
            return (int(widgets.widget(number)) - 1) * PAGE_SIZE
    except OptionError as error:
        st.error(markup.sentence(error))
        return 0


def row(light_row: Mapping[str, Any]) -> dict[str, Any]:
    """A light row of the store as a row of the table."""
    unit = light_row["unit"]
    live = light_row["state"] in ("running", "stopping")
    return {
        "open": f"/train?run={light_row['id']}",
        "state": f"{light_row['state']} {light_row['progress']:.0%}" if live else states.state_word(light_row["state"]),
        "tuning": light_row["tuning"] or None,
        "method": method_title(light_row["method"]),
        "dataset": naming.titled(light_row["dataset"], light_row["graph"]),
        "nodes": light_row["nodes"],
        "unit": "nothing" if unit == "none" else unit,
        **{
            name: "" if light_row[name] is None else stated(kind, light_row[name])
            for kind, name in ((kind, f"{kind}_epsilon") for kind in EPSILONS)
        },
        "test_accuracy": None if light_row["test_accuracy"] is None else 100 * light_row["test_accuracy"],
        "seed": light_row["seed"],
        "seconds": light_row["seconds"],
        "created": None if light_row["created"] is None else datetime.fromtimestamp(light_row["created"], tz=UTC),
        "tags": list(light_row["tags"]),
        "gallery": light_row["gallery"],
    }


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The table; gives the ids of the chosen runs, which the address holds as well."""
    asked = [run for run in st.query_params.get("chosen", "").split(",") if run]
    if any(
        not light_row["version"] and light_row["unit"] != "none" and light_row["state"] == "done" for light_row in rows
    ):
        st.caption(
            "Among these are runs of versions before 0.5.0, which carry known faults that their epsilons do "
            "not count: open such a run to read which."
        )
    ids = [str(light_row["id"]) for light_row in rows]
    event = st.dataframe(
        [row(light_row) for light_row in rows],
        hide_index=True,
        alt="Runs with method, data, privacy and accuracy",
        placeholder="—",
        column_config=COLUMNS,
        column_order=[name for name in COLUMNS if name != "tuning" or any(one["tuning"] for one in rows)],
        on_select="rerun",
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [ids.index(run) for run in asked if run in ids]}},
        key=f"table.{hash(tuple(ids))}",
    )
    here = [ids[place] for place in event["selection"]["rows"] if place < len(ids)]
    elsewhere = [run for run in asked if run not in ids]
    chosen = [*elsewhere, *here]
    if chosen:
        st.query_params["chosen"] = ",".join(chosen)
    elif asked:
        del st.query_params["chosen"]
    return chosen


def _missing(runs: Sequence[str]) -> None:
    if runs:
        st.warning(f"There is no run {', '.join(markup.literal(run[:80]) for run in runs)}; it may have been deleted.")


def _actions(records: Sequence[RunRecord]) -> None:
    ids = [record.id for record in records]
    known = [record for record in records if not record.unreadable]
    for record in records:
        if record.unreadable:
            st.warning(markup.sentence(record.unreadable))
    count = "this run" if len(ids) == 1 else f"these {len(ids)} runs"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if any(record.pending for record in records) and st.button("Stop", icon=":material/stop:", key="stop_chosen"):
            for record in records:
                if record.pending:
                    queue.store().request_stop(record.id)
            st.rerun()
        if any(record.state in ("stopped", "failed", "lost") for record in records) and st.button(
            "Try again", icon=":material/replay:", key="retry_chosen"
        ):
            for record in records:
                if record.state in ("stopped", "failed", "lost"):
                    queue.retry(record.id)
            st.rerun()
        collected.button(
            "collect_chosen",
            collected.runs([record.id for record in known if record.state == "done"]),
            "Runs that are done: leave with all that you kept on the page Report",
        )
        with st.popover("Tag", icon=":material/label:"):
            _tag(ids)
        with st.popover("Copy link", icon=":material/link:"):
            for run in ids:
                st.code(layout.link("train", run=run), language=None, wrap_lines=True)
        with st.popover("Copy command", icon=":material/terminal:"):
            for record in known:
                st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)
        if len(records) == len(known) == 1:
            st.page_link(
                shell.page("train"),
                label="Change and run again",
                icon=":material/edit:",
                query_params=form_address(records[0]),
            )
        st.button(
            f"Delete {count}",
            icon=":material/delete:",
            key="delete_chosen",
            on_click=st.session_state.update,
            args=({"deleting": ids},),
        )
    if st.session_state.get("deleting") == ids:
        _confirm_delete(ids)


def _tag(ids: Sequence[str]) -> None:
    with st.form("tag_chosen", border=False, clear_on_submit=True):
        text = st.text_input("Tag", placeholder="baseline")
        if st.form_submit_button("Add the tag"):
            try:
                for run in ids:
                    queue.store().tag(run, text)
            except StoreError as error:
                st.error(markup.sentence(error))
                return
            st.rerun()


def _confirm_delete(ids: Sequence[str]) -> None:
    with st.container(border=True):
        what = "One run" if len(ids) == 1 else f"{len(ids)} runs"
        st.markdown(f"**{what} with all curves, logs and files will be gone for good.**")
        st.code("\n".join(ids[:20]) + ("\n…" if len(ids) > 20 else ""), language=None)
        with st.container(horizontal=True):
            if st.button("Delete for good", type="primary", key="delete_yes"):
                refused = queue.delete(ids)
                del st.session_state["deleting"]
                if not refused:
                    st.query_params.pop("chosen", None)
                    st.rerun()
                for text in refused:
                    st.error(markup.literal(text))
            st.button("Keep", key="delete_no", on_click=st.session_state.pop, args=("deleting", None))


def _compare(records: Sequence[RunRecord]) -> None:
    if len(records) < 2:
        return
    st.markdown("### Side by side")
    if len(records) > MOST_COMPARED:
        st.info(f"The first {MOST_COMPARED} of the chosen runs are compared.")
    together = composition.together(records)  # of all: who sees six of ten has been shown ten
    records = records[:MOST_COMPARED]
    rows = compare.data(records)
    statements, labels = statements_of(records), run_labels(records)
    live_plot.show(compare.plot(rows, layout.theme()), key="compare.bars")
    figure_exports("compare", rows, statements)
    st.dataframe(comparison(records), alt="The chosen runs side by side", height="content")
    if together:
        st.caption(together)
    points = [
        point
        for record, label in zip(records, labels, strict=True)
        for point in curves.data(queue.store().events(record.id, kinds=("metric",)), run=label, limit=300)
        if point["metric"] == "val_accuracy"
    ]
    if points:
        live_plot.show(curves.plot(points, layout.theme()), key="compare.curves")
        figure_exports("curves", points, statements, name="compared")


def comparison(records: Sequence[RunRecord]) -> dict[str, dict[str, str]]:
    """Column by column: results, privacy, and those settings in which the runs differ."""
    asked = [differences.settings_of(record) for record in records]
    names = dict.fromkeys(name for one in asked for name in one)
    differ = [name for name in names if len({str(one.get(name, "")) for one in asked}) > 1]
    titles = [mark.title for mark in EPSILONS.values()]
    methods = dict.fromkeys(record.spec.method for record in records)
    table: dict[str, dict[str, str]] = {}
    for record, label, options in zip(records, run_labels(records), map(differences.shown, records), strict=True):
        statement = record.statement
        table[label] = {
            "state": states.state_word(record.state),
            "test accuracy": percent(record.metrics.get("test_accuracy")),
            "protects": meaning.UNITS[unit_of(record)],
            **(dict(three_numbers(statement)) if statement else dict.fromkeys(titles, "—")),
            "δ": f"{statement.delta:.2g}" if statement else "—",
            "time": duration(record.seconds),
            **{differences.title(name, methods): option(options[name]) if name in options else "—" for name in differ},
        }
    return table
