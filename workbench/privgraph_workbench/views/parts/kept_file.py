"""The file of what a visitor has kept for a report, and what stands in it: runs by their ids, and figures as
they were when they were kept."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import streamlit as st

from privgraph.home import home
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.examining import write
from privgraph_workbench.figures import FIGURES
from privgraph_workbench.figures.chart import Row

LIMIT = 50_000_000
"""Bytes of a file that is read."""
LOCK = threading.RLock()
"""Whoever changes the file holds it from reading to writing: all tabs are threads of one app."""
Stamp = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A run (`run`) or a figure (`figure`, with its rows and statements, and the ids of the `runs` that it
    shows, where its rows do not name them). `advice`: what the figure says to take, in Markdown; `title`,
    `caption`: what it is called in the report, and what is said of it first, where somebody wrote that;
    `came`: ids of runs behind it that came with the program when it was kept."""

    run: str = ""
    figure: str = ""
    rows: Sequence[Row] = field(default=(), repr=False)
    statements: Mapping[str, PrivacyStatement] = field(default_factory=dict, repr=False)
    runs: tuple[str, ...] = ()
    advice: str = ""
    title: str = field(default="", compare=False)
    caption: str = field(default="", compare=False)
    came: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def mark(self) -> str:
        """What tells it from others, wherever it stands and whatever it is called: the id of a run, a digest
        of a figure, the same before it was written and after it was read."""
        return self.run or hashlib.sha256(json.dumps(_told(self)).encode()).hexdigest()[:12]


def path() -> Path:
    """The visitor's file: where people log in, each has one. Its name tells nobody's address."""
    who = str(st.user.get("email") or "")
    mark = f"-{hashlib.sha256(who.encode()).hexdigest()[:16]}" if who else ""
    return home() / f"report{mark}.json"


def stamp() -> Stamp:
    """Another one whenever the file was written: where its clock stood still between two writings, the second
    is another file all the same."""
    try:
        found = path().stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_mtime_ns, found.st_ino


def read(most: int, words: Sequence[str]) -> tuple[list[Kept], dict[str, str]]:
    """What the file holds, at `most` so many, and those of these words that it has; nothing where there is no
    file.

    Raises `ValueError` where it is no such file.
    """
    if not path().is_file() or path().stat().st_size > LIMIT:
        return [], {}
    try:
        told = json.loads(path().read_text(encoding="utf-8"))
        return (
            [_kept(one) for one in told["kept"]][:most],
            {key: str(told["words"][key]) for key in words if key in told["words"]},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"what was kept for the report cannot be read: {error!r}") from error


def set_aside() -> str:
    """Move a file that cannot be read out of the way; its name there."""
    aside = path().with_suffix(".unreadable.json")
    path().replace(aside)
    return aside.name


def save(kept: Sequence[Kept], words: Mapping[str, str]) -> None:
    """Write what is kept, and the report's own words."""
    write(
        path(),
        {
            "kept": [
                {**_told(one), "title": one.title, "caption": one.caption, "came": list(one.came)} for one in kept
            ],
            "words": dict(words),
        },
    )


def _told(one: Kept) -> dict[str, Any]:
    return {
        "run": one.run,
        "figure": one.figure,
        "rows": list(one.rows),
        "statements": {name: statement_to_json(said) for name, said in one.statements.items()},
        "runs": list(one.runs),
        "advice": one.advice,
    }


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
        came=tuple(map(str, one.get("came", ()))),
    )
