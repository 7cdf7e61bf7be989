"""The notebook of a report: it reads the report's files and shows them, executed beside them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from privgraph.options import OptionError
from privgraph_workbench import report_plots
from privgraph_workbench.blocks import without_tags
from privgraph_workbench.words.markup import literal

MISSING = "an executed notebook needs privgraph[notebooks]: pip install 'privgraph[notebooks]', or leave it out"
SETTINGS = "tables/settings.csv"
_TABLE = f'''
SHOWN = {{
    "label": "setting", "graph": "graph", "protects": "protects", "epsilon_sound": "ε sound",
    "epsilon_as_published": "ε as published", "epsilon_audited_at_least": "ε audited, at least", "delta": "δ",
    "mean_score_percent": "{{score}} (%)", "mean_low_percent": "from", "mean_high_percent": "to",
    "seeds_of_setting": "seeds", "strongest_attack": "strongest attack", "attack_auc": "its AUC",
    "attack_baseline": "beside",
}}
DOWN = ("epsilon_audited_at_least",)  # what was shown is rounded down, and what is guaranteed up
UP = ("epsilon_sound", "epsilon_edge", "epsilon_node", "delta")


def rounded(name, text):
    """Four digits, of a lower bound three, percent to a tenth."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    if not value.is_finite() or value == value.to_integral_value():
        return text
    if name.endswith("_percent"):
        return f"{{value:.1f}}"
    way = ROUND_CEILING if name in UP else ROUND_FLOOR if name in DOWN else ROUND_HALF_EVEN
    return f"{{float(Context(prec=3 if name in DOWN else 4, rounding=way).create_decimal(value)):g}}"


with Path("{SETTINGS}").open(encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
scores = {{row["metric"] for row in rows}}
score = scores.pop() if len(scores) == 1 else "score"
columns = [name for name in SHOWN if any(row.get(name) for row in rows)]
signs = str.maketrans({{sign: f"&#{{ord(sign)}};" for sign in "&<>|[]*_`\\\\$"}})
told = [[SHOWN[name].format(score=score) for name in columns]]
told += [[rounded(name, row[name]).translate(signs) for name in columns] for row in rows]
lines = ["| " + " | ".join(cells) + " |" for cells in told]
Markdown("\\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]]))
'''.strip()
"""The table with a row for each setting; columns that are empty are left out. Its texts,
such as the title of an upload, are text, and no HTML or Markdown."""
_DECIMALS = "from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, InvalidOperation\n\n"


@dataclass(frozen=True, kw_only=True)
class About:
    """What is said of a figure: its kind, its title, what it finds, in Markdown, what it warns of, and what
    to take, in Markdown, which stands below it; what its axes are called."""

    figure: str
    title: str
    found: str
    warned: str = ""
    advice: str = ""
    across: str = ""
    up: str = ""


_DOLLAR = re.compile(r"(?P<code>(`+).+?\2)|(?<!\\)\$", re.DOTALL)
"""A dollar that Jupyter would read as the mark of a formula, or a piece of code, in which it reads none."""


def as_typed(text: str) -> str:
    r"""A remark as the page and the print have it: nothing is HTML, and no formula is typeset.

    >>> print(as_typed("At $x$ for `$y`, <b>"))
    At \$x\$ for `$y`, &lt;b>
    """
    return _DOLLAR.sub(lambda found: found["code"] or r"\$", without_tags(text))


def needed() -> None:
    """Raises `OptionError` where Jupyter is not installed."""
    if find_spec("nbformat") is None or find_spec("nbclient") is None:
        raise OptionError(MISSING)


def made(
    title: str,
    remark: str,
    files: Mapping[str, bytes],
    references: Sequence[str] = (),
    about: Mapping[str, About] = MappingProxyType({}),
    *,
    by: str = "",
    under: str = "",
) -> bytes:
    """The notebook over these files of a report: the table, every figure under its title with what it finds
    (`about`, by the names of its files without their ends), drawn from its CSV, every statement, and the
    papers. `by`: who wrote it, and when; `under`: whom it is for, below the title."""
    needed()
    nbformat: Any = import_module("nbformat")
    client: Any = import_module("nbclient")
    told = [f"*{literal(under)}*"] if under else []
    cells = [
        ("markdown", "\n\n".join(filter(None, (f"# {literal(title)}", literal(by), *told, as_typed(remark))))),
        ("code", report_plots.IMPORTS),
        *([("markdown", "## Settings"), ("code", _DECIMALS + _TABLE)] if SETTINGS in files else []),
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
        quiet = ["--IPKernelApp.log_level=ERROR"]  # it warns on the terminal of whoever asked for a report
        client.NotebookClient(
            book, timeout=300, kernel_name="python3", record_timing=False, extra_arguments=quiet
        ).execute(cwd=folder)
    return f"{nbformat.writes(book)}\n".encode()


def _figures(files: Mapping[str, bytes], about: Mapping[str, About]) -> Iterator[tuple[str, str]]:
    for name in (one.removesuffix(".svg") for one in files if one.endswith(".svg")):
        cell, one = "", about.get(name)
        if one is not None:
            warned = f"⚠ {literal(one.warned)}." if one.warned else ""
            stated = f"What is promised: `{name}.txt`. As it was drawn: `{name}.svg`."
            yield "markdown", "\n\n".join(filter(None, (f"## {literal(one.title)}", one.found, warned, stated)))
            title = one.title.partition(": ")[2] or one.title
            cell = report_plots.cell(
                one.figure, f"{name}.csv", title, files.get(f"{name}.csv", b""), one.across, one.up
            )
        yield "code", cell or f'SVG(filename="{name}.svg")'
        if one is not None and one.advice:
            yield "markdown", without_tags(one.advice)


def _statements(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    told = [name for name in files if name.startswith("statements/") and name.endswith(".txt")]
    if told:
        yield "markdown", "## Privacy statements"
    for name in told:
        yield "code", f'print(Path("{name}").read_text(encoding="utf-8"))'
