"""The Trade-offs page in a real browser: a click on a point opens its runs, files, a phone, contrast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, profile, served, settled
from tests.pages.kept_runs import keep, spec

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore

SLOW = 60_000
RUNS = [spec(epsilon=epsilon, seed=seed) for epsilon in (1.0, 4.0) for seed in (0, 1)]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the app of this module keeps its runs."""
    return tmp_path_factory.mktemp("tradeoffs-home")


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """The address of an app whose store holds runs at two epsilons, two seeds each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        for one in RUNS:
            keep(store, one, accuracy=0.6 + one.seed / 10 + (0.1 if one.options["epsilon"] == 4 else 0))
        for method in ("gap", "progap"):
            for seed in range(3):
                for unit in ("edge", "node"):
                    keep(store, make_spec(method, "digits", {"unit": unit}, seed=seed), accuracy=0.7 + seed / 100)
        store.close()
        with served(home) as found:
            yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page with its figure, in a fresh profile that asks no other host."""
    with profile(browser, address) as context:
        opened = context.new_page()
        opened.goto(f"{address}/tradeoffs?data=karate")
        _drawn(opened)
        yield opened


def _drawn(page: Page) -> None:
    settled(page)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=SLOW)
    settled(page)


def _chosen(page: Page) -> set[str]:
    page.wait_for_url(re.compile(r"/runs\?"), timeout=SLOW)
    settled(page)
    expect(page.get_by_role("heading", name="Runs", exact=True, level=1)).to_be_visible()
    return set(parse_qs(urlsplit(page.url).query)["chosen"][0].split(","))


def _of(epsilon: float) -> set[str]:
    return {one.id for one in RUNS if one.options["epsilon"] == epsilon}


def test_a_click_on_a_point_opens_its_runs(page: Page) -> None:
    left, _ = sorted(
        (
            box
            for box in (one.bounding_box() for one in page.locator(".js-plotly-plot .scatterlayer .points path").all())
            if box is not None
        ),
        key=lambda box: (-round(box["x"]), box["y"]),
    )[:2]  # the last mark is the sound one of the larger epsilon
    page.mouse.move(left["x"] + left["width"] / 2, left["y"] + left["height"] / 2)
    page.mouse.click(left["x"] + left["width"] / 2, left["y"] + left["height"] / 2)
    assert _chosen(page) == _of(4.0)
    page.go_back()
    _drawn(page)
    assert "/tradeoffs" in page.url


def test_nothing_blank_stands_between_legend_and_export(page: Page) -> None:
    page.wait_for_timeout(500)
    legend, figure = page.evaluate(
        "() => { const plot = document.querySelector('.js-plotly-plot');"
        " const ends = [...plot.querySelectorAll('.legend .traces')].map(one => one.getBoundingClientRect().bottom);"
        " return [Math.max(...ends), plot.getBoundingClientRect().bottom]; }"
    )
    assert 0 <= figure - legend < 30


def test_a_point_is_opened_by_keyboard_alone(page: Page) -> None:
    box = page.get_by_role("combobox", name="Open the runs of a point")
    box.press("ArrowDown")
    expect(page.get_by_role("option").first).to_contain_text("65.0%, 2 seeds")
    page.keyboard.press("Enter")
    assert _chosen(page) == _of(1.0)


def test_a_csv_is_numbers_and_its_statement_a_file_beside_it(page: Page) -> None:
    page.get_by_role("button", name="Export").first.click()
    kept = {}
    for label in ("CSV", "TXT"):
        with page.expect_download() as started:
            page.get_by_role("link", name=label, exact=True).click()
        kept[label] = started.value.path().read_text()
        assert started.value.suggested_filename == f"karate-tradeoff.{label.lower()}"
    assert kept["CSV"].startswith("method,title,")
    assert "#" not in kept["CSV"]
    assert re.search(r"^ProGAP, edge ε 1 +edge +0\.9997 ", kept["TXT"], re.MULTILINE)


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=karate&protects=both")
    _drawn(page)
    page.get_by_text("Run a sweep").click()
    expect(page.get_by_role("button", name=re.compile("Run the sweep"))).to_be_visible(timeout=SLOW)
    settled(page)
    beyond = page.get_by_test_id("stMain").evaluate("one => one.scrollWidth - one.clientWidth")
    context.close()
    assert beyond <= 0


