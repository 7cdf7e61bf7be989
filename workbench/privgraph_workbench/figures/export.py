"""Figures as files: SVG, PDF, PNG, CSV, TXT and JSON, with their privacy statements. No network, no browser.

Pictures print the three epsilons, unit and delta below the drawing and carry the whole statements as
metadata (SVG: title and description; PDF: document information; PNG: text chunks). A CSV holds the rows and
nothing else, so that every program reads it: what it states is the text file that belongs beside it. The same
rows and statements give the same bytes, on the same day where the caller says which day it is.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from privgraph.options import nearest
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import plain
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Chart, Flag, Rows, flags
from privgraph_workbench.figures.statements import block

FORMATS: Mapping[str, str] = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "csv": "text/csv",
    "txt": "text/plain",
    "json": "application/json",
}
"""Every format, with its media type; `txt` is what belongs beside a CSV."""

PICTURES = ("svg", "pdf", "png")
DPI = 160
SANS = "DejaVu Sans"
FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR"),
    *("WenQuanYi Zen Hei", "Droid Sans Fallback", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "SimHei", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS", "Noto Sans", "Unifont"),
)
"""Fonts of other alphabets that pictures take letters from, where the computer has one of them."""
_LENGTH = re.compile(rb"(?<![\w.#])-?\d+\.\d{4,}(?![\w.])")
"""A number of an SVG with more decimals than anybody sees."""
_ATTRIBUTE = re.compile(rb'"[^"<>]*"')
# How text is written into an SVG is a setting of the whole of matplotlib: one file at a time.
_lock = threading.RLock()


def export(
    figure: str,
    rows: Rows,
    statements: Mapping[str, PrivacyStatement],
    kind: str,
    theme: str = "light",
    *,
    made: date | None = None,
) -> bytes:
    """The figure of that name as a file of that format.

    Args:
        figure: Its name.
        rows: As its `data` gives them.
        statements: By label; without any the file says that nothing is guaranteed.
        kind: Of `FORMATS`.
        theme: `light` or `dark`.
        made: The day on which it is taken away; None in a file that is the same whenever it is made.

    Raises:
        ValueError: The figure, format or theme is unknown.
    """
    if kind not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)} (got {kind}){nearest(kind, FORMATS)}")
    if kind == "csv":
        return _csv(figure_of(figure).table(rows))
    if kind in PICTURES:
        return pictures(figure, rows, statements, (kind,), theme, made=made)[kind]
    return _stated(figure, rows, statements, made) if kind == "txt" else _record(figure, rows, statements, made)


def files(figure: str, rows: Rows, statements: Mapping[str, PrivacyStatement], title: str = "") -> dict[str, bytes]:
    """The figure in every format; `title`: what stands above its pictures ("": its own)."""
    made = pictures(figure, rows, statements, PICTURES, title=title)
    return {kind: made.get(kind) or export(figure, rows, statements, kind) for kind in FORMATS}


def _record(figure: str, rows: Rows, statements: Mapping[str, PrivacyStatement], made: date | None) -> bytes:
    """The figure as JSON."""
    chart = _chart(figure, rows, statements)
    told = {
        "figure": figure,
        "title": chart.title,
        "caption": chart.caption,
        "warnings": {flag.value: flag.sentence for flag in chart.flags},
        "rows": plain(list(rows)),
        "statements": _json(statements),
        "versions": {name: version(name) for name in ("privgraph", "matplotlib", "numpy")},
    }
    return _text(told if made is None else {**told, "made": made.isoformat()}).encode()


def _chart(figure: str, rows: Rows, statements: Mapping[str, PrivacyStatement], title: str = "") -> Chart:
    """The chart with the flags of its statements."""
    chart = figure_of(figure).chart(rows)
    carried = dict.fromkeys((*of_statements(statements), *chart.flags))
    return replace(chart, title=title or chart.title, flags=tuple(carried))


def of_statements(statements: Mapping[str, PrivacyStatement]) -> tuple[Flag, ...]:
    """The flags that privacy statements call for."""
    said = statements.values()
    refuted = (
        (one.epsilon_audited or 0) > claim
        for one in said
        for claim in (one.epsilon, one.epsilon_as_published)
        if claim is not None
    )
    return flags(
        {
            Flag.EXAMPLE: any(map(has_public_noise, said)),
            Flag.DATA_DEPENDENT: any(one.data_dependent for one in said),
            Flag.REFUTED: any(refuted),
            Flag.FAULTY: any(one.known_faults for one in said),
        }
    )


def pictures(
    figure: str,
    rows: Rows,
    statements: Mapping[str, PrivacyStatement],
    kinds: Sequence[str],
    theme: str = "light",
    *,
    title: str = "",
    made: date | None = None,
) -> dict[str, bytes]:
    """The figure in those of the formats `PICTURES`, in one drawing, under that title ("": its own)."""
    # matplotlib takes as long to import as a page to draw: only who takes a picture away waits for it
    from privgraph_workbench.figures.drawing.with_matplotlib import draw

    chart, lines = _chart(figure, rows, statements, title), block(statements)
    stated = _text(_json(statements), indent=None)
    said = " ".join(" ".join([chart.caption, *(flag.sentence for flag in chart.flags), *lines]).split())
    files = {}
    with _drawing():
        drawn: Any = draw(chart, theme, lines)
        for kind in kinds:
            written = io.BytesIO()
            drawn.savefig(written, format=kind, dpi=DPI, metadata=_metadata(kind, chart.title, said, stated, made))
            files[kind] = _renamed(written.getvalue()) if kind == "svg" else written.getvalue()
    return files


@lru_cache(maxsize=1)
def _fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    there = {one.name for one in fontManager.ttflist}
    return [SANS, *(one for one in FALLBACKS if one in there)]


@contextmanager
def _drawing() -> Iterator[None]:
    """While something is drawn and written: matplotlib's settings are those of all its threads."""
    import matplotlib

    from privgraph_workbench.figures.drawing.with_matplotlib import SETTINGS

    told = logging.getLogger("matplotlib.font_manager")
    with _lock, matplotlib.rc_context({**SETTINGS, "font.family": _fonts()}):
        level = told.level
        told.setLevel(logging.ERROR)  # a font of another alphabet is there in one weight, and that is known
        try:
            yield
        finally:
            told.setLevel(level)


