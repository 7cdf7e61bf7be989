"""The Teachers page: the price before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.pages.kept_runs import keep_answers
from tests.pages.reading import texts
from tests.pages.teacher_pages import DIGITS, opened_fold, prices_of

from privgraph.methods.teachers.privgnn.config import Config
from privgraph.runs.store import RunStore
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import number, upper


@pytest.mark.long
@pytest.mark.parametrize("release", ["table", "votes", "posterior", "ensemble", "log-posterior"])
def test_the_price_is_that_of_the_run(opened: Callable[..., AppTest], release: str) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release=release, price__lam="0.5", price__queries="100")
    assert not app.error, app.error
    config = Config(release=release, lam=0.5, rate=0.3, queries=100)
    said = config.plan(DIGITS).statement
    assert (said.epsilon_as_published is None) == (release == "table"), "the paper has none"
    one = [] if release == "table" else [upper(replace(config, queries=1).plan(DIGITS).statement.epsilon)]
    assert prices_of(app) == [upper(said.epsilon), *one]
    published = number(said.epsilon_as_published, 4).replace("none", "no formula")
    assert f"{EPSILONS['published'].label}: **{published}**" in opened_fold(app, "privgnn_published")
    assert config.sizes(1797).private == 898
    assert "898 private nodes" in texts(app)


@pytest.mark.long
def test_the_sliders_move_both_prices_but_k_does_not(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="posterior")
    seen = [prices_of(app)]
    for key, value in (("price.noise", 2.0), ("price.queries", 100.0)):
        app.select_slider(key=key).set_value(value).run()
        assert not app.exception, app.exception
        seen.append(prices_of(app))
    app.slider(key="price.rate").set_value(0.05).run()
    seen.append(prices_of(app))
    for place in (0, 1):
        assert float(seen[1][place]) > float(seen[0][place]), "less noise costs more"
        assert (float(seen[2][place]) < float(seen[1][place])) == (place == 0), "fewer queries cost less; one does not"
        assert float(seen[3][place]) < float(seen[2][place]), "smaller samples cost less"
    app.select_slider(key="price.neighbours").set_value(50.0).run()
    assert prices_of(app) == seen[-1]
    assert "K does not change the price" in texts(app)


def test_a_table_has_no_sliders_but_its_noise(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="table", price__lam="0.2")
    keys = {one.key for kind in ("slider", "select_slider") for one in app.get(kind)}
    assert "price.noise" in keys
    assert not keys & {"price.rate", "price.queries", "price.neighbours"}
    assert "All 898 private nodes are in the table" in texts(app)
    link = next(one.proto for one in app.get("page_link") if "Train with these" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert (query["release"], query["lam"]) == ("table", "0.2")
    train = opened("train", **query)
    assert not train.warning, train.warning


def test_votes_offer_no_slider_that_they_do_not_read(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="votes")
    keys = {one.key for kind in ("slider", "select_slider") for one in app.get(kind)}
    assert keys >= {"price.noise", "price.rate", "price.queries"}
    assert "price.neighbours" not in keys
    link = next(one.proto for one in app.get("page_link") if "Train with these" in one.proto.label)
    assert "neighbours" not in link.query_string


@pytest.mark.long
def test_more_queries_than_the_graph_has_are_not_priced(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="votes", price__queries="1000")
    asked = Config(queries=1000, lam=0.1).asked(DIGITS)
    assert asked < 1000
    assert f"This graph has {asked:,} public nodes that may be asked about" in texts(app)


def test_the_settings_go_to_the_train_page(opened: Callable[..., AppTest]) -> None:
    app = opened(
        "teachers", tab="Price", data="digits", price__release="posterior", price__lam="0.4", price__neighbours="50"
    )
    link = next(one.proto for one in app.get("page_link") if "Train with these" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query.items() >= {"method": "privgnn", "release": "posterior", "lam": "0.4", "neighbours": "50"}.items()
    train = opened("train", **query)
    assert not train.warning, train.warning
    assert train.radio(key="method").value == "privgnn"
    assert train.text_input(key="lam").value == "0.4"
    assert train.number_input(key="queries").value == 1000
    assert train.number_input(key="neighbours").value == 50


@pytest.mark.usefixtures("unread")
def test_wrong_addresses_are_one_sentence(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("teachers", data="digitts", run="privgnn-karate-000000000000", price__lam="999", tab="Votes")
    said = "\n".join(text.value for text in app.warning)
    assert "did you mean digits" in said
    assert "lam must be at most 10 (got 999)" in said
    assert "there is no tab Votes; tabs are Vote laboratory, Answers, Who pays, Price" in said
    assert "There is no finished run privgnn-karate-000000000000" in said
    run = keep_answers(store, made_answers())
    app = opened("teachers", data="karate", run=run, query="7777")
    assert any("query 7777 is none of those" in text.value for text in app.warning)


def test_without_a_run_it_says_what_there_will_be(opened: Callable[..., AppTest]) -> None:
    assert not opened("teachers", data="karate").info
    app = opened("teachers", data="karate", tab="Answers")
    assert "No private teachers have answered here yet" in app.info[-1].value
    link = next(one.proto for one in app.get("page_link") if "Train a PrivGNN" in one.proto.label)
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"method": "privgnn"}
