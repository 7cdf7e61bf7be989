"""What a generator returns, where nobody looks at what it yields."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def returned(steps: Generator[object, None, T]) -> T:
    """The value of a generator's `return`."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
