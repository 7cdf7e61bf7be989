"""The list of what the report is made of: a low row each, with its picture or score, and its buttons."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot, reporting
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.reporting import Drawn, Told
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import collected, layout
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.views.report import (
    looks,
    newer_runs,
    own_words,
    plain_names,
    setting_rows,
    sharing,
    single_runs,
    thumbnails,
)
from privgraph_workbench.views.report.looks import LIST, ROW, SAID, STAMP, WAYS, WITHHELD
from privgraph_workbench.words import markup, naming

CHAPTER = (
    "Each setting is a chapter of the appendix: results, where its accuracy stands, learning curves, ledger, statement "
    "in full, attacks and commands, as far as it has them."
)
"""What comes with runs, unasked."""
NOT_FOR_OTHERS = ":gray-badge[not for others]"
"""Beside the title of a figure that a report for others leaves out."""
POLL_SECONDS = 1.0
"""From one look at thumbnails that are still drawn to the next."""


def show(
    kept: Sequence[Kept],
    records: Mapping[str, RunRecord],
    drawn: Mapping[str, Drawn],
    decided: Mapping[str, reporting.Decided],
    told: Mapping[str, Told],
    asked: reporting.Asked | None,
    counts: Counts,
    *,
    share: bool,
    own: bool,
) -> None:
    """What was kept, as the report has it: figures in their order, then runs, those of a setting together.
    drawn: the figures by their marks, in order; `decided`: what becomes of them; `told`: what is known of the
    runs, by their ids; `asked`: the report (None: there is none as it is); `counts`: of the report; `own`: it
    can be ordered, named and taken out."""
    figures = [[one] for one in kept if one.figure]
    runs = _by_setting([one for one in kept if one.run], records)
    shown = list(drawn.items())
    numbers = _numbers(decided)
    public = {mark: sharing.public_figure(decided[mark].given or one) for mark, one in shown}
    sharing.warn(counts, drawn.values(), _held(kept, records), own=own)
    graphs = plain_names.graphs_of(records.values())
    for title, groups in (("Figures", figures), ("Runs", runs)):
        if not groups:
            continue
        st.markdown(f"##### {title}", help=CHAPTER if groups is runs else None)
        if groups is runs and (made := plain_names.graphs_apart(records.values(), graphs)):
            st.caption(markup.literal(made))
        with st.container(key=f"{LIST}-{title}"):
            for at, group in enumerate(groups):
                place = kept.index(group[0])
                stays = bool(group[0].figure) and not numbers[shown[at][0]]
                with st.container(key=f"{WITHHELD if stays else ROW}-{place}"):
                    with st.container(horizontal=True, vertical_alignment="center"):
                        if group[0].figure:
                            mark, own_drawn = shown[at]
                            _figure(
                                decided[mark], own_drawn, _key(mark, share), numbers[mark], place, public=public[mark]
                            )
                        else:
                            _runs(group, records, told, graphs, place, share=share, own=own)
                        with st.container(key=f"{WAYS}-{place}", horizontal=True, width="content"):
                            if group[0].figure:
                                _unfold(shown[at][0], own=own)
                            if own:
                                _ways(groups, at, place)
                    if group[0].figure and own:
                        newer_runs.offered(group[0], place)
                    if group[0].figure and _unfolded(shown[at][0]):
                        _look(group[0], shown[at][0], decided[shown[at][0]].given or shown[at][1], asked, own=own)
                    elif own and groups is runs:
                        single_runs.fold(_held(group, records), told, graphs, share=share)
    _poll([_key(mark, share) for mark in drawn])


def _held(group: Sequence[Kept], records: Mapping[str, RunRecord]) -> list[RunRecord]:
    """The runs among these that are in the store."""
    return [records[one.run] for one in group if one.run in records]


def _numbers(decided: Mapping[str, reporting.Decided]) -> dict[str, str]:
    """The number of each figure in the report; "" where it leaves one out."""
    there = [mark for mark, one in decided.items() if one.given is not None]
    return {mark: str(there.index(mark) + 1) if mark in there else "" for mark in decided}


def _key(mark: str, share: bool) -> str:
    """By which a thumbnail is known: others are given other rows."""
    return f"{mark}.others" if share else mark


def _ways(groups: list[list[Kept]], at: int, place: int) -> None:
    """Up, down and out: what is moved, and past what, by their marks."""
    own = [one.mark for one in groups[at]]
    for icon, label, other, side in (
        ("arrow_upward", "Move up", at - 1, "before"),
        ("arrow_downward", "Move down", at + 1, "behind"),
    ):
        there = 0 <= other < len(groups)
        st.button(
            label,
            key=f"{icon}.{place}",
            icon=f":material/{icon}:",
            type="tertiary",
            help=label,
            on_click=collected.move,
            args=(own,),
            kwargs={side: groups[other][0].mark} if there else {},
            disabled=not there,
        )
    st.button(
        "Take out",
        key=f"close.{place}",
        icon=":material/close:",
        type="tertiary",
        help="Take out",
        on_click=collected.remove,
        args=(own,),
    )


def _by_setting(runs: list[Kept], records: Mapping[str, RunRecord]) -> list[list[Kept]]:
    """Runs of one setting together, in the order of their first."""
    held: dict[str, list[Kept]] = {}
    for one in runs:
        held.setdefault(naming.setting(records[one.run]) if one.run in records else one.run, []).append(one)
    return list(held.values())


def _figure(decided: reporting.Decided, kept: Drawn, key: str, number: str, place: int, *, public: bool) -> None:
    """A figure of the list: its picture, its number and title in the report, and its verdict, or why it
    stays."""
    drawn = decided.given or kept
    picture = thumbnails.drawn().of((key, layout.theme()), drawn.figure, drawn.rows)
    coded = base64.b64encode(picture or b"").decode()
    # beside its title: whoever hears the page needs no other
    _stamp(f'<img alt="" src="data:image/png;base64,{coded}">' if picture else "<span>figure</span>")
    with st.container(key=f"{SAID}-{place}"):
        name = f"**{f'{number}: ' * bool(number)}{markup.literal(drawn.name)}**"
        st.markdown(name if number else f"{name} {NOT_FOR_OTHERS}")
        if drawn.sentence:
            st.caption(markup.literal(f"“{drawn.sentence}”"))
        found = reporting.verdict(drawn) if number else sharing.stays(decided)
        st.caption(f"**{sharing.IS_PUBLIC.capitalize()}.** {found}" if public else found)
        if number and drawn.left_out:  # before it is made, and not below the figure alone
            st.caption(markup.literal(drawn.left_out))


def _poll(marks: Sequence[str]) -> None:
    """Show thumbnails as they are drawn; nothing is asked again once all are there."""
    keys = [(one, layout.theme()) for one in marks]
    lacking = thumbnails.drawn().lacks(keys)
    if lacking:
        shell.fragment(_shown_when_drawn, run_every=POLL_SECONDS)(keys, lacking)


def _shown_when_drawn(keys: Sequence[thumbnails.Key], lacking: int) -> None:
    if thumbnails.drawn().lacks(keys) < lacking:
        st.rerun()


def _unfolded(mark: str) -> bool:
    return bool(st.session_state.get(looks.unfolded(mark)))


def _unfold(mark: str, *, own: bool) -> None:
    opened, label = _unfolded(mark), "Look at it, name it, caption it" if own else "Look at it"
    st.button(
        "Fold it" if opened else label,
        key=f"look.{mark}",
        icon=f":material/{'expand_less' if opened else 'visibility'}:",
        type="tertiary",
        help="Fold it" if opened else label,
        on_click=_turn,
        args=(mark,),
    )


def _turn(mark: str) -> None:
    st.session_state[looks.unfolded(mark)] = not _unfolded(mark)


def _look(one: Kept, mark: str, drawn: Drawn, asked: reporting.Asked | None, *, own: bool) -> None:
    """The figure itself, all that it finds and the fields for its title and caption."""
    if own:
        st.text_input(
            "Title of this figure",
            key=collected.begin_figure(one, "title"),
            max_chars=reporting.TITLE,
            placeholder=drawn.name if not one.title.strip() else replace(drawn, title="").name,
            help="What stands above it in the report; empty: its own title",
            on_change=collected.settle,
        )
        _caption(one, asked)
    st.markdown(reporting.finding(drawn))
    chart = replace(chart_of(drawn.figure, drawn.rows), title=drawn.name)
    live_plot.show(draw(chart, layout.theme()), key=f"report_look.{mark}")


def _caption(one: Kept, asked: reporting.Asked | None) -> None:
    """The field for what its author says of a figure."""
    said = st.text_area(
        "Caption of your own",
        key=collected.begin_figure(one, "caption"),
        max_chars=reporting.CAPTION,
        height="content",
        placeholder="What the figure shows, in your words",
        on_change=collected.settle,
    )
    # and no help beside the label: the key Tab would reach its button before the field
    st.caption(
        "It begins the caption of this figure in the page, the PDF and its files; what is said of the figure by itself "
        "stands behind it. Plain text, on one line."
    )
    if said and said.strip():
        own_words.boxes(said)
        own_words.formulas(said, collected.field_of("caption", one.mark))
        own_words.challenged(said, asked)


def _runs(
    group: Sequence[Kept],
    records: Mapping[str, RunRecord],
    told: Mapping[str, Told],
    graphs: Mapping[str, str],
    place: int,
    *,
    share: bool,
    own: bool,
) -> None:
    """Runs of a setting: their score, their name with their seeds where the report tells them, of how many
    runs they are, and their epsilons."""
    held = _held(group, records)
    if not held:
        _stamp("<span>gone</span>")
        with st.container(key=f"{SAID}-{place}"):
            st.markdown(f"**{markup.literal(group[0].run)}**")
        return
    _stamp(setting_rows.score(held, len(held) + len(setting_rows.lacking(held, told))))
    with st.container(key=f"{SAID}-{place}"):
        st.markdown(setting_rows.title(held, graphs, share=share))
        lines = setting_rows.caption(held, told, share=share)
        for one in lines[:-1]:
            st.caption(one)
        last = lines[-1] if lines else ""
        st.caption(setting_rows.public(last, held))
        if own:
            setting_rows.take_all(held, told, place)


def _stamp(content: str) -> None:
    st.html(f'<div class="{STAMP}">{content}</div>', width="content")
