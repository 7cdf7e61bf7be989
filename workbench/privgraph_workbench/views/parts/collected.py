"""What a visitor has kept for a report, and its own words: added, moved, named and taken out.

It lies in the home as one file, so that it is there after a reload and in another tab. Whatever changes it
reads it anew first, and takes what stands in fields: a button was drawn before that, so it names figures and
runs by their marks alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

import streamlit as st

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunQuery
from privgraph_workbench.facts import row_words
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.named_runs import named
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import kept_file
from privgraph_workbench.views.parts.kept_file import Kept as Kept
from privgraph_workbench.words.naming import setting

_KEY, _STAMP, _WORDS, _SEEN = "collected", "collected.stamp", "collected.words", "collected.seen"
_TAKEN, _ADDED, _COUNTED = "collected.taken", "collected.added", "collected.counted"
_TOLD = "collected.told"
"""What the bar of pages says of it."""
_BEGUN = "collected.begun"
"""By the keys of fields that are drawn: what was kept when they were drawn last."""
TITLE, AUTHOR, DATE, REMARK = ("report_title", "report_author", "report_date", "report_remark")
SHARE, FORMER = "report_share", "report_former"
WORDS = (TITLE, AUTHOR, DATE, REMARK, SHARE, FORMER)
"""The report's own words, by the keys of their fields; whether it is for others; and the mark of the archive
that was made last."""
Part = Literal["title", "caption"]
"""What its author may write to a figure."""
IN = "In the report"
"""What stands where `adds` stood, with how much is there."""
MOST = 60
"""Runs and figures that a report holds."""
EYES = "not for others"
"""Beside the button for a figure that a report for others leaves out."""


def everything() -> list[Kept]:
    """All that was kept, in order."""
    stamp = kept_file.stamp()
    if _KEY not in st.session_state or st.session_state.get(_STAMP) != stamp:
        with kept_file.LOCK:
            st.session_state[_KEY], st.session_state[_WORDS] = _read()
            st.session_state[_STAMP] = kept_file.stamp()
    found: list[Kept] = st.session_state[_KEY]
    return found


def _read() -> tuple[list[Kept], dict[str, str]]:
    """What the file holds, and the report's own words; nothing where it is missing or broken."""
    try:
        return kept_file.read(MOST, WORDS)
    except ValueError:
        aside = kept_file.set_aside()
        st.warning(f"What was kept for the report cannot be read: it begins anew, and what was there is in {aside}.")
        return [], {}


@contextmanager
def _changed() -> Iterator[list[Kept]]:
    """What is kept now, with what stands in fields, to be changed; then it is written."""
    with kept_file.LOCK:
        held = everything()
        _take_fields(held)
        yield held
        keep()


def settle() -> None:
    """Keep what somebody has written into a field."""
    with kept_file.LOCK:
        if _take_fields(everything()):
            keep()


def _take_fields(held: list[Kept]) -> bool:
    """Take what stands in a field and is another text than it was drawn with; whether there was any. Another
    tab's words stay where nothing was written here."""
    begun = st.session_state.get(_BEGUN, {})
    fresh = {key: st.session_state[key] for key in begun if st.session_state.get(key, begun[key]) != begun[key]}
    begun.update(fresh)
    for key in WORDS:
        if key in fresh:
            st.session_state.setdefault(_WORDS, {})[key] = str(fresh[key])
    if fresh:
        held[:] = [
            replace(
                one,
                title=str(fresh.get(field_of("title", one.mark), one.title)),
                caption=str(fresh.get(field_of("caption", one.mark), one.caption)),
            )
            for one in held
        ]
    return bool(fresh)


def field_of(part: Part, mark: str) -> str:
    """The key of the field for a figure's title or caption."""
    return f"report_{part}.{mark}"


def begin(key: str, default: str | bool) -> None:
    """Before a field of the report's own words is drawn: what was written there last."""
    told = st.session_state.get(_WORDS, {}).get(key)
    _begin(key, default if told is None else told != str(False) if isinstance(default, bool) else told)


def begin_figure(one: Kept, part: Part) -> str:
    """Before the field for a figure's title or caption is drawn: what was written there last. The field's
    key."""
    key = field_of(part, one.mark)
    _begin(key, getattr(one, part))
    return key


def _begin(key: str, stored: str | bool) -> None:
    begun = st.session_state.setdefault(_BEGUN, {})
    if key not in st.session_state or st.session_state[key] == begun.get(key) != stored:
        st.session_state[key] = stored
    begun[key] = stored


def said(key: str) -> str:
    """What was written down last; "" where nothing was."""
    return str(st.session_state.get(_WORDS, {}).get(key, ""))


