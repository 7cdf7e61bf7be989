"""The page Relations in a real browser: a text is asked of two runs, their process dies and is mended, files,
contrast, and a narrow window."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.driving import profile, rests, served, settled
from tests.figures.made_relations import made_pair
from tests.methods.relations.test_nearest import adapted

from privgraph.runs.processes import alive
from privgraph.runs.store import RunStore

SLOW = 120_000
LISTS = "[class*=st-key-nearest-]"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of an app whose store holds a pair of finished runs of the tiny encoder, and its home."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("relations-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
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


def ask_example(page: Page) -> str:
    """Ask about the first text of the data that is offered, and wait for all lists."""
    page.get_by_role("button", name="Examples").click()
    example = page.locator("[class*=st-key-example-]").first.get_by_role("button")
    text = example.inner_text()
    example.click()
    expect(page.locator(LISTS)).to_have_count(3, timeout=SLOW)
    page.keyboard.press("Escape")
    settled(page)
    return text


def test_a_text_is_asked_and_a_death_is_mended(context: BrowserContext, place: tuple[str, Path]) -> None:
    address, home = place
    page = context.new_page()
    page.goto(f"{address}/relations?neighbours=4")
    rests(page)
    assert not readers(home), "nothing is loaded before somebody asks"
    text = ask_example(page)
    (handed,) = parse_qs(urlsplit(page.url).query)["text"]
    assert handed.startswith(text.removesuffix("…")), "a text of the data can be handed on"
    page.locator("[class*=st-key-export-moved-]").get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON", exact=True).click()
    page.keyboard.press("Escape")
    record = json.loads(started.value.path().read_text())
    assert {row["encoder"] for row in record["rows"]} == {"base", "bare", "private"}
    assert sorted(one["unit"] for one in record["statements"].values()) == ["edge", "none"]

    (process,) = readers(home)
    os.kill(process.pid, signal.SIGKILL)
    while alive(process.pid):
        page.wait_for_timeout(50)
    box = page.get_by_role("textbox", name="Your text, among those of")
    box.fill("a nordic swing of brass")
    box.press("Enter")
    page.wait_for_url(lambda url: "text=" not in url, timeout=SLOW)
    for _ in range(1200):
        if again := [one.pid for one in readers(home) if one.pid != process.pid]:
            break
        page.wait_for_timeout(100)
    assert len(again) == 1
    expect(page.locator(LISTS)).to_have_count(3, timeout=SLOW)
    assert "swing" not in page.url, "what is typed is in no address"
