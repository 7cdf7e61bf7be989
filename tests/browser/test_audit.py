"""The Audit page in a real browser: a run is trained, attacked and its bound read; a long audit is stopped;
contrast."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, profile, rests, served, settled
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of an app whose store holds one finished run with an audit that refutes a claim, and the
    run."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("audit-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8, epochs=200, seed=1))
        store.add_audit(run, made_audit(run, noise=0.4, published=1.5))
        store.close()
        with served(home) as address:
            yield address, run


@pytest.fixture
def context(browser: Browser, place: tuple[str, str]) -> Iterator[BrowserContext]:
    """A fresh browser profile that asks no other host."""
    with profile(browser, place[0]) as opened:
        yield opened


def test_a_run_is_trained_attacked_and_its_bound_read(context: BrowserContext, place: tuple[str, str]) -> None:
    page = context.new_page()
    page.goto(f"{place[0]}/train?method=dp-mlp&data=karate&epochs=3&batch_size=8&hidden=4&epsilon=8")
    rests(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile(r"/train\?run="))
    link = page.get_by_role("link", name="Audit this run")
    expect(link).to_be_visible(timeout=120_000)
    settled(page)
    link.click()
    page.wait_for_url(re.compile(r"/attacks\?.*run=dp-mlp-karate-"))
    settled(page)
    expect(page.get_by_text("has not been audited yet")).to_be_visible()
    trials = page.get_by_role("spinbutton", name="Trials")
    trials.fill("2000")
    trials.press("Enter")
    page.wait_for_url(re.compile(r"audit\.trials=2000"))
    expect(page.get_by_text(re.compile(r"What it takes\. 2,000 trials"))).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Start the audit").click()
    expect(page.get_by_text("All audits of this run")).to_be_visible(timeout=180_000)
    settled(page)
    shown = page.locator("h4").filter(has_text="≥")
    expect(shown).to_have_count(1, timeout=60_000)
    for text in shown.all_inner_texts():
        found = re.search(r"≥ ([\d.]+)", text)
        assert found is not None
        assert 0 < float(found.group(1)) <= 8
    expect(page.get_by_text("Inconclusive: this audit could not have refuted the sound 7.998.")).to_be_visible()
    record = _exported(page, "audit_bounds")
    (statement,) = record["statements"].values()
    assert statement["epsilon_audited"] == max(row["epsilon"] for row in record["rows"] if row["counts"])
    page.get_by_role("link", name="Open the run").click()
    page.wait_for_url(re.compile(r"/train\?run="))
    expect(shown).to_have_count(1, timeout=60_000)  # those of the page that is left go when the other is drawn
    expect(shown).to_be_visible()


def test_a_long_audit_survives_a_reload_and_is_stopped(context: BrowserContext, place: tuple[str, str]) -> None:
    address, run = place
    page = context.new_page()
    page.goto(f"{address}/audit?run={run}&audit.trials=1000000")
    settled(page)
    page.get_by_role("button", name="Start the audit").click()
    stop = page.get_by_role("button", name="Stop the audit", exact=True)
    expect(stop).to_have_count(1, timeout=60_000)
    page.reload()
    expect(page.get_by_role("progressbar").or_(page.get_by_test_id("stProgress")).first).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Start the audit")).to_have_count(0)
    stop.click()  # it has a turn to lose, so the button asks
    page.get_by_role("button", name="Stop the audit for good").click()
    expect(page.get_by_text("Nothing that it had found is kept.")).to_be_visible(timeout=120_000)
    expect(page.get_by_role("button", name="Start the audit")).to_be_enabled()


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
    page.goto(f"{address}/audit?run={run}&scale=log")
    settled(page)
    expect(page.get_by_text("not the paper's 9.235")).to_be_visible()
    found = faults_of_both_themes(page, "/audit")
    context.close()
    assert not found, "\n".join(found)
