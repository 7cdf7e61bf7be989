"""Strange values: texts, numbers and JSON that nobody sends on purpose, and somebody will."""

import json
import random
from collections.abc import Sequence
from typing import Any

TEXTS = (
    *("", " ", "0", "-1", "1e400", "-inf", "nan", "1_000", "\uff11\uff12", "\u0663", "\u00b2", "true", "None"),
    *("\x00", "a\nb", "\x1b[31m", "\u202e", "\ud800", "\U0001f41f" * 40),
    *("../../etc/passwd", "%s%n{0}", "<script>", "'; DROP TABLE runs; --", "9" * 5000, "x" * 10_000),
)
UNWRITTEN = 10**5000
"""Of more digits than Python writes."""
NUMBERS = (
    *(0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, UNWRITTEN),
    *(0.0, -0.0, 0.5, 5e-324, 1e-308, 1e-50, 1e16, 1.7976931348623157e308),
    *map(float, ("inf", "-inf", "nan")),
)
OTHERS: tuple[Any, ...] = (None, True, False, [], [1], {}, {"a": {}}, (), b"", b"\xff", {1}, 1j, print)
DEEP = "[" * 100_000


def value(rng: random.Random) -> Any:
    """Any of them."""
    return rng.choice(rng.choice((TEXTS, NUMBERS, OTHERS)))


def json_value(rng: random.Random) -> Any:
    """One that JSON can hold (with the tokens that are beyond the standard)."""
    numbers = [number for number in NUMBERS if number != UNWRITTEN]
    return rng.choice(rng.choice((TEXTS, numbers, (None, True, [], {}, [1], [[]], {"a": 1}, [{}]))))


def sibling(rng: random.Random, tree: Any) -> Any:
    """The same tree with one thing in it changed, taken away, put elsewhere or added."""
    places = list(_places(tree))
    if not places or rng.random() < 0.02:
        return json_value(rng)
    changed = json.loads(json.dumps(tree))
    *way, last = rng.choice(places)
    inside = _at(changed, way)
    deed = rng.randrange(5)
    if deed == 0:
        del inside[last]
    elif deed == 1 and isinstance(inside, dict):
        inside[rng.choice(TEXTS)] = json_value(rng)
    elif deed == 2 and isinstance(inside, dict):
        inside[rng.choice(list(inside))] = inside[last]
    elif deed == 3:
        inside[last] = _at(tree, rng.choice(places))
        return json.loads(json.dumps(changed))
    else:
        inside[last] = json_value(rng)
    return changed


def text_of_json(rng: random.Random, text: str) -> str:
    """Stored JSON that is damaged: another tree, or other letters."""
    chance = rng.random()
    if chance < 0.7:
        tree = json.loads(text)
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            tree = sibling(rng, tree)
        return json.dumps(tree)
    if chance < 0.95:
        low, high = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        return rng.choice(
            (text[:low], text[high:], text[:low] + text[high:], text[:low] + rng.choice(TEXTS) + text[low:])
        )
    return rng.choice((*TEXTS, "9" * 5000, DEEP, '{"version": 1, "options": ' + DEEP))


def _places(tree: Any, way: tuple[Any, ...] = ()) -> Any:
    items: Sequence[tuple[Any, Any]] = ()
    if isinstance(tree, dict):
        items = list(tree.items())
    elif isinstance(tree, list):
        items = list(enumerate(tree))
    for name, inside in items:
        yield (*way, name)
        yield from _places(inside, (*way, name))


def _at(tree: Any, way: Sequence[Any]) -> Any:
    for name in way:
        tree = tree[name]
    return tree
