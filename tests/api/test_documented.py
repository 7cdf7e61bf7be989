"""What `privgraph` offers says of each parameter what it is, in one form that a page can be built from."""

import ast
import builtins
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import privgraph as pg
import privgraph.privacy.calibration as calibration

CALLABLES = {name: getattr(pg, name) for name in pg.__all__ if callable(getattr(pg, name))}
ERRORS = {name for name, found in CALLABLES.items() if inspect.isclass(found) and issubclass(found, Exception)}


def described(text: str | None, section: str) -> dict[str, str]:
    """The entries of a section such as `Args:`, by name; of `Returns:`, one entry without a name."""
    match = re.search(rf"^{section}:\n((?:[ ]{{4}}.*\n?|\n)+)", inspect.cleandoc(text or "") + "\n", re.MULTILINE)
    if match is None:
        return {}
    if section == "Returns":
        return {"": match[1].strip()}
    entries = re.findall(r"^ {4}(\*{0,2}\w+): (.+)", match[1], re.MULTILINE)
    return dict(entries)


def parameters(found: Callable[..., Any]) -> list[str]:
    """As they are documented: `name`, `*name`, `**name`; what begins with _ is not for callers."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    given = inspect.signature(found).parameters.values()
    return [stars.get(one.kind, "") + one.name for one in given if one.name != "self" and not one.name.startswith("_")]


def offered() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, classes, and the methods of classes; errors are made by us alone."""
    for name, member in CALLABLES.items():
        if name in ERRORS:
            continue
        yield name, member
        if inspect.isclass(member):
            for inner, method in vars(member).items():
                if not inner.startswith("_") and isinstance(method, staticmethod) | inspect.isfunction(method):
                    yield f"{name}.{inner}", getattr(member, inner)


OFFERED = dict(offered())


@pytest.mark.parametrize("name", OFFERED)
def test_every_parameter_is_described_and_nothing_else_and_errors_exist(name: str) -> None:
    assert list(described(OFFERED[name].__doc__, "Args")) == parameters(OFFERED[name])
    known = ERRORS | set(vars(builtins)) | set(vars(calibration))
    assert set(described(OFFERED[name].__doc__, "Raises")) <= known


@pytest.mark.parametrize("name", CALLABLES)
def test_it_begins_with_one_sentence_and_a_function_says_what_it_returns(name: str) -> None:
    first = inspect.cleandoc(CALLABLES[name].__doc__ or "").split("\n\n")[0]
    assert first.endswith("."), f"{name} is not described"
    assert described(CALLABLES[name].__doc__, "Returns") or not inspect.isfunction(CALLABLES[name])


def test_the_stub_offers_the_same() -> None:
    stub = ast.parse(Path(pg.__file__).with_suffix(".pyi").read_text())
    listed = next(ast.literal_eval(one.value) for one in stub.body if isinstance(one, ast.Assign))
    assert sorted(listed) == sorted(pg.__all__)
    typed = {alias.asname for one in stub.body if isinstance(one, ast.ImportFrom) for alias in one.names}
    assert set(listed) - {"__version__"} <= typed


def test_both_packages_say_that_they_are_typed() -> None:
    import privgraph_workbench

    for package in (pg, privgraph_workbench):
        assert Path(package.__file__ or "").with_name("py.typed").is_file()
