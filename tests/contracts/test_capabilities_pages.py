"""Every page draws on an empty store, on the examples that come along and on a damaged store, with what it is
there for. What people begin on a page is in the store afterwards, and the report leaves as an archive.
"""

import io
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.contracts import capabilities_here as here
from tests.contracts.capabilities_here import DAMAGES, ROOT, at_home
from tests.pages.kept_runs import keep, spec

import privgraph as pg
from privgraph.runs.records import RunQuery

PAGES = ROOT / "pages"
APP = ROOT / "workbench" / "privgraph_workbench" / "app.py"
Needs = Mapping[str, int]
ROLES: Mapping[str, tuple[str, ...]] = {
    "figure": ("bidi_component", "plotly_chart", "component_instance", "imgs", "image"),
    "table": ("dataframe", "arrow_data_frame", "table"),
    "choice": ("selectbox", "multiselect", "radio", "button_group", "select_slider", "slider", "toggle", "checkbox"),
    "field": ("number_input", "text_input", "text_area", "slider", "select_slider"),
    "upload": ("file_uploader",),
    "button": ("button", "download_button"),
    "link": ("page_link",),
    "tab": ("tab",),
    "number": ("metric",),
    "file": ("popover", "download_button"),
    "refusal": ("warning", "error"),
    "title": ("title",),
}
"""What an element is for, by the kinds that may serve."""

ALWAYS: Mapping[str, Needs] = {
    "accounting": {"choice": 5, "field": 2, "figure": 1, "link": 1},
    "attacks": {"choice": 1, "link": 1},
    "audit": {"choice": 1, "link": 1},
    "data": {"choice": 1, "table": 1, "upload": 1, "link": 1},
    "lessons": {"button": 6},
    "playground": {"choice": 5, "field": 1, "figure": 1},
    "relations": {"button": 1, "link": 1},
    "report": {},
    "runs": {"figure": 1},
    "start": {"button": 1, "link": 6},
    "teachers": {"tab": 4, "figure": 1, "choice": 2},
    "tradeoffs": {"choice": 3, "button": 1},
    "train": {"button": 1, "choice": 5, "field": 5, "number": 3},
}
"""What each page has at least, whatever lies in the store."""
WITH_EXAMPLES: Mapping[str, Needs] = {
    "accounting": {"choice": 5, "field": 2, "figure": 1, "file": 1, "link": 1},
    "attacks": {"figure": 1, "file": 1, "choice": 2, "table": 1},
    "audit": {"figure": 3, "file": 3, "button": 1, "choice": 3, "table": 1, "link": 1},
    "data": {"choice": 1, "table": 1, "upload": 1, "button": 1, "link": 1},
    "lessons": {"button": 6},
    "playground": {"choice": 5, "field": 1, "figure": 1},
    "relations": {"figure": 2, "file": 2, "table": 1, "field": 3, "button": 3, "choice": 4},
    "report": {},
    "runs": {"figure": 1, "field": 1, "choice": 5},
    "start": {"button": 1, "figure": 1, "link": 8},
    "teachers": {"tab": 4, "figure": 1, "file": 1, "number": 3, "choice": 4},
    "tradeoffs": {"figure": 1, "file": 1, "table": 1, "choice": 5, "button": 1},
    "train": {"button": 1, "choice": 5, "field": 5, "number": 3},
}
LESSONS = {"neighbours": 1, "noise": 1, "promises": 1, "votes": 1, "claims": 1, "statements": 0}
"""Each with the figures that it has at least."""


def opened(page: str, **query: str) -> AppTest:
    """A page of the app at that address, of which no script has raised."""
    app = AppTest.from_file(str(APP), default_timeout=120)
    if page != "start":
        app.switch_page(str(PAGES / f"{page}.py"))
    for key, value in query.items():
        app.query_params[key] = value
    return redrawn(app)


def redrawn(app: AppTest) -> AppTest:
    """The same after something was changed."""
    app.run()
    assert not app.exception, [one.value for one in app.exception]
    return app


def shown(app: AppTest, role: str) -> int:
    """How many elements of that role the page has."""
    drawn = sum(len(app.get(kind)) for kind in ROLES[role])
    return drawn + sum("<table" in one.proto.body for one in app.get("html")) * (role == "table")


def holds(app: AppTest, words: str) -> bool:
    """Whether any element of the page, or what it leads to, has these words in it."""
    return any(words in str(getattr(one, "proto", "")) for one in app.main)


def press(app: AppTest, key: str) -> AppTest:
    """Press the button of that key."""
    app.button(key=key).click()
    return redrawn(app)


