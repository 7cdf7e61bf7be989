"""Several runs and figures as one report: a zip archive that is read without a network.

Holds one HTML file and a PDF, every figure as SVG, PDF, PNG, CSV (with its statement beside it) and JSON,
tables as LaTeX and CSV, BibTeX of the papers, every privacy statement in full, the commands that reproduce
the runs, and an executed notebook.
Equal runs, figures and words give equal bytes. What only an evaluator may see is said on the first page.
"""

from __future__ import annotations

import csv
import html as markup
import io
import json
import tempfile
import textwrap
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunRecord, StoredEvent, plain
from privgraph_workbench import report
from privgraph_workbench.facts.plans import command_line
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.export import FORMATS, export
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.runs import compare, curves, tradeoff
from privgraph_workbench.report import Code, Picture, Section, Table, Warned
from privgraph_workbench.withheld import Withheld
from privgraph_workbench.words.bibliography import bibtex
from privgraph_workbench.words.naming import run_labels, statements_of
from privgraph_workbench.words.numbers import percent
from privgraph_workbench.words.statements import three_numbers

TITLE, REMARK = 200, 20_000
"""Letters of a title and of a remark, at most."""
MOST_COMPARED = 6
WIDTH, LINES = 96, 58
"""Of a page of text in the PDF: letters of a line, and lines."""
EVALUATOR = (
    "This report holds numbers for an evaluator's eyes: accuracies are measured on private labels, and no guarantee "
    "covers them. Whoever publishes it publishes these as well."
)
NO_NOTEBOOK = "an executed notebook needs privgraph[notebooks]: pip install 'privgraph[notebooks]', or leave it out"
_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Told:
    """A run with what it told, and the attacks on it."""

    record: RunRecord
    events: Sequence[StoredEvent] = ()
    attacks: Sequence[AttackRecord] = ()


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure of the report: its name, rows, and the statements behind it, by label."""

    figure: str
    rows: Sequence[Row]
    statements: Mapping[str, PrivacyStatement] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What goes into a report, in order. `share` leaves out what tells seeds. Raises `OptionError` for a
    title or a remark that is too long, and where there is nothing to report."""

    title: str
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
        if len(self.remark) > REMARK:
            raise OptionError(f"the remark of a report has at most {REMARK:,} letters (got {len(self.remark):,})")


def usual(runs: Sequence[Told]) -> list[Drawn]:
    """The figures of runs that nobody chose figures for: the trade-off and a comparison of several, the
    attacks on them, and of a single run its curves and its ledger."""
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
        if len(runs) == 1:
            found.append(Drawn(figure="curves", rows=curves.data(one.events), statements=statements_of([one.record])))
            if said is not None and said.ledger:
                found.append(
                    Drawn(
                        figure="ledger",
                        rows=ledger.data(said.ledger, said.delta),
                        statements=statements_of([one.record]),
                    )
                )
        if one.attacks:
            names = [f"{label}: {attack.title}" for attack in one.attacks]
            units = ["none" if said is None else said.unit] * len(names)
            found.append(
                Drawn(
                    figure="attack_roc",
                    rows=attack_roc.data(one.attacks, "log", names, units),
                    statements=statements_of([one.record]),
                )
            )
    return [one for one in found if one.rows]


def build(asked: Asked) -> bytes:
    """The archive. Raises `OptionError` where a notebook is wanted and Jupyter is not installed."""
    asked = _without_seeds(asked) if asked.share else asked
    files = dict(_files(asked))
    if asked.notebook:
        files["report.ipynb"] = _notebook(asked, files)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=_TIME)  # a fixed time: equal reports are equal archives
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def _without_seeds(asked: Asked) -> Asked:
    """What is reported, without what tells seeds."""
    hidden = Withheld()
    return replace(
        asked,
        runs=[
            replace(
                one,
                record=hidden.record(one.record),
                attacks=[replace(attack, run=hidden.text(attack.run)) for attack in one.attacks],
            )
            for one in asked.runs
        ],
        figures=[
            replace(one, rows=hidden.rows(one.rows), statements=hidden.labelled(one.statements))
            for one in asked.figures
        ],
    )


def _files(asked: Asked) -> Iterator[tuple[str, bytes]]:
    yield "report.html", _page(asked).encode()
    yield "report.pdf", _pdf(asked)
    for name, one in (_named(asked) | _of_runs(asked)).items():
        for kind in FORMATS:
            yield f"figures/{name}.{kind}", export(one.figure, one.rows, one.statements, kind)
    if asked.runs:
        table = _table(asked)
        yield "tables/runs.csv", _csv(table)
        yield "tables/runs.tex", _latex(table).encode()
    for name, told in _runs(asked).items():
        if told.record.statement is not None:
            said = told.record.statement
            yield f"statements/{name}.txt", f"{statement_text(said)}\n".encode()
            yield f"statements/{name}.json", _json(statement_to_json(said))
    names = [name for one in asked.runs for name in (one.record.spec.method, *(a.attack for a in one.attacks))]
    if names:
        yield "references.bib", bibtex(names).encode()
    if asked.runs and not asked.share:
        commands = "\n".join(command_line(one.record.spec) for one in asked.runs)
        yield "reproduce.sh", f"#!/bin/sh\n# privgraph {version('privgraph')}\nset -e\n{commands}\n".encode()


