"""Every notebook runs from top to bottom, and is stored without outputs."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from docs.build import execute

MOST_IMPORT_LINES = 5
NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def _cells(path: Path) -> list[dict[str, Any]]:
    """Cells of code, as they are stored: to read them through nbformat takes seconds, which running them does
    anyway."""
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert [path.stem[:3] for path in NOTEBOOKS][:7] == [f"0{number}_" for number in range(7)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    for cell in _cells(path):
        assert not cell["outputs"]
        assert cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_reader_is_soon_past_the_imports(path: Path) -> None:
    """In all cells together, lines of brackets counted as well; of privgraph, the one name that everybody
    uses."""
    cells = ["".join(cell["source"]) for cell in _cells(path)]
    found = [
        node for cell in cells for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in found) <= MOST_IMPORT_LINES
    ours = [ast.unparse(node) for node in found if "privgraph" in ast.unparse(node)]
    assert ours == ["import privgraph as pg"]


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own machinery; the notebook runs in a process of its own
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path) -> None:
    execute(path, PRIVGRAPH_FAST="1")
