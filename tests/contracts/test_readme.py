"""The front page and its neighbours name everything that there is, and what they name exists."""

import argparse
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from privgraph.options import OptionError, UnknownName
from privgraph.registry import ATTACKS, AUDITS, DATASETS, METHODS
from privgraph.runs.pull_options import PullOptions
from privgraph_workbench.commands import account, runs, tune
from privgraph_workbench.commands.parser import UsageError, make_parser, parse
from privgraph_workbench.commands.values import options_of, spec_of
from privgraph_workbench.serving.shell import TITLES
from privgraph_workbench.text import texts

ROOT = Path(__file__).resolve().parents[2]
FRONT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
GUIDES = sorted((ROOT / "docs").rglob("*.md"))
ROOMS = sorted((ROOT / "core").rglob("README.md"))
PAGES = [*FRONT, *GUIDES, *ROOMS]
ASKED: Mapping[str, Callable[[argparse.Namespace], object]] = {
    "account": account.asked,
    "run": lambda parsed: spec_of(parsed, parsed.method, parsed.seed),
    "sweep": runs.requested,
    "tune": tune.requested,
    "worker": lambda parsed: options_of(parsed, PullOptions),
}
"""What checks the options of a command."""


def readme_of(name: str) -> str:
    """The README beside a method's configuration."""
    return f"core/{METHODS[name].config.rpartition('.')[0].replace('.', '/')}/README.md"


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text(name: str) -> str:
    return (ROOT / name).read_text()


def fenced(words: str) -> list[str]:
    """The lines inside fences."""
    return [line for block in re.findall(r"^```\w*\n(.*?)^```", words, re.S | re.M) for line in block.splitlines()]


def unfenced(words: str) -> str:
    return re.sub(r"^```.*?^```", "", words, flags=re.S | re.M)


def slug(heading: str) -> str:
    """The anchor that forges and the site make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_the_newest_version_stands_first_among_the_changes() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.M)[0] == version


def test_the_pages_name_all_that_there_is() -> None:
    embedded = [name for name, spec in DATASETS.items() if spec.kind == "embedded"]
    wanted = {
        "README.md": [f"\n| [`{name}`]({readme_of(name)}) | " for name in METHODS],
        "docs/methods.md": [f"](../{readme_of(name)})" for name in METHODS],
        "docs/guide.md": [f"`{name}`" for name in embedded] + [f"\n| {title} | " for title, _ in TITLES.values()],
        "core/privgraph/attacks/README.md": [f"`{name}`" for name in ATTACKS],
    }
    for page in ("README.md", "docs/guide.md"):
        wanted[page] += [f"`{name}`" for name in AUDITS]
    lacking = {page: [one for one in names if one not in text(page)] for page, names in wanted.items()}
    assert not any(lacking.values()), lacking


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_readme_that_starts_with_sharp_edges(name: str) -> None:
    words = text(readme_of(name)).lower()
    headings = [line for line in words.splitlines() if line.startswith("## ")]
    assert headings[0] == "## sharp edges"
    for word in ("protects", "does not"):
        assert word in words


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_resolve(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", unfenced(path.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        file = path.parent / place if place else path
        assert file.exists(), f"{named(path)} links to {target}"
        assert file.resolve().is_relative_to(ROOT), f"{named(path)} links out of the repository: {target}"
        if anchor:
            assert anchor in [slug(line) for line in re.findall(r"^#+ (.+)$", file.read_text(), re.M)], target


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_targets_of_make_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", text("Makefile"), re.M))
    words = path.read_text()
    asked = re.findall(r"`make ([\w-]+)", words) + re.findall(r"^make ([\w-]+)", "\n".join(fenced(words)), re.M)
    assert set(asked) <= targets, named(path)


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_are_understood(path: Path) -> None:
    """Commands of fences, and those of a sentence that are more than a name, are read as typed; what checks
    their options before anything is trained has nothing to say."""
    parser = make_parser()
    words = path.read_text()
    typed = re.findall(r"^(?:\.venv/bin/)?privgraph (.+)", "\n".join(fenced(words)), re.M)
    said = re.findall(r"`(?:\.venv/bin/)?privgraph ([^`]+ [^`]+)`", unfenced(words))
    typed += [line for line in said if not re.search(r"\b[A-Z]{3,}\b|\|", line)]  # of any METHOD
    for line in typed:
        try:
            parsed = parse(parser, shlex.split(line, comments=True))
            if parsed.name in ASKED and not re.search("upload:", line):
                ASKED[parsed.name](parsed)
        except (UsageError, OptionError, UnknownName) as error:
            pytest.fail(f"{named(path)}: {line}: {error}")
        assert set((getattr(parsed, "method", None) or "").split(",")) <= {"", *METHODS}
        data = getattr(parsed, "data", None)
        assert data in (None, *DATASETS) or re.fullmatch("upload:[0-9a-f]{16}", data)
    for command in re.findall(r"`(?:\.venv/bin/)?privgraph ([a-z]+)", unfenced(words)):
        assert command in texts("commands"), named(path)


def test_every_variable_is_explained() -> None:
    """Every variable of the environment that the program reads, and no other."""
    variables = subprocess.run(
        ["grep", "-rhoE", "--include=*.py", r"PRIVGRAPH_[A-Z_]+[A-Z]", "core", "workbench"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    explained = set(re.findall(r"PRIVGRAPH_[A-Z_]+[A-Z]", text("docs/operations.md")))
    assert explained == set(variables)