def unfolded(app: AppTest, fold: str) -> AppTest:
    """The same with that fold open."""
    app.session_state[f"fold.{fold}"] = True
    return redrawn(app)


def lacks(app: AppTest, needs: Needs) -> dict[str, int]:
    """Of what the page has less than it needs, and how many it has."""
    return {role: there for role, least in needs.items() if (there := shown(app, role)) < least}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that nobody writes to."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str], str]:
    """A home with a run for each damage, and one that is fine."""
    home = tmp_path_factory.mktemp("damaged")
    store = pg.open_store(home)
    *broken, fine = (keep(store, spec(seed=seed)) for seed in range(len(DAMAGES) + 1))
    store.close()
    here.damage(home, broken)
    return home, dict(zip(DAMAGES, broken, strict=True)), fine


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty home of one's own."""
    with at_home(tmp_path / "own") as made:
        yield made


def example(home: Path, kept: str = "id", **asked: str) -> str:
    """The newest example of such a method, with attacks, audits or answers where `kept` names them."""
    store = here.example_store()
    try:
        found = here.examples(store, **{name: (value,) for name, value in asked.items()})
        if kept == "answers":
            return next(one.id for one in found if (one.folder / "answers.npz").is_file())
        return next(one.id for one in found if getattr(one, kept))
    finally:
        store.close()


# Every page on every store


def test_every_page_is_listed_here() -> None:
    assert {path.stem for path in PAGES.glob("*.py")} == set(ALWAYS) == set(WITH_EXAMPLES)


@pytest.mark.parametrize("page", ALWAYS)
def test_a_page_on_an_empty_store(page: str, empty: Path) -> None:
    with at_home(empty):
        assert not lacks(opened(page), {"title": 1, **ALWAYS[page]})


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_a_page_with_the_examples(page: str, examples: Path) -> None:
    with at_home(examples):
        assert not lacks(opened(page), {"title": 1, **WITH_EXAMPLES[page]})


@pytest.mark.parametrize("page", ALWAYS)
def test_a_page_on_a_damaged_store(page: str, damaged: tuple[Path, dict[str, str], str]) -> None:
    home, _, fine = damaged
    with at_home(home):
        app = opened(page)
        assert shown(app, "title") == 1
        assert page not in ("start", "runs") or holds(app, fine)


@pytest.mark.parametrize("what", [*DAMAGES, "nothing"])
def test_the_page_of_a_damaged_run(what: str, damaged: tuple[Path, dict[str, str], str]) -> None:
    home, runs, fine = damaged
    with at_home(home):
        app = opened("train", run=runs.get(what, fine))
        assert shown(app, "figure") or (shown(app, "refusal") and what != "nothing")


def test_a_store_that_is_none_is_a_refusal_on_the_page(home: Path) -> None:
    (home / "runs.sqlite").write_text("no tables at all, and longer than the head of a file of SQLite " * 9)
    app = opened("runs")
    assert (shown(app, "refusal"), shown(app, "figure")) == (1, 0)


# What can be looked at


ADDRESSES: Mapping[str, tuple[str, dict[str, str], Needs]] = {
    "two worlds": ("playground", {"who": "3", "hides": "people", "eps": "8"}, {"figure": 3, "button": 3, "number": 3}),
    "a method and its price": ("accounting", {"method": "gap", "unit": "edge", "epsilon": "2"}, {"figure": 1}),
    "two methods side by side": ("accounting", {"method": "gap", "with": "progap", "unit": "edge"}, {"figure": 1}),
    "noise that was given": ("accounting", {"method": "gap", "unit": "edge", "scale": "7.5"}, {"figure": 1}),
    "nodes": ("tradeoffs", {"data": "cora", "protects": "node"}, {"figure": 1, "file": 1, "table": 1}),
    "both units": ("tradeoffs", {"data": "cora", "protects": "both"}, {"figure": 1, "file": 1, "table": 2}),
    "a form that is filled": ("train", {"method": "gap", "data": "karate", "epsilon": "2"}, {"button": 1, "number": 3}),
    "runs of a search": ("runs", {"find": "progap cora", "of_unit": "edge"}, {"figure": 1}),
}


@pytest.mark.parametrize("what", ADDRESSES)
def test_an_address_leads_to_what_it_names(what: str, examples: Path) -> None:
    page, query, needs = ADDRESSES[what]
    with at_home(examples):
        assert not lacks(opened(page, **query), needs)


