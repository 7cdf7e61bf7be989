"""The page Attacks in a real browser: a run is trained and attacked by an outsider; contrast; a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, profile, rests, served, settled
from tests.figures.made_attacks import attack as made_attack
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of an app whose store holds one finished run with two attacks on it, and the run."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("attack-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8, epochs=200, seed=1))
        for name, memory in (("threshold", 0.4), ("bavaria", 1.5)):
            store.add_attack(run, made_attack(run, name=name, memory=memory))
        store.close()
        with served(home) as address:
            yield address, run


@pytest.fixture
def context(browser: Browser, place: tuple[str, str]) -> Iterator[BrowserContext]:
    """A fresh browser profile that asks no other host."""
    with profile(browser, place[0]) as opened:
        yield opened


def test_a_run_is_trained_and_attacked_by_an_outsider(context: BrowserContext, place: tuple[str, str]) -> None:
    page = context.new_page()
    form = "method=dp-mlp&data=social&data.nodes=120&data.degree=6&epochs=2&hidden=8&epsilon=8"
    page.goto(f"{place[0]}/train?{form}")
    rests(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile(r"/train\?run="))
    link = page.get_by_role("link", name="Attack this run")
    expect(link).to_be_visible(timeout=120_000)
    settled(page)
    link.click()
    page.wait_for_url(re.compile(r"/attacks\?.*run=dp-mlp-social-"))
    settled(page)
    expect(page.get_by_text("Nobody has attacked this run yet")).to_be_visible()
    models = page.get_by_role("spinbutton", name="Shadow models")
    models.fill("14")
    models.press("Enter")
    page.wait_for_url(re.compile(r"attack\.shadows=14"))
    expect(page.get_by_text(re.compile(r"What it takes\. 18 trainings"))).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Start the attack").click()
    found = page.get_by_role("heading", name="In numbers")
    expect(found).to_be_visible(timeout=180_000)
    settled(page)
    expect(page.get_by_text(re.compile("Shown one node trained on and one not trained on"))).to_be_visible()
    expect(page.get_by_role("cell", name=re.compile("^right one of two picked"))).to_be_visible()
    page.get_by_text("worst-case", exact=True).click()
    page.wait_for_url(re.compile(r"who=worst-case"))
    # its bound has gone to the run, among the audits
    expect(page.get_by_text("All audits of this run")).to_be_visible(timeout=60_000)
    page.get_by_text("outsider", exact=True).click()
    expect(found).to_be_visible(timeout=60_000)


def test_contrast_names_and_structure(browser: Browser, place: tuple[str, str]) -> None:
    address, run = place
    opened = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = opened.new_page()
    page.goto(f"{address}/attacks?run={run}")
    settled(page)
    page.get_by_text(re.compile("^Who is exposed: by degree")).click()
    expect(page.get_by_role("heading", name="The most exposed nodes")).to_be_visible()
    settled(page)
    found = faults_of_both_themes(page, "/attacks")
    opened.close()
    assert not found, "\n".join(found)


def test_on_a_phone_nothing_is_wider_than_the_window(browser: Browser, place: tuple[str, str]) -> None:
    address, run = place
    opened = browser.new_context(viewport={"width": 390, "height": 844})
    page = opened.new_page()
    page.goto(f"{address}/attacks?run={run}")
    settled(page)
    page.get_by_text(re.compile("^Who is exposed: by degree")).click()
    expect(page.get_by_role("heading", name="The most exposed nodes")).to_be_visible()
    settled(page)
    wide = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth")
    opened.close()
    assert wide <= 390
