"""The page Attacks in a real browser: rows that are chosen are curves; contrast; a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, served, settled
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of an app whose store holds one finished run with two attacks and an audit, and the run."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("attack-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
        for name, memory in (("threshold", 0.4), ("bavaria", 1.5)):
            store.add_attack(run, made_attack(run, name=name, memory=memory))
        store.add_audit(run, made_audit(run, noise=0.4, published=1.5))
        store.close()
        with served(home) as address:
            yield address, run


@pytest.mark.parametrize(("who", "figures"), [("members", 1), ("worst-case", 3)])
def test_figures_contrast_names_and_structure(browser: Browser, place: tuple[str, str], who: str, figures: int) -> None:
    address, run = place
    opened = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = opened.new_page()
    page.goto(f"{address}/attacks?run={run}&who={who}")
    settled(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(figures)
    expect(page.get_by_test_id("stDataFrame")).to_have_count(1)
    found = faults_of_both_themes(page, "/attacks")
    opened.close()
    assert not found, "\n".join(found)


def test_on_a_phone_nothing_is_wider_than_the_window(browser: Browser, place: tuple[str, str]) -> None:
    address, run = place
    opened = browser.new_context(viewport={"width": 390, "height": 844})
    page = opened.new_page()
    page.goto(f"{address}/attacks?run={run}")
    settled(page)
    wide = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth")
    opened.close()
    assert wide <= 390
