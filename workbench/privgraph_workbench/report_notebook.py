"""The notebook of a report: it reads the report's files and shows them, executed beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from privgraph.options import OptionError
from privgraph_workbench.blocks import without_tags
from privgraph_workbench.words.markup import literal

MISSING = "an executed notebook needs privgraph[notebooks]: pip install 'privgraph[notebooks]', or leave it out"
RUNS = "tables/runs.csv"
_ROWS = (
    f'rows = list(zip(*csv.reader(Path("{RUNS}").open(encoding="utf-8"))))\n'
    'lines = ["| " + " | ".join(row) + " |" for row in rows]\n'
    'Markdown("\\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]))'
)
"""The table with a column for each run: its numbers are many."""


def needed() -> None:
    """Raises `OptionError` where Jupyter is not installed."""
    if find_spec("nbformat") is None or find_spec("nbclient") is None:
        raise OptionError(MISSING)


def made(title: str, remark: str, files: Mapping[str, bytes], references: Sequence[str] = ()) -> bytes:
    """The notebook over these files of a report: the table, every figure, every statement and the papers."""
    needed()
    nbformat: Any = import_module("nbformat")
    client: Any = import_module("nbclient")
    cells = [
        ("markdown", f"# {literal(title)}\n\n{without_tags(remark)}".strip()),
        ("code", "import csv\nfrom pathlib import Path\n\nfrom IPython.display import SVG, Markdown"),
        *([("code", _ROWS)] if RUNS in files else []),
        *(("code", f'SVG(filename="{name}")') for name in files if name.endswith(".svg")),
        *(
            ("code", f'print(Path("{name}").read_text(encoding="utf-8"))')
            for name in files
            if name.startswith("statements/") and name.endswith(".txt")
        ),
        *(
            [("markdown", "\n".join(["## References\n", *(f"- {literal(one)}" for one in references)]))]
            * bool(references)
        ),
    ]
    book = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        cells=[
            nbformat.v4.new_markdown_cell(text) if kind == "markdown" else nbformat.v4.new_code_cell(text)
            for kind, text in cells
        ],
    )
    for place, cell in enumerate(book.cells):
        cell["id"] = f"cell-{place:03d}"  # made up at random otherwise
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        client.NotebookClient(book, timeout=300, kernel_name="python3", record_timing=False).execute(cwd=folder)
    return f"{nbformat.writes(book)}\n".encode()
