"""The Data page in a real browser: a click on a row, one's own graph, on a laptop and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, expect
from tests.browser.driving import CHROMIUM, faults_of_both_themes, served, settled

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]

SIZES = ({"width": 1280, "height": 800}, {"width": 390, "height": 800})


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("data-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        with served(home) as running:
            yield running


@pytest.mark.parametrize("size", SIZES, ids=["laptop", "phone"])
def test_a_click_on_a_name_in_the_catalogue_chooses_its_graph(
    browser: Browser, address: str, size: dict[str, int]
) -> None:
    page = browser.new_context(viewport=size).new_page()
    page.goto(f"{address}/data")
    settled(page)
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 150, box["y"] + 35 * 4 + 18)  # the fourth graph, on its name
    page.wait_for_url(re.compile("data=karate"))


@pytest.mark.parametrize("size", SIZES, ids=["laptop", "phone"])
def test_ones_own_graph_is_asked_about_and_edges_alone_are_shown(
    browser: Browser, address: str, size: dict[str, int]
) -> None:
    page = browser.new_context(viewport=size).new_page()
    page.goto(f"{address}/data")
    settled(page)
    page.get_by_role("button", name="Bring your own graph").first.click()
    nodes = "id,age,team\n" + "".join(f"p{at},{at},{'ab'[at % 2]}\n" for at in range(20))
    edges = "".join(f"p{at} p{(at + 1) % 20}\n" for at in range(20))
    field = page.locator("input[type=file]").first
    field.set_input_files([{"name": "knows.txt", "mimeType": "text/plain", "buffer": edges.encode()}])
    expect(page.get_by_text("These are edges alone: 20 between 20 nodes")).to_be_visible()
    assert not faults_of_both_themes(page, "data, edges alone")
    field.set_input_files([{"name": "staff.csv", "mimeType": "text/csv", "buffer": nodes.encode()}])
    expect(page.get_by_text("Which column is which?")).to_be_visible()
    keep = page.get_by_role("button", name="Check and keep")
    expect(keep).to_be_disabled()
    page.get_by_role("combobox", name="Class of a node").click()
    page.get_by_role("option", name="team").click()
    expect(page.get_by_text("2 classes by team: a (10), b (10).")).to_be_visible()
    assert not faults_of_both_themes(page, "data, columns asked")
    settled(page)
    keep.click()
    expect(page.get_by_text(re.compile("is kept:|You already have this graph"))).to_be_visible()
