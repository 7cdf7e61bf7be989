"""Train and the run that comes of it, in a real browser: by keyboard alone, on a phone, in both themes."""

import re

from playwright.sync_api import Page, expect
from tests.browser.driving import settled


def test_a_method_is_chosen_by_keyboard_and_a_run_is_made(page: Page, address: str) -> None:
    page.goto(f"{address}/train?data=karate")
    settled(page)
    page.get_by_role("combobox", name=re.compile("Method")).focus()
    page.keyboard.type("ignores")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("method=mlp"))
    settled(page)
    _walk_back(page, "Run")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/train\?run="))
    expect(page.get_by_text("Test accuracy", exact=True)).to_be_visible(timeout=120_000)
    settled(page)
    expect(page.get_by_role("heading", name="MLP (ignores edges) on Karate club", level=1)).to_be_visible()
    expect(page).to_have_title("MLP (ignores edges) on Karate club · privgraph")
    tab = page.get_by_role("tab", name="Promise")
    tab.focus()
    for name in ("Curves", "On the graph", "Settings"):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel").get_by_text("Karate club", exact=True)).to_be_visible()


def _walk_back(page: Page, name: str) -> None:
    """By the Tab key until a button of that name has the focus."""
    for _ in range(80):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("() => document.activeElement.innerText").strip().endswith(name):
            return
