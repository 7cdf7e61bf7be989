"""How a bug is planted on purpose, and looked for: proof that audits and tests are worth something.

A bug replaces product code from outside, for the length of a `with`; the product has no switch for it. Its
check says whether something is wrong, and what it saw: on clean code it must find nothing.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from operator import is_
from types import ModuleType
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether something is wrong, and in words what was seen."""

    wrong: bool
    seen: str


@dataclass(frozen=True)
class Bug:
    """`plant` replaces code; `check` looks."""

    name: str
    where: str
    plant: Callable[[], AbstractContextManager[None]]
    check: Callable[[], Verdict]


@contextmanager
def everywhere(original: Any, replacement: Any) -> Iterator[None]:
    """As `swapped`, and noise that was calibrated before is forgotten."""
    with swapped(original, replacement):
        _forget()
        try:
            yield
        finally:
            _forget()


@contextmanager
def swapped(original: Any, replacement: Any) -> Iterator[None]:
    """Put `replacement` wherever a module of the product knows `original`."""
    assert _swap(original, replacement), f"no module knows {original}"
    try:
        yield
    finally:
        _swap(replacement, original)  # also in modules that were first imported meanwhile


@contextmanager
def instead(owner: type | ModuleType, name: str, replacement: Any) -> Iterator[None]:
    """Put `replacement` in the place of an attribute of a class or module."""
    with patch.object(owner, name, replacement):
        yield


def _swap(old: Any, new: Any) -> int:
    """In how many places of the product `new` now stands for `old`."""
    places = [
        (module, name)
        for module in _modules()
        if any(map(partial(is_, old), vars(module).values()))
        for name, value in vars(module).items()
        if value is old
    ]
    for module, name in places:
        setattr(module, name, new)
    return len(places)


def _modules() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("privgraph.")]


def _forget() -> None:
    for module in _modules():
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
