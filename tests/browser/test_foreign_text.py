"""What strangers wrote, in a real browser: it stands on pages as text, and no page asks another host."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.driving import SIZE, served, settled
from tests.pages.kept_runs import keep, spec

from privgraph.data.own.adding import add
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore

EVIL = "evil.example"
PICTURE = f"![i](http://{EVIL}/u.png)"
LINK = f"[l](http://{EVIL}) www.{EVIL} a@{EVIL}"
SIGNS = "a_b_c _x_ $x$ :red[r] `y` :material/home:"


@pytest.fixture(scope="module")
def planted() -> dict[str, str]:
    """Names of what stands in the home: an upload and two runs with Markdown wherever somebody else may
    write."""
    return {}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, planted: dict[str, str]) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("foreign-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("PRIVGRAPH_WORKERS", "1")
        ring = np.arange(20)
        graph = {
            "x": np.ones((20, 2), dtype=np.float32),
            "y": ring % 2,
            "edge_index": np.stack([ring, (ring + 1) % 20]),
            "class_names": np.array([PICTURE, LINK]),
            "feature_names": np.array([PICTURE, LINK]),
        }
        planted["upload"] = add([graph], title=f"{PICTURE} {SIGNS}"[:60]).name
        with closing(RunStore.open()) as store:
            planted["done"] = keep(store, spec(), tags=[PICTURE, SIGNS[:40]])
            failed = make_spec("gnn", planted["upload"], {}, seed=1)
            planted["failed"] = keep(store, failed, state="failed", tags=[LINK[:40]], error=f"{PICTURE} {LINK} {SIGNS}")
        with served(home) as running:
            yield running


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page whose every request is noted, also those that a policy stops before they leave."""
    context = browser.new_context(viewport=SIZE)
    opened = context.new_page()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    yield opened
    own = (address, address.replace("http", "ws", 1), "data:", "blob:")
    assert not [url for url in asked if not url.startswith(own)]
    context.close()


def _foreign(page: Page) -> list[str]:
    """Elements of the page that lead to another host."""
    found: list[str] = page.evaluate(
        f'() => [...document.querySelectorAll(\'a[href*="{EVIL}"], img[src*="{EVIL}"], .stMain '
        ".katex')].map(e => e.outerHTML)"
    )
    return found


def _text(page: Page) -> str:
    return page.locator("body").inner_text().replace("\u2060", "")


def _open(page: Page, url: str) -> str:
    """The text of the page, once nothing of it leads elsewhere."""
    page.goto(url)
    settled(page)
    assert not _foreign(page)
    return _text(page)


ADDRESSES = (
    ("train", ("run", "data", "method", "epsilon", "depth")),
    ("train", ("data", "method", "epsilon", "unit")),
    ("data", ("data", "node")),
    ("audit", ("run", "audit")),
    ("attacks", ("run", "attack", "who")),
    ("tradeoffs", ("data", "curve", "protects")),
    ("runs", ("of_method", "of_data", "tagged", "order", "chosen")),
    ("teachers", ("run", "tab", "data")),
    ("relations", ("private", "bare", "data")),
    ("accounting", ("data", "method", "scale", "epsilon")),
)


QUOTING = ("tradeoffs", "teachers", "relations")
"""Pages that quote what they do not know of their address."""


def test_addresses_are_shown_as_text(page: Page, address: str) -> None:
    """One after another in one tab, each loaded anew."""
    for path, names in ADDRESSES:
        query = "&".join(f"{name}={quote(f'{PICTURE} {LINK}')}" for name in names)
        page.goto(f"{address}/{path}?{query}")
        expect(page.get_by_test_id("stHeading").first).to_be_visible(timeout=30_000)
        if path in QUOTING:
            expect(page.get_by_test_id("stAlert").filter(has_text=EVIL).first).to_be_visible(timeout=30_000)
        if path != "accounting":  # which computes curves for long
            settled(page)
        assert not _foreign(page), path
        assert path not in QUOTING or "![i](http" in _text(page), path


def test_titles_tags_and_errors_are_shown_as_text(page: Page, address: str, planted: dict[str, str]) -> None:
    done = _open(page, f"{address}/train?run={planted['done']}")
    assert PICTURE in done
    assert SIGNS[:40] in done
    failed = _open(page, f"{address}/train?run={planted['failed']}")
    assert f"{PICTURE} {LINK} {SIGNS}." in failed
    graph = _open(page, f"{address}/data?data={planted['upload']}")
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    assert not _foreign(page)
    assert f"{PICTURE} {SIGNS}"[:60] in graph
    for path in ("", "/runs", f"/train?data={planted['upload']}", f"/tradeoffs?data={planted['upload']}"):
        _open(page, f"{address}{path}")


def test_a_refused_upload_is_named_as_text(page: Page, address: str, tmp_path: Path) -> None:
    edges, nodes = tmp_path / "edges.csv", tmp_path / "nodes.csv"
    edges.write_text(f"source,target\n0,1\n{PICTURE},{LINK}\n")
    nodes.write_text(f"id,label,{PICTURE}\n" + "".join(f"{node},{'ab'[node % 2]},{node}\n" for node in range(20)))
    page.goto(f"{address}/data?data=karate")
    settled(page)
    page.get_by_role("button", name="Bring your own graph").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([edges, nodes])
    expect(page.get_by_test_id("stAlert").filter(has_text=re.compile(EVIL.replace(".", r"\.")))).to_be_visible()
    assert not _foreign(page)


def test_the_policy_stops_what_no_text_should_ask_for(browser: Browser, address: str) -> None:
    page = browser.new_context(viewport=SIZE).new_page()
    page.goto(f"{address}/train?data=karate")
    settled(page)
    stopped = page.evaluate(
        """url => new Promise(done => {
            const found = [];
            document.addEventListener("securitypolicyviolation", event => {
                found.push(event.effectiveDirective);
                if (found.length === 3) done(found.sort());
            });
            document.body.append(Object.assign(new Image(), {src: url}));
            document.body.append(Object.assign(document.createElement("script"), {textContent: "window.ran = true"}));
            fetch(url).catch(() => {});
        })""",
        f"http://{EVIL}/u.png",
    )
    assert stopped == ["connect-src", "img-src", "script-src-elem"]
    assert page.evaluate("window.ran") is None
    page.context.close()
