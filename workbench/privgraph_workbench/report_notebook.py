"""The notebook of a report: it reads the report's files and shows them, executed beside them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from privgraph.options import OptionError
from privgraph_workbench.blocks import without_tags
from privgraph_workbench.words.markup import literal

MISSING = "an executed notebook needs privgraph[notebooks]: pip install 'privgraph[notebooks]', or leave it out"
RUNS = "tables/runs.csv"
_ROWS = f'''
UP_OR_DOWN = {{"epsilon_sound": ROUND_CEILING, "epsilon_audited_at_least": ROUND_FLOOR}}


def rounded(name, text):
    """Four digits, percent to a tenth; what is guaranteed is rounded up, and what was shown down."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    if not value.is_finite() or value == value.to_integral_value():
        return text
    if name.endswith("_percent"):
        return f"{{value:.1f}}"
    return f"{{float(Context(prec=4, rounding=UP_OR_DOWN.get(name, ROUND_HALF_EVEN)).create_decimal(value)):g}}"


head, *runs = csv.reader(Path("{RUNS}").open(encoding="utf-8"))
own = [row for row in runs if row[head.index("stands")] == "told here"]
rows = list(zip(head, *own))
scores = {{row[head.index("metric")] for row in own}}
called = scores.pop() if len(scores) == 1 else "score"
named = [name.replace("score", called).replace("_", " ") for name in head]
told = [[name, *(rounded(row[0], one) for one in row[1:])] for name, row in zip(named, rows)]
signs = str.maketrans({{sign: f"&#{{ord(sign)}};" for sign in "&<>|[]*_`\\\\$"}})
lines = ["| " + " | ".join(cell.translate(signs) for cell in row) + " |" for row in told]
Markdown("\\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]))
'''.strip()
"""The table with a column for each run that the report tells: its numbers are many, and rounded as elsewhere.
Its texts, such as the title of an upload, are text, and no HTML or Markdown."""
_IMPORTS = """
import csv
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from pathlib import Path

from IPython.display import SVG, Markdown
""".strip()
About = Mapping[str, tuple[str, str]]
"""Of each picture, by the name of its file, the title and the finding, in Markdown."""


def needed() -> None:
    """Raises `OptionError` where Jupyter is not installed."""
    if find_spec("nbformat") is None or find_spec("nbclient") is None:
        raise OptionError(MISSING)


def made(
    title: str,
    remark: str,
    files: Mapping[str, bytes],
    references: Sequence[str] = (),
    about: About = MappingProxyType({}),
) -> bytes:
    """The notebook over these files of a report: the table, every figure under its title with what it finds
    (`about`), every statement, and the papers."""
    needed()
    nbformat: Any = import_module("nbformat")
    client: Any = import_module("nbclient")
    cells = [
        ("markdown", f"# {literal(title)}\n\n{without_tags(remark)}".strip()),
        ("code", _IMPORTS),
        *([("markdown", "## Runs"), ("code", _ROWS)] if RUNS in files else []),
        *_figures(files, about),
        *_statements(files),
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


def _figures(files: Mapping[str, bytes], about: About) -> Iterator[tuple[str, str]]:
    for name in files:
        if name.endswith(".svg"):
            title, found = about.get(name, ("", ""))
            if title:
                yield "markdown", "\n\n".join(filter(None, (f"## {literal(title)}", found)))
            yield "code", f'SVG(filename="{name}")'


def _statements(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    told = [name for name in files if name.startswith("statements/") and name.endswith(".txt")]
    if told:
        yield "markdown", "## Privacy statements"
    for name in told:
        yield "code", f'print(Path("{name}").read_text(encoding="utf-8"))'
