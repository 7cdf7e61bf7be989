"""The Relations page: which runs are compared."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_pair, made_run
from tests.pages.reading import texts
from tests.pages.relation_pages import (
    Answering,
    ask,
    drawn,
    exemplified,
    lists,
    process,
)

from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench.serving import shell

Open = Callable[..., AppTest]
__all__ = ["exemplified", "process"]  # fixtures
pytestmark = pytest.mark.usefixtures("exemplified")


def test_without_a_run_it_says_what_there_will_be_and_trains_a_pair(opened: Open, store: RunStore) -> None:
    app = opened("relations")
    assert "No language model has learnt relations here yet" in app.info[0].value
    link = next(one.proto for one in app.get("page_link") if "Choose the settings" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query == {"method": "relational", "data": "products"}
    train = opened("train", **query)
    assert (train.selectbox(key="method").value, train.selectbox(key="data").value) == ("relational", "products")
    app.button(key="train_pair").click().run()
    assert not app.exception, app.exception
    records = store.find(RunQuery())
    assert sorted(one.spec.unit for one in records) == ["edge", "none"]
    assert {(one.spec.method, one.spec.dataset, one.spec.options["encoder"]) for one in records} == {
        ("relational", "products", "minilm")
    }
    assert "Training 2 runs" in texts(app)
    assert not app.info, "nobody is invited twice"
    assert "train_pair" not in {one.key for one in app.button}


def test_the_newest_of_each_is_compared(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    bare = made_run(store, unit="none", seed=1)
    private = made_run(store, seed=1)
    made_run(store, method="relation-rand", epsilon=8.0)
    made_run(store, unit="none", seed=2, loss="hinge", encoder="minilm")
    app = opened("relations")
    assert app.selectbox(key="private").value == private.id, "PvGaLM comes before randomised response"
    assert app.selectbox(key="bare").value == bare.id, "with the same encoder"
    assert len(app.selectbox(key="private").options) == 3
    assert len(app.selectbox(key="bare").options) == 2
    shown = texts(app)
    assert shown.count("sound ε **") == 2
    assert "relations of one domain (here kitchen) and predicts those of another (garden)" in shown
    assert "they are right at most 98." in shown, "e⁴ to 1"
    assert "nothing is promised" in shown
    assert ":blue[●] sound ε **4**" in shown or ":blue[●] sound ε **3." in shown
    assert "sound ε **∞**" in shown


def test_the_address_chooses_the_runs(opened: Open, store: RunStore, process: Answering) -> None:
    first_bare, first = made_pair(store)
    made_run(store, unit="none", seed=1)
    made_run(store, seed=1)
    app = opened("relations", private=first.id, bare=first_bare.id, domain="kitchen", neighbours="3")
    assert (app.selectbox(key="private").value, app.selectbox(key="bare").value) == (first.id, first_bare.id)
    assert app.selectbox(key="domain").value == "kitchen"
    assert app.number_input(key="neighbours").value == 3
    assert not app.warning
    ask(app, "a rake")
    (asked,) = process.asked
    assert (asked.domain, asked.neighbours) == ("kitchen", 3)
    assert [one.folder for one in asked.encoders] == ["", *(str(store.folder(run.id)) for run in (first_bare, first))]
    assert "a rake" not in str(app.query_params), "what was typed is in no address"


def test_wrong_addresses_are_one_sentence(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = opened("relations", private="nobody", bare="![x](y)", domain="attic", neighbours="99")
    said = "\n".join(one.value for one in app.warning)
    assert "There is no finished run nobody that learnt relations" in said
    assert r"\!" in said or r"!\[x\](y)" in said
    assert "there is no domain attic; domains are kitchen, garden" in said
    assert "neighbours must be at most 50 (got 99)" in said
    assert app.number_input(key="neighbours").value == 10
    ask(app, "a rake")
    assert process.asked[0].domain == "garden"


@pytest.mark.parametrize(("unit", "key"), [("edge", "private"), ("none", "bare")])
def test_a_run_s_own_page_leads_here(opened: Open, store: RunStore, process: Answering, unit: str, key: str) -> None:
    run = made_run(store, unit=unit)
    made_run(store, unit=unit, seed=1)
    train = opened("train", run=run.id)
    link = next(one.proto for one in train.get("page_link") if one.proto.label == "**Ask its encoder**")
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query == {key: run.id}
    assert opened("relations", **query).selectbox(key=key).value == run.id


@pytest.mark.parametrize("unit", ["edge", "none"])
def test_one_run_alone(opened: Open, store: RunStore, process: Answering, unit: str) -> None:
    made_run(store, unit=unit)
    app = opened("relations")
    ask(app, "a rake")
    assert [one.name for one in process.asked[0].encoders] == ["base", "private" if unit == "edge" else "bare"]
    assert len(lists(app)) == 2
    assert any("moved nearer" in one for one in drawn(app))


@pytest.mark.long
@pytest.mark.parametrize(("unit", "other"), [("edge", "none"), ("none", "edge")])
def test_the_twin_of_a_run_is_trained_by_one_click_and_chosen_when_it_is_done(
    opened: Open, store: RunStore, process: Answering, unit: str, other: str
) -> None:
    there = made_run(store, unit=unit, negatives=3)
    app = opened("relations")
    app.button(key=f"twin_{other}").click().run()
    twin = next(one for one in store.find(RunQuery(states=("queued",))))
    assert twin.spec.unit == other
    same = ("negatives", "batch_size", "steps", "encoder", "trained_on")
    assert [twin.spec.options[name] for name in same] == [there.spec.options[name] for name in same]
    assert twin.spec.seed == there.spec.seed
    if other == "edge":
        assert twin.spec.options["epsilon"] == 4.0


def test_the_twin_needs_no_warning(opened: Open, store: RunStore, process: Answering) -> None:
    private = made_run(store, clip=7.0)
    made_run(store, unit="none", negatives=7)
    twin = made_run(store, unit="none")
    app = opened("relations", private=private.id)
    assert app.selectbox(key="bare").value == twin.id, "its clip is read by nobody"
    assert "not the price of privacy alone" not in texts(app)
    assert "twin_none" not in {one.key for one in app.button}


def test_what_is_compared_stays_when_another_run_is_done(opened: Open, store: RunStore, process: Answering) -> None:
    bare, private = made_pair(store)
    app = opened("relations")
    assert dict(app.query_params) == {"store": "mine", "private": private.id, "bare": bare.id}, (
        "who opens this address sees these two"
    )
    newer = made_run(store, negatives=9)
    app.run()
    assert app.selectbox(key="private").value == private.id
    offer = app.button(key="newest_private")
    assert "negatives 9" in offer.label
    offer.click().run()
    assert app.selectbox(key="private").value == newer.id
    assert "newest_private" not in {one.key for one in app.button}
    assert app.query_params["private"] in (newer.id, [newer.id])


@pytest.mark.long
def test_the_pair_is_still_chosen_when_one_comes_back(opened: Open, store: RunStore, process: Answering) -> None:
    older = made_run(store, negatives=2)
    made_run(store, negatives=3)
    app = opened("relations")
    app.selectbox(key="private").set_value(older.id).run()
    for page in ("runs", "relations"):
        app.query_params.clear()
        app.switch_page(str(shell.folder() / f"{page}.py")).run()
    assert app.selectbox(key="private").value == older.id


def test_runs_on_other_data_are_not_compared(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, unit="none", trained_on="garden", tested_on="kitchen")
    private = made_run(store)
    app = opened("relations")
    assert app.selectbox(key="private").value == private.id
    assert "bare" not in {one.key for one in app.selectbox}
    assert "None is finished that fits" in texts(app)


def test_a_run_that_failed_is_told(opened: Open, store: RunStore) -> None:
    run = made_run(store, state="failed")
    app = opened("relations")
    assert app.error[0].value == "The last run did not end well. It stumbled."
    link = next(one.proto for one in app.get("page_link") if one.proto.label == "Open it")
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run.id}


def test_other_data_bring_their_own_runs_and_domain(opened: Open, store: RunStore, process: Answering) -> None:
    """There and back; the browser, which holds what it showed before, is told."""
    made_pair(store)
    titles = [made_run(store, unit=unit, data="m10-titles") for unit in ("none", "edge")]
    app = opened("relations", data="products", domain="kitchen")
    for data in ("m10-titles", "products", "m10-titles"):
        app.selectbox(key="data").set_value(data).run()
        assert not app.exception, app.exception
        assert not app.warning, "the domain of the data before is no mistake in the address"
        for key in ("private", "bare", "domain"):
            field = app.selectbox(key=key)
            assert field.proto.set_value, f"the browser would go on showing {key} of the data before"
            assert field.proto.raw_value in field.options
        shown = [store.get(str(app.selectbox(key=key).value)) for key in ("bare", "private")]
        assert {one.spec.dataset for one in shown} == {data}
        assert not [one.label for one in app.button if str(one.key).startswith("newest_")]
    assert [one.id for one in shown] == [one.id for one in titles]
