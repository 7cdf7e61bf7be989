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
from importlib.metadata import version
from typing import Any

from privgraph.options import nearest
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import plain
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.figures.drawing.fitting import families
from privgraph_workbench.figures.flags import Flag, of_statements
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
_LENGTH = re.compile(rb"(?<![\w.#])-?\d+\.\d{4,}(?![\w.])")
"""A number of an SVG with more decimals than anybody sees."""
_ATTRIBUTE = re.compile(rb'"[^"<>]*"')
# How text is written into an SVG is a setting of the whole of matplotlib: one file at a time.
_lock = threading.RLock()


def export(
    figure: str,
    rows: Sequence[Row],
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
    if kind == "txt":
        return _stated(figure, rows, statements, made)
    if kind == "json":
        return _text(record(figure, rows, statements, made)).encode()
    return pictures(figure, rows, statements, (kind,), theme, made=made)[kind]


def files(
    figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], title: str = ""
) -> dict[str, bytes]:
    """The figure in every format; `title`: what stands above its pictures ("": its own)."""
    made = pictures(figure, rows, statements, PICTURES, title=title)
    return {kind: made.get(kind) or export(figure, rows, statements, kind) for kind in FORMATS}


def record(
    figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], made: date | None = None
) -> dict[str, Any]:
    """The figure as plain JSON values."""
    chart = _chart(figure, rows, statements)
    return {
        "figure": figure,
        "title": chart.title,
        "caption": chart.caption,
        "warnings": {flag.value: flag.sentence for flag in chart.flags},
        "rows": plain(list(rows)),
        "statements": {label: statement_to_json(statement) for label, statement in statements.items()},
        "versions": {name: version(name) for name in ("privgraph", "matplotlib", "numpy")},
        **({} if made is None else {"made": made.isoformat()}),
    }


def _chart(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], title: str = "") -> Chart:
    """The chart with the flags of its statements."""
    chart = figure_of(figure).chart(rows)
    flags: list[Flag] = [*of_statements(statements), *chart.flags]
    return replace(chart, title=title or chart.title, flags=tuple(dict.fromkeys(flags)))


def pictures(
    figure: str,
    rows: Sequence[Row],
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
    stated = _text({label: statement_to_json(statement) for label, statement in statements.items()}, indent=None)
    said = " ".join(" ".join([chart.caption, *(flag.sentence for flag in chart.flags), *lines]).split())
    files = {}
    with drawing(families(" ".join([chart.title, said, *statements]))):
        drawn: Any = draw(chart, theme, lines)
        for kind in kinds:
            written = io.BytesIO()
            drawn.savefig(written, format=kind, dpi=DPI, metadata=_metadata(kind, chart.title, said, stated, made))
            files[kind] = _renamed(written.getvalue()) if kind == "svg" else written.getvalue()
    return files


@contextmanager
def drawing(fonts: Sequence[str] = ()) -> Iterator[None]:
    """While something is drawn and written, in these fonts: matplotlib's settings are those of all its
    threads."""
    import matplotlib

    from privgraph_workbench.figures.drawing.with_matplotlib import SETTINGS

    more = {"font.family": list(fonts)} if fonts else {}
    told = logging.getLogger("matplotlib.font_manager")
    with _lock, matplotlib.rc_context({**SETTINGS, **more}):
        level = told.level
        told.setLevel(
            logging.ERROR if len(fonts) > 1 else level
        )  # such a font is there in one weight, and that is known
        try:
            yield
        finally:
            told.setLevel(level)


def _shorter(found: re.Match[bytes]) -> bytes:
    return b"%.3f" % float(found[0])


def _renamed(svg: bytes) -> bytes:
    """Clip paths numbered in their order, and lengths to a thousandth of a point: coordinates differ in their
    last bit from one drawing to the next, and matplotlib writes them, and names made of them, to more digits
    than that leaves."""
    about, end, drawing = svg.partition(b"</metadata>")  # what it says of itself keeps every digit
    svg = about + end + _ATTRIBUTE.sub(lambda one: _LENGTH.sub(_shorter, one[0]), drawing)
    names = dict.fromkeys(re.findall(rb'<clipPath id="(p[0-9a-f]{10})"', svg))
    for place, name in enumerate(names):
        svg = svg.replace(b'id="%s"' % name, b'id="clip%d"' % place).replace(
            b"url(#%s)" % name, b"url(#clip%d)" % place
        )
    return svg


def _metadata(kind: str, title: str, said: str, stated: str, made: date | None) -> dict[str, Any]:
    creator, day = f"privgraph {version('privgraph')}", None if made is None else made.isoformat()
    if kind == "svg":
        return {
            "Title": title,
            "Description": f"{said} Privacy statements: {stated}",
            "Creator": creator,
            "Date": day,
            "Language": "en",
        }
    if kind == "pdf":
        created = None if made is None else datetime.combine(made, time(), UTC)
        return {"Title": title, "Subject": said, "Keywords": stated, "Creator": creator, "CreationDate": created}
    told = {"Title": title, "Description": said, "Privacy statements": stated, "Software": creator}
    return told if day is None else {**told, "Creation Time": day}


def _csv(rows: Sequence[Row]) -> bytes:
    """The rows under the names of their columns, and nothing else."""
    written = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(written, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)
    return written.getvalue().encode()


def _stated(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], made: date | None) -> bytes:
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


def _text(value: object, indent: int | None = 1) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
