"""What the product decides on the examples is what it decided before, but for what `snapshots/explained.toml`
accepts."""

import math
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest
from tests.contracts import decisions

Differing = tuple[str, Any, Any]
"""A cell: its path, what it was, and what it is."""

ABSENT = "(absent)"
EXPLAINED = decisions.FOLDER / "explained.toml"
MOST_SHOWN = 10
MOST_LETTERS = 60
NEAR = 1e-9
"""How far apart, relatively, floats may be."""
NOTHING = 1e-15
"""How far apart they may be in any case: what should be 0 need not be."""


def differing(old: Any, new: Any, path: str) -> Iterator[Differing]:
    """The cells in which two JSON values differ; of what is on one side alone the whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() | new.keys()):
            yield from differing(old.get(name, ABSENT), new.get(name, ABSENT), f"{path}/{name}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path}/length", len(old), len(new)
        elif old != new:
            for place, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from differing(one, other, f"{path}/{place}")
    elif not _alike(old, new):
        yield path, old, new


def _alike(old: Any, new: Any) -> bool:
    if isinstance(old, bool) is not isinstance(new, bool):
        return False
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=NEAR, abs_tol=NOTHING)
    return bool(old == new)


def explained() -> dict[str, str]:
    """Why cells may differ, by their paths, in which `*` stands for anything."""
    return tomllib.loads(EXPLAINED.read_text())


def judge(found: list[Differing], reasons: Mapping[str, str]) -> list[str]:
    """What is left to say of differing cells: those that no path explains, and paths that explain none."""
    paths = [path for path, _, _ in found]
    said = [f"{EXPLAINED.name}: {one} matches nothing that differs" for one in reasons if not _matched(one, paths)]
    left = [one for one in found if not any(fnmatchcase(one[0], reason) for reason in reasons)]
    said += [f"{path}: {_short(old)} -> {_short(new)}" for path, old, new in left[:MOST_SHOWN]]
    if len(left) > MOST_SHOWN:
        said.append(f"and {len(left) - MOST_SHOWN:,} more")
    return said


def _matched(reason: str, paths: list[str]) -> bool:
    return any(fnmatchcase(path, reason) for path in paths)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."


@pytest.mark.long
@pytest.mark.parametrize("name", decisions.DECISIONS)
def test_decisions_are_those_of_the_snapshot(name: str) -> None:
    found = list(differing(decisions.kept(name), decisions.DECISIONS[name](), name))
    reasons = {path: why for path, why in explained().items() if path.partition("/")[0] == name}
    assert not (said := judge(found, reasons)), "\n".join(["", *said])


def test_every_explanation_is_of_a_snapshot_and_says_why() -> None:
    for path, why in explained().items():
        assert path.partition("/")[0] in decisions.DECISIONS, path
        assert str(why).strip(), path