@pytest.mark.parametrize(
    ("page", "asked", "needs"),
    [
        ("train", {"methods": "progap", "datasets": "cora", "units": "edge"}, {"figure": 2, "file": 2, "tab": 4}),
        ("train", {"methods": "relational"}, {"figure": 1, "file": 1}),
        ("teachers", {"methods": "dp-gpl", "kept": "answers"}, {"figure": 1, "tab": 4, "number": 3}),
        ("attacks", {"methods": "gap", "kept": "attacks"}, {"figure": 1, "file": 1}),
        ("audit", {"methods": "progap", "kept": "audits"}, {"figure": 3, "file": 3, "table": 1}),
    ],
)
def test_an_example_is_shown_in_all_its_tabs(page: str, asked: dict[str, str], needs: Needs, examples: Path) -> None:
    with at_home(examples):
        app = opened(page, run=example(examples, **asked))
        assert not lacks(app, needs)
        for name in [one.label for one in app.tabs if "tab" in needs][1:]:
            app.session_state[str(app.get("tab_container")[0].key)] = name
            assert shown(redrawn(app), "title") == 1


def test_every_setting_stands_in_numbers(examples: Path) -> None:
    with at_home(examples):
        assert max(len(one.value) for one in opened("tradeoffs", data="cora", protects="node").dataframe) > 20


def test_runs_stand_side_by_side(examples: Path) -> None:
    with at_home(examples):
        two = [example(examples, methods=name, datasets="cora") for name in ("gap", "progap")]
        app = opened("runs", chosen=",".join(two))
        assert not lacks(app, {"figure": 3, "table": 1, "file": 2})
        assert all(holds(app, run) for run in two)


def test_one_switch_hides_the_examples(examples: Path) -> None:
    with at_home(examples):
        assert shown(opened("runs"), "figure")
        hidden = opened("runs", store="mine")
        assert (shown(hidden, "figure"), hidden.button_group(key="store").value) == (0, "mine")


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_shows_asks_and_goes_on(lesson: str, empty: Path) -> None:
    with at_home(empty):
        app = press(opened("lessons"), f"begin.{lesson}")
        assert app.query_params["lesson"] in (lesson, [lesson])
        steps = [app, opened("lessons", lesson=lesson, step="2")]
        assert all(not lacks(step, {"choice": 1, "button": 2}) for step in steps)
        assert sum(shown(step, "figure") for step in steps) >= LESSONS[lesson]


def test_a_link_of_a_teacher_hides_the_control(empty: Path) -> None:
    with at_home(empty):
        fields = [shown(opened("lessons", lesson="noise", step="3", controls=one), "field") for one in ("yes", "no")]
        assert fields[0] > fields[1]


def test_with_a_log_in_nothing_is_shown_before_it(examples: Path) -> None:
    with at_home(examples):
        app = AppTest.from_file(str(APP), default_timeout=120)
        app.secrets["auth"] = {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "c" * 32}
        redrawn(app)
        assert [shown(app, role) for role in ("button", "figure", "link", "table")] == [1, 0, 0, 0]


@pytest.mark.parametrize("state", ["queued", "running", "stopping", "stopped", "failed", "lost", "done"])
def test_a_run_is_shown_in_every_state(state: str, home: Path) -> None:
    store = pg.open_store(home)
    run = keep(store, spec(epsilon=2.0), state=state, error="out of memory" if state == "failed" else "")
    store.close()
    app = opened("train", run=run)
    assert not lacks(app, {"title": 1, "figure": int(state in ("running", "stopping", "stopped", "done"))})


# What can be done


def queued(home: Path) -> list[Any]:
    store = pg.open_store(home)
    try:
        return [one.spec for one in store.find(RunQuery(states=("queued",)))]
    finally:
        store.close()


def test_the_demo_is_begun(home: Path) -> None:
    app = press(opened("start"), "demo")
    (run,) = queued(home)
    assert app.query_params["run"] in (run.id, [run.id])


def test_a_form_begins_every_run_that_it_asks_for(home: Path) -> None:
    app = opened("train", method="gap", data="karate", unit="edge")
    app.text_input(key="epsilon").set_value("1, 2")
    app.number_input(key="seeds").set_value(3)
    press(redrawn(app), "go")
    found = sorted((one.asked_epsilon, one.seed) for one in queued(home))
    assert found == [(epsilon, seed) for epsilon in (1.0, 2.0) for seed in range(3)]


def test_a_sweep_begins_every_run_that_it_asks_for(home: Path) -> None:
    app = unfolded(opened("tradeoffs", data="karate", store="mine"), "sweep")
    app.multiselect(key="sweep_methods.karate.edge").set_value(["gap", "progap"])
    app.text_input(key="sweep_epsilons.karate.edge").set_value("1, 2")
    press(redrawn(app), "sweep_go.karate.edge")
    found = {(one.method, one.asked_epsilon) for one in queued(home)}
    assert found >= {(method, epsilon) for method in ("gap", "progap") for epsilon in (1.0, 2.0)}