@pytest.mark.parametrize("shown", ["", "&protects=both"])
def test_on_a_phone_the_answer_is_first_then_the_figure_with_its_files(
    browser: Browser, address: str, shown: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=digits{shown}")
    _drawn(page)
    parts = [
        page.get_by_text("To hide edges").first,
        page.locator(".js-plotly-plot").first,
        page.get_by_role("button", name="Export").first,
        page.get_by_role("table", name="What to take to hide edges"),
        page.get_by_text("Every setting in numbers"),
    ]
    boxes = [one.bounding_box() for one in parts]
    context.close()
    tops = [box["y"] for box in boxes if box is not None]
    assert len(tops) == len(parts)
    assert tops == sorted(tops)
    assert tops[0] < 844, "some of it is seen at once"


def test_words_that_name_what_has_not_run_bring_its_form_into_sight(browser: Browser, address: str) -> None:
    with profile(browser, address) as context:
        page = context.new_page()
        page.goto(f"{address}/tradeoffs?data=digits")
        _drawn(page)
        page.get_by_role("button", name="EdgeRand has not run here: train it").click()
        expect(page.get_by_label("ε values", exact=True)).to_be_in_viewport(timeout=SLOW)
        expect(page.get_by_text("Run a sweep")).to_be_in_viewport()
        chosen = page.get_by_test_id("stMultiSelect").filter(has_text="Methods")
        expect(chosen.get_by_text("EdgeRand", exact=True)).to_be_visible()
        expect(chosen.get_by_text("ProGAP", exact=True)).to_have_count(0)


def test_of_both_units_each_panel_stands_beside_its_own_table(browser: Browser, address: str) -> None:
    with profile(browser, address) as context:
        page = context.new_page()
        page.goto(f"{address}/tradeoffs?data=digits&protects=both")
        _drawn(page)
        expect(page.locator(".js-plotly-plot .main-svg .xtitle")).to_have_count(2)
        tables = [page.get_by_role("table", name=f"What to take to hide {what}") for what in ("edges", "people")]
        plots = page.locator(".js-plotly-plot").all()
        assert len(plots) == len(tables)
        for table, plot in zip(tables, plots, strict=True):
            one, other = table.bounding_box(), plot.bounding_box()
            assert one is not None
            assert other is not None
            assert other["x"] >= one["x"] + one["width"], "at its right"
            assert other["y"] <= one["y"] + one["height"]
            assert one["y"] <= other["y"] + other["height"]
        first = plots[0].bounding_box()
        assert first is not None
        assert first["y"] < 500, "above the fold"


def test_of_all_graphs_a_phone_shows_the_answer_then_the_figure_then_its_table(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=digits&everywhere=true")
    _drawn(page)
    page.get_by_text(EVERY_GRAPH).click()
    expect(page.locator(".carded").first).to_be_visible()
    parts = (
        page.get_by_text(re.compile("^▸ ")).first,
        page.locator(".js-plotly-plot").first,
        page.locator(".carded").first,
    )
    line, plot, table = (one.bounding_box() for one in parts)
    context.close()
    assert line is not None
    assert plot is not None
    assert table is not None
    assert line["y"] < 844, "it is seen at once"
    assert line["y"] + line["height"] <= plot["y"]
    assert plot["y"] + plot["height"] <= table["y"]


def test_the_labels_of_graph_and_unit_stand_in_one_line(page: Page) -> None:
    labels = [page.get_by_test_id("stWidgetLabel").filter(has_text=text).first for text in ("Data", "Protected unit")]
    data, unit = (one.locator("p").first.bounding_box() for one in labels)
    assert data is not None
    assert unit is not None
    assert abs(data["y"] - unit["y"]) <= 1


EVERY_GRAPH = "What to take at every ε on every graph"
"""The fold with the table of all graphs."""
HIDDEN = """() => {
    const box = document.querySelector(".hoverlayer .hovertext path").getBoundingClientRect();
    const middles = [...document.querySelectorAll(".scatterlayer .points path")].map((mark) => {
        const own = mark.getBoundingClientRect();
        return [(own.left + own.right) / 2, (own.top + own.bottom) / 2];
    });
    const within = ([x, y]) => x > box.left && x < box.right && y > box.top && y < box.bottom;
    return middles.filter(within).length;
}"""
"""How many marks lie under the box that says what is pointed at."""


def test_a_link_to_a_sweep_on_ones_own_measures_trains_that_graph(
    browser: Browser, address: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 nodes and homophily 0.8 are defaults of the set, not of its form: no address names them."""
    monkeypatch.setenv("PRIVGRAPH_HOME", str(home))
    with profile(browser, address) as context:
        page = context.new_page()
        page.goto(f"{address}/tradeoffs?data=karate&own=true")
        settled(page)
        for label, typed in (("Nodes of your graph", "2000"), ("Its mean degree", "10"), ("Its homophily", "0.8")):
            box = page.get_by_role("spinbutton", name=label)
            box.fill(typed)
            box.press("Enter")
            settled(page)
        page.get_by_role("link", name=re.compile("Sweep on a made-up")).click()
        expect(page.get_by_text("You are about to sweep a made-up social network of 2,000 nodes")).to_be_visible()
        expect(page.get_by_text(re.compile("^Trains on Made-up social network: 2,000 nodes"))).to_be_visible()
        for label, typed in (("ε values", "4"), ("Seeds", "1")):
            box = page.get_by_label(label, exact=True)
            box.fill(typed)
            box.press("Enter")
            settled(page)
        store = RunStore.open()
        before = {one.id for one in store.find()}
        page.get_by_role("button", name=re.compile("Run the sweep")).click()
        expect(page.get_by_text("Sent from here").first).to_be_visible()
        asked = [one.spec.data_options for one in store.find() if one.id not in before]
        store.close()
    assert asked
    assert {(one["nodes"], one["degree"], one["homophily"]) for one in asked} == {(2000, 10.0, 0.8)}


def test_what_is_said_of_a_point_hides_no_other(page: Page) -> None:
    marks = page.locator(".js-plotly-plot .scatterlayer .points path")
    for place in range(marks.count()):
        box = marks.nth(place).bounding_box()
        assert box is not None
        for aside in (0, 1):  # a box is placed anew at each move of the pointer
            page.mouse.move(box["x"] + box["width"] / 2 + aside, box["y"] + box["height"] / 2)
            expect(page.locator(".hoverlayer .hovertext")).to_have_count(1)
            page.wait_for_timeout(100)
            assert page.evaluate(HIDDEN) == 0


def test_of_all_graphs_a_phone_shows_cards_and_names_the_nearest(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=karate&everywhere=true")
    _drawn(page)
    page.get_by_text(EVERY_GRAPH).click()
    table = page.get_by_role("table", name="What hides edges")
    expect(table.get_by_role("rowheader", name=re.compile("Handwritten digits"))).to_be_visible()
    expect(table.locator("tbody td[data-label='Cost (points)']").first).to_be_visible()
    box = page.get_by_role("spinbutton", name="Nodes of your graph")
    expect(box).to_have_count(0)  # until its switch is on
    page.get_by_text("My own graph", exact=True).click()
    box.fill("100000")
    box.press("Enter")
    expect(page.get_by_text("for its advice to carry over to your graph")).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("link", name=re.compile("Bring your graph"))).to_be_visible()
    settled(page)
    beyond = page.get_by_test_id("stMain").evaluate("one => one.scrollWidth - one.clientWidth")
    found = faults_of_both_themes(page, "/tradeoffs")
    context.close()
    assert beyond <= 0
    assert not found, "\n".join(found)


def test_it_can_be_read_by_everybody(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=karate")
    _drawn(page)
    page.get_by_text("Run a sweep").click()
    expect(page.get_by_role("button", name=re.compile("Run the sweep"))).to_be_visible(timeout=SLOW)
    settled(page)
    found = faults_of_both_themes(page, "/tradeoffs")
    context.close()
    assert not found, "\n".join(found)


def test_a_switch_stands_under_its_figure_on_a_phone(browser: Browser, address: str, home: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(home))
        store = RunStore.open()
        for hidden in range(16, 24):
            keep(store, make_spec("progap", "patients", {"unit": "edge", "hidden": hidden}), accuracy=0.7)
        store.close()
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=patients")
    _drawn(page)
    label = page.get_by_text("Draw 7 more", exact=True)
    expect(label).to_be_visible()
    under = page.locator(".carded").first
    places = [one.bounding_box() for one in (label, under)]
    context.close()
    assert all(places)
    (switch, table) = (one["y"] for one in places if one)
    assert switch < table, "and not below the cards"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_how_far_runs_are_comes_into_sight_when_they_are_sent(
    browser: Browser, address: str, width: int, height: int
) -> None:
    """The button stands far below; and what was stopped on one screen is sent again on the other."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=digits&protects=both")
    _drawn(page)
    page.get_by_text("Behind this advice, and what has not run yet").click()
    send = page.get_by_role("button", name=re.compile("Train what is missing")).first
    send.scroll_into_view_if_needed()
    settled(page)
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = page.evaluate(top)
    assert before > height, "below the first screen"
    send.click()
    stop = page.get_by_role("button", name="Stop them")
    expect(stop).to_be_in_viewport()
    expect(page.get_by_text("Sent from here").first).to_be_in_viewport()
    assert page.evaluate(top) < before
    stop.click()
    expect(stop).to_have_count(0)
    context.close()
