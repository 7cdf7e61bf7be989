"""The Accounting page in a real browser: a dragged line is another noise, exports, contrast in both
themes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect
from tests.browser.driving import CHROMIUM, profile, rests, served, settled

SLOW = 60_000
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app with an empty store."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("accounting-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        with served(home) as found:
            yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page of a fresh profile that asks no other host."""
    with profile(browser, address) as context:
        yield context.new_page()


def _drag(page: Page, place: int, pixels: float) -> None:
    """Take the line of the figure in that place, and let it go that far to the right."""
    plot = page.locator(".js-plotly-plot").nth(place)
    plot.scroll_into_view_if_needed()
    settled(page)
    # Lines come twice, the second time as what can be grasped; a figure that is drawn anew has none for a
    # moment.
    line, box = plot.locator(".shapelayer path").last, None
    while box is None or box != line.bounding_box():
        box = line.bounding_box()
        page.wait_for_timeout(200)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pixels, y, steps=5)
    page.mouse.up()


def test_a_dragged_line_is_another_noise(page: Page, address: str) -> None:
    page.goto(f"{address}/accounting?data=karate&method=gap&unit=edge&epsilon=2")
    rests(page)
    noise = page.get_by_role("spinbutton", name=re.compile("^Noise, "))
    before = noise.input_value()
    _drag(page, 0, 100)
    page.wait_for_url(re.compile(r"scale=\d"), timeout=SLOW)
    expect(noise).not_to_have_value(before, timeout=SLOW)
    settled(page)
    assert float(noise.input_value()) > 1.2 * float(before)
    assert float(page.get_by_role("spinbutton", name=re.compile("^ε, ")).input_value()) < 1.8
    given = noise.input_value()
    page.reload()
    rests(page)
    expect(noise).to_have_value(given)
    wanted = page.get_by_role("spinbutton", name=re.compile("^ε, "))
    wanted.fill("2")
    wanted.press("Enter")
    expect(noise).to_have_value(before, timeout=SLOW)


def test_a_dragged_border_plans_the_gate_again(page: Page, address: str) -> None:
    page.goto(f"{address}/accounting?data=digits&method=dp-gpl&gate_sigma=40")
    rests(page)
    page.get_by_text("Where the budget goes").click()
    plot = page.locator(".js-plotly-plot").nth(1)
    expect(plot).to_be_visible(timeout=SLOW)
    settled(page)

    def share() -> float:
        told = plot.locator(".legendtext").filter(has_text="labels").first.text_content() or ""
        return float(told.rpartition(": ")[2].rstrip("%"))

    before, box = share(), plot.bounding_box()
    assert box is not None
    _drag(page, 1, 0.3 * box["width"])
    page.wait_for_url(re.compile(r"gate_sigma=(?!40\b)\d"), timeout=SLOW)
    rests(page)
    assert "gate_sigma=" in page.url
    assert before + 20 < share() < before + 40
