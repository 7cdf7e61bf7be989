"""The live plot in a real browser: what the viewer did survives updates and a change of theme."""

import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from tests.app_here import free_port

SCRIPT = Path(__file__).with_name("live_plot_script.py")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Streamlit server of the small script, on a free port."""
    port = free_port()
    folder = tmp_path_factory.mktemp("server")
    options = {"port": port, "address": "127.0.0.1", "headless": "true", "fileWatcherType": "none"}
    command = [sys.executable, "-m", "streamlit", "run", str(SCRIPT), "--browser.gatherUsageStats=false"]
    command += [f"--server.{name}={value}" for name, value in options.items()]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}", server, folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait_until_healthy(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"the server did not start: {log.read_text()}")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme="light")
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.asked = []  # type: ignore[attr-defined]
    opened.complaints = []  # type: ignore[attr-defined]
    opened.on("request", lambda request: opened.asked.append(request.url))  # type: ignore[attr-defined]
    opened.words = []  # type: ignore[attr-defined]
    opened.on("websocket", lambda line: line.on("framesent", lambda word: _note(opened.words, word)))  # type: ignore[attr-defined]
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))  # type: ignore[attr-defined]
    opened.goto(address)
    opened.wait_for_selector(".privgraph-live-plot .scatterlayer .trace")
    yield opened
    context.close()


def _note(words: list[str], word: str | bytes) -> None:
    """Keep what a part of the page, and no timer, has told the server."""
    asked = BackMsg.FromString(bytes(word) if isinstance(word, bytes) else word.encode()).rerun_script
    if asked.fragment_id and not asked.is_auto_rerun:
        words.append(str(asked.widget_states))


PLOT = "document.querySelector('.privgraph-live-plot .js-plotly-plot')"


def tick(page: Page) -> int:
    found = re.search(r"tick (\d+)", page.get_by_text(re.compile(r"^tick \d+")).inner_text())
    return int(found.group(1))


def wait_for_updates(page: Page, count: int = 4) -> None:
    """Until the server has sent `count` more figures and the plot has drawn one of the last of them."""
    points = page.evaluate(f"{PLOT}.data[0].x.length")
    page.wait_for_function(f"{PLOT} && {PLOT}.data && {PLOT}.data[0].x.length >= {points + count}")


def ranges(page: Page) -> list[float]:
    found: list[float] = page.evaluate(f"[...{PLOT}._fullLayout.xaxis.range, ...{PLOT}._fullLayout.yaxis.range]")
    return found


def hidden(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        f"{PLOT}._fullData.filter(trace => trace.visible === 'legendonly').map(trace => trace.name)"
    )
    return found


def zoom_and_hide(page: Page) -> list[float]:
    """Drag a box over the first panel and click the second entry of the legend, as a person does."""
    # In one step: the next update may put another element in its place.
    area = page.wait_for_function(
        """() => {
            const box = document.querySelector('.privgraph-live-plot .nsewdrag')?.getBoundingClientRect();
            return box?.width ? {x: box.x, y: box.y, width: box.width, height: box.height} : null;
        }"""
    ).json_value()
    page.mouse.move(area["x"] + area["width"] * 0.1, area["y"] + area["height"] * 0.1)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.5, area["y"] + area["height"] * 0.6, steps=6)
    time.sleep(1.0)  # longer than an update: a redraw must not end the drag
    page.mouse.move(area["x"] + area["width"] * 0.6, area["y"] + area["height"] * 0.8, steps=4)
    page.mouse.up()
    page.wait_for_function(f"{PLOT}._fullLayout.xaxis.range[0] > 0.5")
    page.locator(".privgraph-live-plot .legendtoggle").nth(1).click()
    page.wait_for_function(f"{PLOT}._fullData.some(trace => trace.visible === 'legendonly')")
    return ranges(page)


def test_what_the_viewer_did_survives_updates_a_change_of_theme_and_a_new_mount(page: Page) -> None:
    before = zoom_and_hide(page)
    wait_for_updates(page, 6)
    assert ranges(page) == pytest.approx(before)
    assert hidden(page) == ["training accuracy"]

    page.emulate_media(color_scheme="dark")
    expect(page.get_by_text(re.compile(r"^tick \d+ dark"))).to_be_visible()
    page.wait_for_function(f"{PLOT}._fullLayout.paper_bgcolor === '#10151c'")
    assert ranges(page) == pytest.approx(before)
    assert hidden(page) == ["training accuracy"]

    # A new element in place of the old one: all that is known of the view comes back from the server.
    page.evaluate(
        "document.querySelector('.privgraph-live-plot').replaceWith(Object.assign("
        "document.createElement('div'), {className: 'privgraph-live-plot'}))"
    )
    page.wait_for_selector(".privgraph-live-plot .scatterlayer .trace")
    assert ranges(page) == pytest.approx(before)
    assert hidden(page) == ["training accuracy"]

    page.get_by_role("button", name="Reset axes").click()
    page.wait_for_function(f"{PLOT}._fullLayout.xaxis.autorange === true")
    reset = ranges(page)
    wait_for_updates(page, 4)
    assert ranges(page)[0] <= 0
    assert ranges(page)[1] > reset[1]
    assert hidden(page) == ["training accuracy"]


def test_the_keyboard_zooms_pans_hides_and_resets(page: Page) -> None:
    plot = page.get_by_role("group", name=re.compile("^Learning curves"))
    plot.focus()
    whole = ranges(page)
    page.keyboard.press("+")
    page.wait_for_function(f"{PLOT}._fullLayout.xaxis.autorange !== true")
    zoomed = ranges(page)
    assert zoomed[1] - zoomed[0] < whole[1] - whole[0]
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{PLOT}._fullLayout.xaxis.range[0] > {zoomed[0]}")
    page.keyboard.press("1")
    page.wait_for_function(f"{PLOT}._fullData[0].visible === 'legendonly'")
    page.keyboard.press("0")
    page.wait_for_function(f"{PLOT}._fullLayout.xaxis.autorange === true")
    assert hidden(page) == ["training loss"]


def test_untouched_it_follows_its_data_speaks_saves_and_asks_nobody_else(page: Page, address: str) -> None:
    plot = page.get_by_role("group", name=re.compile("^Learning curves"))
    assert plot.get_attribute("tabindex") == "0"
    names = page.locator(".modebar-btn").evaluate_all("buttons => buttons.map(b => b.getAttribute('aria-label'))")
    assert len(names) == 6
    assert all(names)

    before = ranges(page)
    wait_for_updates(page, 6)
    assert ranges(page)[1] > before[1]

    with page.expect_download() as download:
        page.locator('.modebar-btn[data-title^="Download plot"]').click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert saved.startswith("<svg")
    assert "training loss" in saved

    asked: list[str] = page.asked  # type: ignore[attr-defined]
    assert all(url.startswith((address, "data:", "blob:")) for url in asked), asked
    assert sum("plotly.min.js" in url for url in asked) == 1
    assert page.complaints == []  # type: ignore[attr-defined]


def _views(page: Page) -> set[str]:
    """The views of its plot that the page has told of, in which order and however often."""
    return {word.partition('view\\":')[2].partition(',\\"turned')[0] for word in page.words}  # type: ignore[attr-defined]


def test_a_plot_that_nobody_touches_tells_the_server_nothing(page: Page) -> None:
    """Each word has the page drawn once more, and one that meets a click on a link may cost the click."""
    page.set_viewport_size({"width": 900, "height": 800})
    wait_for_updates(page)
    untouched = _views(page)
    assert not page.words  # type: ignore[attr-defined]
    page.evaluate(f"Plotly.relayout({PLOT}, {{'xaxis.range': [1, 2]}})")
    wait_for_updates(page)
    (moved,) = _views(page) - untouched
    assert "[1,2]" in moved


NARROW = """() => { const plot = document.querySelector('.privgraph-live-plot .js-plotly-plot');
    const wide = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('.annotation-text, .gtitle, .xtitle, .x2title, .legendtext')];
    const full = plot._fullLayout;
    const notes = texts.filter(one => one.matches('.annotation-text')).map(one => one.getBoundingClientRect());
    return {
        over: texts.filter(one => { const box = one.getBoundingClientRect();
            return box.right > wide.right + 2 || box.left < wide.left - 2; }).map(one => one.textContent),
        crossed: notes.filter((one, place) => notes.slice(place + 1).some(other =>
            one.left < other.right && other.left < one.right
            && one.top < other.bottom - 3 && other.top < one.bottom - 3)).length,
        stacked: full.xaxis2.domain[0] === full.xaxis.domain[0] && full.yaxis2.domain[1] < full.yaxis.domain[0],
        inside: wide.bottom <= plot.closest('.privgraph-live-plot').getBoundingClientRect().bottom + 2,
    }; }"""


def test_on_a_phone_panels_are_stacked_and_no_text_is_cut_off(page: Page) -> None:
    assert not page.evaluate(NARROW)["stacked"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"() => ({NARROW})().stacked")
    page.wait_for_timeout(500)
    assert page.evaluate(NARROW) == {"over": [], "crossed": 0, "stacked": True, "inside": True}
    page.set_viewport_size({"width": 1100, "height": 800})
    page.wait_for_function(f"() => !({NARROW})().stacked")
    assert not page.complaints  # type: ignore[attr-defined]
