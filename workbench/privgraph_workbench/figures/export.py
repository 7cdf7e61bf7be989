"""Figures as files: SVG, PDF, PNG, CSV and JSON, with their privacy statements. No network, no browser.

Pictures print the three epsilons, unit and delta below the drawing and carry the whole statements as
metadata (SVG: title and description; PDF: document information; PNG: text chunks). A CSV holds the rows and
nothing else (of curves, without what is the same in all of them), so that every program reads it: what it
states is the text file that belongs beside it. The same rows and statements give the same bytes,
on the same day where the caller says which day it is.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import threading
import zipfile
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
from privgraph_workbench.figures import chart_of, module_of, set_tables
from privgraph_workbench.figures import notes as figures_notes
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.figures.drawing.letters import SANS, further
from privgraph_workbench.words.markup import capital
from privgraph_workbench.words.statements import without_edges

FORMATS: Mapping[str, str] = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "csv": "text/csv",
    "txt": "text/plain",
    "json": "application/json",
}
"""Every format, with its media type; `txt` is what belongs beside a CSV."""

SAME = "word for word."
"""Of a statement that is that of another setting as well."""
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
    titled: bool = True,
    whole: bool = True,
    made: date | None = None,
) -> bytes:
    """The figure of that name as a file of that format.

    `statements` by label (such as a run's name); empty where no run is behind the figure, and the file then
    says that nothing is guaranteed. A picture that is not `titled` is for a page that says its title and
    warnings above it, and notes and statements below; in its metadata it has them nevertheless.
    Below a picture that is not `whole` stand how it is read (`Chart.reading`), protected unit, epsilons and
    delta alone (`notes.short`): the
    rest is in the `txt` file and in its metadata. `made`: the day on which somebody takes it away, which a
    file that must be the same whenever it is made does not have.
    Raises `ValueError` for an unknown figure, format or theme.
    """
    if kind not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)} (got {kind}){nearest(kind, FORMATS)}")
    if kind == "csv":
        return _csv(table(figure, rows))
    if kind == "txt":
        return _stated(figure, rows, statements, made)
    if kind == "json":
        return _text(record(figure, rows, statements, made)).encode()
    return pictures(figure, rows, statements, (kind,), theme, titled=titled, whole=whole, made=made)[kind]


def files(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    *,
    whole: bool = True,
    title: str = "",
    captioned: Sequence[str] = (),
) -> dict[str, bytes]:
    """The figure in every format: the same bytes as one by one, in fewer drawings. `title`: what stands above
    its pictures ("": its own); `captioned`: the formats that somebody puts above a caption, which has title,
    warnings and what is stated in their place."""
    plain = [kind for kind in PICTURES if kind not in captioned]
    made = pictures(figure, rows, statements, plain, whole=whole, title=title)
    if captioned:
        made |= pictures(figure, rows, statements, captioned, whole=whole, title=title, titled=False)
    return {kind: made.get(kind) or export(figure, rows, statements, kind) for kind in FORMATS}


def table(figure: str, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows as a CSV has them: without what all share and is told in words, where a figure says so."""
    thinned = getattr(module_of(figure), "table", None)
    made: Sequence[Row] = rows if thinned is None else thinned(rows)
    return made


def record(
    figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], made: date | None = None
) -> dict[str, Any]:
    """The figure as plain JSON values: figure, title, summary, badges, notes, rows, statements, versions; and
    the day on which it was `made`, where that is known."""
    chart = chart_of(figure, rows)
    return {
        "figure": figure,
        "title": chart.title,
        "summary": chart.summary,
        "badges": [*figures_notes.warned(statements), *chart.badges, *figures_notes.badges(rows, statements)],
        "notes": [*chart.notes, *chart.beside],
        "rows": plain(list(rows)),
        "statements": {label: statement_to_json(statement) for label, statement in statements.items()},
        "versions": {name: version(name) for name in ("privgraph", "matplotlib", "numpy")},
        **({} if made is None else {"made": made.isoformat()}),
    }