def test_ended_runs_are_tagged_repeated_and_deleted(home: Path) -> None:
    store = pg.open_store(home)
    lost, done = keep(store, spec(), state="lost"), keep(store, spec(seed=1))
    app = opened("runs", chosen=lost)
    app.text_input[-1].set_value("again")
    next(one for one in app.button if (one.key or "").startswith("FormSubmitter:tag_chosen")).click()
    redrawn(app)
    assert store.get(lost).tags == ("again",)
    press(opened("runs", chosen=lost), "retry_chosen")
    assert store.get(lost).state == "queued"
    press(press(opened("runs", chosen=done), "delete_chosen"), "delete_yes")
    assert [one.id for one in store.find()] == [lost]
    store.close()


def test_a_graph_of_ones_own_is_taken_in(home: Path) -> None:
    nodes = "id,age,label\n" + "".join(f"p{at},{at % 7},{'ab'[at % 2]}\n" for at in range(30))
    edges = "source,target\n" + "".join(f"p{at},p{(at + 1) % 30}\n" for at in range(30))
    app = opened("data")
    files = [("edges.csv", edges.encode(), "text/csv"), ("nodes.csv", nodes.encode(), "text/csv")]
    app.file_uploader[0].set_value(files)
    press(redrawn(app), "upload_go")
    (name,) = [one["name"] for one in here.privgraph("data", "list", "--json").json if "upload:" in one["name"]]
    assert (pg.load(name).num_nodes, pg.load(name).facts.edges) == (30, 30)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_a_graph_is_counted_and_drawn(home: Path) -> None:
    app = opened("data", data="karate")
    while shown(app, "figure") < 2:
        time.sleep(1.0)
        redrawn(app)
    assert not lacks(app, {"figure": 2, "file": 2, "number": 3})


@pytest.mark.parametrize(("page", "key"), [("attacks", "start_attack"), ("audit", "start_audit")])
def test_a_run_of_ones_own_can_be_attacked(page: str, key: str, home: Path) -> None:
    store = pg.open_store(home)
    run = keep(store, spec("dp-mlp", unit="node", epsilon=8.0, batch_size=8))
    store.close()
    assert not opened(page, run=run).button(key=key).disabled


def taken(app: AppTest) -> bytes:
    """The archive that the page offers. Only here the fence asks the server for a file that it keeps."""
    from privgraph_workbench.serving.offered_files import find

    drawn = "".join(str(one.proto.body) for one in app.get("html"))
    for address in re.findall(r'href="([^"]+)"', drawn):
        _, _, place = unescape(address).rpartition("files/")
        token, _, name = place.partition("/")
        file = find(token, name.partition("?")[0])
        if file is not None and file.name.endswith(".zip"):
            made = file.make()
            return made if isinstance(made, bytes) else made.encode()
    raise AssertionError("the page offers no archive")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_runs_leave_as_a_report(home: Path) -> None:
    store = pg.open_store(home)
    runs = [keep(store, spec(seed=seed), accuracy=0.6 + seed / 10) for seed in range(2)]
    store.close()
    app = opened("runs", chosen=",".join(runs))
    press(app, "collect_chosen")
    app.switch_page(str(PAGES / "report.py"))
    redrawn(app)
    for key in ("report.appendix", "report.notebook"):
        app.toggle(key=key).set_value(False)
    press(redrawn(app), "report.make")
    while not any(".zip" in str(one.proto.body) for one in app.get("html")):
        time.sleep(1.0)
        assert not redrawn(app).error
    with zipfile.ZipFile(io.BytesIO(taken(app))) as archive:
        assert archive.testzip() is None
        kinds = {Path(name).suffix for name in archive.namelist()}
        assert kinds >= {".html", ".pdf", ".csv", ".tex", ".bib", ".json", ".txt"}


# The app itself


@pytest.mark.long
def test_the_app_answers_to_whoever_has_its_token(home: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["app", "--host", "127.0.0.1", "--port", str(port), "--no-browser"]
    environment = here.environment(PRIVGRAPH_TOKEN="t" * 40, PYTHONUNBUFFERED="1")
    with subprocess.Popen([*here.shell(), *words], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            assert found[0].startswith(f"http://127.0.0.1:{port}/?token=")
            assert _answer(found[0]) == 200
            assert _answer(f"http://127.0.0.1:{port}/") >= 400
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def _answer(address: str) -> int:
    """The code that a browser gets there, which keeps what it is told to send back."""
    kept = urllib.request.HTTPCookieProcessor()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), kept)
    try:
        with opener.open(address, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
