"""What a visitor has put into the report, and its words: one JSON file in the home."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from privgraph.home import home
from privgraph.options import OptionError
from privgraph.runs.examining import write
from privgraph_workbench.parts import layout
from privgraph_workbench.report.asked import LETTERS, MOST, Entry
from privgraph_workbench.text import texts

WORDS = tuple(name for name in LETTERS if name != "caption")
LARGEST = 50_000_000
"""Bytes of a file that is read."""
_LOCK = threading.RLock()
"""All tabs are threads of one app."""


@dataclass
class Cart:
    """Entries in order, and the report's words by name."""

    entries: list[Entry] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)


def path() -> Path:
    """The visitor's file: where people log in, each has one, whose name tells nobody's address."""
    who = str(st.user.get("email") or "")
    return home() / f"report{f'-{hashlib.sha256(who.encode()).hexdigest()[:16]}' if who else ''}.cart.json"


def cart() -> Cart:
    """What the file holds. One that cannot be read is set aside, with a message."""
    file = path()
    with _LOCK:
        if not file.is_file():
            return Cart()
        try:
            entries, words = _read(file, file.stat().st_mtime_ns, file.stat().st_size)
            return Cart(list(entries), dict(words))
        except (ValueError, KeyError, TypeError, AttributeError, OptionError):
            aside = file.with_suffix(".unreadable")
            file.replace(aside)
            st.warning(f"{texts('report')['page']['unreadable']} {aside.name}")
            return Cart()


@lru_cache(maxsize=4)
def _read(file: Path, _written: int, size: int) -> tuple[tuple[Entry, ...], dict[str, str]]:
    if size > LARGEST:
        raise ValueError("too large")
    told = json.loads(file.read_text(encoding="utf-8"))
    words = {name: str(told["words"][name]) for name in WORDS if name in told["words"]}
    return tuple(Entry.read(one) for one in told["entries"])[:MOST], words


@contextmanager
def changing() -> Iterator[Cart]:
    """Hand out what the file holds, and keep what is made of it."""
    with _LOCK:
        held = cart()
        yield held
        write(path(), {"entries": [asdict(one) for one in held.entries], "words": held.words})


def add(fresh: Sequence[Entry]) -> None:
    """Append those that are not there yet, as far as there is room."""
    with changing() as held:
        there = {one.mark for one in held.entries}
        held.entries = [*held.entries, *(one for one in fresh if one.mark not in there)][:MOST]


def move(mark: str, place: int | None) -> None:
    """Move the entry with that mark to that place; None: take it out."""
    with changing() as held:
        own = [one for one in held.entries if one.mark == mark]
        held.entries = [one for one in held.entries if one.mark != mark]
        if place is not None:
            held.entries[place:place] = own


def edit(mark: str, **changed: Any) -> None:
    """Change title, caption or tick of the entry with that mark."""
    with changing() as held:
        held.entries = [replace(one, **changed) if one.mark == mark else one for one in held.entries]


def button(key: str, mark: str, make: Callable[[], Entry]) -> None:
    """The button that adds the entry of that mark ("": none), made when it is pressed; a link to the report
    where it has it."""
    told = texts("report")["page"]
    there = {one.mark for one in cart().entries}
    if mark in there:
        layout.link("report", told["in"], "check")
        return
    st.button(
        told["add"],
        key=key,
        icon=":material/post_add:",
        on_click=lambda: add([make()]),
        disabled=not mark or len(there) >= MOST,
        help=told["full"] if len(there) >= MOST else None,
    )
