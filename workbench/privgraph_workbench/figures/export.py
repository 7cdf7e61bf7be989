"""Figures as files: SVG, PDF, PNG, CSV, TXT and JSON, with their privacy statements. No network, no browser.

Pictures print the three epsilons, unit and delta below the drawing and carry the whole statements as
metadata. A CSV holds the rows and nothing else: what it states is the text file that belongs beside it. The
same rows and statements give the same bytes, on the same day where the caller says which day it is.
"""

import io
import json
import logging
import mimetypes
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import pandas as pd

from privgraph.options import nearest
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import plain
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Chart, Flag, Rows, flags
from privgraph_workbench.figures.statements import block
from privgraph_workbench.theme import FILES

Statements = Mapping[str, PrivacyStatement]
PICTURES = ("svg", "pdf", "png")
FORMATS = {kind: mimetypes.types_map[f".{kind}"] for kind in (*PICTURES, "csv", "txt", "json")}
"""Every format, with its media type; `txt` is what belongs beside a CSV."""
_LENGTH = re.compile(rb"(?<![\w.#])-?\d+\.\d{4,}(?![\w.])")
"""A number of an SVG with more decimals than anybody sees."""
_ATTRIBUTE = re.compile(rb'"[^"<>]*"')
# How text is written into an SVG is a setting of the whole of matplotlib: one file at a time.
_lock = threading.RLock()


def export(
    figure: str, rows: Rows, statements: Statements, kind: str, theme: str = "light", *, made: date | None = None
) -> bytes:
    """The figure of that name as a file of a format of `FORMATS`, of rows as its `data` gives them, with
    statements by label; without any the file says that nothing is guaranteed. The theme is `light` or `dark`;
    with the day on which it is `made` files are the same on one day, else always. Raises `ValueError` for an
    unknown figure, format or theme."""
    if kind not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)} (got {kind}){nearest(kind, FORMATS)}")
    return files(figure, rows, statements, kinds=(kind,), theme=theme, made=made)[kind]


def files(
    figure: str,
    rows: Rows,
    statements: Statements,
    title: str = "",
    *,
    kinds: Sequence[str] = tuple(FORMATS),
    theme: str = "light",
    made: date | None = None,
) -> dict[str, bytes]:
    """The same in several formats, its pictures of one drawing; `title`: what stands above them ("": its
    own)."""
    chart = figure_of(figure).chart(rows)
    chart = replace(chart, flags=tuple(dict.fromkeys((*of_statements(statements), *chart.flags))))
    drawn = replace(chart, title=title or chart.title)
    found = _pictures(drawn, statements, [kind for kind in kinds if kind in PICTURES], theme, made)
    if "csv" in kinds:
        cells = [{name: cell(value) for name, value in row.items()} for row in figure_of(figure).table(rows)]
        found["csv"] = pd.DataFrame(cells, dtype=object).to_csv(index=False, lineterminator="\n").encode()
    if "txt" in kinds:
        found["txt"] = _stated(chart, statements, made)
    if "json" in kinds:
        told = {
            "figure": figure,
            "title": chart.title,
            "caption": chart.caption,
            "warnings": {flag.value: flag.sentence for flag in chart.flags},
            "rows": plain(list(rows)),
            "statements": _json(statements),
            "versions": {name: version(name) for name in ("privgraph", "matplotlib", "numpy")},
            **({} if made is None else {"made": made.isoformat()}),
        }
        found["json"] = json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False).encode()
    return {kind: found[kind] for kind in kinds}


def of_statements(statements: Statements) -> tuple[Flag, ...]:
    """The flags that privacy statements call for."""
    said = statements.values()
    claims = [(one.epsilon_audited or 0, claim) for one in said for claim in (one.epsilon, one.epsilon_as_published)]
    return flags(
        {
            Flag.EXAMPLE: any(map(has_public_noise, said)),
            Flag.DATA_DEPENDENT: any(one.data_dependent for one in said),
            Flag.REFUTED: any(claim is not None and shown > claim for shown, claim in claims),
            Flag.FAULTY: any(one.known_faults for one in said),
        }
    )


def _pictures(
    chart: Chart, statements: Statements, kinds: Sequence[str], theme: str, made: date | None
) -> dict[str, bytes]:
    if not kinds:
        return {}
    # matplotlib takes as long to import as a page to draw: only who takes a picture away waits for it
    from privgraph_workbench.figures.drawing.with_matplotlib import draw

    lines, files = block(statements), {}
    whole = json.dumps(_json(statements), ensure_ascii=False, allow_nan=False)
    said = " ".join(" ".join([chart.caption, *(flag.sentence for flag in chart.flags), *lines]).split())
    with _drawing():
        drawn: Any = draw(chart, theme, lines)
        for kind in kinds:
            written = io.BytesIO()
            drawn.savefig(written, format=kind, dpi=160, metadata=_metadata(kind, chart.title, said, whole, made))
            files[kind] = _renamed(written.getvalue()) if kind == "svg" else written.getvalue()
    return files


@lru_cache(maxsize=1)
def _settings() -> dict[str, Any]:
    from matplotlib.font_manager import fontManager

    from privgraph_workbench.figures.drawing.with_matplotlib import SETTINGS

    first, *others = FILES["fonts"]
    there = {one.name for one in fontManager.ttflist}
    return {**SETTINGS, "font.family": [first, *(one for one in others if one in there)]}


@contextmanager
def _drawing() -> Iterator[None]:
    """While something is drawn and written: matplotlib's settings are those of all its threads."""
    import matplotlib

    told = logging.getLogger("matplotlib.font_manager")
    with _lock, matplotlib.rc_context(_settings()):
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


def _stated(chart: Chart, statements: Statements, made: date | None) -> bytes:
    """What must be known of the rows: title, caption, warnings, statements as a table and in full."""
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


def _json(statements: Statements) -> dict[str, Any]:
    return {label: statement_to_json(statement) for label, statement in statements.items()}