def write_down(key: str, value: str) -> None:
    """Keep a word of the report, which `WORDS` names."""
    if said(key) != value or key not in st.session_state.get(_WORDS, {}):
        with _changed():
            st.session_state.setdefault(_WORDS, {})[key] = value


def keep() -> None:
    """Write what is kept, and the report's own words."""
    kept_file.save(st.session_state[_KEY], st.session_state.get(_WORDS, {}))
    st.session_state[_STAMP] = kept_file.stamp()


def saw(run: str) -> None:
    """Somebody looks at this run: the page Report offers it."""
    st.session_state[_SEEN] = run


def seen() -> str:
    """The run that was looked at last; "" where none was."""
    return str(st.session_state.get(_SEEN, ""))


def button(key: str, fresh: Sequence[Kept], help_: str) -> None:
    """The button that adds these runs or figures to the report, beside a figure that others are not given
    with why; a link to the report where it has them: a message elsewhere would move the page."""
    if st.session_state.get(_TOLD, counted()) != counted():
        st.rerun()  # a part of a page was drawn by itself, and the bar of pages is none of it
    held = everything()
    left = [one for one in fresh if not _is_in(one, held)]
    if fresh and not left:
        with st.container(key=f"{styles.BOXED}-{key.replace('.', '-')}", width="content"):
            st.page_link(
                shell.page("report"),
                label=f"{IN} ({counted()})",
                icon=":material/check:",
                help="To the page Report: put it in order there, and leave with it",
            )
    else:
        _adds(key, held, fresh, left, help_)
    if why := next(filter(None, (for_others.stays(one.figure, one.rows) for one in fresh if one.figure)), ""):
        st.badge(
            EYES,
            icon=":material/visibility_lock:",
            color="orange",
            help=f"For the eyes of whoever evaluates. A report for others leaves such figures out: {why}",
        )


def adds(fresh: Sequence[Kept]) -> str:
    """What the button says that it adds: several stand side by side on a page.

    >>> adds([Kept(figure="curves")]), adds([Kept(run="a")]), adds([Kept(run="a"), Kept(run="b")])
    ('Add this figure to report', 'Add this run to report', 'Add these 2 runs to report')
    """
    if len(fresh) == 1:
        return f"Add this {'figure' if fresh[0].figure else 'run'} to report"
    return f"Add these {len(fresh):,} runs to report" if fresh else "Add runs to report"


def _adds(key: str, held: Sequence[Kept], fresh: Sequence[Kept], left: Sequence[Kept], help_: str) -> None:
    if len(held) >= MOST:
        label, icon, said = "The report is full", "error", f"A report holds {MOST} runs and figures at most"
    elif len(held) + len(left) > MOST:
        label, icon = "Too many for a report", "error"
        said = f"A report holds {MOST} runs and figures at most: it has {len(held)}, and these are {len(left)} more"
    else:
        label, icon, said = adds(left), "post_add", help_
    st.button(
        label,
        key=key,
        icon=f":material/{icon}:",
        help=said,
        on_click=add,
        args=(left,),
        disabled=not fresh or len(held) + len(left) > MOST,
    )


def counted() -> str:
    """How many figures and settings of runs are kept, in the words of the page Report; "" where there is
    nothing. A run that is gone is none of them."""
    held = everything()
    ids = tuple(one.run for one in held if one.run)
    known, settings = st.session_state.get(_COUNTED, ((), 0))
    if known != ids:
        found = queue.store().find(RunQuery(ids=ids)) if ids else []
        settings = len({setting(one) for one in found if not one.unreadable})
        st.session_state[_COUNTED] = ids, settings
    return in_words(sum(bool(one.figure) for one in held), settings)


def in_words(figures: int, settings: int) -> str:
    """
    >>> in_words(2, 1), in_words(0, 3), in_words(0, 0)
    ('2 figures, 1 setting', '3 settings', '')
    """
    return ", ".join(row_words.counted(many, one) for many, one in ((figures, "figure"), (settings, "setting")) if many)


def count() -> None:
    """What the report holds, in the bar of pages beside Report, where that has room for words; else a dot.
    It is no part of the link's name."""
    told = st.session_state[_TOLD] = counted()
    if told:
        link = '[data-testid=stTopNavLink][href$="/report"]::after'
        st.html(
            f'<style>{link} {{ content: "{told}" / ""; white-space: nowrap; margin-left: 0.35rem; padding: 0 0.4rem; '
            "border-radius: 1rem; font-size: 0.75rem; font-weight: 600; "
            "background: color-mix(in srgb, currentColor 14%, transparent); }"
            f'@media (max-width: 1180px) {{ {link} {{ content: "●" / ""; }} }}'
            # with icons, too, the words would push Report itself out of the bar of a laptop
            "@media (max-width: 1500px) { [data-testid=stTopNavLink] > span:has([data-testid=stIconMaterial]) "
            "{ display: none; } }</style>"
        )


