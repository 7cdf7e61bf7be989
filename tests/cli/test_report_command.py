"""`privgraph report`: one archive, its words, and exit codes."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from tests.figures import made_runs

from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main


@pytest.fixture
def runs() -> list[str]:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    return [made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said).id for seed in (1, 2)]


def test_its_options(runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ours.zip"
    words = ["--title", "A <b>", "--author", "B", "--date", "May", "--remark", "C", "--no-notebook", "--no-appendix"]
    assert main(["report", *runs, "--out", str(out), *words]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    with zipfile.ZipFile(out) as archive:
        page = archive.read("report.html").decode()
        assert "notebook.ipynb" not in archive.namelist()
    assert '<h1 dir="auto">A &lt;b&gt;</h1>' in page


def test_exit_codes(runs: list[str], tmp_path: Path) -> None:
    assert main(["report", "no-such-run"]) == 2
    assert main(["report", runs[0], "--title", "w" * 201]) == 2
    assert main(["report", runs[0], "--share"]) == 2
    assert main(["report", runs[0], "--out", str(tmp_path / "gone" / "x.zip")]) == 1
