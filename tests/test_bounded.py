"""What is kept in memory is bounded, and files are closed."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = {
    path: ast.parse(path.read_text())
    for part in ("core", "workbench", "pages")
    for path in sorted((ROOT / part).rglob("*.py"))
}


def caches(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, int | None]]:
    """Each function that keeps its answers, and how many at most (None: all)."""
    for node in ast.walk(tree):
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            call = decorator if isinstance(decorator, ast.Call) else None
            name = ast.unparse(call.func if call else decorator).removeprefix("functools.")
            given = {one.arg: ast.unparse(one.value) for one in call.keywords} if call else {}
            if name == "cache":
                yield node, None
            elif name == "lru_cache":
                size = given.get("maxsize", ast.unparse(call.args[0]) if call and call.args else "128")
                yield node, None if size == "None" else int(size)
            elif name in ("st.cache_data", "st.cache_resource"):
                yield node, int(given["max_entries"]) if "max_entries" in given else None


def test_no_cache_grows_with_what_people_ask_for() -> None:
    """One that is asked without arguments has one answer."""
    found = [(path, *one) for path, tree in MODULES.items() for one in caches(tree)]
    assert len(found) > 40
    assert not [
        f"{path.name}: {function.name}"
        for path, function, most in found
        if most is None and (function.args.args or function.args.kwonlyargs or function.args.vararg)
    ]


OPENING = ("open", "np.load", "numpy.load", "gzip.open", "zipfile.ZipFile", "mmap.mmap", "np.memmap", "os.fdopen")
OPENED_FOR_OTHERS = {
    "launch.py": "os.fdopen",  # `_log` opens the log for `_start`, which closes it
    # Mapped arrays: NumPy closes the file, and the mapping ends with its array.
    "arrays.py": "np.load",
    "formats.py": "path.open",  # `Given.opened`, whose callers close it
    "open.py": "np.load",
    "sorting.py": "np.memmap",
}


def left_open(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that open a file outside a `with` statement, and do not hand it to an ExitStack."""
    closed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.With):
            closed |= {id(inner) for item in node.items for inner in ast.walk(item.context_expr)}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".enter_context"):
            closed |= {id(inner) for argument in node.args for inner in ast.walk(argument)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in closed:
            owner, _, last = ast.unparse(node.func).rpartition(".")
            if ast.unparse(node.func) in OPENING or (last == "open" and "path" in owner.lower()):
                yield node


@pytest.mark.long
def test_files_are_closed_by_a_with_statement() -> None:
    left = [(path, call) for path, tree in MODULES.items() for call in left_open(tree)]
    assert not [
        f"{path.name}:{call.lineno} {ast.unparse(call.func)}"
        for path, call in left
        if OPENED_FOR_OTHERS.get(path.name) != ast.unparse(call.func)
    ]
    assert len(list(left_open(ast.parse("file = path.open()\nnp.load(file)")))) == 2