def _renamed(svg: bytes) -> bytes:
    """Clip paths numbered in their order, and lengths to a thousandth of a point: coordinates differ in their
    last bit from one drawing to the next, and matplotlib writes them, and names made of them, to more digits
    than that leaves."""
    about, end, drawn = svg.partition(b"</metadata>")  # what it says of itself keeps every digit
    svg = about + end + _ATTRIBUTE.sub(lambda one: _LENGTH.sub(lambda two: b"%.3f" % float(two[0]), one[0]), drawn)
    for place, name in enumerate(dict.fromkeys(re.findall(rb'<clipPath id="(p[0-9a-f]{10})"', svg))):
        svg = svg.replace(name, b"clip%d" % place)
    return svg


def _metadata(kind: str, title: str, said: str, stated: str, made: date | None) -> dict[str, Any]:
    creator, day = f"privgraph {version('privgraph')}", None if made is None else made.isoformat()
    if kind == "svg":
        whole = f"{said} Privacy statements: {stated}"
        return {"Title": title, "Description": whole, "Creator": creator, "Date": day, "Language": "en"}
    if kind == "pdf":
        created = None if made is None else datetime.combine(made, time(), UTC)
        return {"Title": title, "Subject": said, "Keywords": stated, "Creator": creator, "CreationDate": created}
    told = {"Title": title, "Description": said, "Privacy statements": stated, "Software": creator}
    return told if day is None else {**told, "Creation Time": day}


def _csv(rows: Rows) -> bytes:
    """The rows under the names of their columns, and nothing else."""
    written = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(written, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)
    return written.getvalue().encode()


def _stated(figure: str, rows: Rows, statements: Mapping[str, PrivacyStatement], made: date | None) -> bytes:
    """What must be known of the rows: title, caption, warnings, statements as a table and in full."""
    chart = _chart(figure, rows, statements)
    said = [chart.title, chart.caption, *(flag.sentence for flag in chart.flags)]
    said.append(f"Made by privgraph {version('privgraph')}{'' if made is None else f' on {made.isoformat()}'}.")
    held: dict[str, list[str]] = {}
    for label, statement in statements.items():
        held.setdefault(statement_text(statement), []).append(label)
    whole = ["\n".join([*labels, "-" * max(map(len, labels)), text]) for text, labels in held.items()]
    return ("\n\n".join(["\n".join(said), "\n".join(block(statements, most=None)), *whole]) + "\n").encode()


def cell(value: object) -> object:
    """A cell of a CSV: what is true is 1; text that a spreadsheet would run as a formula is set off by an
    apostrophe.

    >>> cell(True), cell(None), cell(0.5), cell("=1+1")
    (1, '', 0.5, "'=1+1")
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value


def _json(statements: Mapping[str, PrivacyStatement]) -> dict[str, Any]:
    return {label: statement_to_json(statement) for label, statement in statements.items()}


def _text(value: object, indent: int | None = 1) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
