"""The Relations page in a real browser: a text is asked of two runs, their process dies and is mended,
exports, contrast in both themes, and a narrow window."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, profile, rests, served, settled
from tests.figures.made_relations import made_pair
from tests.methods.relations.test_nearest import adapted

from privgraph.data.load import load
from privgraph.runs.processes import alive
from privgraph.runs.store import RunStore

VERDICT = re.compile("ones as is usual here|they are not very near|is near this text")
"""What is said of a text of one's own."""
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of an app whose store holds a pair of finished runs of the tiny encoder, and its home."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("relations-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        for seed, record in enumerate(made_pair(store)):
            adapted(store.folder(record.id), seed=seed)
        store.close()
        with served(home) as found:
            yield found, home


@pytest.fixture
def context(browser: Browser, place: tuple[str, Path]) -> Iterator[BrowserContext]:
    """A fresh browser profile that asks no other host."""
    with profile(browser, place[0]) as opened:
        yield opened


def readers(home: Path) -> list[psutil.Process]:
    """The processes that read texts for the app of that home."""
    found = []
    for one in psutil.process_iter():
        try:
            if "privgraph.runs.ask" in one.cmdline() and one.environ().get("PRIVGRAPH_HOME") == str(home.resolve()):
                found.append(one)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def asked(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Your text, compared with those of")
    box.fill(text)
    box.press("Enter")


def test_a_text_is_asked_and_a_death_is_mended(context: BrowserContext, place: tuple[str, Path]) -> None:
    address, home = place
    page = context.new_page()
    page.goto(f"{address}/relations?neighbours=4")
    rests(page)
    assert not readers(home), "nothing is loaded before somebody asks"
    example = page.locator("[class*=st-key-example-]").first.get_by_role("button")
    text = example.inner_text()
    example.click()
    expect(page.get_by_role("heading", name="What moved")).to_be_visible(timeout=120_000)
    for seen in (
        page.get_by_role("button", name="Ask", exact=True),
        page.locator("[data-testid=stColumn] ol li").first,
    ):
        box = seen.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800, "question and first answer are seen at once"
    assert parse_qs(urlsplit(page.url).query)["text"] == [text], "a text of the data can be handed on"
    expect(page.get_by_text("This text is one of the data's", exact=False)).to_be_visible()
    settled(page)
    graph = load("products")
    for column in range(3):
        items = page.locator("[data-testid=stColumn] ol").nth(column).locator("li")
        assert items.count() == 4
        for row in range(4):
            assert items.nth(row).inner_text().split("\n")[0].replace("★ partner", "").strip() in graph.texts
    (process,) = readers(home)
    record = _exported(page)
    assert record["figure"] == "moved"
    assert not any(text in row.values() for row in ({**row, "asked": ""} for row in record["rows"])), "no candidate"
    assert {row["encoder"] for row in record["rows"]} == {"base", "bare", "private"}
    units = sorted(one["unit"] for one in record["statements"].values())
    assert units == ["edge", "none"]

    os.kill(process.pid, signal.SIGKILL)
    while alive(process.pid):
        page.wait_for_timeout(50)
    asked(page, "a nordic swing of brass")
    expect(page.get_by_text(VERDICT).first).to_be_visible(timeout=120_000)
    expect(page.get_by_text("This text is one of the data's", exact=False)).to_have_count(0, timeout=120_000)
    # What was found for the text before stays on the page until the new answer is there.
    for _ in range(1200):
        if again := readers(home):
            break
        page.wait_for_timeout(100)
    assert [one.pid for one in again] != [process.pid]
    settled(page)
    for _ in range(600):  # on a busy machine one that is looked at in the wrong moment is not seen
        if len(readers(home)) == 1:
            break
        page.wait_for_timeout(100)
    assert len(readers(home)) == 1
    expect(page.get_by_text(VERDICT).first).to_be_visible(timeout=120_000)
    assert "swing" not in page.url, "what is typed is in no address"
    assert "text" not in parse_qs(urlsplit(page.url).query)


def _exported(page: Page) -> dict[str, dict[str, object]]:
    page.locator("[class*=st-key-export-moved-]").get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON", exact=True).click()
    page.keyboard.press("Escape")
    found: dict[str, dict[str, object]] = json.loads(started.value.path().read_text())
    return found


EDGES = """() => {
    const plot = document.querySelector('.js-plotly-plot');
    const badge = [...plot.querySelectorAll('.annotation')].find((one) => one.textContent.includes('Evaluator'));
    const [name, legend, axes] = [badge, plot.querySelector('.legend'), plot.querySelector('.nsewdrag')].map(
        (one) => one.getBoundingClientRect());
    return [name.bottom, legend.top, legend.bottom, axes.top];
}"""
"""Of the figure of what moved, from above: where its badge ends, where its legend begins and ends, and where
its axes begin."""


ENDS = """() => [...document.querySelectorAll('.st-key-fields [data-testid=stColumn], .st-key-whole-texts > *, '
    + '[data-testid=stExpander] [data-testid=stSelectbox]')].map((one) => one.getBoundingClientRect())
    .filter((one) => one.width > 0).map((one) => one.right)"""
"""Where fields, examples and the way to other texts end, from the left."""


def test_contrast_names_and_a_narrow_window(browser: Browser, place: tuple[str, Path]) -> None:
    address, _ = place
    context = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}/relations?neighbours=3")
    rests(page)
    page.locator("[class*=st-key-example-]").first.get_by_role("button").click()
    expect(page.get_by_role("heading", name="What moved")).to_be_visible(timeout=120_000)
    rests(page)
    found = faults_of_both_themes(page, "/relations")
    roomy = page.evaluate(EDGES)
    assert roomy == sorted(roomy)
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    wide = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth")
    private, base = (page.get_by_role("heading", name=re.compile(name)).first for name in ("Private, ε", "Base enc"))
    expect(private).to_be_visible()
    expect(base).to_be_hidden()
    item = page.locator("[data-testid=stColumn] ol:visible li").first.bounding_box()
    assert item is not None
    assert item["y"] < 844, "the first answer is on the first screen"
    page.get_by_text("Choose runs, data and domain").click()
    settled(page)
    ends = page.evaluate(ENDS)
    assert len(ends) >= 7
    assert max(ends) <= 390, "every field, every example and the way to other texts is seen without pushing"
    narrow = page.evaluate(EDGES)
    assert narrow == sorted(narrow), "badge, legend and axes stand one below the other"
    page.get_by_role("radio", name="Base", exact=True).click()
    expect(base).to_be_visible()
    expect(private).to_be_hidden()
    context.close()
    assert not found, "\n".join(found)
    assert wide <= 390, "nothing hangs over the edge of a telephone"
