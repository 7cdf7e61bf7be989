"""The archive of a report, and its page alone."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunRecord, plain
from privgraph_workbench import blocks, latex, printing, repeating, report, report_notebook, tables
from privgraph_workbench.blocks import Images, Picture, Remark, Section
from privgraph_workbench.figures import chart_of, export
from privgraph_workbench.reporting import (
    behind,
    cited,
    columns,
    findings,
    leaving,
    references,
    seedless,
    snippets,
)
from privgraph_workbench.reporting.asked import Asked, Drawn, Told, named_runs
from privgraph_workbench.reporting.chapters import Chapter, chapters_of, figures_of, words_of
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.reporting.file_names import beside_names
from privgraph_workbench.reporting.first_page import (
    BEHIND,
    Together,
    all_settings,
    beside,
    few,
    figure,
    first_page,
    lines_of,
    opening,
    remark,
    what_to_take,
)
from privgraph_workbench.reporting.ready import ready
from privgraph_workbench.words.bibliography import bibtex
from privgraph_workbench.words.bibliography import references as papers_of
from privgraph_workbench.words.meaning import NO_EDGE
from privgraph_workbench.words.naming import describe, hides_edges_alone, moved
from privgraph_workbench.words.statements import without_edges

FILES: Mapping[str, str] = {
    "report.html": "everything on one page that opens without a network; begin here",
    "report.pdf": "the same for print",
    "figures/": "each figure as SVG and PNG, for LaTeX as PDF with a short caption, and what it finds as comments "
    "(TEX), its numbers as CSV and JSON, what it states as text",
    "tables/": "all settings as LaTeX (runs.tex) and CSV (settings.csv), the runs behind them (runs.csv), and levels "
    "that figures draw beside them (references.csv)",
    "statements/": "the privacy statement of each setting in full, as text with its runs, and as JSON; figure-...: of "
    "settings that stand in figures alone; ...-audited and ...-not-audited: where audits or attacks have shown a bound "
    "of some of its runs (-2, -3: another bound)",
    "references.bib": "the papers behind the methods, attacks and data sets, for BibTeX",
    "reproduce.sh": "the commands for every run and attack behind tables, figures and references; not for others",
    "report.ipynb": "an executed notebook that draws the figures again from their CSV, with the table and statements",
}
"""What an archive holds, and what it is for."""
REPRODUCED = (
    "# Every run and attack behind tables, figures and references: what exists in the store already is not made again."
)
IN_FIGURES = "in figures alone"
AUDITED, NOT_AUDITED = "audited", "not-audited"
"""How the names of a setting's statements end, where it has several."""
MOST_LATELY = 40
"""Pictures of pages that are remembered."""
DRAWN = 0.85
"""Of the work on a report, the share that is done before a notebook is executed."""
NAME = 60
"""Letters of its name at most."""
REFERENCES = "References"
APPENDIX = (
    "Each setting in full: what was run and came out, what its guarantee says, where the budget went, what attacks "
    "found, and how to repeat it."
)
WORDS_ALONE = "What the words of this report mean, and with which versions it was made."
"""What stands in an appendix where no setting has a chapter."""
CAPTIONED = ("pdf",)
"""Files of figures that stand above the caption of their TEX file, which says what others say themselves."""
_TIME = (1980, 1, 1, 0, 0, 0)


Step = Callable[[float, str], None]
"""What is told while a report is made: how much of it is done, from 0 to 1, and what comes now."""


