"""The Teachers page: the price that begins with a finished run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.kept_runs import KARATE, keep_answers, keep_ensemble
from tests.pages.reading import summaries, texts
from tests.pages.teacher_pages import names_read, opened_fold, prices_of

from privgraph.data.catalogue import dataset
from privgraph.data.class_names import CLASS_NAMES
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.options import build
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets, plans, queries_asked
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.teachers import (
    answered,
    compared,
    other_noise,
    payers,
    price_form,
    price_words,
    run_price,
    tabs,
    vote_form,
)
from privgraph_workbench.words.numbers import percent, stated, upper


@pytest.mark.long
def test_a_run_with_a_table_has_no_teachers_and_begins_the_price_form(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    run = keep_answers(store, replace(made_answers(), kind="table"))
    app = names_read(opened("teachers", run=run, tab="Answers"))
    assert answered.NO_TEACHERS in texts(app)
    assert "Time of each answer" in {fold.label for fold in app.expander}
    app = opened("teachers", run=run, tab="Price")
    own = store.get(run).statement
    assert own is not None
    assert prices_of(app)[0] == stated("sound", own.epsilon), "the run's own noise comes first"
    assert "Queries: any number." in texts(app)
    said = opened_fold(app, "privgnn_price")
    assert app.selectbox(key="data").value == "karate", "the form below begins with the run's graph"
    assert app.select_slider(key="price.noise").value == 2.5, "and with its noise"
    assert "Noise: Gaussian, σ = 2.5." in said
    assert "one over the scale of this noise" not in said, "lambda is of Laplace noise"
    assert "This form begins with the settings of the run above" in said
    app.select_slider(key="price.noise").set_value(1.0).run()
    assert app.select_slider(key="price.noise").value == 1.0
    asked = opened("teachers", run=run, tab="Price", price__lam="2")
    assert asked.select_slider(key="price.noise").value == 0.5, "an address may say λ, and opens the form"
    with_teachers = opened("teachers", run=keep_answers(store, made_answers(), seed=1))
    assert answered.NO_TEACHERS not in texts(with_teachers)


@pytest.mark.long
def test_the_price_begins_with_the_run_above_or_stands_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    older = keep_answers(store, made_answers(), lam=0.7)
    newest = keep_answers(store, made_answers(), lam=0.5)
    app = opened("teachers", tab="Price")
    assert app.selectbox(key="run").value == newest, "chosen, though the address names none"
    opened_fold(app, "privgnn_price")
    unit = price_form.spread("table", "gaussian")
    held = app.selectbox(key="data").value, app.select_slider(key="price.noise").value
    assert held == ("karate", price_form.std_of(0.5, unit))
    assert "This form begins with the settings of the run above" in texts(app)
    app.selectbox(key="run").set_value(older).run()
    assert app.select_slider(key="price.noise").value == price_form.std_of(0.7, unit), "another run, another beginning"
    assert "This form begins with the settings of the run above" in texts(app)
    keep_answers(store, made_answers("counts"), method="pate", seed=1, queries=7)
    other = opened("teachers", tab="Price")
    said = opened_fold(other, "privgnn_price")
    assert "This form begins with the graph of the run above and its number of queries, for votes" in said
    assert other.selectbox(key="data").value == "karate"
    assert (other.select_slider(key="price.queries").value, other.segmented_control(key="price.release").value) == (
        7,
        "votes",
    )
    assert price_words.OTHER_METHOD in said, "beside the number"
    assert price_words.NO_GOODS in said, "the run's votes are of another method"
    other.selectbox(key="data").set_value("digits").run()
    assert "This is no price of the run above: that was on Karate club." in texts(other)


@pytest.mark.parametrize("method", ["pate", "dp-gpl"])
def test_the_price_of_teachers_is_that_of_the_run_above(
    opened: Callable[..., AppTest], store: RunStore, method: str
) -> None:
    """With the noise of the run its own ε; with twice the noise a smaller one, and less for fewer queries."""
    run = keep_answers(store, made_answers("counts"), method=method, lam=None, queries=8)
    app = opened("teachers", tab="Price", run=run)
    own = store.get(run).statement
    assert own is not None
    app.session_state["fold.run_price_table"] = True
    (table,) = (one.value for one in app.run().dataframe)
    at = table["noise (standard deviation)"].str.contains("the run's").to_numpy().nonzero()[0].item()
    sound = table[EPSILONS["sound"].title].tolist()
    assert sound[at] == stated("sound", own.epsilon)
    assert prices_of(app)[0] == sound[at]
    app.select_slider(key=f"vote.times.{run}").set_value(2.0).run()
    assert not app.exception, app.exception
    assert prices_of(app)[0] == sound[at + 1] != sound[at]
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label == "**Train with these settings**")
    noise = store.get(run).spec.noise
    assert noise is not None
    assert f"{noise.option}=" in link.query_string
    right = table["labels right, on average"].tolist()
    assert any("labels right, on average" in said for said in summaries(app)), "goods stand beside the price"
    assert float(right[0].rstrip("%")) > float(right[-1].rstrip("%")), "much noise, fewer right labels"
    app.number_input(key=f"price.asked.{run}").set_value(2).run()
    assert float(prices_of(app)[0]) < float(sound[at + 1])


@pytest.mark.parametrize(
    ("release", "kind", "helps"),
    [
        ("votes", "votes", "A smaller sample (the run's rate is 30.0%) is seldom read."),
        ("posterior", "posterior", "A smaller sample"),
        ("table", "table", "**What helps:** more noise."),
        ("log-posterior", "log-posterior", "**What helps:** another release."),
    ],
)
@pytest.mark.usefixtures("unread")
def test_the_price_of_privgnn_is_first_that_of_the_run_above(
    opened: Callable[..., AppTest], store: RunStore, release: str, kind: str, helps: str
) -> None:
    """One control as in the laboratory: the size of the noise, noisier to the right, and λ as a caption."""
    run = keep_answers(store, made_answers(kind), release=release, lam=10.0, queries=8)
    own = store.get(run).statement
    assert own is not None
    app = opened("teachers", tab="Price", run=run)
    said = texts(app)
    assert "data" not in {one.key for one in app.selectbox}, "the free form is folded"
    assert prices_of(app)[0] == run_price.readable("sound", own.epsilon)
    assert helps in said
    assert other_noise.WHICH_END in said
    laplace = "posterior" in release
    assert ("λ (lambda), one over the scale of this noise: 10." in said) == laplace
    assert ("Noise: Gaussian, σ = 0.1." in said) != laplace
    app.select_slider(key=f"vote.times.{run}").set_value(4.0).run()
    assert not app.exception, app.exception
    assert ("λ (lambda), one over the scale of this noise: 2.5." in texts(app)) == laplace
    assert ("Noise: Gaussian, σ = 0.4." in texts(app)) != laplace
    less = plans.plan("privgnn", {**store.get(run).spec.options, "lam": 2.5}, KARATE).statement.epsilon
    assert prices_of(app)[0] == run_price.readable("sound", less)
    assert (less < own.epsilon) == (release != "log-posterior")


@pytest.mark.usefixtures("unread")
def test_how_many_queries_there_are_is_said_alike_everywhere(opened: Callable[..., AppTest], store: RunStore) -> None:
    """Where more are wanted than public nodes may be asked about, those are asked, and paid for."""
    known = plans.plan("pate", {"queries": 1000}, KARATE)
    count = queries_asked.asked(known)
    record = made_answers("counts", queries=count)
    assert len(record.queries) == count < 1000
    run = keep_answers(store, record, method="pate", queries=1000)
    said = queries_asked.fewer(1000, count)
    assert said.startswith(f"1,000 queries were wanted, and {count}")
    for tab in ("Vote laboratory", "Who pays", "Price"):
        app = opened("teachers", tab=tab, run=run)
        assert said in texts(app), tab
        assert not any("1,000" in metric.label for metric in app.metric)
    assert app.number_input(key=f"price.asked.{run}").value == count
    (table,) = (one.value for one in opened("teachers", tab="Who pays", run=run).table)
    assert table["queries"].tolist()[-1] == str(count)


@pytest.mark.usefixtures("unread")
def test_a_price_that_protects_nobody_says_what_helps(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers("counts"), method="pate", lam=5.0, queries=8)
    said = store.get(run).statement
    assert said is not None
    assert said.epsilon > run_price.WEAK
    told = texts(opened("teachers", tab="Price", run=run))
    assert "**What helps:** more noise and fewer queries" in told
    assert "More teachers (the run had 20)" in told
    weak = keep_answers(store, made_answers("counts"), method="pate", lam=0.05, queries=8)
    assert "**What helps:**" not in texts(opened("teachers", tab="Price", run=weak))


@pytest.mark.long
def test_the_form_tells_how_many_labels_of_the_run_are_right(opened: Callable[..., AppTest], store: RunStore) -> None:
    record = made_answers("votes")
    run = keep_answers(store, record, release="votes")
    app = opened("teachers", tab="Price", run=run)
    opened_fold(app, "privgnn_price")
    expected = other_noise.expected(record, "gaussian", app.select_slider(key="price.noise").value / record.noise_std)
    assert f"**Labels right, on average:** {percent(expected)}, with the votes of the run above." in texts(app)
    app.slider(key="price.rate").set_value(0.05).run()
    assert price_words.NO_GOODS in texts(app), "other samples vote otherwise"


@pytest.mark.long
@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"method": "pate", "queries": 8}, "The same 20 teachers answer every query"),
        ({"release": "votes", "queries": 8}, "drawn for a query with a chance of 30.0%"),
        ({"release": "votes", "queries": 8, "sampling": "once"}, "into one sample that answers all queries"),
        ({"release": "ensemble", "queries": 8}, "Each query has 10 teachers of its own"),
        ({"release": "table"}, "It was paid for once"),
    ],
)
def test_why_all_pay_alike_is_said_of_this_run(
    opened: Callable[..., AppTest], store: RunStore, options: dict[str, Any], why: str
) -> None:
    app = opened("teachers", tab="Who pays", run=keep_answers(store, made_answers("counts"), **options))
    assert why in texts(app)
    if options.get("release") == "table":
        assert not app.table
        return
    (table,) = (one.value for one in app.table)
    paid = [float(one) for one in table[EPSILONS["sound"].title]]
    assert paid == sorted(paid)
    assert table["queries"].tolist()[-1] == "8"
    guesses = table["a guess is right in"].tolist()
    assert guesses == sorted(guesses)
    assert any("every private node had spent" in said for said in summaries(app)), "query by query"


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_a_run_whose_graph_is_not_here_is_priced_by_its_sizes(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form begins with the run's data, not with others beside the run's votes."""
    monkeypatch.setattr(datasets, "available", lambda spec: spec.kind == "embedded")
    options = {"release": "votes", "queries": 100, "rate": 0.3}
    run = keep_answers(store, made_answers("votes"), data="cora", **options)
    app = opened("teachers", tab="Price", run=run)
    assert not app.warning, app.warning
    assert not app.error, app.error
    opened_fold(app, "privgnn_price")
    assert app.selectbox(key="data").value == "cora"
    cora = datasets.public_facts(dataset("cora"), {}, "random")
    assert cora is not None
    said = build(Config, {**options, "lam": 0.4}).plan(cora).statement
    assert prices_of(app)[0] == upper(said.epsilon)
    assert "7 classes; 1,354 private nodes" in texts(app)
    assert "with the votes of the run above" in texts(app)
    app.selectbox(key="data").set_value("karate").run()
    assert not app.exception, app.exception
    assert "This is no price of the run above: that was on Cora." in texts(app)
    assert "with the votes of the run above" not in texts(app)
    assert "class 0" not in (told := texts(opened("teachers", run=run)))
    assert set(CLASS_NAMES["cora"]) & set(re.findall(r"weighted votes for \*\*([^*]+)\*\*", told))