def bundle(
    figures: Mapping[str, Sequence[Row]], statements: Mapping[str, PrivacyStatement], theme: str = "light"
) -> bytes:
    """A zip archive with every format of every figure (figure name -> rows)."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for figure, rows in figures.items():
            for kind in FORMATS:
                # A fixed time, so that equal figures give equal archives.
                entry = zipfile.ZipInfo(f"{figure}.{kind}", date_time=(1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, export(figure, rows, statements, kind, theme))
    return packed.getvalue()


def pictures(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    kinds: Sequence[str],
    theme: str = "light",
    *,
    titled: bool = True,
    whole: bool = True,
    narrow: bool = False,
    title: str = "",
    made: date | None = None,
) -> dict[str, bytes]:
    """The figure in those of the formats `PICTURES`, in one drawing. `narrow`: for half the width of a page,
    where it is legible there; `title`: what it is called ("": its own)."""
    chart = chart_of(figure, rows)
    chart = replace(chart, title=title or chart.title)
    notes = [*chart.notes, *chart.beside, *figures_notes.notes(rows, statements)]
    stated = _text({label: statement_to_json(statement) for label, statement in statements.items()}, indent=None)
    said = " ".join([chart.summary, *figures_notes.warned(statements), *chart.badges, *notes])
    files = {}
    with drawing(further(" ".join([chart.title, said, *statements]))):
        given = {"titled": titled, "whole": whole, "narrow": narrow}
        drawn: Any = drawn_of(figure, rows, statements, theme, title=title, **given) if kinds else None
        for kind in kinds:
            written = io.BytesIO()
            drawn.savefig(written, format=kind, dpi=DPI, metadata=_metadata(kind, chart.title, said, stated, made))
            files[kind] = _renamed(written.getvalue()) if kind == "svg" else written.getvalue()
    return files


@contextmanager
def drawing(fonts: Sequence[str] = ()) -> Iterator[None]:
    """While something is drawn and written: matplotlib's settings are those of all its threads. `fonts`:
    those of letters that its own lacks."""
    import matplotlib

    from privgraph_workbench.figures.drawing.with_matplotlib import SETTINGS

    more = {"font.family": [SANS, *fonts]} if fonts else {}
    told = logging.getLogger("matplotlib.font_manager")
    with _lock, matplotlib.rc_context({**SETTINGS, **more}):
        level = told.level
        told.setLevel(logging.ERROR if fonts else level)  # such a font is there in one weight, and that is known
        try:
            yield
        finally:
            told.setLevel(level)


def drawn_of(
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    theme: str,
    *,
    titled: bool,
    whole: bool = True,
    narrow: bool = False,
    title: str = "",
) -> Any:
    """The figure as matplotlib's, with what it states below it where it is `titled`, all of it or in a line;
    for use within `drawing`."""
    # matplotlib takes as long to import as a page to draw: only who takes a picture away waits for it
    from privgraph_workbench.figures.drawing.with_matplotlib import draw

    chart = chart_of(figure, rows)
    chart = replace(chart, title=title or chart.title)
    if not titled:
        return draw(replace(chart, badges=()), theme, titled=False, narrow=narrow)
    badges = (*figures_notes.warned(statements), *chart.badges)
    if not whole:
        warned = figures_notes.further(chart.badges, rows, statements)
        read = [chart.reading] if chart.reading else []
        return draw(replace(chart, badges=badges), theme, [*read, *warned, *figures_notes.short(statements)])
    beside, tables = set_tables.set_apart(chart.beside)
    notes = below(replace(chart, beside=tuple(beside)), rows, statements)
    stated = figures_notes.block(statements, figures_notes.ROOM, single=figures_notes.MOST_NOTES)
    return draw(replace(chart, badges=badges), theme, notes, [*tables, *stated])


def below(chart: Chart, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """What stands below a picture, a line each, above what it states."""
    return [
        *chart.notes,
        *chart.beside,
        *figures_notes.further(chart.badges, rows, statements),
        *figures_notes.told(statements),
    ]


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


def _by() -> str:
    """The program and its version."""
    return f"privgraph {version('privgraph')}"


def _metadata(kind: str, title: str, said: str, stated: str, made: date | None) -> dict[str, Any]:
    creator, day = _by(), None if made is None else made.isoformat()
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
    """What must be known of the rows: title, warnings, the statements as a table, and in words each sentence
    of them once; by which program, and when that is known. Their JSON is in the JSON file."""
    chart = chart_of(figure, rows)
    badges = [capital(one) for one in chart.badges]
    said = [chart.title, *figures_notes.warned(statements), *badges, chart.summary, *chart.notes, *chart.beside]
    said += figures_notes.badges(rows, statements)
    said += filter(None, [getattr(module_of(figure), "TABLE_TOLD", "")])  # of the columns of the CSV
    said.append(f"Made by {_by()}{'' if made is None else f' on {made.isoformat()}'}.")
    parts = ["\n".join(set_tables.as_text(said))]
    every = len(statements)
    parts.append("\n".join(figures_notes.block(statements, most=every)))
    parts.append("\n".join(figures_notes.told(statements, most=4 * every)))
    parts += _in_full(statements)
    return ("\n\n".join(filter(None, parts)) + "\n").encode()


def _in_full(statements: Mapping[str, PrivacyStatement]) -> Iterator[str]:
    """Each statement in words under its label; of one that differs from an earlier one in the content of
    lines alone, and in no more than half of them, these lines."""
    whole: dict[str, list[str]] = {}
    for label, statement in sorted(statements.items(), key=lambda one: figures_notes.natural(one[0])):
        text = statement_text(statement)
        said = (without_edges(text) if figures_notes.reads_no_edge(label) else text).split("\n")
        head = [label, "-" * len(label)] if label else []
        like = max(
            (name for name, told in whole.items() if _kinds(said) == _kinds(told)),
            key=lambda name: len(set(said) & set(whole[name])),
            default=None,
        )
        own = said if like is None else [_short(*two) for two in zip(said, whole[like], strict=True) if len({*two}) > 1]
        if like is None or len(own) > len(said) / 2:
            whole[label] = said
            yield "\n".join([*head, *said])
        else:
            yield "\n".join([*head, f"As {like}, {'with these lines in place of its own:' if own else SAME}", *own])


def _short(line: str, other: str) -> str:
    """A line that differs from another; of a gap that differs in its size alone its title and that."""
    told, mark, size = line.partition(" Size: ")
    title = told.partition(". ")[0]
    return f"{title}.{mark}{size}" if mark and other.startswith(f"{told}{mark}") else line


def _kinds(lines: Sequence[str]) -> list[str]:
    """What each line of a statement is about."""
    return [line.partition(":")[0] for line in lines]


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
