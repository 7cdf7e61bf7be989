"""The page Teachers in a real browser: a slider moves the price, files carry badges, contrast, a phone."""

import json
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect
from tests.browser.driving import CHROMIUM, profile, rests, served, settled
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.kept_runs import keep_answers, keep_ensemble

from privgraph.runs.store import RunStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]
TABS = ("One query", "Who pays", "Answers", "Compared")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    """The address of an app whose store holds a run of PrivGNN and one of weighted teachers, and the runs."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("teachers-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        run = keep_answers(store, made_answers("votes", refuse=2), release="votes", queries=8)
        weighted = keep_ensemble(store, ensemble(limit=0.8), made_answers("counts", noise=3.0))
        store.close()
        with served(home) as address:
            yield address, run, weighted


@pytest.fixture
def page(browser: Browser, place: tuple[str, str, str]) -> Iterator[Page]:
    """A tab that asks no other host."""
    with profile(browser, place[0]) as context:
        yield context.new_page()


def exported(page: Page, figure: str) -> dict[str, object]:
    """The JSON file behind the export button of that figure."""
    page.locator(f"[class*=st-key-export-{figure}-]").get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON", exact=True).click()
    page.keyboard.press("Escape")
    found: dict[str, object] = json.loads(started.value.path().read_text())
    return found


def test_a_slider_moves_the_price_and_leads_to_train(page: Page, place: tuple[str, str, str]) -> None:
    address, run, _ = place
    page.goto(f"{address}/teachers?run={run}")
    rests(page)
    paid = page.get_by_test_id("stMetric").filter(has_text=re.compile(r"all \d+ queries"))
    paid = paid.get_by_test_id("stMetricValue")
    before = paid.inner_text()
    slider = page.get_by_role("slider", name=re.compile("Noise"))
    slider.focus()
    slider.press("ArrowLeft")  # less noise
    expect(paid).not_to_have_text(before)
    assert float(paid.inner_text()) > float(before)
    settled(page)
    record = exported(page, "one_answer")
    assert record["figure"] == "one_answer"
    assert len(record["statements"]) == 1  # type: ignore[arg-type]
    page.get_by_role("link", name="Train with these settings").click()
    page.wait_for_url(re.compile(r"/train\?.*lam=0\.8"))
