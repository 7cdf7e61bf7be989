"""One walk a page, on a desktop and on a phone: what somebody came for, with the examples."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.browser.driving import PHONE, faults_of_both_themes, open_page, rests, settled

from privgraph_workbench.serving import shell

SIZES: dict[str, ViewportSize] = {"desktop": {"width": 1280, "height": 900}, "phone": PHONE}
TALLEST, WORDS = 1800, 150
TEXTUAL = {"lessons", "relations"}
"""Pages whose content is text: six lessons, and the texts that an encoder finds."""
COUNTED = """() => {
  const skip = "button, label, summary, a, table, [data-testid=stMetric], [data-testid=stDataFrame], .js-plotly-plot";
  const text = "[data-testid=stMarkdownContainer], [data-testid=stHeading]";
  return [...document.querySelectorAll(`[data-testid=stMain] :is(${text})`)]
    .filter(one => one.offsetParent && !one.closest(skip) && !one.parentElement.closest(text))
    .map(one => one.textContent).join(" ").split(/\\s+/).filter(word => /[A-Za-z]{2}/.test(word)).length; }"""
HEIGHT = "() => document.querySelector('[data-testid=stMain]').scrollHeight"
SIDEWAYS = "() => document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"


def start(page: Page) -> None:
    """Run the demo, and see what it comes to."""
    page.get_by_role("button", name="Run the demo").click()
    page.wait_for_url(re.compile(r"/(train|runs)\?.*run="))
    expect(page.get_by_text("Test accuracy").first).to_be_visible(timeout=120_000)


def playground(page: Page) -> None:
    """Turn the noise down, and keep it in the address."""
    page.get_by_role("slider").first.press("ArrowLeft")
    page.wait_for_url(re.compile(r"\?"))


def lessons(page: Page) -> None:
    """Begin, answer, and go on."""
    page.get_by_role("button", name="Begin").first.click()
    page.wait_for_url(re.compile("step=1"))
    settled(page)
    page.get_by_role("radio", name="Several hints together").press("Space")
    page.wait_for_url(re.compile("done=a"))
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("step=2"))


def data(page: Page) -> None:
    """Look at another graph."""
    box = page.get_by_role("combobox", name="Graph")
    box.fill("Karate")
    box.press("Enter")
    page.wait_for_url(re.compile("data=karate"))
    rests(page)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def train(page: Page) -> None:
    """Ask for another epsilon, and see what that takes."""
    page.get_by_label("Epsilon", exact=True).fill("2")
    page.get_by_label("Epsilon", exact=True).press("Enter")
    page.wait_for_url(re.compile("epsilon=2"))
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def runs(page: Page) -> None:
    """Search, and open a run."""
    page.get_by_placeholder(re.compile("Search")).fill("gap")
    page.get_by_placeholder(re.compile("Search")).press("Enter")
    page.wait_for_url(re.compile("find=gap"))
    settled(page)


def tradeoffs(page: Page) -> None:
    """Choose who is protected, and see the table of methods."""
    page.get_by_role("radio", name="node").click()
    page.wait_for_url(re.compile("unit=node|protects=node|side=node"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()


def teachers(page: Page) -> None:
    """See who pays."""
    page.get_by_role("tab", name="Who pays").click()
    settled(page)
    expect(page.locator(".js-plotly-plot:visible").first).to_be_visible()


def relations(page: Page) -> None:
    """See what privacy costs."""
    page.get_by_role("tab", name="Cost").click()
    settled(page)
    expect(page.locator(".js-plotly-plot:visible").first).to_be_visible()


def attacks(page: Page) -> None:
    """Ask who is connected."""
    page.get_by_role("radio", name="Who is connected?").click()
    page.wait_for_url(re.compile("who=edges"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def accounting(page: Page) -> None:
    """Ask for another epsilon, and see the noise follow."""
    noise = page.get_by_role("spinbutton", name=re.compile("^Noise"))
    before = noise.input_value()
    page.get_by_role("spinbutton", name="ε, asked for").fill("2")
    page.get_by_role("spinbutton", name="ε, asked for").press("Enter")
    expect(noise).not_to_have_value(before)


def report(page: Page) -> None:
    """Take a figure, and write the report."""
    report_address = page.url
    page.goto(report_address.replace("/report", "/tradeoffs"))
    rests(page)
    if page.get_by_role("link", name="In the report").count() == 0:
        page.get_by_role("button", name="Add to report").first.click()
    expect(page.get_by_role("link", name="In the report").first).to_be_visible()
    page.goto(report_address)
    settled(page)
    if (make := page.get_by_role("button", name="Make the report")).count():  # equal reports are made once
        make.click()
    link = page.get_by_role("link", name="Archive")
    expect(link).to_be_visible(timeout=120_000)
    with page.expect_download() as taken:
        link.click()
    assert Path(taken.value.path()).read_bytes().startswith(b"PK")


WALKS: dict[str, Callable[[Page], None]] = {
    "start": start,
    "playground": playground,
    "lessons": lessons,
    "data": data,
    "train": train,
    "runs": runs,
    "tradeoffs": tradeoffs,
    "teachers": teachers,
    "relations": relations,
    "attacks": attacks,
    "accounting": accounting,
    "report": report,
}


def test_every_page_has_a_walk() -> None:
    assert WALKS.keys() == shell.TITLES.keys()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", WALKS)
def test_a_page_does_what_somebody_came_for(page: Page, address: str, name: str, size: str) -> None:
    page.set_viewport_size(SIZES[size])
    page.emulate_media(color_scheme="dark")
    page.goto(f"{address}/{'' if name == 'start' else name}?store=examples")
    rests(page)
    assert page.evaluate(SIDEWAYS) <= 0
    if size == "desktop":
        assert page.evaluate(HEIGHT) <= TALLEST
        assert name in TEXTUAL or page.evaluate(COUNTED) <= WORDS
        assert faults_of_both_themes(page, name) == []
    WALKS[name](page)
    settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.evaluate(SIDEWAYS) <= 0
    reached, title = page.url, page.get_by_role("heading", level=1).first.inner_text()
    page.reload()
    settled(page)
    assert page.url == reached, "the address is what is shown"
    expect(page.get_by_role("heading", level=1).first).to_have_text(title)
    page.goto(f"{address}/{'data' if name == 'lessons' else 'lessons'}")
    settled(page)
    page.go_back()
    page.wait_for_url(reached)
    expect(page.get_by_role("heading", level=1).first).to_have_text(title)


def test_every_page_stands_in_a_group_of_the_bar(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/lessons")
    rests(page)
    assert sorted(name for names in shell.GROUPS.values() for name in names) == sorted(shell.TITLES)
    for group, names in shell.GROUPS.items():
        page.get_by_text(group, exact=True).click()
        for name in names:
            expect(page.get_by_role("menuitem", name=shell.TITLES[name][0], exact=True)).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
    open_page(page, "data")
    page.wait_for_url(re.compile("/data"))
    page.go_back()
    page.wait_for_url(re.compile("/lessons"))
