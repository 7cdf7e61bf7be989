"""Several runs and figures as one report: a zip archive that is read without a network.

Holds one HTML file and a PDF, every figure as SVG, PDF, PNG, CSV (with its statement beside it) and JSON,
tables as LaTeX and CSV, BibTeX of the papers, every privacy statement in full, the commands that reproduce
the runs, and an executed notebook.
Equal runs, figures and words give equal bytes. What only an evaluator may see is said on the first page.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
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
from privgraph_workbench import blocks, printing, report
from privgraph_workbench.blocks import Picture, Remark, Section, Table, Warned
from privgraph_workbench.facts.plans import command_line
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.export import FORMATS, export
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.figures.runs import compare, curves, tradeoff
from privgraph_workbench.withheld import Withheld
from privgraph_workbench.words.attacks import with_bounds
from privgraph_workbench.words.bibliography import bibtex
from privgraph_workbench.words.naming import run_labels, statements_of
from privgraph_workbench.words.numbers import percent
from privgraph_workbench.words.statements import three_numbers

TITLE, REMARK = 200, 20_000
"""Letters of a title and of a remark, at most."""
MOST_COMPARED = 6
EVALUATOR = (
    "This report holds numbers for an evaluator's eyes: accuracies are measured on private labels, and no guarantee "
    "covers them. Whoever publishes it publishes these as well."
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


def _attacked(run: Told) -> dict[str, PrivacyStatement]:
    """The statement of a run with what the attacks on it have shown."""
    return statements_of([run.record], lambda _, own: with_bounds(own, run.attacks))


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
                    statements=_attacked(one),
                )
            )
    return [one for one in found if one.rows]


def build(asked: Asked) -> bytes:
    """The archive. Raises `OptionError` where a notebook is wanted and Jupyter is not installed."""
    asked = _without_seeds(asked) if asked.share else asked
    files = dict(_files(asked))
    if asked.notebook:
        files["report.ipynb"] = _notebook(asked, files)
    files = {"README.txt": _contents(asked.title, files), **files}
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
    yield "report.pdf", printing.pdf(asked.title, _sections(asked))
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


def _contents(title: str, files: Mapping[str, bytes]) -> bytes:
    """What lies in the archive, for whoever opens it."""
    held = {name: said for name, said in FILES.items() if any(one.startswith(name) for one in files)}
    wide = max(map(len, held)) + 2
    lines = [f"{name.ljust(wide)}{said}" for name, said in held.items()]
    return "\n".join([title, "", *lines, "", f"Made by privgraph {version('privgraph')}.", ""]).encode()


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
    told: list[blocks.Block] = [Warned(EVALUATOR)] if _evaluator(asked) else []
    if not asked.share:
        told.append(Warned(report.SECRET))
    if asked.remark.strip():
        told.append(Remark(asked.remark))
    if asked.runs:
        told.append(_table(asked))
    return Section("What is reported", told)


def _sections(asked: Asked) -> list[tuple[Section, Mapping[str, PrivacyStatement]]]:
    """What the report says, in order, each section with the statements that its pictures carry."""
    found: list[tuple[Section, Mapping[str, PrivacyStatement]]] = [(_first(asked), {})]
    for place, one in enumerate(asked.figures, start=1):
        chart = chart_of(one.figure, one.rows)
        section = Section(f"Figure {place}: {chart.title}", [Picture(one.figure, one.rows), chart.summary])
        found.append((section, one.statements))
    labels = run_labels([one.record for one in asked.runs], privacy_too=True)
    for label, told in zip(labels, asked.runs, strict=True):
        found.append((Section(label), {}))
        found += [
            (replace(section, deep=True), statements_of([told.record]))
            for section in report.sections(told.record, told.events, told.attacks, asked.share)
        ]
    return [*found, (report.libraries(), {})]


def page(asked: Asked) -> str:
    """The report as one HTML page that needs no network."""
    return _page(_without_seeds(asked) if asked.share else asked)


def _page(asked: Asked) -> str:
    return blocks.page(asked.title, _sections(asked))


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
