"""Addresses of pages: read by what reads them, without a page (`ADDRESSES`), and some of them by whole pages
(`PAGES`)."""

import random
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from unittest import mock
from urllib.parse import quote, urlencode

import streamlit
from streamlit.testing.v1 import AppTest
from tests.fuzz import strange
from tests.fuzz.kinds import Crash
from tests.fuzz.stored import kept

import privgraph_workbench
from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.data.catalogue import DATASETS
from privgraph.options import Parameter, parameters
from privgraph.registry import ATTACKS, AUDITS, METHODS
from privgraph.runs.records import STATES, RunQuery
from privgraph_workbench.facts import datasets
from privgraph_workbench.forms import widgets
from privgraph_workbench.forms.beginnings import SCALE, SEEDS, SETUP
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.serving.server import Gate

PAGES = ("start", "train", "data", "accounting", "attacks", "audit", "tradeoffs", "teachers", "relations", "runs")
OWN = {
    "start": (),
    "train": ("data", "method", "split", "run"),
    "data": ("data", "node"),
    "accounting": ("data", "method", "scale"),
    "attacks": ("run", "who", "attack", "roc_scale"),
    "audit": ("run", "audit", "scale"),
    "tradeoffs": ("data", "on", "protects", "curve"),
    "teachers": ("run", "tab", "query", "show", "data", "lab.rate", "lab.teachers"),
    "relations": ("private", "bare", "data", "domain", "neighbours", "text"),
    "runs": ("find", "order", "of_method", "of_data", "of_state", "of_unit", "tagged", "chosen", "page"),
}
"""What pages have in their addresses beside options."""
WORDS = (
    *("newest", "edge", "node", "both", "none", "random", "public", "1", "2", "0.5", "12"),
    *(*ATTACKS, *AUDITS, *STATES),
)
Query = dict[str, list[str]]


def make(rng: random.Random) -> object:
    """A page and its query."""
    page = rng.choice(PAGES)
    query: Query = {}
    if rng.random() < 0.8 and page in ("train", "accounting"):
        query["method"] = [rng.choice(list(METHODS))]
    if rng.random() < 0.5 and "data" in OWN[page]:
        query["data"] = [rng.choice(("karate", "social"))]
    known = [prefix + one.name for prefix, found in _forms(page, query) for one in found]
    for name in rng.choices((*OWN[page], *known), k=rng.randrange(8)) if known or OWN[page] else ():
        query[name] = [_text(rng) for _ in range(rng.choice((1, 1, 1, 2)))]
    if rng.random() < 0.1:
        query[rng.choice(strange.TEXTS).replace("\ud800", "") or "a"] = [_text(rng)]
    return page, query


def _text(rng: random.Random) -> str:
    """What a browser can send: no lone surrogates, and no more than an address holds."""
    chance = rng.random()
    if chance < 0.4:
        text = rng.choice(strange.TEXTS)
    elif chance < 0.6:
        text = rng.choice((*WORDS, *METHODS, *DATASETS, *kept().ids))
    elif chance < 0.8:
        number = rng.choice([value for value in strange.NUMBERS if not isinstance(value, int) or abs(value) < 10**300])
        text = rng.choice((str, repr, lambda value: f"{value:.2e}"))(number)
    else:
        text = "".join(
            chr(rng.choice((rng.randrange(32, 127), rng.randrange(0xD800)))) for _ in range(rng.randrange(12))
        )
    return text.replace("\ud800", "\ufffd")


def _forms(page: str, query: Query) -> Iterator[tuple[str, Sequence[Parameter]]]:
    """The options in a page's address, by prefix."""
    if page in ("train", "accounting"):
        name = query.get("method", ["progap"])[-1]
        yield "", [*parameters(METHODS[name if name in METHODS else "progap"].load_config()), SCALE, SEEDS, *SETUP]
    if page in ("train", "data", "accounting"):
        yield "data.", parameters(cast(type, DATASETS["social"].load_options()))
    if page == "audit":
        yield "audit.", parameters(AuditOptions)
    if page == "attacks":
        yield "attack.", parameters(AttackOptions)


class Asked(dict[str, list[str]]):
    """A query as Streamlit gives it: the last value of a name, or all of them."""

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)[-1]

    def get(self, name: str, default: Any = None) -> Any:
        values = self.get_all(name)
        return values[-1] if values else default

    def get_all(self, name: str) -> list[str]:
        return list(super().get(name, []))


def take(given: object) -> Sequence[str]:
    """Read the address as its page does; gives what is said of it."""
    page, query = cast(tuple[str, Query], given)
    said: list[str] = []
    left: list[Query] = []
    surroundings = {
        "query_params": Asked(query),
        "session_state": {},
        "warning": said.append,
        "switch_page": lambda _, query_params: left.append(query_params),
    }
    with mock.patch.multiple(streamlit, **surroundings):
        shell._read_address(cast(Any, page))
        shell._read_address(cast(Any, page))  # as the page does that it leads to
        asked = Asked(left[0] if left else query)
        with mock.patch.object(streamlit, "query_params", asked):
            _read(page, query, asked, said)
    said += _gate(page, query)
    return said


def _read(page: str, query: Query, asked: Asked, said: list[str]) -> None:
    for prefix, found in _forms(page, query):
        widgets.warn(found, prefix)
    if "data" in asked and asked["data"] not in DATASETS:
        said.append(datasets.complaint(asked["data"]))
    if page == "runs":
        kept().store.find_rows(RunQuery(text=asked.get("find", ""), tags=tuple(asked.get_all("tagged"))), graphs=True)


def _gate(page: str, query: Query) -> list[str]:
    """What the gate answers to that address, with the host and origin that it names in `run`, if any."""
    odd = query.get("run", query.get("find", ["localhost:8501"]))[0].encode().decode("latin-1")
    answers: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        answers.append(message)

    gate = Gate(cast(Any, app), token="token")
    for headers in ({"host": "localhost:8501", "cookie": odd}, {"host": odd}, {"host": "localhost", "origin": odd}):
        scope = {
            "type": "http",
            "path": f"/{page}",
            "query_string": urlencode(query, doseq=True, quote_via=quote).encode(),
            "headers": [(key.encode(), value.encode("latin-1")) for key, value in headers.items()],
        }
        _finish(gate(scope, cast(Any, None), send))
    codes = [message["status"] for message in answers if message["type"] == "http.response.start"]
    if len(codes) != 3 or not set(codes) <= {200, 303, 403}:
        raise Crash(f"the gate answers {codes}")
    return []


def _finish(task: Coroutine[Any, Any, None]) -> None:
    """Run what waits for nothing."""
    try:
        task.send(None)
    except StopIteration:
        return
    raise Crash("the gate waits for something")


def take_page(given: object) -> Sequence[str]:
    """Draw the whole page at that address, with the kept store and no workers."""
    page, query = cast(tuple[str, Query], given)
    with (
        mock.patch.object(queue, "store", return_value=kept().store),
        mock.patch.object(queue, "launch", return_value=[]),
    ):
        app = AppTest.from_file(str(Path(privgraph_workbench.__file__).with_name("app.py")), default_timeout=300)
        if page != "start":
            app.switch_page(str(shell.folder() / f"{page}.py"))
        for name, values in query.items():
            app.query_params[name] = values if len(values) > 1 else values[0]
        app.run()
    if app.exception:
        raise Crash(f"{app.exception[0].message[:200]}: {app.exception[0].stack_trace[-2:]}")
    return [one.value for one in [*app.warning, *app.error]]
