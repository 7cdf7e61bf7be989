"""One Chromium for all tests of this folder: each test has a profile of its own in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_running = ExitStack()
_browsers: list[Browser] = []


@pytest.fixture
def browser() -> Browser:
    """Started when it is first asked for."""
    from tests.browser.driving import chromium  # here, so that these tests are skipped where playwright is missing

    if not _browsers:
        _browsers.append(_running.enter_context(chromium()))
    return _browsers[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """It ends with the last test of this folder, not with the session: while it runs, its thread has no other
    loop."""
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path.parent != item.path.parent:
            _browsers.clear()
            _running.close()
