"""Every notebook runs from top to bottom, and is stored without outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS][:5] == [
        "00_tour",
        "01_progap",
        "02_privgnn",
        "03_dp_gpl",
        "04_heterpoisson_and_audits",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    import nbformat  # here and below: it takes seconds, and every process of the suite reads this file

    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None


@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own machinery; the notebook runs in a process of its own
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PRIVGRAPH_FAST", "1")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=str(path.parent))
