"""What a visitor waits for: `python -m tests.benchmarks.bench_first_hour`.

The app begins with an empty home and the examples, in a real browser: seconds to the first page with its
figure, to the other pages, and from a control of the Playground to its picture.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page
from tests.browser.driving import SIZE, chromium, served, settled

from privgraph.runs import examples

WORLD = "document.querySelector('.privgraph-world').privgraphWorld"
REPEATS = 15
PAGES = {
    "train": ".main-svg",
    "runs": ".privgraph-runs tr.setting",
    **dict.fromkeys(("tradeoffs", "attacks", "teachers", "accounting"), ".main-svg"),
}


def unpacked() -> float:
    """Unpack the examples; the seconds that takes."""
    began = time.perf_counter()
    examples.open_store().close()
    return time.perf_counter() - began


def seen(page: Page, address: str, what: str) -> float:
    """Seconds until that is drawn on a page that is opened anew."""
    began = time.perf_counter()
    page.goto(address)
    page.locator(what).first.wait_for(state="visible", timeout=120_000)
    return time.perf_counter() - began


def controls(page: Page, address: str) -> dict[str, float]:
    """Median seconds from a key that moves a control to the picture that follows it."""
    page.goto(f"{address}/playground?who=5&hides=people")
    settled(page)
    page.wait_for_function(f"() => {WORLD}?.both")
    slider = page.get_by_role("slider", name="ε (epsilon)")
    slider.focus()
    taken: dict[str, list[float]] = {"epsilon": [], "hops": []}
    for turn in range(REPEATS):
        before = page.evaluate(f"() => {WORLD}.data.b")
        began = time.perf_counter()
        page.keyboard.press("ArrowRight" if turn % 2 == 0 else "ArrowLeft")
        page.wait_for_function(f"before => {WORLD}.data.b !== before", arg=before, polling=5)
        taken["epsilon"].append(time.perf_counter() - began)
        page.wait_for_timeout(300)
    for turn in range(REPEATS):
        hops = 2 if turn % 2 == 0 else 1
        began = time.perf_counter()
        page.get_by_test_id("stButtonGroup").get_by_text(str(hops), exact=True).first.click()
        page.wait_for_function(f"hops => {WORLD}.data.hops === hops", arg=hops, polling=5)
        taken["hops"].append(time.perf_counter() - began)
        page.wait_for_timeout(300)
    return {name: statistics.median(found) for name, found in taken.items()}


def main() -> None:
    """Print one line for each."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        home = Path(folder)
        os.environ[examples.PLACE] = str(home / "examples")
        print(f"unpacking the examples:            {unpacked():.2f} s")
        with served(home) as address:
            page = browser.new_context(viewport=SIZE).new_page()
            first, again = (seen(page, address, ".main-svg") for _ in range(2))
            print(f"first page, with its figure:        {first:.2f} s, again {again:.2f} s")
            for name, what in PAGES.items():
                cold, warm = (seen(page, f"{address}/{name}", what) for _ in range(2))
                print(f"{name:<36}{cold:.2f} s, again {warm:.2f} s")
            for name, seconds in controls(page, address).items():
                print(f"Playground, {name + ' to picture:':<24}{1000 * seconds:.0f} ms")


if __name__ == "__main__":
    main()
