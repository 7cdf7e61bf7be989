"""Back on the page of attacks: from a run that was picked in the ranking to what was shown before."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, expect
from tests.browser.driving import CHROMIUM, SIZE, served, settled
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]
ROW = 35
"""Pixels of a row of a table."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    """The address of an app, a run with two attacks on it, and one with an attack that found more."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("back-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        first, second = (keep(store, spec("dp-mlp", unit="node", epsilon=8.0, seed=seed)) for seed in (1, 2))
        for name, memory in (("threshold", 0.4), ("bavaria", 1.0)):
            store.add_attack(first, made_attack(first, name=name, memory=memory))
        store.add_attack(second, made_attack(second, memory=2.0))
        store.close()
        with served(home) as address:
            yield address, first, second


def test_back_leads_from_a_picked_row_to_the_attack_that_was_shown_before(
    browser: Browser, place: tuple[str, str, str]
) -> None:
    address, first, second = place
    opened = browser.new_context(viewport={**SIZE, "height": 3000})
    page = opened.new_page()
    page.goto(f"{address}/attacks?run={first}&found=1")
    settled(page)
    page.get_by_text(re.compile("^Which methods keep it")).click()
    table = page.get_by_test_id("stDataFrame").locator("canvas").first
    expect(table).to_be_visible()
    settled(page)
    box = table.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + ROW)  # the table draws a tick where the mouse has been
    page.mouse.click(box["x"] + 16, box["y"] + 1.5 * ROW, delay=100)  # the first row gives away most
    page.wait_for_url(re.compile(rf"run={second}"))
    settled(page)
    page.go_back()
    page.wait_for_url(re.compile(rf"run={first}.*found=1"))
    settled(page)
    expect(page.get_by_role("combobox", name="Run", exact=False).first).to_have_value(re.compile("seed 1"))
    expect(page.get_by_text("shown below").first).to_be_visible()
    page.go_forward()
    page.wait_for_url(re.compile(rf"run={second}"))
    opened.close()
