"""The list of runs in a real browser: one click opens a run, seeds unfold, ticks are compared."""

import re

from playwright.sync_api import Page, expect
from tests.browser.driving import settled


def test_a_setting_shows_its_runs_one_click_opens_one_and_back_shows_the_list(page: Page, address: str) -> None:
    page.goto(f"{address}/runs?of_method=progap&of_data=cora")
    settled(page)
    page.locator(".privgraph-runs .title").first.click()
    link = page.locator(".privgraph-runs tr.runs a").first
    run = str(link.get_attribute("href")).partition("=")[2]
    link.click()
    page.wait_for_url(re.compile(rf"/train\?run={re.escape(run)}"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("ProGAP", timeout=30_000)
    page.go_back()
    page.wait_for_url(re.compile(r"/runs\?"))
    expect(page.locator(".privgraph-runs tr.setting").first).to_be_visible(timeout=30_000)
    assert {"of_method=progap", "of_data=cora"} <= set(page.url.partition("?")[2].split("&"))


def test_seeds_unfold_and_ticks_are_compared(page: Page, address: str) -> None:
    page.goto(f"{address}/runs?of_method=progap&of_method=gap&of_data=cora&of_unit=node")
    settled(page)
    settings = page.locator(".privgraph-runs tr.setting")
    expect(settings).to_have_count(10)
    more = settings.first.get_by_role("button", name=re.compile("one by one$"))
    expect(more).to_have_attribute("aria-expanded", "false")
    more.press("Enter")
    expect(page.get_by_role("link", name="seed 2", exact=True)).to_be_visible()
    for place in (0, 1):
        settings.nth(place).get_by_role("checkbox").check()
    expect(page.get_by_text("Runs chosen: 20.")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("heading", name="Side by side")).to_be_attached(timeout=30_000)
    expect(page.get_by_role("link", name="seed 2", exact=True)).to_be_visible()  # what was unfolded stays so
    page.get_by_role("checkbox", name=re.compile("^Choose seed 1 of")).uncheck()
    expect(page.get_by_text("Runs chosen: 19.")).to_be_visible(timeout=30_000)
    assert settings.first.get_by_role("checkbox").evaluate("box => box.indeterminate")
    page.get_by_role("button", name="Test score").click()
    page.wait_for_url(re.compile(r"order=test"))
    expect(page.locator(".privgraph-runs th.accuracy")).to_have_attribute("aria-sort", "descending", timeout=30_000)
    numbers = [float(text.rstrip("%")) for text in page.locator(".privgraph-runs td.accuracy b").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
    page.get_by_role("button", name="Choose none").click()
    expect(page.get_by_role("heading", name="Side by side")).to_have_count(0, timeout=30_000)
    assert "chosen" not in page.url
