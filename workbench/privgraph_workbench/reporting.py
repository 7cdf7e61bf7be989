"""Several runs and figures as one report: a zip archive that is read without a network.

Holds one HTML file and a PDF, every figure as SVG, PDF, PNG, CSV (with its statement beside it) and JSON,
tables as LaTeX and CSV, BibTeX of the papers, every privacy statement in full, the commands that reproduce
the runs, and an executed notebook.
Equal runs, figures and words give equal bytes. What only an evaluator may see is said on the first page.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunRecord, StoredEvent, Unreadable, plain
from privgraph.runs.store import RunStore
from privgraph_workbench import blocks, printing, report, report_notebook, tables
from privgraph_workbench.blocks import Images, Picture, Remark, Section, Warned
from privgraph_workbench.facts import composition, placing
from privgraph_workbench.facts.plans import command_line
from privgraph_workbench.figures import chart_of, export
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.runs import compare, standing, tradeoff
from privgraph_workbench.forms.beginnings import called
from privgraph_workbench.report import unaudited
from privgraph_workbench.withheld import Withheld
from privgraph_workbench.words.attacks import with_bounds
from privgraph_workbench.words.bibliography import bibtex, named_in
from privgraph_workbench.words.naming import nodes_of, run_labels, setting, statements_of

TITLE, AUTHOR, DATE, REMARK = 200, 200, 40, 20_000
"""Letters of a title, of who wrote it and when, and of a remark, at most."""
MOST_COMPARED = 6
EVALUATOR = (
    "This report holds numbers for an evaluator's eyes: accuracies are measured on private labels, and no guarantee "
    "covers them. Where a statement takes labels to be public, it does not protect them, and so covers no accuracy "
    "either. Whoever publishes this report publishes these numbers as well."
)
FILES: Mapping[str, str] = {
    "report.html": "everything on one page that opens without a network; begin here",
    "report.pdf": "the same for print",
    "figures/": "each figure as SVG, PDF and PNG, its numbers as CSV and JSON, and what it states as text",
    "tables/": "all runs in a table, as LaTeX and CSV",
    "statements/": "the privacy statement of each run in full, as text and JSON",
    "references.bib": "the papers behind the methods and attacks, for BibTeX",
    "reproduce.sh": "the commands that make the same runs; left out where seeds are",
    "report.ipynb": "an executed notebook that shows the tables, figures and statements",
}
"""What an archive holds, and what it is for."""
MOST_LATELY = 40
"""Pictures of pages that are remembered."""
DRAWN = 0.85
"""Of the work on a report, the share that is done before a notebook is executed."""
_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Told:
    """A run with what it told, the attacks on it, and the finished runs of its setting, itself among them.
    `stands`: the rows of where its accuracy stands; `said`: the run in a sentence or two, in Markdown."""

    record: RunRecord
    events: Sequence[StoredEvent] = ()
    attacks: Sequence[AttackRecord] = ()
    same: Sequence[RunRecord] = ()
    stands: Sequence[Row] = ()
    said: str = ""


def told_of(store: RunStore, record: RunRecord) -> Told:
    """All that the store holds of a run; attacks that another version kept are left out."""
    try:
        attacks = store.attacks(record.id)
    except Unreadable:
        attacks = []
    known, same = placing.outlook(store, record)
    return Told(
        record=record,
        events=store.events(record.id),
        attacks=attacks,
        same=same,
        stands=standing.data(record, same, known),
        said=placing.sentence(record, called(record.spec), nodes_of(record), known, same),
    )


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure of the report: its name, rows, and the statements behind it, by label."""

    figure: str
    rows: Sequence[Row]
    statements: Mapping[str, PrivacyStatement] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What goes into a report, in order. `date` is what its author says: nothing is dated by itself, so that
    equal reports are equal bytes. `share` leaves out what tells seeds. Raises `OptionError` for words that
    are too long, and where there is nothing to report."""

    title: str
    author: str = ""
    date: str = ""
    remark: str = ""
    runs: Sequence[Told]
    figures: Sequence[Drawn] = ()
    share: bool = False
    notebook: bool = True

    def __post_init__(self) -> None:
        if not self.runs and not self.figures:
            raise OptionError("a report needs at least one run or figure")
        if not 0 < len(self.title.strip()) <= TITLE:
            raise OptionError(f"the title of a report has 1 to {TITLE} letters (got {len(self.title.strip())})")
        for name, most in (("author", AUTHOR), ("date", DATE), ("remark", REMARK)):
            if len(told := getattr(self, name)) > most:
                raise OptionError(f"the {name} of a report has at most {most:,} letters (got {len(told):,})")


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """What is said of the runs of one setting. `name`: what its files begin with."""

    title: str
    name: str
    runs: Sequence[Told]
    sections: Sequence[Section]

    @property
    def statements(self) -> dict[str, PrivacyStatement]:
        """What the pictures of the chapter carry."""
        return statements_of([one.record for one in self.runs])


def _attacked(run: Told) -> dict[str, PrivacyStatement]:
    """The statement of a run with what the attacks on it have shown."""
    return statements_of([run.record], lambda _, own: with_bounds(own, run.attacks))


def usual(runs: Sequence[Told]) -> list[Drawn]:
    """The figures of runs that nobody chose figures for: the trade-off and a comparison of several, and the
    attacks on each. What shows a run alone stands in its chapter."""
    records = [one.record for one in runs]
    found: list[Drawn] = []
    if len(records) > 1:
        found.append(Drawn(figure="tradeoff", rows=tradeoff.data(records), statements=statements_of(records)))
        found.append(
            Drawn(
                figure="compare",
                rows=compare.data(records[:MOST_COMPARED]),
                statements=statements_of(records[:MOST_COMPARED]),
            )
        )
    for one, label in zip(runs, run_labels(records), strict=True):
        said = one.record.statement
        if one.attacks:
            names = [f"{label}: {attack.title}" for attack in one.attacks]
            units = ["none" if said is None else said.unit] * len(names)
            found.append(
                Drawn(
                    figure="attack_roc",
                    rows=attack_roc.data(one.attacks, "log", names, units),
                    statements=_attacked(one),
                )
            )
    return [one for one in found if one.rows]


Step = Callable[[float, str], None]
"""What is told while a report is made: how much of it is done, from 0 to 1, and what comes now."""


def build(asked: Asked, step: Step = lambda done, what: None) -> bytes:
    """The archive. Whatever `step` raises ends it. Raises `OptionError` where a notebook is wanted without
    Jupyter."""
    asked = _without_seeds(asked) if asked.share else asked
    if asked.notebook:
        report_notebook.needed()
    files = dict(_files(asked, step))
    if asked.notebook:
        step(DRAWN, "the notebook is executed")
        files["report.ipynb"] = report_notebook.made(asked.title, asked.remark, files)
    files = {"README.txt": _contents(asked, files), **files}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=_TIME)  # a fixed time: equal reports are equal archives
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    step(1.0, "done")
    return packed.getvalue()


def _without_seeds(asked: Asked) -> Asked:
    """What is reported, without what tells seeds."""
    hidden = Withheld()
    for one in asked.runs:  # run 1 is the report's first, and its seed is #1
        hidden.meet(one.record)
    return replace(
        asked,
        runs=[
            replace(
                one,
                record=hidden.record(one.record),
                stands=hidden.rows(one.stands),
                said=hidden.text(one.said),
                attacks=[replace(attack, run=hidden.text(attack.run)) for attack in one.attacks],
            )
            for one in asked.runs
        ],
        figures=[
            replace(one, rows=hidden.rows(one.rows), statements=hidden.labelled(one.statements))
            for one in asked.figures
        ],
    )


def _files(asked: Asked, step: Step) -> Iterator[tuple[str, bytes]]:
    chapters = _chapters(asked)
    told = _sections(asked, chapters)
    figures = _named(asked) | _of_runs(chapters)
    shown = _shown(told)
    parts = len(shown) + len(figures) + 1
    draw = _drawing(shown, lambda place, what: step(DRAWN * place / parts, what))
    step(DRAWN * len(shown) / parts, "the page and its print")
    yield "report.html", blocks.page(asked.title, told, draw).encode()
    yield "report.pdf", printing.pdf(asked.title, told, draw, asked.author.strip())
    for place, (name, one) in enumerate(figures.items(), start=1):
        step(DRAWN * (len(shown) + place) / parts, f"figure {place} of {len(figures)} as files")
        for kind, content in export.files(one.figure, one.rows, one.statements).items():
            yield f"figures/{name}.{kind}", content
    if asked.runs:
        yield "tables/runs.csv", tables.as_csv(_lines(asked))
        yield "tables/runs.tex", tables.as_latex(_lines(asked)).encode()
    for name, run in _runs(asked).items():
        if run.record.statement is not None:
            said = run.record.statement
            yield f"statements/{name}.txt", f"{statement_text(said)}\n".encode()
            yield f"statements/{name}.json", _json(statement_to_json(said))
    if names := _cited(asked):
        yield "references.bib", bibtex(names).encode()
    if asked.runs and not asked.share:
        commands = "\n".join(command_line(one.record.spec) for one in asked.runs)
        yield "reproduce.sh", f"#!/bin/sh\n# privgraph {version('privgraph')}\nset -e\n{commands}\n".encode()


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


def _cited(asked: Asked) -> list[str]:
    """The methods and attacks whose papers are behind the report: those of its runs and figures, and what its
    statements name."""
    names = [name for one in asked.runs for name in (one.record.spec.method, *(a.attack for a in one.attacks))]
    names += [str(row["method"]) for one in asked.figures for row in one.rows if row.get("method")]
    said = {one.record.statement for one in asked.runs} | {
        held for one in asked.figures for held in one.statements.values()
    }
    return [*names, *named_in("\n".join(sorted(statement_text(one) for one in said if one is not None)))]


def _contents(asked: Asked, files: Mapping[str, bytes]) -> bytes:
    """What lies in the archive, for whoever opens it."""
    held = {name: said for name, said in FILES.items() if any(one.startswith(name) for one in files)}
    wide = max(map(len, held)) + 2
    lines = [f"{name.ljust(wide)}{said}" for name, said in held.items()]
    lines += ["", _numbered(asked)] if asked.share else []
    return "\n".join([asked.title, "", *lines, "", f"Made by privgraph {version('privgraph')}.", ""]).encode()


def _numbered(asked: Asked) -> str:
    """What runs are called where their ids, which tell seeds, are left out."""
    count = len(asked.runs)
    own = (
        "Run 1 is the run of this report (files run-01). "
        if count == 1
        else f"Run 1 to run {count} are the runs of this report in its order (files run-01 to run-{count:02d}). "
    )
    other = "Runs are numbered, because their ids tell seeds; runs with {} stand in figures alone."
    return (own if count else "") + other.format("higher numbers" if count else "any number")


def _chapters(asked: Asked) -> list[Chapter]:
    """A chapter for each setting; a figure that was chosen is named, and not drawn again."""
    named, labels = _runs(asked), run_labels([one.record for one in asked.runs], privacy_too=True)
    held: dict[tuple[object, ...], list[str]] = {}
    for name, one in named.items():
        said = one.record.statement
        alike = setting(one.record), one.record.state, one.record.error, None if said is None else unaudited(said)
        held.setdefault(alike, []).append(name)
    firsts = [named[names[0]].record for names in held.values()]
    together = run_labels(firsts, privacy_too=True, seeds=False)
    return [
        Chapter(
            title=f"{label}: {len(names)} runs" if len(names) > 1 else labels[list(named).index(names[0])],
            name=names[0] if len(names) == 1 else f"setting-{place:02d}",
            runs=[named[name] for name in names],
            sections=[
                replace(section, blocks=[_once(asked, block) for block in section.blocks])
                for section in report.sections(
                    [_reported(named[name], several=len(names) > 1, share=asked.share) for name in names], asked.share
                )
            ],
        )
        for place, (label, names) in enumerate(zip(together, held.values(), strict=True), start=1)
    ]


def _reported(one: Told, *, several: bool, share: bool) -> report.Reported:
    """A run for its chapter, with a name where it has `several`."""
    short = one.record.id if share else f"seed {one.record.spec.seed}"
    return report.Reported(
        record=one.record,
        events=one.events,
        attacks=one.attacks,
        stands=one.stands,
        name=short if several else "",
    )


def _once(asked: Asked, block: blocks.Block) -> blocks.Block:
    for place, one in enumerate(asked.figures, start=1):
        if isinstance(block, Picture) and (block.figure, list(block.rows)) == (one.figure, list(one.rows)):
            return f"See Figure {place}."
    return block


def _named(asked: Asked) -> dict[str, Drawn]:
    return {f"{place:02d}-{one.figure}": one for place, one in enumerate(asked.figures, start=1)}


def _of_runs(chapters: Sequence[Chapter]) -> dict[str, Drawn]:
    """The figures of the runs' own chapters."""
    return {
        f"{chapter.name}-{block.figure}": Drawn(
            figure=block.figure,
            rows=[{**row, "run": chapter.name} if row.get("run") == "" else row for row in block.rows],
            statements=chapter.statements,
        )
        for chapter in chapters
        for section in chapter.sections
        for block in section.blocks
        if isinstance(block, Picture)
    }


