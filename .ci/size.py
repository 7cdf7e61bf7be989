"""Print how large each room is beside its budget (`budget.toml`): python .ci/size.py.

Lines are those of git's files: code, docstrings, comments and blanks, JavaScript and CSS among them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = (".py", ".js", ".css")
WORDS = re.compile(r"[A-Za-z][A-Za-z'’-]+")
ENGINE = "core/privgraph/"
WORKBENCH = "workbench/privgraph_workbench/"
ROOMS = {  # of the workbench: where what the budget names lies
    "pages": ("pages/",),
    "summary": ("summary.py", "facts/"),
    "decisions": ("advice.py", "leaks.py"),
    "text": ("text/",),
    "numbers_and_names": ("numbers.py", "names.py", "words/"),
    "figures_kit": (),
    "figures": ("figures/",),
    "parts": ("parts/",),
    "forms": ("forms/",),
    "report": ("report",),
    "commands": ("commands/", "cli.py"),
    "serving": ("serving/", "app.py", "theme.py", "jobs/"),
    "play": ("play/",),
    "components": ("components/",),
}
KIT = re.compile(r"figures/(drawing/|[a-z_]+\.py)")
GROUND = "ground"


def main() -> None:
    """Print the table."""
    budget = tomllib.loads((ROOT / ".ci/budget.toml").read_text())
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = {name: (ROOT / name).read_text() for name in listed if name.endswith(CODE) and (ROOT / name).is_file()}
    engine, workbench = _rooms(files)
    tests = sum(text.count("\n") for name, text in files.items() if name.startswith("tests/"))
    total = {
        "engine": sum(engine.values()) - engine["studies"],
        "studies": engine["studies"],
        "workbench_and_pages": sum(workbench.values()),
        "tests": tests,
    }
    trees = {name: ast.parse(text) for name, text in files.items() if name.endswith(".py")}
    shown = {name: tree for name, tree in trees.items() if name.startswith((WORKBENCH, "pages/"))}
    limits = {
        "english_strings": sum(_english(shown.values(), 8)),
        "functions_that_return_text": sum(_tells(shown.values())),
        "asserts_on_prose": sum(_asserted(tree for name, tree in trees.items() if name.startswith("tests/"))),
        "words_in_text_files": _written(listed),
    }
    for title, found in (("total", total), ("workbench", workbench), ("engine", engine), ("limits", limits)):
        print(f"{title:28}{'now':>9}{'budget':>9}{'over':>9}")
        for name, allowed in budget[title].items():
            over = found[name] - allowed
            print(f"  {name:26}{found[name]:>9,}{allowed:>9,}{f'{over:,}' if over > 0 else '':>9}")
        for name in sorted(found.keys() - budget[title].keys() - {"studies"}):
            print(f"  {name:26}{found[name]:>9,}{'-':>9}")
        print()


def _rooms(files: dict[str, str]) -> tuple[dict[str, int], dict[str, int]]:
    engine, workbench = {"studies": 0, GROUND: 0}, dict.fromkeys((*ROOMS, "elsewhere"), 0)
    for name, text in files.items():
        lines = text.count("\n")
        if name.startswith(ENGINE):
            room, inside, _ = name.removeprefix(ENGINE).partition("/")
            room = room if inside else GROUND
            room = "studies" if room == "studies" or name.endswith("/study.py") else room
            engine[room] = engine.get(room, 0) + lines
        elif name.startswith((WORKBENCH, "pages/")):
            workbench[_room(name.removeprefix(WORKBENCH))] += lines
    return engine, workbench


def _room(name: str) -> str:
    if KIT.fullmatch(name) or name.startswith("figures/drawing/"):
        return "figures_kit"
    return next((room for room, places in ROOMS.items() if name.startswith(places)), "elsewhere")


def _english(trees: Iterable[ast.AST], least: int) -> Iterator[int]:
    """One for each string of so many words that is no docstring; an f-string and a sum are one string."""
    for tree in trees:
        inside = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                inside.add(node.value)  # a docstring
        for node in ast.walk(tree):
            if node in inside:
                continue
            if isinstance(node, ast.JoinedStr | ast.BinOp):
                text = _joined(node)
                if text:
                    inside |= {one for one in ast.walk(node) if one is not node}
            else:
                text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            yield len(WORDS.findall(text)) >= least


def _joined(node: ast.AST) -> str:
    """The text of an f-string, or of a sum of texts; "" of another sum."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else " {} " for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined(node.left) + _joined(node.right)
    return ""


def _tells(trees: Iterable[ast.Module]) -> Iterator[int]:
    """One for each function that returns str, or a list, tuple or iterator of str, under whatever alias."""
    for tree in trees:
        aliases = {
            (node.target if isinstance(node, ast.AnnAssign) else node.targets[0]).id: ast.unparse(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and node.value is not None
            and isinstance(node.target if isinstance(node, ast.AnnAssign) else node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                said = ast.unparse(node.returns)
                for _ in range(3):
                    said = aliases.get(said, said)
                yield bool(
                    re.fullmatch(
                        r"((list|tuple|Sequence|Iterator|Iterable)\[)?str(, (\.\.\.|str))*\]?( \| None)?", said
                    )
                )


def _asserted(trees: Iterable[ast.AST]) -> Iterator[int]:
    """One for each comparison of an assert with a text of three words or more."""
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert):
                for one in ast.walk(node.test):
                    if isinstance(one, ast.Compare):
                        yield any(len(WORDS.findall(_joined(piece))) >= 3 for piece in (one.left, *one.comparators))


def _written(listed: Iterable[str]) -> int:
    names = [one for one in listed if one.startswith(WORKBENCH) and one.endswith((".md", ".toml"))]
    return sum(len(WORDS.findall((ROOT / one).read_text())) for one in names if ".streamlit" not in one)


if __name__ == "__main__":
    main()
