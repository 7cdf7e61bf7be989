"""What have I trained? Runs by setting: find, compare, tag, stop, repeat and delete them."""

from collections.abc import Sequence
from functools import partial
from statistics import fmean

import streamlit as st

from privgraph.registry import METHODS
from privgraph.runs.records import EXAMPLE, PROTECTED, STATES, UNDONE, RunQuery, RunRecord
from privgraph_workbench import components
from privgraph_workbench.facts import composition, datasets, plans
from privgraph_workbench.figures.chart import COLUMNS, Row
from privgraph_workbench.figures.runs import compare, curves
from privgraph_workbench.forms import beginnings
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import cart, choosing, layout, one_run, run_rows, states
from privgraph_workbench.parts.links import drawn_figure
from privgraph_workbench.report.asked import Entry
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import labels, method_title, settings_of
from privgraph_workbench.words.numbers import duration, percent, rounded_delta, stated

PAGE_SIZE = 15
MOST_CHOSEN = 100  # runs at once: their ids stand in the address, which has an end
MOST_COMPARED = 6
MOST_NAMED = 3
OVER, DELETING, REFUTED = "runs.over", "deleting", "refuted"
ORDERS = {
    "newest": ("created", True),
    "oldest": ("created", False),
    "test accuracy": ("test_accuracy", True),
    "sound epsilon": ("sound_epsilon", False),
    "time": ("seconds", True),
    "method": ("method", False),
    "data": ("dataset", False),
}
FILTERS = {  # in the address: label, what is asked of the store, what stands there where nothing is chosen
    "of_method": ("Method", "methods", "any"),
    "of_data": ("Graph", "datasets", "any"),
    "of_unit": ("Protects", "units", "anything"),
    "of_state": ("State", "states", "any"),
    "tagged": ("Tags", "tags", "any"),
}
words = texts("runs")


# The list


def filters() -> RunQuery:
    offered = {
        "of_method": {name: method_title(name) for name in METHODS},
        "of_data": choosing.graphs(datasets.choices()),
        "of_unit": {**PROTECTED},
        "of_state": {name: states.state_word(name) for name in STATES},
        "tagged": {tag: tag for tag in queue.store().tags()},
    }
    text = st.text_input(
        "Search",
        key="find",
        placeholder="Search: GAP Cora, epochs=100, a tag, a note",
        label_visibility="collapsed",
        live="300ms",
        type="search",
        bind="query-params",
    )
    with st.container(key="list-filters"):
        *columns, last = st.columns(5 + bool(offered["tagged"]))
    asked = {
        FILTERS[key][1]: tuple(choosing.several(place, FILTERS[key][0], titles, key, placeholder=FILTERS[key][2]))
        for place, (key, titles) in zip(columns, offered.items(), strict=False)
    }
    with last:
        order, descending = ORDERS[choosing.one("Order", list(ORDERS), "order")]
    return RunQuery(text=text or "", order=order, descending=descending, **asked)


def clear() -> None:
    st.session_state.update({REFUTED: False, "find": "", **{key: [] for key in FILTERS}})
    for name in FILTERS:
        st.query_params.pop(name, None)


def choose(on: Sequence[str], off: Sequence[str]) -> None:
    held = [run for run in st.query_params.get("chosen", "").split(",") if run and run not in off]
    now = [*held, *(run for run in on if run not in held)]
    st.session_state[OVER] = max(0, len(now) - MOST_CHOSEN)
    if now := now[:MOST_CHOSEN]:
        st.query_params["chosen"] = ",".join(now)
    else:
        st.query_params.pop("chosen", None)


def choose_none() -> None:
    st.session_state.pop(OVER, None)
    st.query_params.pop("chosen", None)


# What is done with chosen runs


