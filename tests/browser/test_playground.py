"""The Playground in a real browser: its arithmetic against NumPy's, clicks, keys, both themes and a phone."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.browser.driving import settled

from privgraph_workbench.play import world as worlds
from privgraph_workbench.play.world import make_world
from privgraph_workbench.words.meaning import guess

WORLD = "document.querySelector('.privgraph-world').privgraphWorld"
DRAWS = 150


def shown(page: Page, address: str, query: str = "") -> None:
    page.goto(f"{address}/playground{query}")
    settled(page)
    page.wait_for_function(f"() => {WORLD}?.both")


def held(page: Page, what: str) -> Any:
    return page.evaluate(f"() => {WORLD}.{what}")


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_the_picture_computes_what_numpy_does(page: Page, address: str, hops: int) -> None:
    shown(page, address, f"?hops={hops}&who=5&hides=people&eps=8&people=60")
    world = make_world(60, 0.85)
    for place, one in enumerate((world, world.without(5))):
        plain = worlds.guesses(worlds.published(one, 0.0, hops, 1, np.random.default_rng()))[0]
        assert held(page, f"plain[{place}]") == plain.tolist()
    # with noise the two draw different numbers, and are right equally often
    rights = page.evaluate(
        f"draws => {{ const w = {WORLD}; const found = []; for (let n = 0; n < draws; n += 1) {{ w.step();"
        " found.push(w.shown[0].filter((group, who) => group === w.data.groups[who]).length / 60); } return found; }",
        DRAWS,
    )
    b = worlds.scale("people", 8.0, hops)
    told = worlds.guesses(worlds.published(world, b, hops, 4000, np.random.default_rng(1)))
    expected = (told == world.groups).mean()
    error = (told == world.groups).mean(1).std() / np.sqrt(DRAWS)
    assert np.mean(rights) == pytest.approx(expected, abs=4 * error)
    assert np.mean(rights) < (held(page, "plain[0]") == world.groups).mean() - 4 * error, "noise costs something"


def test_the_same_address_draws_the_same_noise(page: Page, address: str) -> None:
    shown(page, address, "?noise=7")
    first = held(page, "shown")
    shown(page, address, "?noise=7")
    assert held(page, "shown") == first
    shown(page, address, "?noise=8")
    assert held(page, "shown") != first


def test_a_click_takes_somebody_out_and_another_brings_them_back(page: Page, address: str) -> None:
    shown(page, address)
    x, y = worlds.places(make_world(120, 0.85))[20]
    canvas = page.locator(".privgraph-world canvas").first
    box = canvas.bounding_box()
    canvas.click(position={"x": x * box["width"], "y": y * box["height"]})
    expect(page.get_by_text(re.compile(f"^Without {worlds.name(20)}")).first).to_be_visible()
    page.wait_for_url(re.compile("who=20"))
    settled(page)
    assert held(page, "data.gone") == {"who": 20}
    box = canvas.bounding_box()
    canvas.click(position={"x": x * box["width"], "y": y * box["height"]})
    page.wait_for_function(f"() => {WORLD}.data.gone === null")


ARCS = f"""share => {{ const w = {WORLD};
    w.counts.forEach(one => one.changed.fill(share * w.frame)); // each guess was changed in this share of the draws
    const pen = CanvasRenderingContext2D.prototype, stroke = pen.stroke, arc = pen.arc, fill = pen.fill;
    const dark = w.data.colours.text.toLowerCase(), arcs = [], marks = [], shades = new Set();
    let last;
    pen.arc = function (...at) {{ last = at; return arc.apply(this, at); }};
    pen.fill = function () {{
        marks.push(last?.[2] ?? 99); shades.add(this.globalAlpha.toFixed(2)); return fill.call(this); }};
    pen.stroke = function () {{
        if (this.strokeStyle === dark) arcs.push([last[2], this.lineWidth, last[4] - last[3]]);
        return stroke.call(this); }};
    w.draw();
    pen.stroke = stroke; pen.arc = arc; pen.fill = fill;
    return [arcs, Math.min(...marks), [...shades]]; }}"""
"""Radius, width and angle of each arc around a mark; the radius of the smallest round mark; how strongly
marks are drawn."""


@pytest.mark.parametrize("width", [390, 1280])
def test_arcs_tell_how_often_a_guess_changes_and_leave_small_marks_to_be_seen(
    page: Page, address: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    shown(page, address, "?who=5&people=300")
    for share in (0.25, 0.5):
        arcs, mark, shades = page.evaluate(ARCS, share)
        assert len(arcs) > 300, "in both worlds"
        for radius, wide, angle in arcs:
            assert radius - wide / 2 > 1.15 * mark, "outside of the mark, a triangle's tip too"
            assert angle == pytest.approx(share * 2 * np.pi), "a quarter of all draws is a quarter of a circle"
        assert set(shades) == {"1.00", "0.30"}, "who is published alike in both worlds is faded"
    near = make_world(300, 0.85).friends_of(5)
    assert sorted(page.evaluate(f"() => [...{WORLD}.reached]")) == sorted([5, *near])
    expect(
        page.get_by_text(re.compile(r"In this draw \d+ of 300 guesses differ between the two worlds"))
    ).to_be_visible()


def test_it_plays_and_pauses_by_keyboard(page: Page, address: str) -> None:
    shown(page, address)
    before = held(page, "frame")
    button = page.get_by_role("button", name="Play: draw noise again and again")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"before => {WORLD}.frame > before + 2", arg=before)
    page.get_by_role("button", name="Pause").press("Enter")
    paused = held(page, "frame")
    page.wait_for_timeout(900)
    assert held(page, "frame") == paused


def test_a_mark_says_who_it_is_and_where_nobody_is_hidden_is_no_noise(page: Page, address: str) -> None:
    shown(page, address, "?hides=nobody")
    expect(page.get_by_role("button", name=re.compile("draw noise", re.IGNORECASE))).to_have_count(0)
    canvas = page.locator(".privgraph-world canvas").first
    box = canvas.bounding_box()
    x, y = worlds.places(make_world(120, 0.85))[20]
    canvas.hover(position={"x": x * box["width"], "y": y * box["height"]})
    expect(canvas).to_have_attribute("title", re.compile(f"^{worlds.name(20)}: "))


def test_two_thousand_rounds_beside_the_closed_form(page: Page, address: str) -> None:
    friend = make_world(120, 0.85).friends_of(4)[0]
    shown(page, address, f"?who=4&friend={friend}&eps=2")
    page.get_by_role("button", name="Let the best guesser play 2,000 rounds").click()
    told = page.get_by_test_id("stMetric").filter(has_text="2,000 rounds")
    expect(told).to_be_visible()
    share = re.search(r"([\d.]+)%", told.get_by_test_id("stMetricValue").inner_text())
    assert 0.5 < float(share[1]) / 100 < guess(2.0, 0.0), "e²/(1 + e²) is 88.1%"
