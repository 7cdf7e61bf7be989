"""Which program this is: the same wherever the same code lies, another for any other code or library."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import privgraph
from privgraph import program as module
from privgraph.program import program


def elsewhere(folder: Path) -> str:
    """What a process says that has its code from there."""
    command = [sys.executable, "-c", "from privgraph.program import program; print(program())"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


def test_it_changes_with_the_engine_s_code_and_with_nothing_else(tmp_path: Path) -> None:
    here = Path(privgraph.__file__).parent
    shutil.copytree(here, tmp_path / "privgraph", ignore=shutil.ignore_patterns("__pycache__"))
    assert elsewhere(tmp_path) == program()
    (tmp_path / "privgraph" / "methods" / "aggregation" / "gap" / "README.md").write_text("words")
    assert elsewhere(tmp_path) == program()
    code = tmp_path / "privgraph" / "mechanisms" / "gaussian.py"
    was = code.read_text()
    code.write_text(was + "\n")
    changed = elsewhere(tmp_path)
    assert changed != program()
    assert changed.partition("+")[0] == privgraph.__version__
    code.write_text(was)
    code.rename(code.with_name("normal.py"))
    assert elsewhere(tmp_path) not in (changed, program())


@pytest.mark.parametrize("library", module.LIBRARIES)
def test_it_changes_with_a_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed, before = module.version, program()
    monkeypatch.setattr(module, "version", lambda name: installed(name) + ("1" if name == library else ""))
    assert program.__wrapped__() != before


def test_it_changes_with_python(monkeypatch: pytest.MonkeyPatch) -> None:
    before = program()
    monkeypatch.setattr(module.platform, "python_version", lambda: "3.99.0")
    assert program.__wrapped__() != before
