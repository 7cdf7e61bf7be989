"""A report as one zip archive: made twice from the same it is equal byte for byte. No Streamlit.

`python -m privgraph_workbench.report.archive IN.json OUT.zip` makes one in a process of its own: a line of
standard output is the share that is done.
"""

import base64
import io
import json
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.records import plain
from privgraph.runs.store import RunStore
from privgraph_workbench.figures import export
from privgraph_workbench.report import references
from privgraph_workbench.report.asked import Asked, clean
from privgraph_workbench.report.context import Context, context, full
from privgraph_workbench.report.notebook import notebook

FOLDER = Path(__file__).parent
HTML, PDF = "report.html", "report.pdf"
EPOCH = datetime(1980, 1, 1, tzinfo=UTC)
"""The date of every file, so that equal reports are equal bytes."""
_PAGES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def pack(asked: Asked, store: RunStore, step: Callable[[float], None] = lambda share: None) -> bytes:
    """Make the archive; `step` is told which share of it is done."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _files(asked, context(asked, store), step).items():
            entry = zipfile.ZipInfo(name, date_time=EPOCH.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    step(1.0)
    return packed.getvalue()


def _files(asked: Asked, told: Context, step: Callable[[float], None]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for place, one in enumerate(told.figures):
        step(place / (len(told.figures) + 1))
        made = export.files(one["figure"], one["rows"], one["statements"], one["title"])
        files |= {f"{one['file']}.{kind}": content for kind, content in made.items()}
    step(len(told.figures) / (len(told.figures) + 1))
    shown = _shown(told, files)
    files[HTML] = _PAGES.get_template("report.html.j2").render(shown).encode()
    files[PDF] = _pdf(shown)
    files["settings.csv"] = told.table.map(lambda one: export.cell(clean(one))).to_csv(index=False).encode()
    columns = [
        column.replace("%", r"\%").replace("ε", r"$\varepsilon$").replace("δ", r"$\delta$") for column in told.columns
    ]
    files["settings.tex"] = latex(columns, told.cells).encode()
    files["statements.json"] = _json({label: clean(statement_to_json(one)) for label, one in told.statements.items()})
    stated = "\n\n".join("\n".join([label, *lines]) for label, lines in full(told.statements).items())
    files["statements.txt"] = f"{stated}\n".encode()
    files["references.bib"] = references.bibtex(told.papers).encode()
    files["commands.sh"] = told.commands.encode()
    if asked.notebook:
        words = [*(told.words[name] for name in ("title", "author", "date")), *told.words["remarks"]]
        figures = [(one["figure"], f"{one['file']}.json") for one in told.figures]
        files["notebook.ipynb"] = notebook(words, told.settings, figures, stated)
    return files


def _shown(told: Context, files: dict[str, bytes]) -> dict[str, Any]:
    """What both templates read."""
    figures = [
        {
            **{name: one[name] for name in ("title", "caption", "alt", "evaluator")},
            "svg": files[f"{one['file']}.svg"].decode(),
            "uri": f"data:image/svg+xml;base64,{base64.b64encode(files[one['file'] + '.svg']).decode()}",
        }
        for one in told.figures
    ]
    return {
        **told.words,
        "columns": told.columns,
        "weights": [_weight(*one) for one in zip(told.columns, *told.cells, strict=True)],
        "cells": told.cells,
        "figures": figures,
        "statements": [*full(told.statements).items()],
        "references": references.references(told.papers),
    }


def _weight(heading: str, *cells: str) -> int:
    """How wide a column is beside others: by its longest cell, within bounds."""
    return max(*map(len, heading.split()), min(18, max(map(len, cells), default=0))) + 2


def _pdf(shown: dict[str, Any]) -> bytes:
    """The report as PDF; all that is not ours reaches the template as data."""
    import matplotlib
    import typst

    figures = [{name: text for name, text in one.items() if name != "uri"} for one in shown["figures"]]
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    made: bytes = typst.compile(
        str(FOLDER / "report.typ"),
        root=str(FOLDER),
        format="pdf",
        font_paths=[str(fonts)],
        sys_inputs={"context": json.dumps({**shown, "figures": figures})},
        timestamp=int(EPOCH.timestamp()),
    )
    return made


def latex(columns: list[str], cells: Any) -> str:
    """A table for LaTeX, whose cells are text."""
    import pandas as pd

    escaped = (
        pd.DataFrame(cells, columns=range(len(columns)), dtype="str").style.format(escape="latex").hide(axis="index")
    )
    text: str = escaped.relabel_index(columns, axis="columns").to_latex(hrules=True)
    return text


def _json(value: Any) -> bytes:
    return f"{json.dumps(plain(value), indent=1, ensure_ascii=False, allow_nan=False)}\n".encode()


def main(given: str, written: str) -> None:
    """Read what is asked, and write the archive, whole or not at all."""
    asked = Asked.read(json.loads(Path(given).read_text(encoding="utf-8")))
    draft = Path(f"{written}.part")
    draft.write_bytes(pack(asked, RunStore.open(), lambda share: print(f"{share:.3f}", flush=True)))
    draft.replace(written)


if __name__ == "__main__":
    main(*sys.argv[1:])