def runs(ids: Sequence[str]) -> list[Kept]:
    """Runs, to be kept."""
    return [Kept(run=run) for run in ids]


def figure(
    name: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    runs: Sequence[str] = (),
    advice: str = "",
) -> Kept:
    """A figure as it is now, to be kept."""
    return Kept(figure=name, rows=list(rows), statements=dict(statements), runs=tuple(runs), advice=advice)


def _is_in(one: Kept, held: Sequence[Kept]) -> bool:
    alike = (other for other in held if (other.run, other.figure, other.runs) == (one.run, one.figure, one.runs))
    return any(one.mark == other.mark for other in alike)


def add(fresh: Sequence[Kept]) -> None:
    """Keep each that is not kept yet: another tab may have kept it since the button was drawn."""
    with _changed() as held:
        _add(fresh, held)


def _add(fresh: Sequence[Kept], held: list[Kept]) -> list[Kept]:
    """Those of them that were added."""
    more = [one for one in fresh if not _is_in(one, held)][: max(0, MOST - len(held))]
    more = list(map(_with_origins, more))
    held.extend(more)
    _forget()
    return more


def _with_origins(one: Kept) -> Kept:
    """The figure with which runs behind it came with the program: one's own may take their places."""
    ids = named(one.rows, one.runs) if one.figure else ()
    found = queue.store().find(RunQuery(ids=ids, limit=len(ids))) if ids else []
    return replace(one, came=tuple(run.id for run in found if run.gallery))


def _forget() -> None:
    """There is no way back to what was before."""
    st.session_state.pop(_TAKEN, None)
    st.session_state.pop(_ADDED, None)


def take(fresh: Sequence[Kept]) -> None:
    """Keep these, so that it can be undone."""
    with _changed() as held:
        st.session_state[_ADDED] = [one.mark for one in _add(fresh, held)]


def added() -> list[Kept]:
    """What was added last by `take` and can be taken back."""
    marks = st.session_state.get(_ADDED, [])
    return [one for one in everything() if one.mark in marks]


def remove(marks: Sequence[str]) -> None:
    """Take out what has these marks, where it is still there: a slow page may be pressed twice."""
    with _changed() as held:
        gone = [one for one in held if one.mark in marks]
        if gone:
            _forget()
            st.session_state[_TAKEN] = (gone, [one.mark for one in held])
        held[:] = [one for one in held if one.mark not in marks]


def taken() -> list[Kept]:
    """What was taken out last and can be put back; nothing where that was undone, or more was kept since."""
    gone, _ = st.session_state.get(_TAKEN, ([], []))
    return list(gone)


def undo() -> None:
    """Put what was taken out last back to its place, or take back what was added last; what another tab has
    kept since stays behind it."""
    with _changed() as held:
        if marks := [one.mark for one in added()]:
            _forget()
            held[:] = [one for one in held if one.mark not in marks]
            return
        gone, before = st.session_state.pop(_TAKEN, ([], []))
        known = {one.mark: one for one in (*gone, *held)}
        here = [known.pop(mark) for mark in before if mark in known]
        held[:] = [*here, *known.values()][:MOST]


def move(marks: Sequence[str], *, before: str = "", behind: str = "") -> None:
    """Put what has these marks directly `before` or `behind` that one; nothing where either is gone. Pressed
    twice it is the same: who draws the page does not know yet what the first has done."""
    with _changed() as held:
        moved = [one for one in held if one.mark in marks]
        others = [one for one in held if one.mark not in marks]
        place = next((at for at, one in enumerate(others) if one.mark == (before or behind)), None)
        if place is not None:
            place += bool(behind)
            held[:] = [*others[:place], *moved, *others[place:]]


def swap(mark: str, fresh: Kept) -> None:
    """Put a figure that was made anew in the place of the one with this mark, under the title and caption
    that its author has written meanwhile; where it was kept anew by itself, that one gives way."""
    with _changed() as held:
        if mark not in {one.mark for one in held}:
            return
        _forget()
        told = _with_origins(fresh)
        held[:] = [
            replace(told, title=one.title, caption=one.caption) if one.mark == mark else one
            for one in held
            if one.mark == mark or one.mark != fresh.mark
        ]


def clear() -> None:
    """Begin anew."""
    with _changed() as held:
        held.clear()
        _forget()
        st.session_state[_WORDS] = {}
        for key in st.session_state.pop(_BEGUN, {}):
            st.session_state.pop(key, None)
