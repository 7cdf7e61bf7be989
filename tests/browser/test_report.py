"""The page Report in a browser: its button stays in sight, its rows are low, and everybody can read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, ViewportSize, expect
from tests.browser.driving import CHROMIUM, faults_of_both_themes, rests, served, settled

from privgraph.runs import gallery
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.views.parts import collected, kept_file
from privgraph_workbench.views.report import preview as preview_page
from privgraph_workbench.views.report import single_runs
from privgraph_workbench.words import naming

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="needs Debian's chromium"),
]
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the app of this module keeps what it has."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """An app with the gallery."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(home))
        store = RunStore.open()
        gallery.bring_in(store)
        store.close()
        with served(home) as where:
            yield where


def _example(page: Page, address: str) -> None:
    page.goto(f"{address}/report")
    settled(page)
    page.get_by_role("button", name="Look at an example").click()
    expect(page.get_by_text("This is an example.")).to_be_visible()
    expect(page.locator(".privgraph-stamp img")).to_have_count(2, timeout=60_000)  # thumbnails come by themselves
    rests(page)


def test_the_button_is_in_sight_wherever_one_reads_and_the_download_stands_there(
    browser: Browser, address: str
) -> None:
    pages = [browser.new_context(viewport=size).new_page() for size in (LAPTOP, PHONE)]
    for page in pages:
        _example(page, address)
        button = page.get_by_role("button", name="Make the report")
        expect(button).to_be_in_viewport(ratio=1)
        page.get_by_text("What comes out").scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=1)
    laptop, phone = pages
    laptop.get_by_role("button", name="Make the report").click()
    expect(laptop.get_by_role("link", name="Download the report")).to_be_visible(timeout=240_000)
    _example(phone, address)  # what was made for one waits for all
    for page in pages:
        expect(page.get_by_role("link", name="Download the report")).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("button", name="Make the report")).to_have_count(0)
        page.context.close()


def test_rows_are_low(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=LAPTOP)
    page = context.new_page()
    _example(page, address)
    rows = page.locator("[class*=st-key-kept-row]")
    expect(rows).to_have_count(5)
    heights = [box["height"] for place in range(5) if (box := rows.nth(place).bounding_box())]
    assert len(heights) == 5
    assert max(heights) <= 120, heights
    context.close()


