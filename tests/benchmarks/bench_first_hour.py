"""What a visitor waits for.

The app begins with an empty home and the examples, in a real browser: seconds to the first page with its
figure, to the other pages, and from a control of the Playground to its picture.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page
from tests.benchmarks.harness import timed
from tests.browser.driving import SIZE, chromium, served, settled

from privgraph.runs import examples

WORLD = "document.querySelector('.privgraph-world').privgraphWorld"
REPEATS = 15
PAGES = {
    "": ".main-svg",
    "train": ".main-svg",
    "runs": ".privgraph-runs tr.setting",
    **dict.fromkeys(("tradeoffs", "attacks", "teachers", "accounting"), ".main-svg"),
}


def seen(page: Page, address: str, what: str) -> float:
    """Seconds until that is drawn on a page that is opened anew."""

    def opened() -> None:
        page.goto(address)
        page.locator(what).first.wait_for(state="visible", timeout=120_000)

    return timed(opened).clock


def controls(page: Page, address: str) -> dict[str, Callable[[int], None]]:
    """What moves a control, by turns, and waits for the picture that follows it."""
    page.goto(f"{address}/playground?who=5&hides=people")
    settled(page)
    page.wait_for_function(f"() => {WORLD}?.both")
    page.get_by_role("slider", name="ε (epsilon)").focus()

    def epsilon(turn: int) -> None:
        before = page.evaluate(f"() => {WORLD}.data.b")
        page.keyboard.press("ArrowLeft" if turn % 2 else "ArrowRight")
        page.wait_for_function(f"before => {WORLD}.data.b !== before", arg=before, polling=5)

    def hops(turn: int) -> None:
        wanted = 1 if turn % 2 else 2
        page.get_by_test_id("stButtonGroup").get_by_text(str(wanted), exact=True).first.click()
        page.wait_for_function(f"hops => {WORLD}.data.hops === hops", arg=wanted, polling=5)

    return {"epsilon": epsilon, "hops": hops}


def main() -> None:
    """Print one line for each."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        home = Path(folder)
        os.environ[examples.PLACE] = str(home / "examples")
        print(f"unpacking the examples: {timed(lambda: examples.open_store().close()).clock:.2f} s")
        began = time.perf_counter()
        with served(home) as address:
            print(f"starting the app until it answers: {time.perf_counter() - began:.2f} s")
            page = browser.new_context(viewport=SIZE).new_page()
            for name, what in PAGES.items():
                cold, warm = (seen(page, f"{address}/{name}", what) for _ in range(2))
                print(f"{name or 'first page':<12} {cold:.2f} s, again {warm:.2f} s")
            for name, move in controls(page, address).items():
                taken = []
                for turn in range(REPEATS):
                    taken.append(timed(lambda move=move, turn=turn: move(turn)).clock)
                    page.wait_for_timeout(300)
                print(f"Playground, {name} to picture: {1000 * statistics.median(taken):.0f} ms")
