"""The Teachers page in a real browser: the price at once, a run's answers, its exports, contrast in both
themes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, profile, rests, served, settled
from tests.figures.made_answers import answers as made_answers
from tests.pages.kept_runs import keep_answers

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.teachers import answers, chosen

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of an app whose store holds one finished run, and the run."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("teachers-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        run = keep_answers(store, made_answers("votes", refuse=2))
        store.close()
        with served(home) as address:
            yield address, run


@pytest.fixture
def context(browser: Browser, place: tuple[str, str]) -> Iterator[BrowserContext]:
    """A fresh browser profile that asks no other host."""
    with profile(browser, place[0]) as opened:
        yield opened


def test_a_slider_moves_both_epsilons(context: BrowserContext, place: tuple[str, str]) -> None:
    page = context.new_page()
    page.goto(f"{place[0]}/teachers?tab=Price&data=digits&price.release=posterior")
    settled(page)
    metrics = page.get_by_test_id("stMetric")
    numbers = [
        metrics.filter(has_text=re.compile(text)).get_by_test_id("stMetricValue").last
        for text in ("all [0-9,]+ queries", "one query")
    ]
    before = [one.inner_text() for one in numbers]
    slider = page.get_by_role("slider", name=re.compile("Noise ± "))
    slider.focus()
    slider.press("ArrowLeft")  # less noise
    page.wait_for_url(re.compile(r"price\.noise=\d"))
    for one, held in zip(numbers, before, strict=True):
        expect(one).not_to_have_text(held, timeout=30_000)
        assert float(one.inner_text()) > float(held)
    noise = float(re.search(r"price\.noise=([\d.]+)", page.url).group(1))  # type: ignore[union-attr]
    lam = f"{2**0.5 / noise:.6g}"
    train = page.get_by_role("link", name="Train with these settings")
    expect(train).to_have_attribute("href", re.compile(rf"lam={lam}"), timeout=30_000)  # drawn after the numbers
    train.click()
    page.wait_for_url(re.compile(rf"/train\?.*lam={lam}"))
    settled(page)
    page.get_by_text(re.compile("More options")).click()
    expect(page.get_by_role("textbox", name="Noise lambda")).to_have_value(lam, timeout=60_000)


def test_a_run_its_query_and_its_exports(context: BrowserContext, place: tuple[str, str]) -> None:
    address, run = place
    page = context.new_page()
    page.goto(f"{address}/train?run={run}")
    settled(page)
    page.get_by_role("link", name="What its teachers said").click()
    page.wait_for_url(re.compile(rf"/teachers\?run={run}"))
    settled(page)
    expect(page.get_by_text("evaluator only").first).to_be_visible()
    expect(page.get_by_text(re.compile("Who answered: node"))).to_be_visible(timeout=30_000)

    page.goto(f"{address}/teachers?run={run}&query=41&data=digits")
    settled(page)
    expect(page.get_by_text("Who answered: node 41")).to_be_visible(timeout=30_000)
    rests(page)
    found = _exported(page, "chosen")
    page.get_by_role("tab", name="Answers").click()
    expect(page.get_by_text("Noise changed the label", exact=True)).to_be_visible(timeout=30_000)
    rests(page)
    records = [_exported(page, "answers"), found]
    assert [record["figure"] for record in records] == ["answers", "chosen"]
    assert answers.PRIVATE_BADGE in records[0]["badges"]
    assert len(records[0]["rows"]) == 20
    assert chosen.BADGE in records[1]["badges"]
    for record in records:
        (statement,) = record["statements"].values()
        assert statement["unit"] == "node"


def _exported(page: Page, figure: str) -> dict[str, dict[str, object]]:
    """The JSON file behind the export button of that figure."""
    page.locator(f"[class*=st-key-export-{figure}-]").get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON", exact=True).click()
    page.keyboard.press("Escape")
    found: dict[str, dict[str, object]] = json.loads(started.value.path().read_text())
    return found


def test_contrast_names_and_structure(browser: Browser, place: tuple[str, str]) -> None:
    address, run = place
    context = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = context.new_page()
    found = []
    for tab in ("Vote laboratory", "Price", "Answers"):
        page.emulate_media(color_scheme="dark")
        page.goto(f"{address}/teachers?run={run}&data=karate&tab={tab.replace(' ', '+')}")
        rests(page)
        found += faults_of_both_themes(page, "/teachers")
    context.close()
    assert not found, "\n".join(found)


@pytest.mark.parametrize("tab", ["Vote laboratory", "Answers", "Who pays", "Price"])
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, place: tuple[str, str], tab: str) -> None:
    address, run = place
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/teachers?run={run}&data=karate&tab={tab.replace(' ', '+')}")
    rests(page)
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    beyond, height = page.get_by_test_id("stMain").evaluate(
        "one => [one.scrollWidth - one.clientWidth, one.scrollHeight]"
    )
    context.close()
    assert beyond <= 0
    assert height < 5000