def test_on_a_phone_no_word_of_a_card_is_cut(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    _example(page, address)
    words = page.locator("[class*=st-key-kept-said] p")
    assert words.count() >= 10
    cut = """all => all.filter(one => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
        .map(one => one.textContent)"""
    assert words.evaluate_all(cut) == []
    cards, said = page.locator("[class*=st-key-kept-row]"), page.locator("[class*=st-key-kept-said]")
    for place in range(cards.count()):
        whole, box = cards.nth(place).bounding_box(), said.nth(place).bounding_box()
        assert whole
        assert box
        assert box["width"] >= 0.9 * (whole["width"] - 18), "words are as wide as their card"
        assert box["y"] + box["height"] <= whole["y"] + whole["height"]
    context.close()


def test_on_a_phone_the_way_to_secret_noise_is_not_cut_and_the_exact_lists_have_the_page_s_width(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    _example(page, address)
    link = page.get_by_role("link", name="with secret noise").first
    words = link.locator("span:has(p)")
    told = words.evaluate("one => [one.scrollWidth - one.clientWidth, getComputedStyle(one).whiteSpace]")
    assert told == [0, "normal"], "it breaks where it does not fit, and is not cut"
    box = link.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE["width"]
    page.set_viewport_size(LAPTOP)
    page.get_by_text("Exactly what goes, and what stays").click()
    rests(page)
    heads = [page.get_by_role("heading", name=name, exact=True) for name in ("Left out", "Still told")]
    tops = [one.evaluate("one => one.getBoundingClientRect().top") for one in heads]
    assert tops[0] == tops[1], "side by side"
    context.close()


def test_preview_stands_beside_make_also_on_a_phone(browser: Browser, address: str) -> None:
    for size in (LAPTOP, PHONE):
        context = browser.new_context(viewport=size)
        page = context.new_page()
        _example(page, address)
        preview = page.get_by_role("button", name="Preview")
        make = page.get_by_role("button", name="Make the report")
        make = make.or_(page.get_by_role("link", name="Download the report"))  # once it is made
        one, other = preview.bounding_box(), make.bounding_box()
        assert one
        assert other
        assert abs(one["y"] - other["y"]) < 12
        assert one["x"] + one["width"] <= other["x"]
        page.get_by_text("What comes out").scroll_into_view_if_needed()
        preview.click()
        shown = page.locator(".st-key-report-page iframe")
        expect(shown).to_be_in_viewport(ratio=0.99, timeout=240_000)  # wherever one reads
        title = shown.content_frame.get_by_role("heading", level=1)
        expect(title).to_be_visible()
        assert (box := shown.bounding_box())
        assert box["height"] >= 0.66 * size["height"], "more than its first lines are read"
        with context.expect_page() as opened:
            page.get_by_role("link", name=preview_page.TAB).click()
        expect(opened.value.get_by_role("heading", level=1)).to_have_text(title.inner_text())
        opened.value.close()
        expect(make).to_be_in_viewport(ratio=1)
        page.get_by_role("button", name="Close the preview").click()
        expect(shown).to_have_count(0)
        context.close()


def test_the_list_has_contrast_names_and_structure(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=LAPTOP, color_scheme="dark")
    page = context.new_page()
    _example(page, address)
    found = faults_of_both_themes(page, "report")
    context.close()
    assert found == []


@pytest.fixture
def own(home: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of two figures lies in the home of the app; their marks."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(home))
    store = RunStore.open()
    runs = list(store.find(RunQuery(datasets=("cora",), methods=("gap",), states=("done",), limit=4)))
    store.close()
    ids = [one.id for one in runs]
    figures = [collected.figure("tradeoff", tradeoff.data(runs[:many]), {}, ids) for many in (2, 4)]
    kept_file.save(figures, {})
    return [one.mark for one in figures]


def _unfolded(page: Page, address: str) -> None:
    """The list with its second figure unfolded."""
    page.goto(f"{address}/report")
    settled(page)
    expect(page.locator(".privgraph-stamp img")).to_have_count(2, timeout=60_000)
    page.get_by_role("button", name="Look at it").last.click()
    expect(page.get_by_label("Caption of your own")).to_be_visible()
    settled(page)


def test_words_outlive_the_arrow_that_is_pressed_at_once(browser: Browser, address: str, own: list[str]) -> None:
    """Three times: whether both arrive in one run of the page hangs on the moment."""
    order = own
    for words in ("What hiding costs", "What it gains", "Both of them"):
        context = browser.new_context(viewport=LAPTOP)
        page = context.new_page()
        _unfolded(page, address)
        page.get_by_label("Title of this figure", exact=True).fill(f"Title: {words}")
        page.get_by_label("Caption of your own").fill(words)
        page.get_by_role("button", name="Move up").last.click()
        moved = page.locator("[class*=st-key-kept-said]").first
        expect(moved).to_contain_text(f"1: Title: {words}")
        settled(page)
        page.reload()
        settled(page)
        expect(moved).to_contain_text(f"1: Title: {words}")
        expect(moved).to_contain_text(f"“{words}.”")
        kept, _ = kept_file.read(9, ())
        order = order[::-1]  # each time the second goes up
        assert [one.mark for one in kept] == order
        context.close()


def test_a_single_run_leaves_its_card_on_a_phone(
    browser: Browser, home: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVGRAPH_HOME", str(home))
    store = RunStore.open()
    runs = store.find(RunQuery(datasets=("cora",), methods=("gap",), states=("done",)))
    store.close()
    setting = max(naming.settings_of(runs), key=len)[:3]
    kept_file.save(collected.runs([one.id for one in setting]), {})
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{address}/report")
    settled(page)
    page.get_by_text(single_runs.EACH).click()
    ways = page.get_by_role("button", name=re.compile(r"Take GAP, .*, seed \d+ out"))
    expect(ways).to_have_count(3)
    settled(page)
    for place in range(3):
        assert (box := ways.nth(place).bounding_box())
        assert box["x"] + box["width"] <= PHONE["width"], "nothing is cut"
        assert min(box["width"], box["height"]) >= 32, "a finger finds it"
    ways.nth(1).click()
    expect(ways).to_have_count(2, timeout=60_000)  # and its card stays unfolded
    expect(page.get_by_text("A run was taken out.")).to_be_attached()
    page.get_by_role("button", name="Undo").click()
    expect(ways).to_have_count(3, timeout=60_000)
    context.close()


@pytest.mark.usefixtures("own")
def test_what_is_kept_in_a_part_that_is_drawn_by_itself_is_counted_at_once(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=LAPTOP)
    page = context.new_page()
    page.goto(f"{address}/tradeoffs")
    settled(page)
    counted = "link => getComputedStyle(link, '::after').content"
    link = page.locator('[data-testid=stTopNavLink][href$="/report"]')
    assert link.evaluate(counted).startswith('"2 figures"')
    page.get_by_role("button", name="Add this figure to report").click()
    expect(page.get_by_role("link", name=f"{collected.IN} (3 figures)")).to_be_visible(timeout=60_000)
    assert link.evaluate(counted).startswith('"3 figures"')
    context.close()


@pytest.mark.usefixtures("own")
def test_the_key_tab_reaches_the_caption_from_its_title_at_once(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=LAPTOP)
    page = context.new_page()
    _unfolded(page, address)
    page.get_by_label("Title of this figure", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Caption of your own")).to_be_focused()
    context.close()


@pytest.mark.usefixtures("own")
def test_on_a_phone_the_bar_has_one_row_of_buttons_beside_an_earlier_report(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    _unfolded(page, address)
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("link", name="Download the report")).to_be_visible(timeout=240_000)
    title = page.get_by_label("Title", exact=True)
    title.fill("Another")
    title.press("Enter")
    make = page.get_by_role("button", name="Make the report")
    expect(make).to_be_visible()
    former = page.get_by_role("link", name="Download the earlier report")
    expect(former).to_be_in_viewport(ratio=1)
    settled(page)
    bar, one, other = (
        found.bounding_box()
        for found in (page.locator(".st-key-runbar"), page.get_by_role("button", name="Preview"), make)
    )
    assert bar
    assert one
    assert other
    assert abs(one["y"] - other["y"]) < 2, "one row"
    assert bar["height"] <= 130, bar
    context.close()
