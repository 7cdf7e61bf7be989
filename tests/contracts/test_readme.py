"""The front page names everything that there is, and every method explains itself."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from privgraph.registry import AUDITS, METHODS
from privgraph_workbench.shell import TITLES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", METHODS)
def test_the_readme_names_every_method(name: str) -> None:
    assert f"`{name}`" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", AUDITS)
def test_the_readme_names_every_audit(name: str) -> None:
    assert f"`{name}`" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("title", [title for title, _ in TITLES.values()])
def test_the_readme_says_what_every_page_is_for(title: str) -> None:
    assert f"\n| {title} | " in (ROOT / "README.md").read_text()


def test_the_readme_names_the_newest_version_first() -> None:
    changes = (ROOT / "README.md").read_text().split("## Changes", 1)[1]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert changes.lstrip().startswith(f"### {version}\n")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_readme_that_starts_with_sharp_edges(name: str) -> None:
    text = (ROOT / "core" / "privgraph" / "methods" / name.replace("-", "_") / "README.md").read_text().lower()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[0] == "## sharp edges"
    for words in ("protects", "does not"):
        assert words in text
