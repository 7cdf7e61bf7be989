"""What a report is made of (sections of paragraphs, tables, pictures), as Markdown and as one HTML page that
asks nobody for anything."""

from __future__ import annotations

import base64
import html as markup
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import chart_of, notes, set_tables
from privgraph_workbench.figures.chart import Row, narrows
from privgraph_workbench.figures.export import below, pictures
from privgraph_workbench.page_html import PAGE
from privgraph_workbench.words.markup import literal, unbroken


@dataclass(frozen=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """`marked`: a report tells its warnings in full elsewhere, and a short mark stands above it; `chosen`: it
    is one of the report's own figures, and stands large in print."""

    figure: str
    rows: Sequence[Row]
    marked: bool = False
    chosen: bool = False


@dataclass(frozen=True)
class Code:
    """`title`: it is long, and folded below these words where it can be."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Warned:
    """A warning in a box of its own, below what it is of in bold."""

    text: str
    title: str = "Careful"


@dataclass(frozen=True)
class Remark:
    """What a person wrote, with the marks of Markdown: paragraphs, points, tables, emphasis, code, links."""

    text: str


@dataclass(frozen=True)
class Small:
    """What is kept for the record, such as the settings of a figure: last, and in small letters."""

    text: str


@dataclass(frozen=True)
class Folded:
    """Words and tables that only some readers want, and no pictures: folded below a title where that can be
    done."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, kw_only=True)
class Images:
    """A picture without its title and what stands around it: SVG on light and on dark, and PNG for
    print, narrow where it is legible that way."""

    light: bytes
    dark: bytes
    pixels: bytes


Draw = Callable[[Picture, Mapping[str, PrivacyStatement]], Images]


def around(picture: Picture, statements: Mapping[str, PrivacyStatement]) -> tuple[list[str], list[Block]]:
    """What stands around a picture, in the letters of its page: warnings above it; below it what its marks
    are, and the statements behind it."""
    chart = chart_of(picture.figure, picture.rows)
    shared, said, left = notes.stated(statements)
    rest = "1 more statement: it stands" if left == 1 else f"{left} more statements: they stand"
    more = [f"And {rest} in the files of this figure."] if left else []
    rows = tuple((name, *values) for name, values in said)
    head = (f"Behind it, {shared}" if shared else "Behind it", *notes.COLUMNS[1:])
    stated: Block = Table(head, rows) if rows else notes.NO_STATEMENT
    said_once = [] if not picture.marked else notes.subtracted(statements)
    under = [one for one in below(chart, picture.rows, statements) if one not in said_once]
    told = [one if isinstance(one, str) else Table(one[0], one[1:]) for one in set_tables.tabled(under)]
    warned = notes.mark(chart.badges, statements) if picture.marked else list(chart.badges)
    return warned, [*told, stated, *more]


def drawn(picture: Picture, statements: Mapping[str, PrivacyStatement]) -> Images:
    """The picture itself."""
    given = picture.figure, picture.rows, statements
    narrow = narrows(chart_of(picture.figure, picture.rows))  # else print has it as the page
    light = pictures(*given, ("svg",) if narrow else ("svg", "png"), titled=False)
    dark = pictures(*given, ("svg",), "dark", titled=False)
    printed = pictures(*given, ("png",), titled=False, narrow=True) if narrow else light
    return Images(light=light["svg"], dark=dark["svg"], pixels=printed["png"])


Block = str | list[str] | Table | Picture | Code | Warned | Remark | Small | Folded
"""A paragraph, a list of points, or one of the above."""


@dataclass
class Section:
    """`deep`: it is one of several below the section before it."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    deep: bool = False


Told = Sequence[tuple[Section, Mapping[str, PrivacyStatement]]]
"""Sections, each with the statements that its pictures carry."""


def page(title: str, told: Told, draw: Draw = drawn, *, listed: bool = False, under: str = "") -> str:
    """Sections as one HTML page; `under`: a line below its title; below the first a list of the others, where
    they are to be `listed`."""
    parts, entries = [], contents(told) if listed else []
    listing = ""
    if len(entries) > 1:
        links = "".join(
            f'<li><a href="#part-{place}">{markup.escape(unbroken(title))}</a></li>' for place, title in entries
        )
        listing = f'<nav aria-label="Contents"><p><strong>Contents</strong></p><ol>{links}</ol></nav>'
    for place, (section, statements) in enumerate(told):
        level = 3 if section.deep else 2
        parts.append(f'<section id="part-{place}"><h{level}>{markup.escape(unbroken(section.title))}</h{level}>')
        parts += [as_html(block, statements, draw) for block in section.blocks]
        parts.append("</section>")
        if not place:
            parts.append(listing)
    parts[:0] = [f'<p class="small">{escaped(under)}</p>'] * bool(under)
    return PAGE.replace("{title}", markup.escape(title)).replace("{body}", "\n".join(parts))


def contents(told: Told) -> list[tuple[int, str]]:
    """The places and titles of the sections that a list of contents names: all that are not below another,
    but the first, below which it stands."""
    return [(place, section.title) for place, (section, _) in enumerate(told) if place and not section.deep]


def as_markdown(block: Block) -> str:
    """A block as Markdown."""
    if isinstance(block, list):
        return "\n".join(f"- {literal(point)}" for point in block)
    if isinstance(block, Table):
        head, *rows = (f"| {' | '.join(map(literal, line))} |" for line in (block.head, *block.rows))
        return "\n".join((head, f"|{' --- |' * len(block.head)}", *rows))
    if isinstance(block, Picture):
        chart = chart_of(block.figure, block.rows)
        return literal(" ".join([chart.summary, *(f"({badge}.)" for badge in chart.badges)]))
    if isinstance(block, Remark):
        return without_tags(block.text)
    if isinstance(block, Small):
        return literal(block.text)
    if isinstance(block, Code):
        return "\n\n".join([f"{block.title}:"] * bool(block.title) + [f"```\n{block.text}\n```"])
    if isinstance(block, Folded):
        return "\n\n".join([f"{literal(block.title)}:", *map(as_markdown, block.blocks)])
    return f"> **{literal(block.title)}.** {literal(block.text)}" if isinstance(block, Warned) else literal(block)


def as_html(block: Block, statements: Mapping[str, PrivacyStatement], draw: Draw = drawn) -> str:
    """A block as HTML; `statements` go into its pictures."""
    if isinstance(block, list):
        return f"<ul>{''.join(f'<li>{escaped(point)}</li>' for point in block)}</ul>"
    if isinstance(block, Table):
        named = any(block.head)
        head = f"<thead><tr>{''.join(f'<th>{escaped(one)}</th>' for one in block.head)}</tr></thead>" if named else ""
        body = "".join(f"<tr>{_cells(row, block.head)}</tr>" for row in block.rows)
        wide = ' class="wide"' if named and len(block.head) > 2 else ""
        return f"<table{wide}>{head}<tbody>{body}</tbody></table>"
    if isinstance(block, Picture):
        chart = chart_of(block.figure, block.rows)
        said = markup.escape(" ".join([chart.summary, *(f"({badge}.)" for badge in chart.badges)]), quote=True)
        made = draw(block, statements)
        warned, told = around(block, statements)
        above = "".join(f'<p class="warned">⚠ {escaped(one)}</p>' for one in warned)
        under = "".join(as_html(one, statements, draw) for one in told)
        light, dark = (f"data:image/svg+xml;base64,{base64.b64encode(one).decode()}" for one in (made.light, made.dark))
        return (
            f'{above}<div class="figure" tabindex="0"><picture>'
            f'<source media="screen and (prefers-color-scheme: dark)" srcset="{dark}">'
            f'<img alt="{said}" src="{light}"></picture></div><div class="under">{under}</div>'
        )
    if isinstance(block, Remark):
        return _written(block.text)
    if isinstance(block, Small):
        return f'<p class="small">{escaped(block.text)}</p>'
    if isinstance(block, Code):
        written = f"<pre><code>{markup.escape(block.text)}</code></pre>"
        return (
            f"<details><summary>{markup.escape(block.title)}</summary>{written}</details>" if block.title else written
        )
    if isinstance(block, Folded):
        inside = "".join(as_html(one, statements, draw) for one in block.blocks)
        return f"<details><summary>{escaped(block.title)}</summary>{inside}</details>"
    if isinstance(block, Warned):
        return f'<p class="careful"><strong>{markup.escape(block.title)}.</strong> {escaped(block.text)}</p>'
    return f"<p>{escaped(block)}</p>"


_WHOLE = re.compile(r"<[^>]*>|[εδ] (?:[=≤] )?[\d.,]*\d(?:e-\d+)?|\d+e-\d+")


def escaped(text: str) -> str:
    """The text as HTML, in which no number is broken at the end of a line.

    >>> escaped("<b> at δ = 1e-05")
    '&lt;b&gt; at <span class="whole">δ = 1e-05</span>'
    """
    return _unbroken(markup.escape(text))


def _unbroken(html: str) -> str:
    """HTML with the numbers in its text kept whole; tags, and addresses in them, are left as they are."""
    return _WHOLE.sub(lambda one: one[0] if one[0][0] == "<" else f'<span class="whole">{one[0]}</span>', html)


_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (_BOLD, r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"\[([^\[\]]+)\]\((https?://[^\s()]+)\)"), r'<a rel="noreferrer" href="\2">\1</a>'),
)
_POINT = re.compile(r"[-*] +")
_RULE = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_ESCAPED = re.compile(r"`[^`]+`|\\([!-/:-@\[-`{-~])")
_SET_ASIDE = 0xE000  # letters of nobody's alphabet
_ASIDE = re.compile("[\ue021-\ue07e]")


def _table_of(part: str) -> Table | None:
    """A paragraph that is a table of Markdown, its cells as plain text; None for all else.

    >>> _table_of("| a | b |\\n| --- | --- |\\n| 1 \\\\| 2 | **3** |")
    Table(head=('a', 'b'), rows=(('1 | 2', '3'),))
    """
    lines = [line.strip() for line in part.strip().split("\n")]
    if len(lines) < 3 or not _RULE.fullmatch(lines[1]) or not all(re.fullmatch(r"\|.*\|", one) for one in lines):
        return None
    cells = [
        tuple(unmarked(cell.strip()) for cell in re.split(r"(?<!\\)\|", line[1:-1])) for line in (lines[0], *lines[2:])
    ]
    head, *rows = cells
    return Table(head, tuple(rows)) if all(len(row) == len(head) for row in rows) else None


def parts_of(text: str) -> list[str | list[str] | Table]:
    """A remark's paragraphs, lists of points and tables, with the marks that stand within a line.

    >>> parts_of("One\\nand *more*:\\n- a\\n- b\\ngoes on\\n\\nThe end.")
    ['One and *more*:', ['a', 'b goes on'], 'The end.']
    """
    found: list[str | list[str] | Table] = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if (table := _table_of(part)) is not None:
            found.append(table)
            continue
        here: list[str | list[str]] = []
        for line in (line.strip() for line in part.split("\n")):
            point, last = _POINT.match(line), here[-1] if here else None
            said = line[point.end() :] if point else line
            if point and isinstance(last, list):
                last.append(said)
            elif point:
                here.append([said])
            elif isinstance(last, list):  # a point goes on in the next line
                last[-1] = f"{last[-1]} {said}"
            elif last is not None:
                here[-1] = f"{last} {said}"
            elif said:
                here.append(said)
        found += here
    return found


def without_tags(text: str) -> str:
    """A remark as Markdown in which nothing is HTML.

    >>> without_tags("**All** of <nothing> & more: 1 > 0")
    '**All** of &lt;nothing> &amp; more: 1 > 0'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _aside(text: str) -> str:
    """Text of which letters that no mark is read from, for a backslash stands before them, are set aside."""
    text = text.replace("\u2060", "")  # for Streamlit alone
    return _ESCAPED.sub(lambda found: chr(_SET_ASIDE + ord(found[1])) if found[1] else found[0], text)


def _again(text: str) -> str:
    """Text with the letters that were set aside."""
    return _ASIDE.sub(lambda found: chr(ord(found[0]) - _SET_ASIDE), text)


def unmarked(text: str) -> str:
    r"""A line of a remark without its marks; a link is followed by its address.

    >>> unmarked("**All** of `it`, see [the paper](https://example.org)")
    'All of it, see the paper (https://example.org)'
    >>> unmarked(r"a \*star\* and `C:\_x`")
    'a *star* and C:\\_x'
    """
    text = _aside(text)
    for mark, tag in _INLINE:
        text = mark.sub(r"\1 (\2)" if r"\2" in tag else r"\1", text)
    return _again(text)


def spans_of(text: str) -> list[tuple[str, bool]]:
    """A line of a remark in pieces without marks, each with whether it is bold.

    >>> spans_of("**All** of `it`, in **two words**")
    [('All', True), (' of it, in ', False), ('two words', True)]
    """
    pieces = _BOLD.split(_aside(text))
    return [(unmarked(piece), place % 2 == 1) for place, piece in enumerate(pieces) if piece]


def _written(text: str) -> str:
    """A remark as HTML. All that is HTML in it is text; only what is listed in `Remark` becomes markup."""

    def said(line: str) -> str:
        line = markup.escape(_aside(line))
        for mark, tag in _INLINE:
            line = mark.sub(tag, line)
        return _unbroken(_ASIDE.sub(lambda found: markup.escape(_again(found[0])), line))

    def part_of(part: str | list[str] | Table) -> str:
        if isinstance(part, Table):
            return as_html(part, {})
        if isinstance(part, str):
            return f"<p>{said(part)}</p>"
        return f"<ul>{''.join(f'<li>{said(one)}</li>' for one in part)}</ul>"

    return "".join(map(part_of, parts_of(text)))


_LONG = re.compile(r"(?<![\w.+-])[\w.+-]{15,}")


def _cells(row: Sequence[str], head: Sequence[str]) -> str:
    """Cells, each with the name of its column, which a narrow page has no row for. A long word may be broken,
    so that a table is no wider than its page."""
    said = (_LONG.sub(r'<span class="long">\g<0></span>', escaped(cell)) for cell in row)
    names = (markup.escape(name, quote=True) for name in head)
    return "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in zip(names, said, strict=True))
