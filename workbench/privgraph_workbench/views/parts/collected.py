"""What a visitor has kept for a report: runs by their ids, and figures as they were when they were kept.

It lies in the home as one file, so that it is there after a reload and in another tab; where people log in,
each has a file of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st

from privgraph.home import home
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.examining import write
from privgraph.runs.records import RunQuery
from privgraph_workbench.figures import FIGURES
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.words.naming import setting

_KEY, _STAMP, _WORDS, _SEEN = "collected", "collected.stamp", "collected.words", "collected.seen"
_TAKEN, _ADDED, _COUNTED = "collected.taken", "collected.added", "collected.counted"
TITLE, AUTHOR, DATE, REMARK = ("report_title", "report_author", "report_date", "report_remark")
SHARE, FORMER = "report_share", "report_former"
WORDS = (TITLE, AUTHOR, DATE, REMARK, SHARE, FORMER)
"""The report's own words, by the keys of their fields; whether it is for others; and the mark of the archive
that was made last."""
IN = "In the report"
"""What stands where "Add to report" stood, with how much is there."""
MOST = 60
"""Runs and figures that a report holds."""
FILE_LIMIT = 50_000_000
"""Bytes of a file that is read."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A run (`run`) or a figure (`figure`, with its rows and statements, and the ids of the `runs` that it
    shows, where its rows do not name them). `advice`: what the figure says to take, in Markdown; `title`,
    `caption`: what it is called in the report, and what is said of it first, where somebody wrote that."""

    run: str = ""
    figure: str = ""
    rows: Sequence[Row] = field(default=(), repr=False)
    statements: Mapping[str, PrivacyStatement] = field(default_factory=dict, repr=False)
    runs: tuple[str, ...] = ()
    advice: str = ""
    title: str = field(default="", compare=False)
    caption: str = field(default="", compare=False)


def everything() -> list[Kept]:
    """All that was kept, in order."""
    stamp = _stamp()
    if _KEY not in st.session_state or st.session_state.get(_STAMP) != stamp:
        st.session_state[_KEY], st.session_state[_WORDS] = _read()
        st.session_state[_STAMP] = stamp
        for key in WORDS:
            st.session_state.pop(key, None)
    found: list[Kept] = st.session_state[_KEY]
    return found


def _path() -> Path:
    """The visitor's file. Its name tells nobody's address."""
    who = str(st.user.get("email") or "")
    mark = f"-{hashlib.sha256(who.encode()).hexdigest()[:16]}" if who else ""
    return home() / f"report{mark}.json"


def _stamp() -> int:
    path = _path()
    return path.stat().st_mtime_ns if path.is_file() else 0


def _read() -> tuple[list[Kept], dict[str, str]]:
    """What the file holds, and the report's own words; nothing where it is missing or broken."""
    path = _path()
    if not path.is_file() or path.stat().st_size > FILE_LIMIT:
        return [], {}
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        words = {key: str(told["words"][key]) for key in WORDS if key in told["words"]}
        return [_kept(one) for one in told["kept"]][:MOST], words
    except (ValueError, KeyError, TypeError, AttributeError):
        aside = path.with_suffix(".unreadable.json")
        path.replace(aside)
        st.warning(
            f"What was kept for the report cannot be read: it begins anew, and what was there is in {aside.name}."
        )
        return [], {}


def _kept(one: Mapping[str, Any]) -> Kept:
    figure = str(one["figure"])
    if figure and figure not in FIGURES:
        raise ValueError(f"there is no figure {figure}")
    return Kept(
        run=str(one["run"]),
        figure=figure,
        rows=[dict(row) for row in one["rows"]],
        statements={str(name): statement_from_json(said) for name, said in one["statements"].items()},
        runs=tuple(map(str, one.get("runs", ()))),
        advice=str(one.get("advice", "")),
        title=str(one.get("title", "")),
        caption=str(one.get("caption", "")),
    )


def begin(key: str, default: str) -> None:
    """Before a field of the report's own words is drawn: what was written there last."""
    st.session_state.setdefault(key, st.session_state.get(_WORDS, {}).get(key, default))


def word(key: str) -> None:
    """Somebody has written into that field."""
    write_down(key, str(st.session_state[key]))


def said(key: str) -> str:
    """What was written down last; "" where nothing was."""
    return str(st.session_state.get(_WORDS, {}).get(key, ""))


def write_down(key: str, value: str) -> None:
    """Keep a word of the report, which `WORDS` names."""
    if said(key) != value or key not in st.session_state.get(_WORDS, {}):
        st.session_state.setdefault(_WORDS, {})[key] = value
        keep()


def keep() -> None:
    """Write what is kept, and the report's own words."""
    write(
        _path(),
        {
            "kept": [
                {
                    "run": one.run,
                    "figure": one.figure,
                    "rows": list(one.rows),
                    "statements": {name: statement_to_json(said) for name, said in one.statements.items()},
                    "runs": list(one.runs),
                    "advice": one.advice,
                    "title": one.title,
                    "caption": one.caption,
                }
                for one in st.session_state[_KEY]
            ],
            "words": st.session_state.get(_WORDS, {}),
        },
    )
    st.session_state[_STAMP] = _stamp()


