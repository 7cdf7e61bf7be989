"""The page Report: what was kept, in order, with a title and a remark; leave with one archive."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import datetime

import streamlit as st

from privgraph.options import OptionError, listed
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench import live_plot, reporting
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.forms import beginnings
from privgraph_workbench.jobs import queue
from privgraph_workbench.reporting import Drawn
from privgraph_workbench.serving import shell
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import making, sharing
from privgraph_workbench.words import markup, naming

RUN = ":green-badge[:material/model_training: run]"
FIGURE = ":blue-badge[:material/show_chart: figure]"
CHAPTER = (
    "Each setting is a chapter of the appendix: results, where its accuracy stands, learning curves, ledger, statement "
    "in full, attacks and commands, as far as it has them."
)
"""What comes with runs, unasked."""
EXAMPLE = (("progap", "edge", 2.0), ("gnn", "none", None), ("mlp", "none", None))
"""Runs of the gallery that an example is made of: method, unit and epsilon."""


def page() -> None:
    """What was kept, and the archive."""
    st.title("Report")
    st.markdown(
        "Take runs and figures away for a paper, a class or a colleague: **one archive, in which every number has its "
        "privacy statement beside it**."
    )
    kept = collected.everything()
    _taken()
    if not kept:
        _nothing()
        return
    records = _records(kept)
    listed, wanted = layout.columns("report-made-of", (3, 2))
    with wanted:
        title, author, date, remark = _words()
        share, appendix, notebook = _switches(kept, records)
    for run in [one.run for one in kept if one.run and one.run not in records]:
        st.warning(f"There is no run {markup.literal(run)} any more; it is left out.")
    figures = {mark(one): _drawn(one) for one in kept if one.figure}
    asked = None
    try:
        asked = reporting.Asked(
            title=title,
            author=author,
            date=date,
            remark=remark,
            runs=[reporting.told_of(queue.store(), records[one.run]) for one in kept if one.run in records],
            figures=[figures[mark(one)] for one in kept if one.figure],
            share=share,
            notebook=notebook,
            appendix=appendix,
        )
    except OptionError as error:
        wanted.error(markup.sentence(error))
    with listed:  # what it is made of is seen first
        _list(kept, records, figures, share)
        if asked is not None:
            _more(kept, records)
    if asked is not None:
        with wanted:
            making.offered(asked)
        _preview(asked)
    with layout.fold("What comes out", "contents", icon=":material/folder_zip:") as part:
        if part.open:
            _contents()


def _drawn(one: Kept) -> Drawn:
    return reporting.drawn(queue.store(), one.figure, one.rows, one.statements, one.runs, one.title.strip(), one.advice)


def _preview(asked: reporting.Asked) -> None:
    with layout.fold("Look at its page", "preview", icon=":material/preview:") as part:
        if part.open:
            bar = st.progress(0.0, "The page is begun")
            page = reporting.page(asked, lambda done, what: making.show(bar, done, what))
            bar.empty()
            st.iframe(page, height=900, alt="The page of the report")


def _words() -> tuple[str, str, str, str]:
    """The fields of title, author, date and remark."""
    collected.begin(collected.TITLE, "Private learning on graphs")
    title = st.text_input(
        "Title",
        key=collected.TITLE,
        max_chars=reporting.TITLE,
        on_change=collected.word,
        args=(collected.TITLE,),
    )
    author, date = _author_and_date()
    collected.begin(collected.REMARK, "")
    remark = st.text_area(
        "Remark",
        key=collected.REMARK,
        max_chars=reporting.REMARK,
        placeholder="What this report is about, and what you conclude. It stands on the first page.",
        help="With the marks of Markdown: a blank line between paragraphs, - for points, **bold**, *emphasis*, `code` "
        "and [links](https://example.org)",
        on_change=collected.word,
        args=(collected.REMARK,),
    )
    return title or "", author, date, remark or ""


def _switches(kept: list[Kept], records: dict[str, RunRecord]) -> tuple[bool, bool, bool]:
    """Whether it is for others, has an appendix, and has a notebook."""
    share = sharing.switch(kept, records)
    appendix = st.toggle(
        "With an appendix",
        value=True,
        key="report_appendix",
        help="Each setting in full: its statement, learning curves, ledger, attacks and commands. Without it the page "
        "and the print are a summary with the figures; statements stay as files in the archive",
    )
    notebook = st.toggle(
        "With an executed notebook", value=True, key="report_notebook", help="It takes some seconds more"
    )
    return share, appendix, notebook


def _author_and_date() -> tuple[str, str]:
    """What stands below the title; either may be empty."""
    today = datetime.now().astimezone().date()
    fields = (
        (collected.AUTHOR, "Author", "", reporting.AUTHOR, "It stands below the title, if you like."),
        (collected.DATE, "Date", f"{today.day} {today:%B %Y}", reporting.DATE, "As it is printed; empty: not dated."),
    )
    told = []
    for place, (key, label, default, most, help_) in zip(st.columns(2), fields, strict=True):
        collected.begin(key, default)
        told.append(place.text_input(label, key=key, max_chars=most, help=help_, on_change=collected.word, args=(key,)))
    return told[0] or "", told[1] or ""


def _nothing() -> None:
    """How a report begins, beside what comes out."""
    left, right = layout.columns("report-begin", (2, 3))
    with left:
        st.markdown("#### Nothing is kept yet")
        last = _last()
        if last is not None:
            st.button(
                f"Add {naming.name(last)}",
                key="report_last",
                type="primary",
                icon=":material/post_add:",
                help="The run that you looked at last" if last.id == collected.seen() else "The latest of your runs",
                on_click=collected.add,
                args=(collected.runs([last.id]),),
            )
        example = _example()
        if example:
            st.button(
                "Fill it with an example",
                key="report_example",
                type="secondary" if last is not None else "primary",
                icon=":material/auto_awesome:",
                on_click=_fill,
                args=(example,),
            )
            st.caption(
                "Three runs of the gallery on the made-up social network, with and without privacy, and the figures "
                "of them. **Begin anew** empties it."
            )
        st.markdown(
            "Or press **Add to report** beside Export below any figure, on any run, or on Runs for several at once."
        )
        with st.container(horizontal=True):
            st.page_link(shell.page("runs"), label="Runs", icon=":material/list_alt:")
            st.page_link(shell.page("tradeoffs"), label="Trade-offs", icon=":material/balance:")
            st.page_link(shell.page("attacks"), label="Attacks", icon=":material/gavel:")
    with right:
        st.markdown("#### What comes out")
        _contents()


def _contents() -> None:
    """What the archive holds."""
    st.table(
        [
            {"In the archive": f"`{name}`", "What it is": f"{said[:1].upper()}{said[1:]}"}
            for name, said in reporting.FILES.items()
        ]
    )


def _last() -> RunRecord | None:
    """The run that was looked at last, else the latest own one that is done."""
    seen = collected.seen()
    asked = [RunQuery(ids=(seen,), states=("done",))] if seen else []
    for query in (*asked, RunQuery(own=True, states=("done",), limit=1)):
        found = [one for one in queue.store().find(query) if not one.unreadable]
        if found:
            return found[0]
    return None


def _example() -> list[RunRecord]:
    """The runs of the example; none where the gallery is not here."""
    data = beginnings.DATA["social"].items()
    query = RunQuery(methods=tuple(method for method, *_ in EXAMPLE), datasets=("social",), states=("done",), limit=500)
    held: dict[tuple[str, str, float | None], RunRecord] = {}
    for one in queue.store().find(query):
        plain = one.spec.seed == 0 and one.spec.options.get("accounting", "sound") == "sound"
        if one.gallery and not one.unreadable and plain and data <= one.spec.data_options.items():
            held.setdefault((one.spec.method, one.spec.unit, one.spec.asked_epsilon), one)
    return [held[one] for one in EXAMPLE] if all(one in held for one in EXAMPLE) else []


def _fill(records: list[RunRecord]) -> None:
    """Keep these runs and their usual figures."""
    collected.add([*collected.runs([one.id for one in records]), *_usual(records)])


def _usual(records: list[RunRecord]) -> list[Kept]:
    return [
        replace(collected.figure(one.figure, one.rows, one.statements, advice=one.advice), title=one.title)
        for one in reporting.usual([reporting.told_of(queue.store(), record) for record in records])
    ]


def _more(kept: list[Kept], records: dict[str, RunRecord]) -> None:
    """One click for the run that somebody came from, and for the figures of all that are here."""
    last, runs = _last(), [records[one.run] for one in kept if one.run in records]
    offers = last is not None and last.id == collected.seen() and last.id not in {one.run for one in kept}
    missing = [one for one in _usual(runs) if one not in kept] if runs else []
    if not offers and not missing:
        return
    with st.container(horizontal=True):
        if offers and last is not None:
            st.button(
                f"Add {naming.name(last)}",
                key="report_last",
                icon=":material/post_add:",
                help="The run that you looked at last",
                on_click=collected.add,
                args=(collected.runs([last.id]),),
            )
        if missing:
            st.button(
                "Add the figures of these runs" if len(runs) > 1 else "Add the figures of this run",
                key="report_figures",
                icon=":material/show_chart:",
                help="Accuracy against privacy, the runs side by side, and attacks on them"
                if len(runs) > 1
                else "The ROC curves of the attacks on it",
                on_click=collected.add,
                args=(missing,),
            )


def _records(kept: list[Kept]) -> dict[str, RunRecord]:
    """The kept runs that can be read."""
    ids = tuple(one.run for one in kept if one.run)
    found = queue.store().find(RunQuery(ids=ids)) if ids else []
    return {one.id: one for one in found if not one.unreadable}


def _list(kept: list[Kept], records: dict[str, RunRecord], drawn: dict[str, Drawn], share: bool) -> None:
    """What was kept, as the report has it: figures in their order, then runs, those of a setting together."""
    figures = [[one] for one in kept if one.figure]
    runs = _by_setting([one for one in kept if one.run], records)
    sharing.warn(drawn.values(), records.values())
    for title, groups in (("Figures", figures), ("Runs", runs)):
        if not groups:
            continue
        st.markdown(f"##### {title}")
        if groups is runs:
            st.caption(CHAPTER)
        for at, group in enumerate(groups):
            place = kept.index(group[0])
            with st.container(border=True, key=f"kept-{place}"):
                if group[0].figure:
                    _figure(drawn[mark(group[0])], at + 1)
                else:
                    _runs(group, records, share)
                ways = st.container(horizontal=True, horizontal_alignment="right")
                if group[0].figure:
                    _look(group[0], drawn[mark(group[0])])
            with ways:
                for icon, label, other in (
                    ("arrow_upward", "Move up", at - 1),
                    ("arrow_downward", "Move down", at + 1),
                ):
                    there = 0 <= other < len(groups)
                    moved = _exchanged(groups, at, other) if there else []
                    order = [*figures, *moved] if groups is runs else [*moved, *runs]
                    st.button(
                        label,
                        key=f"{icon}.{place}",
                        icon=f":material/{icon}:",
                        type="tertiary",
                        on_click=collected.arrange,
                        args=([one for held in order for one in held],),
                        disabled=not there,
                    )
                st.button(
                    "Take out",
                    key=f"close.{place}",
                    icon=":material/close:",
                    type="tertiary",
                    on_click=collected.remove,
                    args=(group,),
                )
    with st.popover("Begin anew", icon=":material/delete_sweep:"):
        st.caption("All that is kept here, its order and its words will be gone. The runs themselves stay.")
        st.button("Empty the report", key="report_clear", type="primary", on_click=collected.clear)


def _taken() -> None:
    """What was taken out last, and the way back."""
    if not (gone := collected.taken()):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        what = "A figure" if gone[0].figure else "A run" if len(gone) == 1 else f"{len(gone)} runs"
        st.markdown(f"{what} {'were' if len(gone) > 1 else 'was'} taken out.", width="content")
        st.button("Undo", key="report_undo", icon=":material/undo:", type="tertiary", on_click=collected.undo)


def _by_setting(runs: list[Kept], records: dict[str, RunRecord]) -> list[list[Kept]]:
    """Runs of one setting together, in the order of their first."""
    held: dict[str, list[Kept]] = {}
    for one in runs:
        held.setdefault(naming.setting(records[one.run]) if one.run in records else one.run, []).append(one)
    return list(held.values())


def _exchanged(groups: list[list[Kept]], one: int, other: int) -> list[list[Kept]]:
    moved = list(groups)
    moved[one], moved[other] = moved[other], moved[one]
    return moved


def _figure(drawn: Drawn, number: int) -> None:
    """A figure of the list: its number and title in the report, and what it finds."""
    st.markdown(f"{FIGURE} **{number}: {markup.literal(drawn.name)}**")
    found, public = reporting.finding(drawn), sharing.public_figure(drawn)
    st.caption(f"{found} **{sharing.IS_PUBLIC.capitalize()}.**".strip() if public else found)


def _look(one: Kept, drawn: Drawn) -> None:
    """The figure itself and the field for its title, made when somebody asks for it."""
    with layout.fold("Look at it, or name it", f"figure.{mark(one)}", icon=":material/visibility:") as part:
        if part.open:
            chart, key = chart_of(one.figure, one.rows), f"report_title.{mark(one)}"
            st.session_state.setdefault(key, one.title)
            st.text_input(
                "Title",
                key=key,
                max_chars=reporting.TITLE,
                placeholder=replace(drawn, title="").name,
                help="What stands above it in the report; empty: its own title",
                on_change=_name,
                args=(one, key),
            )
            live_plot.show(draw(chart, layout.theme()), key=f"report_look.{mark(one)}")


def mark(one: Kept) -> str:
    """What tells a figure of the list from others, wherever it stands."""
    return hashlib.sha256(repr((one.figure, one.rows, one.advice)).encode()).hexdigest()[:12]


def _name(one: Kept, key: str) -> None:
    collected.name(one, st.session_state[key])


def _runs(group: list[Kept], records: dict[str, RunRecord], share: bool) -> None:
    """Runs of a setting by its name, with their seeds where the report tells them."""
    record = records.get(group[0].run)
    if record is None:
        st.markdown(f"{RUN} {markup.literal(group[0].run)}")
        return
    (label,) = naming.run_labels([record], privacy_too=True, seeds=False)
    seeds = [str(seed) for seed in sorted(records[held.run].spec.seed for held in group)]
    many = f": {len(group)} runs" if len(group) > 1 else ""
    which = "" if share else f", seed{'s' * (len(seeds) > 1)} {listed(seeds)}"
    st.markdown(f"{RUN} {markup.literal(f'{label} on {naming.graph_of(record)}{many}{which}')}")
    if any(noise_is_public(records[held.run]) for held in group if held.run in records):
        st.caption(f"**{sharing.IS_PUBLIC.capitalize()}.**")
