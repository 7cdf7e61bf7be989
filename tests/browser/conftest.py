"""One Chromium for all tests of this folder: each test has a profile of its own in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

if find_spec("playwright") is None:
    collect_ignore_glob = ["test_*.py"]
_running = ExitStack()
_browsers: list[Browser] = []


@pytest.fixture
def browser() -> Browser:
    """Started when it is first asked for."""
    from tests.browser.driving import chromium  # here, so that these tests are skipped where playwright is missing

    if not _browsers:
        _browsers.append(_running.enter_context(chromium()))
    return _browsers[0]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a profile of its own."""
    from tests.browser.driving import SIZE

    context = browser.new_context(viewport=SIZE)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app whose home is empty: the examples are listed."""
    from tests.browser.driving import served

    with served(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            from tests.browser.driving import CHROMIUM

            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.skipif(not CHROMIUM, reason="no chromium here: install Debian's chromium"))


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
