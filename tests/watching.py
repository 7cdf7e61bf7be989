"""Functions that go on working while a test looks at their calls."""

from typing import Any, NamedTuple

import pytest


class Call(NamedTuple):
    """What a function was given, and what it returned."""

    given: tuple[Any, ...]
    named: dict[str, Any]
    result: Any


def watched(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[Call]:
    """The calls of `owner.name` from now on, one after another."""
    calls: list[Call] = []
    real = getattr(owner, name)

    def watching(*given: Any, **named: Any) -> Any:
        calls.append(Call(given, named, real(*given, **named)))
        return calls[-1].result

    monkeypatch.setattr(owner, name, watching)
    return calls