def _named(asked: Asked) -> dict[str, Drawn]:
    return {f"{place:02d}-{one.figure}": one for place, one in enumerate(asked.figures, start=1)}


def _of_runs(asked: Asked) -> dict[str, Drawn]:
    """The figures of the runs' own chapters, those that were chosen left out: each is a file once."""
    chosen = [(one.figure, list(one.rows)) for one in asked.figures]
    return {
        f"{name}-{block.figure}": Drawn(figure=block.figure, rows=block.rows, statements=statements_of([told.record]))
        for name, told in _runs(asked).items()
        for section in report.sections(told.record, told.events, told.attacks, asked.share)
        for block in section.blocks
        if isinstance(block, Picture) and (block.figure, list(block.rows)) not in chosen
    }


def _runs(asked: Asked) -> dict[str, Told]:
    """Runs by the names of their files."""
    return {f"run-{place:02d}" if asked.share else one.record.id: one for place, one in enumerate(asked.runs, start=1)}


def _json(value: Any) -> bytes:
    return f"{json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False)}\n".encode()


# Tables


def _table(asked: Asked) -> Table:
    """A line for each run: what was run, the three epsilons, and what came out."""
    labels = run_labels([one.record for one in asked.runs], privacy_too=True)
    rows = []
    for label, one in zip(labels, asked.runs, strict=True):
        said = one.record.statement
        numbers = [value for _, value in three_numbers(said)] if said is not None else ["", "", ""]
        rows.append(
            (
                label,
                said.unit if said is not None else one.record.spec.unit,
                *numbers,
                "" if said is None else f"{said.delta:.2g}",
                percent(one.record.metrics.get("test_accuracy")),
            )
        )
    head = ("Run", "Protects", "Sound epsilon", "Epsilon as published", "Epsilon audited", "Delta", "Test accuracy")
    return Table(head, tuple(rows))


def _csv(table: Table) -> bytes:
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(table.head)
    writer.writerows(table.rows)
    return written.getvalue().encode()


_ESCAPED = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "—": "---",
    **{"ε": r"$\varepsilon$", "δ": r"$\delta$", "σ": r"$\sigma$", "λ": r"$\lambda$", "∞": r"$\infty$"},
    **{"≥": r"$\geq$", "·": r"$\cdot$", "₁": "$_1$", "₂": "$_2$"},
}


