"""The examples in docstrings of the workbench hold: of the engine pytest collects them by itself."""

import doctest
import importlib
from pathlib import Path

import pytest

import privgraph_workbench

ROOT = Path(privgraph_workbench.__file__).parent
EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted, "an example that stands where nothing reads it"
    assert not found.failed