def bar(records: Sequence[RunRecord]) -> None:
    own = [record.id for record in records if not record.id.startswith(EXAMPLE)]
    with st.container(key="footbar"):
        if own and st.session_state.get(DELETING) == own:
            confirm_delete(own)
            return
        with st.container(key="footbar-row", horizontal=True, vertical_alignment="center"):
            where = " [Side by side](#side-by-side)" if len(records) > 1 else ""
            st.markdown(f"**Runs chosen: {len(records)}.**{where}", width="content")
            st.button("Choose none", key="choose_none", type="tertiary", on_click=choose_none)
            if records:
                actions(records, own)


def actions(records: Sequence[RunRecord], own: Sequence[str]) -> None:
    known = [record for record in records if not record.unreadable]
    pending = [record.id for record in records if record.pending]
    ended = [record.id for record in records if record.state in UNDONE]
    done = tuple(record.id for record in known if record.state == "done")
    for label, icon, key, runs, act in (
        ("Stop", "stop", "stop_chosen", pending, queue.own().request_stop),
        ("Try again", "replay", "retry_chosen", ended, queue.retry),
    ):
        if runs and st.button(label, icon=f":material/{icon}:", key=key):
            for run in runs:
                act(run)
            st.rerun()
    cart.button("collect_chosen", Entry(runs=done).mark if done else "", partial(Entry, runs=done))
    if own:
        with st.popover("Tag", icon=":material/label:"), st.form("tag_chosen", border=False, clear_on_submit=True):
            tag = st.text_input("Tag", placeholder="baseline")
            if st.form_submit_button("Add the tag"):
                with layout.refusals():
                    for run in own:
                        queue.own().tag(run, tag)
                    st.rerun()
    with st.popover("Copy", icon=":material/content_copy:"):
        for record in records:
            layout.address("train", run=record.id)
        for record in known:
            st.code(plans.command_line(record.spec), language="shell", wrap_lines=True)
    if len(records) == len(known) == 1:
        layout.link("train", "Change and run again", "edit", **beginnings.again(records[0]))
    if own:
        keep = partial(st.session_state.update, {DELETING: own})
        st.button(f"Delete ({len(own)})", icon=":material/delete:", key="delete_chosen", on_click=keep)


def confirm_delete(ids: Sequence[str]) -> None:
    st.markdown(f"**{fill(words['confirm'], runs=len(ids))}**")
    st.caption(", ".join([*map(markup.literal, ids[:MOST_NAMED]), *["…"] * (len(ids) > MOST_NAMED)]))
    with st.container(horizontal=True):
        if st.button("Delete for good", type="primary", key="delete_yes"):
            for run in ids:
                with layout.refusals():
                    queue.own().delete(run)
            del st.session_state[DELETING]
            if not queue.own().count(RunQuery(ids=tuple(ids))):
                st.query_params.pop("chosen", None)
                st.rerun()
        st.button("Keep", key="delete_no", on_click=st.session_state.pop, args=(DELETING, None))


# Side by side


def side_by_side(chosen: Sequence[RunRecord]) -> None:
    st.markdown("### Side by side")
    groups = settings_of(chosen)[:MOST_COMPARED]
    records = [one for group in groups for one in group]
    rows = compare.data(records)
    st.table(comparison(rows))
    if together := composition.together(chosen):
        st.table([{name: markup.literal(value) for name, value in row.items()} for row in together], hide_index=True)
    left, right = layout.columns("compare", 2)
    with left:
        drawn_figure("compare", rows, "compared", records)
    names = labels([group[0] for group in groups], seeds=all(len(group) == 1 for group in groups))
    points = [point for group, label in zip(groups, names, strict=True) for point in mean_curve(group, label)]
    with right:
        if points:
            drawn_figure("curves", points, "compared", records)