def _runs(asked: Asked) -> dict[str, Told]:
    """Runs by the names of their files."""
    return {f"run-{place:02d}" if asked.share else one.record.id: one for place, one in enumerate(asked.runs, start=1)}


def _json(value: Any) -> bytes:
    return f"{json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False)}\n".encode()


def _lines(asked: Asked) -> list[tables.Line]:
    """The runs as lines of the table."""
    labels = run_labels([one.record for one in asked.runs], privacy_too=True)
    return [
        tables.Line(name=name, label=label, record=one.record, same=one.same, seed=not asked.share)
        for label, (name, one) in zip(labels, _runs(asked).items(), strict=True)
    ]


# Pages


def _evaluator(asked: Asked) -> bool:
    return any(one.record.metrics for one in asked.runs) or any(badges_of(one.rows) for one in asked.figures)


def _first(asked: Asked, chapters: Sequence[Chapter]) -> Section:
    """The first page: who wrote it, what only an evaluator may see, the remark, each setting in words, and
    all runs in a table, with what they cost together."""
    by = ", ".join(filter(None, (asked.author.strip(), asked.date.strip())))
    told: list[blocks.Block] = [by] if by else []
    if asked.remark.strip():
        told.append(Remark(asked.remark))
    told += [Warned(EVALUATOR)] if _evaluator(asked) else []
    if not asked.share:
        told.append(Warned(report.SECRET))
    if said := [one.runs[0].said for one in chapters if one.runs[0].said]:
        told.append("What was run:")
        told.append(Remark("\n".join(f"- {one}" for one in said)))
    if asked.runs:
        table, *below = tables.blocks(_lines(asked))
        together = composition.together([one.record for one in asked.runs])
        told += [table, *([Remark(together)] if together else []), *below]
    return Section("What is reported", told)


def _sections(asked: Asked, chapters: Sequence[Chapter]) -> blocks.Told:
    """What the report says, in order, each section with the statements that its pictures carry."""
    found: list[tuple[Section, Mapping[str, PrivacyStatement]]] = [(_first(asked, chapters), {})]
    for place, one in enumerate(asked.figures, start=1):
        chart = chart_of(one.figure, one.rows)
        section = Section(f"Figure {place}: {chart.title}", [Picture(one.figure, one.rows), chart.summary])
        found.append((section, one.statements))
    for chapter in chapters:
        found.append((Section(chapter.title), {}))
        found += [(replace(section, deep=True), chapter.statements) for section in chapter.sections]
    return [*found, (report.libraries(), {})]


def page(asked: Asked, step: Step = lambda done, what: None) -> str:
    """The report as one HTML page that needs no network. Whatever `step` raises ends it."""
    asked = _without_seeds(asked) if asked.share else asked
    told = _sections(asked, _chapters(asked))
    shown = _shown(told)
    return blocks.page(asked.title, told, _drawing(shown, lambda place, what: step(place / len(shown), what)))