def _latex(table: Table) -> str:
    """A tabular environment with booktabs' rules."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(_ESCAPED.get(letter, letter) for letter in cell) for cell in cells) + r" \\"

    body = "\n".join(map(line, table.rows))
    columns = "l" * 2 + "r" * (len(table.head) - 2)
    return (
        f"% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{line(table.head)}\n\\midrule\n"
        f"{body}\n\\bottomrule\n\\end{{tabular}}\n"
    )


# Pages


def _evaluator(asked: Asked) -> bool:
    return any(one.record.metrics for one in asked.runs) or any(badges_of(one.rows) for one in asked.figures)


def _first(asked: Asked) -> Section:
    """The first page: what only an evaluator may see, the remark, and all runs in a table."""
    blocks: list[report.Block] = [Warned(EVALUATOR)] if _evaluator(asked) else []
    if not asked.share:
        blocks.append(Warned(report.SECRET))
    if asked.remark.strip():
        blocks.append(report.Remark(asked.remark))
    if asked.runs:
        blocks.append(_table(asked))
    return Section("What is reported", blocks)


def _sections(asked: Asked) -> Iterator[tuple[Section, Drawn | None]]:
    """What the report says, in order; a section of a figure comes with it."""
    yield _first(asked), None
    for place, one in enumerate(asked.figures, start=1):
        chart = chart_of(one.figure, one.rows)
        yield Section(f"Figure {place}: {chart.title}", [Picture(one.figure, one.rows), chart.summary]), one
    labels = run_labels([one.record for one in asked.runs], privacy_too=True)
    for label, told in zip(labels, asked.runs, strict=True):
        for section in report.sections(told.record, told.events, told.attacks, asked.share):
            yield (
                Section(f"{label}: {section.title}", section.blocks),
                Drawn(figure="", rows=(), statements=statements_of([told.record])),
            )


def page(asked: Asked) -> str:
    """The report as one HTML page that needs no network."""
    return _page(_without_seeds(asked) if asked.share else asked)


def _page(asked: Asked) -> str:
    parts = []
    for section, one in _sections(asked):
        statements = dict(one.statements) if one is not None else {}
        parts.append(f"<section><h2>{markup.escape(section.title)}</h2>")
        parts += [report.as_html(block, statements) for block in section.blocks]
        parts.append("</section>")
    return report.PAGE.replace("{title}", markup.escape(asked.title)).replace("{body}", "\n".join(parts))


def _pdf(asked: Asked) -> bytes:
    """Pages of text, and a page for each figure."""
    # matplotlib takes as long to import as a page to draw: only who takes a report away waits for it
    import matplotlib
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    from privgraph_workbench.figures.drawing.with_matplotlib import SETTINGS, draw

    written = io.BytesIO()
    about = {"Title": asked.title, "Creator": f"privgraph {version('privgraph')}", "CreationDate": None}
    with matplotlib.rc_context(SETTINGS), PdfPages(written, metadata=about) as pages:
        lines = [asked.title, "=" * min(len(asked.title), WIDTH), ""]
        for section, one in _sections(asked):
            lines += ["", section.title, "-" * min(len(section.title), WIDTH)]
            for block in section.blocks:
                if isinstance(block, Picture):
                    continue
                lines += ["", *_plain(block)]
            if one is not None and one.figure:
                _pages(pages, Figure, lines)
                lines = []
                chart = chart_of(one.figure, one.rows)
                pages.savefig(draw(chart, "light", list(chart.notes)))
        _pages(pages, Figure, lines)
    return written.getvalue()


def _pages(pages: Any, figure: Any, lines: Sequence[str]) -> None:
    """Text on as many pages as it takes, A4."""
    for start in range(0, len(lines), LINES):
        page = figure(figsize=(8.27, 11.69))
        text = "\n".join(lines[start : start + LINES])
        page.text(0.07, 0.95, text, family="DejaVu Sans Mono", fontsize=8, va="top", ha="left", parse_math=False)
        pages.savefig(page)


def _plain(block: report.Block) -> list[str]:
    """A block as lines of text."""
    if isinstance(block, Table):
        widths = [max(len(row[place]) for row in (block.head, *block.rows)) for place in range(len(block.head))]
        if sum(widths) + 2 * len(widths) <= WIDTH:
            shown = [row for row in (block.head, *block.rows) if any(row)]
            return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in shown]
        lines: list[str] = []  # a wide table is told line by line
        for row in block.rows:
            told = "; ".join(
                f"{name}: {cell}" if name else cell for name, cell in zip(block.head, row, strict=True) if cell
            )
            lines += textwrap.wrap(told, WIDTH, subsequent_indent="  ")
        return lines
    if isinstance(block, Code):
        return [piece for line in block.text.split("\n") for piece in (textwrap.wrap(line, WIDTH) or [""])]
    if isinstance(block, list):
        return [piece for point in block for piece in textwrap.wrap(f"- {point}", WIDTH, subsequent_indent="  ")]
    if isinstance(block, report.Remark):
        return [piece for line in block.text.strip().split("\n") for piece in (textwrap.wrap(line, WIDTH) or [""])]
    text = f"CAREFUL: {block.text}" if isinstance(block, Warned) else str(block)
    return textwrap.wrap(text, WIDTH)


# The notebook


_ROWS = (
    'rows = list(csv.reader(Path("tables/runs.csv").open(encoding="utf-8")))\n'
    'lines = ["| " + " | ".join(row) + " |" for row in rows]\n'
    'Markdown("\\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]))'
)


def _notebook(asked: Asked, files: Mapping[str, bytes]) -> bytes:
    """A notebook that reads the files of the report and shows them, executed beside them."""
    try:
        nbformat: Any = import_module("nbformat")
        from nbclient import NotebookClient
    except ModuleNotFoundError:
        raise OptionError(NO_NOTEBOOK) from None
    cells = [
        ("markdown", f"# {asked.title}\n\n{asked.remark}".strip()),
        ("code", "import csv\nfrom pathlib import Path\n\nfrom IPython.display import SVG, Markdown"),
        *([("code", _ROWS)] if asked.runs else []),
        *(("code", f'SVG(filename="figures/{name}.svg")') for name in _named(asked)),
        *(
            ("code", f'print(Path("{name}").read_text(encoding="utf-8"))')
            for name in files
            if name.startswith("statements/") and name.endswith(".txt")
        ),
    ]
    made = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        cells=[
            nbformat.v4.new_markdown_cell(text) if kind == "markdown" else nbformat.v4.new_code_cell(text)
            for kind, text in cells
        ],
    )
    for place, cell in enumerate(made.cells):
        cell["id"] = f"cell-{place:03d}"  # made up at random otherwise
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        NotebookClient(made, timeout=300, kernel_name="python3", record_timing=False).execute(cwd=folder)
    return f"{nbformat.writes(made)}\n".encode()
