"""The app in a real browser: started by the launcher at a free port, with a home of its own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from tests import app_here

from privgraph_workbench.serving import shell

CHROMIUM = os.environ.get("PRIVGRAPH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
expect.set_options(timeout=60_000)  # how long a hang is waited for; a busy machine is none
QUIET = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
)
_cookies: dict[str, str] = {}
"""Of the apps that are served now, by address."""
SIZE: ViewportSize = {"width": 1400, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
COLOURS = """() => [
    getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor,
    ...[...document.querySelectorAll(".js-plotly-plot")].map(plot => plot._fullLayout?.font.color),
]"""
"""Of the page, and of what is written on each plot."""
# Streamlit draws these itself: a slider's value in the dark theme, the frame of its data grid, icons (hidden
# from readers).
OWN_FAULTS = ("stSlider", "stDataFrame", "stIconMaterial")


@contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of an app of that home; the app and its runs are ended with the context."""
    os.environ["PRIVGRAPH_HOME"] = str(home)
    started = app_here.start(app_here.free_port())  # two may start at once: neither takes the default port
    _cookies[started.address] = started.cookie
    try:
        yield started.address
    finally:
        del _cookies[started.address]
        _end_runs()
        started.process.terminate()
        started.process.wait(20)


def _end_runs() -> None:
    """Ask every run and every audit to stop, so that no process outlives the test for long."""
    from privgraph.runs import auditing
    from privgraph.runs.records import RunQuery
    from privgraph.runs.store import RunStore

    store = RunStore.open()
    for record in store.find(RunQuery(states=("queued", "running", "stopping"))):
        store.request_stop(record.id)
    for record in store.find(RunQuery(states=("done",))):
        for one in auditing.states(store, record.id):
            if not one.done:
                auditing.stop(store, record.id, one.token)
    store.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Debian Chromium that talks to nobody by itself; its profiles know the token of each app."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        bare = browser.new_context

        def known(**settings: Any) -> BrowserContext:
            context = bare(**settings)
            for address, cookie in _cookies.items():
                name, _, value = cookie.partition("=")
                context.add_cookies([{"name": name, "value": value, "url": address}])
            return context

        browser.new_context = known  # type: ignore[method-assign]
        yield browser
        browser.close()


@contextmanager
def profile(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """A fresh browser profile for the app at that address; a request to another host fails the test."""
    context = browser.new_context(viewport=SIZE, accept_downloads=True)
    own = (address, address.replace("http", "ws", 1), "data:", "blob:")
    foreign: list[str] = []
    context.on("request", lambda request: None if request.url.startswith(own) else foreign.append(request.url))
    yield context
    context.close()
    assert not foreign, "requests to other hosts"


def open_page(page: Page, name: str) -> None:
    """Go to a page by the bar."""
    group = next(group for group, names in shell.GROUPS.items() if name in names)
    page.get_by_text(group, exact=True).click()
    page.get_by_role("menuitem", name=shell.TITLES[name][0], exact=True).click()


def settled(page: Page) -> None:
    """Wait until Streamlit has drawn the page and rests."""
    page.wait_for_selector("[data-testid=stApp]")
    page.wait_for_function(
        "() => { const app = document.querySelector('[data-testid=stApp]');"
        " return app && app.getAttribute('data-test-script-state') === 'notRunning'"
        " && !document.querySelector('[data-testid=stSkeleton]'); }",
        timeout=120_000,
    )
    page.wait_for_timeout(400)


def rests(page: Page) -> None:
    """Wait until no other process reads a graph for the page: when it has, the page is drawn anew."""
    settled(page)
    expect(page.get_by_text("The data are being read")).to_have_count(0, timeout=60_000)
    settled(page)


def faults_of_both_themes(page: Page, path: str) -> list[str]:
    """What is wrong with a page that was opened in the dark, and what when its viewer has turned the light
    on."""
    dark_faults = [f"dark: {fault}" for fault in faults(page, path)]
    before = page.evaluate(COLOURS)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"before => ({COLOURS})()[0] !== before", arg=before[0])
    page.keyboard.press("r")  # Streamlit's key: its own elements have the new theme when they are drawn again
    page.wait_for_function(
        f"old => {{ const now = ({COLOURS})();"
        " return now.length === old.length && now.every((one, at) => one !== old[at]); }",
        arg=before,
        timeout=60_000,
    )
    settled(page)
    return dark_faults + [f"light: {fault}" for fault in faults(page, path, COLOURS_ALONE)]


WHOLE = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa"]}
"""WCAG 2.1 A and AA."""
COLOURS_ALONE = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""What another theme can change of it."""


def faults(page: Page, path: str, rules: dict[str, Any] = WHOLE) -> list[str]:
    """What axe-core finds wrong with the page for good: text that is still fading has no contrast yet."""
    violations: list[str] = []
    for _ in range(3):
        page.wait_for_timeout(700)
        page.wait_for_function("() => document.getAnimations().every(one => one.playState !== 'running')")
        violations = _faults(page, path, rules)
        if not violations:
            break
    return violations


def _faults(page: Page, path: str, rules: dict[str, Any]) -> list[str]:
    """What axe-core finds by these rules, but for the known faults of Streamlit's own widgets."""
    from axe_core_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
    return [
        f"{path}: {violation['id']}: {node['html'][:160]}"
        for violation in found["violations"]
        for node in violation["nodes"]
        if not any(word in node["html"] + str(node["target"]) for word in OWN_FAULTS) and not _inside_own(page, node)
    ]


def _inside_own(page: Page, node: dict[str, list[str]]) -> bool:
    """Whether the element belongs to one of Streamlit's own widgets with a known fault."""
    selector = ", ".join(f"[data-testid={name}]" for name in OWN_FAULTS)
    return bool(
        page.evaluate(
            "([target, own]) => !!document.querySelector(target)?.closest(own)", [node["target"][0], selector]
        )
    )
