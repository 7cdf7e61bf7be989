"""The lessons in a real browser, from the first step to the last by keyboard alone."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.driving import PHONE, settled

from privgraph_workbench.parts.lessons import LESSONS

FOCUSED = """([kind, words]) => {
    const one = document.activeElement;
    return !!one && one.matches(kind) && (one.innerText || one.getAttribute("aria-label") || "").includes(words);
}"""
CONTROLS = {
    "input[type=range]": (["ArrowLeft"], ["ArrowRight"]),
    "button[role=radio]": (["Space"], ["ArrowRight", "Space"]),
    "[data-testid=stNumberInput] input": (["ArrowUp", "Enter"], ["ArrowDown", "Enter"]),
    "input[role=combobox]": (["ArrowDown", "Home", "Enter"], ["ArrowDown", "End", "Enter"]),
}
"""What a step is moved by, and keys that do it: the second ones where the first lead to what is chosen."""
TABS = 80
CUT = """() => { const plot = document.querySelector('.js-plotly-plot'), all = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('svg text')].map(one => [one.textContent, one.getBoundingClientRect()]);
    const out = (box) => box.left < all.left - 1 || box.right > all.right + 1
        || box.top < all.top - 1 || box.bottom > all.bottom + 1;
    return texts.filter(([text, box]) => text.trim() && box.width && out(box)).map(([text]) => text); }"""
"""Texts of the figure that do not lie inside it."""
WIDTH = "() => document.querySelector('.js-plotly-plot')._fullLayout.xaxis._length"
"""Of what the axes span, in pixels."""


def reached(page: Page, kind: str, words: str = "") -> None:
    """Press Tab until the focus is on an element of that kind that says so."""
    page.evaluate("() => document.activeElement?.blur()")
    for _ in range(TABS):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED, [kind, words]):
            return
    raise AssertionError(f"no {kind} that says {words!r} within {TABS} tabs")


def moved(page: Page) -> None:
    """Move the step's control by a key, where it has one."""
    main = page.locator("[data-testid=stMain]")
    kind = next(kind for kind in CONTROLS if main.locator(kind).count())
    before = page.url
    for keys in CONTROLS[kind]:
        reached(page, kind)
        for key in keys:
            page.keyboard.press(key)
        settled(page)
        if page.url != before:
            break
    assert page.url != before, "the address tells what was chosen"
    settled(page)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


@pytest.mark.parametrize("name", ["noise"])
def test_from_the_first_step_to_the_last_by_keyboard_alone(page: Page, address: str, name: str) -> None:
    page.goto(f"{address}/lessons?lesson={name}")
    lesson = LESSONS[name]
    for place, step in enumerate(lesson["steps"], start=1):
        expect(page.get_by_role("heading", name=step["title"], exact=True)).to_be_visible()
        settled(page)
        if "control" in step:
            moved(page)
        reached(page, "input[type=radio]")
        for _ in range(step["right"]):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        expect(page.get_by_text(re.compile("^Right\\."))).to_be_visible()
        settled(page)
        if place < len(lesson["steps"]):
            reached(page, "button", "Next")
            page.keyboard.press("Enter")
            page.wait_for_url(re.compile(f"step={place + 1}"))
    expect(page.get_by_text("What holds", exact=True)).to_be_visible()
    number = list(LESSONS).index(name)
    told = re.search(r"done=([\da-z.]+)", page.url)
    assert told[1].split(".")[number] == "abcde"[: len(lesson["steps"])], "all steps count as done"
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_each_step_begins_at_its_top_and_keys_go_on_from_there(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{address}/lessons?lesson=claims")
    for place, step in enumerate(LESSONS["claims"]["steps"][1:3], start=2):
        settled(page)
        reached(page, "button", "Next")
        assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") > 0
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(f"step={place}"))
        expect(page.get_by_role("heading", name=step["title"], exact=True)).to_be_visible()
        settled(page)
        assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == 0
        assert page.evaluate("() => document.activeElement.tagName") == "H1"
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.querySelector('[data-testid=stMain]').contains(document.activeElement)"), (
            "the next key press is within the step, and not in the bar above it"
        )
    page.go_back()
    page.wait_for_url(re.compile("step=2"))
    expect(page.get_by_role("heading", name=LESSONS["claims"]["steps"][1]["title"], exact=True)).to_be_visible()


def test_on_a_telephone_no_figure_is_cut(page: Page, address: str) -> None:
    """Titles of several lines, names of rows, and what stands below an axis that names of rows push aside."""
    page.set_viewport_size(PHONE)
    cut, narrow = {}, {}
    for name, lesson in LESSONS.items():
        for place, step in enumerate(lesson["steps"], start=1):
            if "figure" not in step:
                continue
            page.goto(f"{address}/lessons?lesson={name}&step={place}")
            expect(page.locator(".js-plotly-plot .gtitle")).to_be_visible()
            settled(page)
            cut[name, place] = page.evaluate(CUT)
            narrow[name, place] = page.evaluate(WIDTH)
    assert {step: texts for step, texts in cut.items() if texts} == {}
    assert {step: width for step, width in narrow.items() if width < 120} == {}, "names leave room for what is drawn"
