"""A run that is started in the app, by a click in a browser, for the rounds in which the app is killed."""

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, expect
from tests import app_here
from tests.browser.driving import settled


@dataclass(frozen=True)
class Visitor:
    """Somebody at a browser, who starts a run in the app and comes back to it."""

    browser: Browser

    def starts(self, form: str) -> subprocess.Popen[str]:
        """The app's process, in which Run has just been clicked on the form that this query has filled."""
        started = app_here.start()
        with self._page(started) as page:
            page.goto(f"{started.address}/train?{form}")
            settled(page)
            page.get_by_role("button", name="Run", exact=True).click()
            page.wait_for_timeout(50)  # the click has left the browser
        return started.process

    def comes_back(self, run: str) -> None:
        """A new app in the same home shows the run, or this raises AssertionError."""
        started = app_here.start()
        try:
            with self._page(started) as page:
                page.goto(f"{started.address}/train?run={run}")
                expect(page.get_by_role("button", name="Change and run again")).to_be_visible()
                expect(page.get_by_test_id("stException")).to_have_count(0)
        finally:
            started.process.terminate()
            started.process.wait(20)

    @contextlib.contextmanager
    def _page(self, started: app_here.Started) -> Iterator[Page]:
        context = self.browser.new_context()
        name, _, value = started.cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": started.address}])
        try:
            yield context.new_page()
        finally:
            context.close()