def build(asked: Asked, step: Step = lambda done, what: None) -> bytes:
    """The archive. Whatever `step` raises ends it. Raises `OptionError` where a notebook is wanted without
    Jupyter."""
    asked, together = ready(asked)
    if asked.notebook:
        report_notebook.needed()
    files = dict(_files(asked, together, step))
    if asked.notebook:
        step(DRAWN, "the notebook is executed")
        files["report.ipynb"] = report_notebook.made(
            asked.title,
            remark(asked.remark),
            files,
            papers_of(cited.of(asked)),
            _told_of(asked),
            by=", ".join(filter(None, (asked.author.strip(), asked.date.strip()))),
            under=leaving.UNDER[asked.share],
        )
    files = {"README.txt": _contents(asked, files), **files}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # a fixed time: equal reports are equal archives
            entry = zipfile.ZipInfo(f"{folder(asked.title, share=asked.share)}/{name}", date_time=_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    step(1.0, "done")
    return packed.getvalue()


def folder(title: str, *, share: bool) -> str:
    """What the archive and the folder in it are called: the title in letters that every system has in names,
    and whom it is for.

    >>> folder("What privacy costs: ε ≤ 2?", share=True), folder("?", share=False)
    ('what-privacy-costs-2-for-others', 'report-for-myself')
    """
    name = re.sub(r"[^a-z0-9]+", "-", title.lower())[:NAME].strip("-") or "report"
    return f"{name}-{leaving.NAMES[share].replace(' ', '-')}"


def pictures(asked: Asked) -> int:
    """How many figures the report draws: by them it takes its time."""
    return len(asked.shown) + (len(figures_of(chapters_of(asked))) if asked.appendix else 0)


def _files(asked: Asked, together: Together, step: Step) -> Iterator[tuple[str, bytes]]:
    chapters = chapters_of(asked)
    told = _sections(asked, chapters, together)
    figures = _drawn_as(asked, chapters)
    shown = _shown(told)
    parts = len(shown) + len(figures) + 1
    draw = _drawing(shown, lambda place, what: step(DRAWN * place / parts, what))
    step(DRAWN * len(shown) / parts, "the page and its print")
    yield "report.html", _page(asked, told, draw).encode()
    yield (
        "report.pdf",
        printing.pdf(
            asked.title,
            told,
            draw,
            asked.author.strip(),
            whom=leaving.NAMES[asked.share],
            under=leaving.WHOSE[asked.share],
        ),
    )
    papers = cited.of_figures(figures, chapters)
    for place, (name, one) in enumerate(figures.items(), start=1):
        step(DRAWN * (len(shown) + place) / parts, f"figure {place} of {len(figures)} as files")
        given = one.figure, one.rows, one.statements
        for kind, content in export.files(*given, whole=False, title=one.name, captioned=CAPTIONED).items():
            yield f"figures/{name}.{kind}", _named_so(kind, content, one)
        yield f"figures/{name}.tex", snippets.of(name, one, papers[name]).encode()
    if asked.runs:
        settings = all_settings(asked, chapters)
        yield "tables/runs.csv", tables.as_csv(lines_of(asked))
        yield "tables/settings.csv", tables.settings_csv(settings)
        if levels := references.levels(chapters):
            yield "tables/references.csv", tables.written(references.rows(levels, share=asked.share))
        yield "tables/runs.tex", latex.table(settings, cite=True, alone=beside_names(asked)).encode()
    for name, label, said, runs in _statements(asked, chapters):
        text = without_edges(statement_text(said)) if NO_EDGE in label else statement_text(said)
        yield f"statements/{name}.txt", f"{label}\nRuns: {', '.join(runs)}.\n{text}\n".encode()
        yield f"statements/{name}.json", _json(statement_to_json(said))
    if names := cited.of(asked):
        yield "references.bib", bibtex(names).encode()
    if not asked.share and (asked.runs or asked.beside):
        every, lines = behind.with_references(asked), behind.commands(asked)
        attacked = any(f"\nprivgraph {what} " in lines for what in ("attack", "audit"))
        holds = repeating.head([one.record for one in every], attacked=attacked)
        head = f"#!/bin/sh\n# privgraph {version('privgraph')}\n{repeating.INSTALLED}\n{REPRODUCED}\n{holds}\nset -e\n"
        yield "reproduce.sh", f"{head}{lines}\n".encode()


def _statements(asked: Asked, chapters: Sequence[Chapter]) -> Iterator[tuple[str, str, PrivacyStatement, list[str]]]:
    """Each statement once: the name of its files, of which setting it is, and of which of its runs: all, but
    for what audits of them have shown."""
    named = {id(one): f"{name} (seed {one.seed})" for name, one in named_runs(asked).items()}
    for chapter in chapters:
        held: dict[PrivacyStatement, list[str]] = {}
        for one in chapter.runs:
            if one.record.statement is not None:
                held.setdefault(one.record.statement, []).append(named[id(one)])
        _add(held, chapter.runs[0], {one.record.id for one in chapter.runs})
        yield from _files_of(chapter.name, chapter.runs[0].record, _in_order(held, asked))
    for name, one in beside_names(asked).items():
        held = {}
        if (stated := one.record.statement) is not None:
            held[stated] = [f"{one.record.id} (seed {one.seed})"]
            _add(held, one, {one.record.id})
            held = {said: [*runs, IN_FIGURES] for said, runs in _in_order(held, asked).items()}
            yield from _files_of(name, one.record, held)


def _in_order(held: Mapping[PrivacyStatement, list[str]], asked: Asked) -> dict[PrivacyStatement, list[str]]:
    """For others runs stand as they are numbered, and statements by their first: an order by seeds tells of
    them."""
    if not asked.share:
        return dict(held)
    ordered = {said: sorted(runs, key=seedless.number_of) for said, runs in held.items()}
    return dict(sorted(ordered.items(), key=lambda one: seedless.number_of(one[1][0])))


def _add(held: dict[PrivacyStatement, list[str]], first: Told, told: Container[str]) -> None:
    """The other runs behind a mean, each below its own statement: what an audit has shown belongs to its run
    alone."""
    for one in first.same:
        if one.id not in told and (said := one.statement) is not None:
            held.setdefault(said, []).append(f"{one.id} (seed {first.seeds[one.id]})")


def _files_of(
    name: str, first: RunRecord, held: Mapping[PrivacyStatement, list[str]]
) -> Iterator[tuple[str, str, PrivacyStatement, list[str]]]:
    """The statements of one setting; where there are several, named by whether attacks or audits have shown a
    bound of their runs."""
    about = f" {NO_EDGE}" if hides_edges_alone(first) else ""
    options = "".join(f", {one}" for one in moved(first))
    label = f"{describe(first)}, {first.spec.split} split{options}.{about} {repeating.again(first)}"
    count: dict[str, int] = {}
    for said, runs in held.items():
        which = f"{name}-{NOT_AUDITED if said.epsilon_audited is None else AUDITED}" if len(held) > 1 else name
        count[which] = count.get(which, 0) + 1
        yield f"{which}-{count[which]}" if count[which] > 1 else which, label, said, runs


Shown = tuple[Picture, Mapping[str, PrivacyStatement]]
"""A picture of the page, with the statements that it carries."""


def _shown(told: blocks.Told) -> list[Shown]:
    return [(block, held) for section, held in told for block in section.blocks if isinstance(block, Picture)]


def _drawing(shown: Sequence[Shown], step: Callable[[int, str], None]) -> blocks.Draw:
    """Draw all pictures of the page; what gives each of them then. What was drawn for a page lately is not
    drawn again: who has looked at it takes the same one away."""
    images: dict[int, Images] = {}
    for place, (block, held) in enumerate(shown):
        step(place, f"figure {place + 1} of {len(shown)} on the page")
        content = repr((block.figure, list(block.rows), list(held.items())))
        mark = hashlib.sha256(content.encode()).hexdigest()
        made = _LATELY.get(mark) or blocks.drawn(block, held)
        _LATELY[mark] = images[id(block)] = made
        for old in list(_LATELY)[:-MOST_LATELY]:
            _LATELY.pop(old, None)
    return lambda block, _: images[id(block)]


_LATELY: dict[str, Images] = {}
"""Pictures of pages by what they show."""


def _contents(asked: Asked, files: Mapping[str, bytes]) -> bytes:
    """What lies in the archive, for whoever opens it."""
    held = {name: said for name, said in FILES.items() if any(one.startswith(name) for one in files)}
    wide = max(map(len, held)) + 2
    lines = [f"{name.ljust(wide)}{said}" for name, said in held.items()]
    lines += ["", f"{BEHIND} {Counts.of(asked).words}."] if asked.runs or asked.beside else []
    lines += ["", _numbered(asked), "", leaving.told()] if asked.share else []
    lines += ["", *columns.told(files, {f"figures/{name}.csv": one.figure for name, one in _drawn_as(asked).items()})]
    return "\n".join(
        [asked.title, "", leaving.UNDER[asked.share], "", *lines, "", f"Made by privgraph {version('privgraph')}.", ""]
    ).encode()


def _numbered(asked: Asked) -> str:
    """What runs are called where their ids, which tell seeds, are left out."""
    count = len(asked.runs)
    own = (
        "run-01 is the run of this report"
        if count == 1
        else f"run-01 to run-{count:02d} are the runs of this report in its order"
    )
    other = "those with {} stand behind means and in figures alone, setting by setting in the order of their results."
    told = f"{own}; {other.format('higher numbers')}" if count else f"Runs {other.removeprefix('those ')}"
    seeds = "Seeds are numbered within each setting (#1): equal numbers of two settings are not equal seeds."
    return f"{told.format('any number')} A run has the same number in every file. {seeds}"


def _named_so(kind: str, content: bytes, one: Drawn) -> bytes:
    """What is stated of a figure (TXT, JSON), under the title and caption that it has in the report and with
    the settings that it was drawn at; all else as it is."""
    title, own = one.name, one.sentence
    if kind == "json":
        told = json.loads(content)
        settings = findings.settings(one)
        about = {"figure": told.pop("figure"), **({"settings": settings} if settings else {})}
        return _json({**about, **told, "title": title, **({"caption": own} if own else {})})
    if kind == "txt":
        _, _, rest = content.decode().partition("\n")
        author = f"{findings.AUTHOR} {own}" if own else ""
        return "\n".join([title, *filter(None, [author, findings.about(one)]), rest]).encode()
    return content


def _named(asked: Asked) -> dict[str, Drawn]:
    return {f"{place:02d}-{one.figure}": one for place, one in enumerate(asked.figures, start=1)}


def _drawn_as(asked: Asked, chapters: Sequence[Chapter] | None = None) -> dict[str, Drawn]:
    """Every figure that has files, by the name of these: those that were chosen, and those of the
    chapters."""
    held = chapters_of(asked) if chapters is None else chapters
    return _named(asked) | (figures_of(held) if asked.appendix else {})


def _told_of(asked: Asked) -> dict[str, report_notebook.About]:
    """What the notebook says of each figure of the archive, by the name of its files."""
    named = {name: (f"Figure {place}: {one.name}", one) for place, (name, one) in enumerate(_named(asked).items(), 1)}
    taken = {name: what_to_take(one, asked.figures[:place]) for place, (name, one) in enumerate(_named(asked).items())}
    for chapter in chapters_of(asked) if asked.appendix else ():
        drawn = figures_of([chapter]).items()
        named |= {name: (f"{chapter.title}: {chart_of(one.figure, one.rows).title}", one) for name, one in drawn}
    return {
        f"figures/{name}": report_notebook.About(
            figure=one.figure,
            title=title,
            found=findings.lead(one),
            warned=snippets.warning(one.figure, one.rows, one.statements),
            advice=taken.get(name, ""),
            **_axes(one),
        )
        for name, (title, one) in named.items()
    }


def _axes(one: Drawn) -> dict[str, str]:
    """What the axes of its first panel are called."""
    panel = next(iter(chart_of(one.figure, one.rows).panels), None)
    return {} if panel is None else {"across": panel.x.title, "up": panel.y.title}


def _json(value: Any) -> bytes:
    return f"{json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False)}\n".encode()


def _sections(asked: Asked, chapters: Sequence[Chapter], together: Together) -> blocks.Told:
    """What the report says, in order, each section with the statements that its pictures carry."""
    head = opening(asked, chapters, together)
    found: list[tuple[Section, Mapping[str, PrivacyStatement]]] = [(head, {})] if head else []
    for place, one in enumerate(asked.figures, start=1):
        found.append((figure(place, one, asked.figures[: place - 1]), one.statements))
    found.append((first_page(asked, chapters, together), {}))
    if (alone := beside(asked, chapters)) is not None:
        found.append((alone, {}))
    papers = papers_of(cited.of(asked))
    listed: list[tuple[Section, Mapping[str, PrivacyStatement]]] = [(Section(REFERENCES, [papers]), {})] * bool(papers)
    if not asked.appendix:
        return [*found, *listed]
    found.append((Section("Appendix", [APPENDIX if chapters else WORDS_ALONE]), {}))
    if words := words_of(asked, chapters):
        found.append((words, {}))
    for chapter in chapters:
        found.append((Section(chapter.title), {}))
        first, *others = chapter.sections
        if not few(chapters) and (said := chapter.runs[0].said):
            first = replace(first, blocks=[Remark(said), *first.blocks])
        found += [(replace(section, deep=True), chapter.statements) for section in (first, *others)]
    return [*found, *listed, (report.libraries_in_short(), {})]


def page(asked: Asked, step: Step = lambda done, what: None) -> str:
    """The report as one HTML page that needs no network. Whatever `step` raises ends it."""
    told = sections(asked)
    shown = _shown(told)
    draw = _drawing(shown, lambda place, what: step(place / len(shown), what))
    return _page(asked, told, draw)


def sections(asked: Asked) -> blocks.Told:
    """What its page says, in order; for others without what tells seeds."""
    asked, together = ready(asked)
    return _sections(asked, chapters_of(asked), together)


def _page(asked: Asked, told: blocks.Told, draw: blocks.Draw) -> str:
    return blocks.page(asked.title, told, draw, listed=True, under=leaving.WHOSE[asked.share])