def comparison(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """A column for each setting: what differs, results, the three epsilons."""
    shown: dict[str, dict[str, str]] = {}
    for row in rows:
        interval = "" if row["low"] is None else f" ({percent(row['low'])} to {percent(row['high'])})"
        cells = {
            "options": row["variant"] or "—",
            "graph": row["graph"],
            "unit": row["unit"],
            "test accuracy": percent(row["mean"]) + interval,
            "seeds": str(row["seeds"]),
            **{mark.title: stated(kind, row[COLUMNS[kind]]) for kind, mark in EPSILONS.items()},
            "δ": "—" if row["delta"] is None or row["unit"] == "none" else rounded_delta(row["delta"]),
            "time": duration(row["seconds"]),
        }
        shown[markup.literal(row["label"])] = {name: markup.literal(value) for name, value in cells.items()}
    return shown


def mean_curve(group: Sequence[RunRecord], label: str) -> list[Row]:
    """The validation accuracy along training, averaged where all runs of the setting have measured it."""
    held: dict[object, list[Row]] = {}
    name = f"{label} (mean of {len(group)} seeds)" if len(group) > 1 else label
    for record in group:
        for point in curves.data(queue.store().events(record.id, kinds=("metric",)), run=name, limit=1000):
            if point["metric"] == "val_accuracy":
                held.setdefault(point["step"], []).append(point)
    return [
        {**points[0], "stage": "", "value": fmean(point["value"] for point in points)}
        for points in held.values()
        if len(points) == len(group)
    ]


def show_list() -> None:
    layout.head("runs")
    if (asked := st.query_params.get("run")) is not None:
        st.warning(fill(words["missing"], runs=markup.literal(asked[:80])))
    store = queue.store()
    if not store.count():
        st.info(words["empty"], icon="🕸️")
        layout.link("start", "Start with the demo", "play_arrow")
        return
    query = filters()
    groups = run_rows.by_setting(store.find_rows(query, graphs=True), query.order)
    filtered = any((query.text, query.methods, query.datasets, query.states, query.units, query.tags))
    refuted = [group for group in groups if run_rows.refuted(group)]
    with st.container(horizontal=True, vertical_alignment="center", key="list-line"):
        runs = sum(map(len, groups))
        st.markdown(f"Settings: **{len(groups):,}** · Runs: **{runs:,}**", width="content")
        layout.reading("runs")
        if refuted and st.toggle(f"Refuted ({len(refuted)})", key=REFUTED, bind="query-params", help=words["refuted"]):
            groups = refuted
        if filtered:
            st.button("Clear filters", key="clear_filters", icon=":material/filter_alt_off:", on_click=clear)
    if not groups:
        st.info(words["nothing"])
        return
    if over := st.session_state.get(OVER):
        st.info(fill(words["most"], most=MOST_CHOSEN, over=over), icon=":material/checklist:")
    ticked = [run for run in st.query_params.get("chosen", "").split(",") if run]
    place, pages = st.container(), -(-len(groups) // PAGE_SIZE)
    at = st.pagination(pages, key="page", bind="query-params") if pages > 1 else 1
    shown = groups[(at - 1) * PAGE_SIZE : at * PAGE_SIZE]
    firsts = {record.id: record for record in store.find(RunQuery(ids=tuple(str(group[0]["id"]) for group in shown)))}
    with place:
        rows = run_rows.rows(shown, firsts)
        order, heard = st.session_state.get("order", "newest"), components.told("runs.list", "ticked").get("at", 0)
        components.mount(
            "runs",
            "runs.list",
            {"rows": rows, "chosen": ticked, "ordered": order, "heard": heard},
            ticked=lambda found: choose(found["on"], found["off"]),
            turned=lambda found: choosing.put("order", found["order"]),
        )
    if not ticked:
        return
    records = {record.id: record for record in store.find(RunQuery(ids=tuple(ticked)))}
    there = [records[run] for run in ticked if run in records]
    bar(there)
    if missing := [run for run in ticked if run not in records]:
        st.warning(fill(words["missing"], runs=", ".join(markup.literal(run[:80]) for run in missing)))
    readable = states.readable(there)
    if len(readable) > 1:
        side_by_side(readable)


if not one_run.shown():
    show_list()
