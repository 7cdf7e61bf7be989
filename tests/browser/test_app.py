"""The whole app in a real browser: a demo from click to export, other tabs, stopping, manners and
contrast."""

import json
import re
from collections.abc import Iterator
from typing import cast
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from tests.browser.driving import PHONE, open_page, profile, rests, served, settled
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore

# A deep link makes Streamlit's own script look for its server below the page's path first.
PAGES = "playground|train|data|accounting|runs|tradeoffs|teachers|relations|attacks|audit"
OWN_PROBES = re.compile(rf"/({PAGES})/_stcore/(health|host-config)$")

KEPT = spec(epsilon=2.5)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("browser-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        store = RunStore.open()
        keep(store, KEPT)
        store.close()
        with served(home) as running:
            yield running


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """A fresh browser profile that asks no other host; the console has no complaint."""
    complaints: list[str] = []
    with profile(browser, address) as opened:
        opened.on(
            "console",
            lambda message: (
                complaints.append(f"{message.text} {message.location['url']}") if message.type == "error" else None
            ),
        )
        opened.on("weberror", lambda error: complaints.append(str(error.error)))
        yield opened
    assert not [text for text in complaints if not OWN_PROBES.search(text)], "complaints of the console"


def test_on_a_telephone_a_recent_run_is_named_to_the_end(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.set_viewport_size(PHONE)
    page.goto(address)
    settled(page)
    name = page.get_by_test_id("stPageLink").filter(has_text="seed 0").first
    cut = "one => [one, ...one.querySelectorAll('*')].some(part => part.scrollWidth > part.clientWidth + 1 \n"
    cut += " && getComputedStyle(part).overflowX === 'hidden')"
    assert not name.evaluate(cut)
    expect(name).to_contain_text("Karate club")


def test_a_file_can_be_had_while_the_page_is_drawn_anew(context: BrowserContext, address: str) -> None:
    """The server has drawn the page again, and its news have not reached the browser when its user clicks."""
    held: list[bytes] = []
    holding = False
    routed: list[WebSocketRoute] = []

    def between(route: WebSocketRoute) -> None:
        routed.append(route)
        route.connect_to_server().on_message(lambda news: held.append(bytes(news)) if holding else route.send(news))

    page = context.new_page()
    page.route_web_socket(re.compile("_stcore/stream"), between)
    page.goto(f"{address}/train?run={KEPT.id}")
    settled(page)
    page.get_by_role("button", name="Export").nth(1).click()
    settled(page)
    holding = True
    page.get_by_role("radio", name="dark", exact=True).click()
    while not any(ForwardMsg.FromString(news).HasField("script_finished") for news in held):
        page.wait_for_timeout(50)
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON", exact=True).click()
        holding = False
        for news in held:
            routed[-1].send(news)
    assert json.loads(started.value.path().read_text())["figure"] == "ledger"


def test_a_visit_is_one_entry_of_the_history(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}/train?run={KEPT.id}")
    settled(page)
    entries = page.evaluate("history.length")
    page.get_by_role("button", name="Change and run again").click()
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible()
    settled(page)
    assert "run=" not in page.url
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(page.get_by_role("heading", name="ProGAP on Karate club", exact=True)).to_be_visible()
    settled(page)
    # The top bar leads from a run to a form that holds nothing of it, and that is one visit, too.
    open_page(page, "train")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible()
    settled(page)
    assert page.url.partition("?")[0] == f"{address}/train"
    assert "run=" not in page.url, "a fresh form, on the graph that was chosen"
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(page.get_by_role("heading", name="ProGAP on Karate club", exact=True)).to_be_visible()


def _deaf_to_parts(page: Page) -> None:
    """No part of a page is drawn by itself: what a page has drawn is what a click meets, however fast it
    comes."""

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        route.on_message(
            lambda word: None if BackMsg.FromString(bytes(word)).rerun_script.fragment_id else server.send(word)
        )

    page.route_web_socket(re.compile("_stcore/stream"), between)


@pytest.mark.parametrize(
    ("path", "link", "named"),
    [
        ("data?data=karate", "Train on Karate club", {"data": "karate"}),
        (
            "accounting?data=karate&method=gap&epsilon=3.5",
            "Train with these settings",
            {"data": "karate", "method": "gap", "epsilon": "3.5"},
        ),
    ],
)
def test_a_link_leads_to_what_it_names(
    context: BrowserContext, address: str, path: str, link: str, named: dict[str, str]
) -> None:
    """Both pages have a widget of that name; and Back shows what the page before showed, with its address."""
    known = context.new_page()
    known.goto(f"{address}/{path}")
    rests(known)  # what another process counts is there when the page is drawn below
    known.close()

    page = context.new_page()
    _deaf_to_parts(page)
    page.goto(f"{address}/{path}")
    settled(page)
    before = page.url
    follow = page.get_by_role("link", name=link).click
    for visit, place in ((follow, "/train?"), (page.go_back, before), (page.go_forward, "/train?")):
        visit()
        page.wait_for_url(lambda url, place=place: place in url)
        settled(page)
        assert named.items() <= dict(parse_qsl(urlsplit(page.url).query)).items()
        if place == before:
            expect(page.get_by_role("combobox", name=re.compile("^(Data|Graph)"))).to_have_value("Karate club")
        else:
            expect(page.get_by_role("combobox", name=re.compile("Graph"))).to_have_value(re.compile("^Karate club"))


def test_a_plot_tells_nothing_of_a_page_that_is_left(context: BrowserContext, address: str) -> None:
    """A word of a page that is left, while the server has not answered, would lead it back to that page."""
    words: list[str] = []
    answers: list[bytes] = []
    routed: list[WebSocketRoute] = []
    held = False

    def between(route: WebSocketRoute) -> None:
        routed.append(route)
        server = route.connect_to_server()
        server.on_message(lambda news: answers.append(bytes(news)) if held else route.send(news))

        def told(word: str | bytes) -> None:
            words.append(BackMsg.FromString(bytes(cast(bytes, word))).rerun_script.fragment_id)
            server.send(word)

        route.on_message(told)

    page = context.new_page()
    page.route_web_socket(re.compile("_stcore/stream"), between)
    page.goto(f"{address}/data?data=karate")
    rests(page)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    settled(page)
    words.clear()
    held = True
    page.evaluate(
        """async () => {
            await Plotly.relayout(document.querySelector('.js-plotly-plot'), {'yaxis.range': [0, 1]});
            [...document.querySelectorAll('a')].find(link => link.innerText.includes('Train on Karate club')).click();
            await new Promise(done => setTimeout(done, 1000));  // a timer that was set before has rung before
        }"""
    )
    assert words == [""], "the page that the link leads to is asked for, and nothing else"
    held = False
    for news in answers:
        routed[-1].send(news)
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible()


def test_a_long_run_is_watched_and_stopped(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}/train?method=progap&data=social&epochs=10000&epsilon=2")
    settled(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile(r"/train\?run="))
    expect(page.get_by_text(re.compile(r"\d% · stage \d"))).to_be_visible(timeout=90_000)
    expect(page.get_by_text(re.compile(r"· .* left"))).to_be_visible(timeout=90_000)
    page.get_by_role("button", name="Stop the run").click()
    expect(page.get_by_test_id("stMain").get_by_text("stopped", exact=True).first).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.get_by_role("button", name="Stop the run")).to_have_count(0)
