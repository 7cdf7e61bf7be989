"""A notebook that trains the settings of a report with its own seeds, or draws one figure. No Streamlit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from privgraph_workbench.figures import figure_of

OF_RUNS = ("runs", "outlook")
"""What figures read that are drawn from the notebook's own runs; the others are drawn from their rows."""
IMPORTS = "import json\nimport secrets\nfrom pathlib import Path\n\nimport privgraph as pg"
TRAIN = """first = secrets.randbelow(2**16)
specs = [
    spec
    for one in SETTINGS
    for spec in pg.sweep(pg.spec(**one["spec"], **one["options"]), seeds=range(first, first + one["seeds"]))
]
runs = pg.run_all(specs, progress=True)"""
RUNS = "pg.figures.{name}(runs)"
ROWS = 'pg.figures.{name}.plot(json.loads(Path({path!r}).read_text(encoding="utf-8"))["rows"])'


def notebook(
    words: Sequence[str], settings: Sequence[Mapping[str, Any]], figures: Iterable[tuple[str, str]], stated: str
) -> bytes:
    """Write the notebook; foreign text stands in literals of its code alone.

    Args:
        words: Title, author, date and remarks.
        settings: For each `spec` and `options` of `privgraph.spec`, and the number of `seeds`.
        figures: Name and file of each.
        stated: The statements in words.
    """
    cells = [
        IMPORTS,
        f"print(*{json.dumps([one for one in words if one])}, sep='\\n')",
        f"SETTINGS = json.loads({json.dumps(json.dumps(settings))})",
        *([TRAIN] if settings else []),
        *(
            (RUNS if figure_of(name).reads in OF_RUNS and settings else ROWS).format(name=name, path=path)
            for name, path in figures
        ),
        f"print({json.dumps(stated)})",
    ]
    return _book(cells)


def of_figure(figure: str, told: bytes) -> bytes:
    """Write a notebook that draws a figure from the rows that a page showed; `told` is its file as JSON."""
    drawn = f"pg.figures.{figure}.plot(told['rows'])"
    held = f"told = json.loads({told.decode()!r})"
    return _book(["import json\n\nimport privgraph as pg", held, drawn, "told['statements']"])


def _book(cells: Sequence[str]) -> bytes:
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    book = {
        "cells": [{**code, "id": f"cell-{place:03d}", "source": source} for place, source in enumerate(cells)],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return f"{json.dumps(book, indent=1)}\n".encode()