def saw(run: str) -> None:
    """Somebody looks at this run: the page Report offers it."""
    st.session_state[_SEEN] = run


def seen() -> str:
    """The run that was looked at last; "" where none was."""
    return str(st.session_state.get(_SEEN, ""))


def button(key: str, fresh: Sequence[Kept], help_: str) -> None:
    """ "Add to report" for these runs or figures; a link to the report where it has them: a message elsewhere
    would move the page."""
    held = everything()
    left = [one for one in fresh if not _is_in(one, held)]
    if fresh and not left:
        with st.container(key=f"{shell.BOXED}-{key.replace('.', '-')}", width="content"):
            st.page_link(
                shell.page("report"),
                label=f"{IN} ({rows()})",
                icon=":material/check:",
                help="To the page Report: put it in order there, and leave with it",
            )
        return
    if len(held) >= MOST:
        label, icon, said = "The report is full", "error", f"A report holds {MOST} runs and figures at most"
    elif len(held) + len(left) > MOST:
        label, icon = "Too many for a report", "error"
        said = f"A report holds {MOST} runs and figures at most: it has {len(held)}, and these are {len(left)} more"
    else:
        label, icon, said = "Add to report", "post_add", help_
    st.button(
        label,
        key=key,
        icon=f":material/{icon}:",
        help=said,
        on_click=add,
        args=(left,),
        disabled=not fresh or len(held) + len(left) > MOST,
    )


def rows() -> int:
    """How many rows the page Report has: figures, and settings of runs. A run that is gone has a row of its
    own."""
    held = everything()
    ids = tuple(one.run for one in held if one.run)
    known, counted = st.session_state.get(_COUNTED, ((), 0))
    if known != ids:
        found = queue.store().find(RunQuery(ids=ids)) if ids else []
        there = {one.id: setting(one) for one in found if not one.unreadable}
        counted = len({there.get(run, run) for run in ids})
        st.session_state[_COUNTED] = ids, counted
    return int(counted) + sum(bool(one.figure) for one in held)


def count() -> None:
    """How many rows the report has, in the bar of pages beside Report; nothing where it has none. It is no
    part of the link's name."""
    if many := rows():
        st.html(
            f'<style>[data-testid=stTopNavLink][href$="/report"]::after {{ content: "{many}" / ""; '
            "margin-left: 0.35rem; padding: 0 0.4rem; border-radius: 1rem; font-size: 0.75rem; font-weight: 600; "
            "background: color-mix(in srgb, currentColor 14%, transparent); }</style>"
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
    return any(one.run == other.run if one.run else one == other for other in held)


def add(fresh: Sequence[Kept]) -> None:
    """Keep each that is not kept yet: another tab may have kept it since the button was drawn."""
    held = everything()
    held.extend([one for one in fresh if not _is_in(one, held)][: MOST - len(held)])
    _forget()
    keep()


def _forget() -> None:
    """There is no way back to what was before."""
    st.session_state.pop(_TAKEN, None)
    st.session_state.pop(_ADDED, None)


def take(fresh: Sequence[Kept]) -> None:
    """Keep these, so that it can be undone."""
    missing = [one for one in fresh if not _is_in(one, everything())]
    add(fresh)
    st.session_state[_ADDED] = [one for one in missing if _is_in(one, everything())]


def added() -> list[Kept]:
    """What was added last by `take` and can be taken back."""
    held = everything()
    return [one for one in st.session_state.get(_ADDED, []) if _is_in(one, held)]


def remove(gone: Sequence[Kept]) -> None:
    """Take these out, where they are still there: a slow page may be pressed twice."""
    held = everything()
    if any(one in held for one in gone):
        _forget()
        st.session_state[_TAKEN] = (list(gone), list(held))
    held[:] = [one for one in held if one not in gone]
    keep()


def taken() -> list[Kept]:
    """What was taken out last and can be put back; nothing where that was undone, or more was kept since."""
    gone, _ = st.session_state.get(_TAKEN, ([], []))
    return list(gone)


def undo() -> None:
    """Put what was taken out last back to its place, or take back what was added last; what another tab has
    kept since stays behind it."""
    if more := added():
        _forget()
        remaining = everything()
        remaining[:] = [one for one in remaining if one not in more]
        keep()
        return
    gone, before = st.session_state.pop(_TAKEN, ([], []))
    held = everything()
    here = [one for one in before if one in held or one in gone]
    held[:] = [*here, *(one for one in held if one not in here)][:MOST]
    keep()


def name(one: Kept, *, title: str | None = None, caption: str | None = None) -> None:
    """Call a figure so in the report, and say that of it first; None: as it was."""
    held = everything()
    held[:] = [
        replace(
            other,
            title=other.title if title is None else title,
            caption=other.caption if caption is None else caption,
        )
        if other == one
        else other
        for other in held
    ]
    keep()


def arrange(order: Sequence[Kept]) -> None:
    """Put what is kept into that order; what it does not name, of another tab, stays behind it."""
    held = everything()
    known = [one for one in order if one in held]
    held[:] = [*known, *(one for one in held if one not in known)]
    keep()


def clear() -> None:
    """Begin anew."""
    everything().clear()
    _forget()
    st.session_state[_WORDS] = {}
    for key in WORDS:
        st.session_state.pop(key, None)
    keep()
