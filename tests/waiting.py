"""Waiting for what other processes do."""

import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    """Look again and again until it is true; AssertionError where that takes too long."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
