"""The site: `python -m docs.build` gathers pages, executes the notebooks, and gives both to Sphinx.

Pages stay where a reader of the repository looks for them (a method's README in its folder), with links that
work there. For the site they are copied side by side, and each link is led to the copy. Warnings are errors.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core" / "privgraph"
SUFFIXES = {".md", ".ipynb"}

FRAME: Mapping[str, Mapping[str, str]] = {
    "To use it": {
        "readme": "What it is",
        "guide": "Guide",
        "operations": "Where things are kept",
        "methods": "Methods",
        "attacks": "Attacks",
        "audits": "Audits",
        "data": "Data",
    },
    "What we found": {"findings": "Findings", "benchmarks": "Benchmarks"},
    "To read and run": {"notebooks": "Notebooks", "api/index": "Python reference"},
    "To work on it": {"contributing": "Contributing", "changelog": "Changes"},
}
"""The pages of the site's side bar, each with its name there; a page's own parts stand below it."""

API: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "privgraph": ("The package: `import privgraph as pg`", ("privgraph",)),
    "foundations": (
        "Options, tables, random streams",
        tuple(f"privgraph.{name}" for name in ("options", "registry", "streams", "lattice", "progress", "program")),
    ),
    "privacy": ("Privacy: events, accountants, statements", ("privgraph.privacy.*",)),
    "data": ("Data: graphs, splits, neighbouring datasets", ("privgraph.data.*",)),
    "mechanisms": ("Mechanisms: what randomises", ("privgraph.mechanisms.*",)),
    "methods": (
        "Methods: the interface, trainers, contracts",
        ("privgraph.methods.base", "privgraph.methods.training", "privgraph.testing.methods"),
    ),
    "attacks": ("Attacks: who trained", ("privgraph.attacks.*",)),
    "audits": ("Audits: lower bounds on epsilon", ("privgraph.audits.*",)),
    "runs": (
        "Runs: specs, store, sweeps",
        tuple(f"privgraph.runs.{name}" for name in ("spec", "sweep", "launch", "store", "records", "known_faults")),
    ),
    "tuning": (
        "Tuning: a choice and its price",
        ("privgraph.tuning.*", "privgraph.runs.trials", "privgraph.runs.tunings"),
    ),
    "figures": (
        "Figures: rows, charts, files",
        tuple(
            f"privgraph_workbench.figures.{name}"
            for name in ("chart", "runs.curves", "costs.ledger", "runs.tradeoff", "export")
        ),
    ),
}
"""The pages of the reference, each with its modules; `.*` stands for all modules of a package."""


def pages() -> dict[Path, str]:
    """Every page of the repository that is one of the site, and where it stands there."""
    found = {path: path.relative_to(ROOT / "docs").as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))}
    found |= {ROOT / f"{name}.md": f"{name.lower()}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")}
    found |= {CORE / name / "README.md": f"{name}.md" for name in ("attacks", "audits", "data")}
    found[CORE / "methods" / "README.md"] = "methods/adding.md"
    found |= {path: f"methods/{path.parent.name}.md" for path in sorted((CORE / "methods").glob("*/*/README.md"))}
    found |= {path: f"notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    return found


def lead(text: str, page: Path, places: Mapping[Path, str]) -> tuple[str, set[Path]]:
    """`text` of a page with its links led to the copies; and those files that it shows or offers, and that
    are no pages."""
    files: set[Path] = set()
    here = Path(places[page]).parent

    def led(match: re.Match[str]) -> str:
        place, mark, anchor = match[1].partition("#")
        if not place or re.match(r"[a-z]+:", place):
            return match[0]
        target = (page.parent / place).resolve()
        if target not in places:
            if not target.is_file():
                raise FileNotFoundError(f"{page.relative_to(ROOT)} links to {place}, which is no file")
            files.add(target)
        there = places.get(target) or target.relative_to(ROOT).as_posix()
        return f"]({Path(os.path.relpath(there, here)).as_posix()}{mark}{anchor})"

    parts = re.split(r"(^```.*?^```)", text, flags=re.S | re.M)
    return "".join(part if n % 2 else re.sub(r"\]\(([^)\s]+)\)", led, part) for n, part in enumerate(parts)), files


def tree(names: tuple[str, ...], caption: str = "") -> str:
    """A side bar's entries, as MyST writes them."""
    head = f":caption: {caption}\n" if caption else ""
    return "\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(names) + "\n```\n"


def option_table(name: str) -> str:
    """Every option of a method, from the one description of which the form and the command line are made,
    too."""
    from privgraph.options import parameters
    from privgraph.registry import METHODS

    def bounds(option: Any) -> str:
        if option.choices:
            return ", ".join(f"`{choice}`" for choice in option.choices)
        low = "" if option.low is None else f"{'above' if option.low_open else 'from'} {option.low:g}"
        high = "" if option.high is None else f"to {option.high:g}"
        return f"{low} {high}".strip()

    rows = [
        (
            f"| `{each.name}` | `{each.default}` | {bounds(each.option)} | "
            f"{each.option.help.replace('|', chr(92) + '|')} |"
        )
        for each in parameters(METHODS[name].load_config())
    ]
    return ("\n## Options\n\n| option | default | admits | what it is |\n|---|---|---|---|\n") + "\n".join(rows) + "\n"


def modules(patterns: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        if not pattern.endswith(".*"):
            found.append(pattern)
            continue
        package = import_module(pattern[:-2])
        found += [
            each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.") if not each.ispkg
        ]
    return found


def reference(title: str, patterns: tuple[str, ...]) -> str:
    """A page of the reference: each module with the docstrings of its public names."""
    parts = [f"# {title}\n"]
    for name in modules(patterns):
        parts.append(f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n")
    return "\n".join(parts)


def gather(source: Path) -> None:
    """Every page but the notebooks, copied with its links led, and the pages that are made."""
    places = pages()
    for page, place in places.items():
        if page.suffix == ".ipynb":
            continue
        text, files = lead(page.read_text(), page, places)
        if place == "index.md":
            for caption, named in FRAME.items():
                text += tree(tuple(f"{title} <{name}>" for name, title in named.items()), caption)
        elif place == "methods.md":
            text += tree(
                tuple(Path(each).with_suffix("").as_posix() for each in places.values() if each.startswith("methods/"))
            )
        elif place == "notebooks.md":
            text += tree(
                tuple(
                    Path(each).with_suffix("").as_posix() for each in places.values() if each.startswith("notebooks/")
                )
            )
        elif place == "api/index.md":
            text += tree(tuple(API))
        elif place.startswith("methods/") and place != "methods/adding.md":
            text += option_table(page.parent.name.replace("_", "-"))
        _write(source / place, text)
        for file in files:
            (source / file.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, source / file.relative_to(ROOT))
    for name, (title, patterns) in API.items():
        _write(source / "api" / f"{name}.md", reference(title, patterns))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def execute(path: Path, **variables: str) -> Any:
    """A notebook with its outputs, run from top to bottom in its folder, in a process with these variables as
    well."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=600, kernel_name="python3")
    client.execute(cwd=str(path.parent), env={**os.environ, **variables})
    return notebook


PLOTLY = "application/vnd.plotly.v1+json"


def drawn(figure: Mapping[str, Any]) -> str:
    """A figure of plotly as HTML that `_static/figures.js` draws, with nothing loaded from elsewhere."""
    title = figure.get("layout", {}).get("title", {}).get("text") or "Figure"
    data = json.dumps({"data": figure["data"], "layout": figure["layout"]}).replace("</", "<\\/")
    return (
        '<div class="privgraph-figure" role="img" '
        f'aria-label="{html.escape(re.sub(r"<[^>]+>", " ", title))}"><script '
        f'type="application/json">{data}</script></div>'
    )


def teach(source: Path) -> None:
    """The notebooks, executed, with figures that a browser draws by itself."""
    import nbformat

    places = pages()
    for path in (path for path in places if path.suffix == ".ipynb"):
        print(f"executing {path.name}", flush=True)
        with tempfile.TemporaryDirectory() as home:
            notebook = execute(path, PRIVGRAPH_HOME=home, PRIVGRAPH_FAST="1", PLOTLY_RENDERER="plotly_mimetype")
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source, _ = lead(cell.source, path, places)
            for output in cell.get("outputs", ()):
                if PLOTLY in output.get("data", {}):
                    output["data"] = {"text/html": drawn(output["data"][PLOTLY])}
        (source / "notebooks").mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, source / places[path])


def show(source: Path) -> None:
    """The notebooks as they are stored, without outputs."""
    (source / "notebooks").mkdir(parents=True, exist_ok=True)
    for path, place in pages().items():
        if path.suffix == ".ipynb":
            shutil.copyfile(path, source / place)


def main(arguments: list[str] | None = None) -> int:
    """Build the site; the exit code of Sphinx, which takes warnings for errors."""
    parser = argparse.ArgumentParser(prog="python -m docs.build", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs", help="folder (default: build/docs)")
    parser.add_argument("--without-outputs", action="store_true", help="show notebooks as stored, and execute none")
    parser.add_argument("--check", action="store_true", help="read everything, execute no notebook, write no page")
    chosen = parser.parse_args(arguments)
    source, site = chosen.out / "source", chosen.out / "site"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    shutil.rmtree(chosen.out / "doctrees", ignore_errors=True)
    gather(source)
    (show if chosen.without_outputs or chosen.check else teach)(source)
    builder = "dummy" if chosen.check else "html"  # dummy resolves every link as html does
    command = ["-m", "sphinx", "--fail-on-warning", "--quiet", "--builder", builder, "--conf-dir", str(ROOT / "docs")]
    if chosen.check:
        command += [
            "--define",
            "extensions=myst_nb,sphinx.ext.autodoc,sphinx.ext.napoleon",
        ]  # pages of source code have no links of ours
    code = subprocess.run(
        [sys.executable, *command, "--doctree-dir", str(chosen.out / "doctrees"), str(source), str(site)],
        check=False,
        cwd=ROOT,
    ).returncode
    if code == 0 and not chosen.check:
        print(f"the site: {site / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