def test_the_price_is_of_the_runs_own_graph(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    small = make_spec("privgnn", "social", {"lam": 0.4}, data_options={"nodes": 300})
    record = store.get(store.submit(small))
    monkeypatch.setattr(price_form.st, "session_state", {"price.of": record.id})
    graph = price_form._graph(dataset("social"), record)
    assert graph[0]["nodes"] == 300
    assert price_form.train_address(build(Config, {"lam": 0.4}), dataset("social"), graph)["data.nodes"] == "300"
    assert price_form._graph(dataset("digits"), record) == ({}, "random"), "another graph has its own sizes"


@pytest.mark.usefixtures("unread")
def test_the_open_tab_alone_is_computed(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep_ensemble(store, ensemble(), made_answers("counts", noise=3.0))
    shows = {"Vote laboratory": vote_form, "Answers": answered, "Who pays": payers, "Price": price_form}
    shows["Compared"] = compared
    drawn: list[str] = []

    def note(name: str) -> Callable[..., None]:
        return lambda *_: drawn.append(name)

    for name, module in shows.items():
        monkeypatch.setattr(module, "show", note(name))
    for name in shows:
        opened("teachers", run=run, tab=name)
    assert drawn == list(tabs.TABS)
    drawn.clear()
    opened("teachers", run=run)
    opened("teachers")
    assert drawn == ["Vote laboratory"] * 2, "on the run that one came from, else on the newest"


def test_what_was_set_stands_there_again_after_another_tab(opened: Callable[..., AppTest], store: RunStore) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="posterior")
    app.select_slider(key="price.noise").set_value(2.0).run()
    for name in ("Answers", "Who pays", "Price"):
        app.session_state["tab"] = name
        app.run()
        assert not app.exception, app.exception
        assert (len(app.select_slider) > 0) == (name == "Price")
    assert app.select_slider(key="price.noise").value == 2.0
