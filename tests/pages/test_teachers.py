"""The Teachers page: the price before anything runs, and what the teachers of a finished run said."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from pandas import DataFrame
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages import offered_files
from tests.pages.kept_runs import KARATE, keep_answers, keep_ensemble

from privgraph.data.catalogue import dataset
from privgraph.data.class_names import CLASS_NAMES
from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.privgnn.config import Config
from privgraph.options import build
from privgraph.papers.privgnn import argmax_atoms
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets, describing, plans, queries_asked
from privgraph_workbench.figures.teachers import answers
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.teachers import (
    answered,
    compared,
    one_query,
    other_noise,
    payers,
    price_form,
    price_words,
    run_price,
    tabs,
    vote_form,
)
from privgraph_workbench.views.teachers import page as teachers
from privgraph_workbench.words.numbers import chance, number, percent, stated, upper

DIGITS = PublicFacts(nodes=1797, edges=6427, entries=12854, features=64, classes=10, train_nodes=1347)


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info)
    return "\n".join(element.value for kind in kinds for element in kind)


def _shown(app: AppTest) -> list[str]:
    """The price of all queries and of one, in the order of their boxes."""
    return [metric.value for metric in app.metric][:2]


def _opened_fold(app: AppTest, name: str) -> str:
    """What is said once somebody opens that fold."""
    app.session_state[f"fold.{name}"] = True
    app.run()
    assert not app.exception, app.exception
    return _texts(app)


def _drawn(app: AppTest) -> list[str]:
    """What each figure of the page says to somebody who cannot see it."""
    return [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]


@pytest.mark.long
@pytest.mark.parametrize("release", ["table", "votes", "posterior", "ensemble", "log-posterior"])
def test_the_price_is_that_of_the_run(opened: Callable[..., AppTest], release: str) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release=release, price__lam="0.5", price__queries="100")
    assert not app.error, app.error
    config = Config(release=release, lam=0.5, rate=0.3, queries=100)
    said = config.plan(DIGITS).statement
    assert (said.epsilon_as_published is None) == (release == "table"), "the paper has none"
    one = [] if release == "table" else [upper(replace(config, queries=1).plan(DIGITS).statement.epsilon)]
    assert _shown(app) == [upper(said.epsilon), *one]
    published = number(said.epsilon_as_published, 4).replace("none", "no formula")
    assert f"{EPSILONS['published'].label}: **{published}**" in _opened_fold(app, "privgnn_published")
    assert config.sizes(1797).private == 898
    assert "898 private nodes" in _texts(app)


@pytest.mark.long
def test_the_sliders_move_both_prices_but_k_does_not(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="posterior")
    seen = [_shown(app)]
    for key, value in (("price.noise", 2.0), ("price.queries", 100.0)):
        app.select_slider(key=key).set_value(value).run()
        assert not app.exception, app.exception
        seen.append(_shown(app))
    app.slider(key="price.rate").set_value(0.05).run()
    seen.append(_shown(app))
    for place in (0, 1):
        assert float(seen[1][place]) > float(seen[0][place]), "less noise costs more"
        assert (float(seen[2][place]) < float(seen[1][place])) == (place == 0), "fewer queries cost less; one does not"
        assert float(seen[3][place]) < float(seen[2][place]), "smaller samples cost less"
    app.select_slider(key="price.neighbours").set_value(50.0).run()
    assert _shown(app) == seen[-1]
    assert "K does not change the price" in _texts(app)


def test_a_table_has_no_sliders_but_its_noise(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="table", price__lam="0.2")
    keys = {one.key for kind in ("slider", "select_slider") for one in app.get(kind)}
    assert "price.noise" in keys
    assert not keys & {"price.rate", "price.queries", "price.neighbours"}
    assert "All 898 private nodes are in the table" in _texts(app)
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


def test_the_noise_in_plain_words(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="posterior", price__lam="2")
    right = argmax_atoms(2.0, 10).upper[0]
    assert f"A label is right {chance(right)} of the time where the teacher is sure and right" in _texts(app)
    assert "nothing is guaranteed" in _texts(
        opened("teachers", tab="Price", data="digits", price__release="log-posterior")
    )


@pytest.mark.long
def test_more_queries_than_the_graph_has_are_not_priced(opened: Callable[..., AppTest]) -> None:
    app = opened("teachers", tab="Price", data="digits", price__release="votes", price__queries="1000")
    asked = Config(queries=1000, lam=0.1).asked(DIGITS)
    assert asked < 1000
    assert f"This graph has {asked:,} public nodes that may be asked about" in _texts(app)


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


def _queries(app: AppTest) -> DataFrame:
    """The table of all queries, which somebody has to ask for."""
    assert not any("released" in one.value for one in app.dataframe)
    app.session_state["fold.queries"] = True
    app.run()
    assert not app.exception, app.exception
    found: DataFrame = next(one.value for one in app.dataframe if "released" in one.value)
    return found


def _ready(app: AppTest, seconds: float = 60) -> AppTest:
    """Waits until the graph is read, as the page does once a second."""
    deadline = time.monotonic() + seconds
    while "being read from the graph" in _texts(app):
        assert time.monotonic() < deadline, "the names of the classes were never read"
        time.sleep(0.3)
        app.run()
    assert not app.exception, app.exception
    return app


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("kind", ["posterior", "table", "votes"])
def test_a_finished_run_shows_its_answers(opened: Callable[..., AppTest], store: RunStore, kind: str) -> None:
    record = made_answers(kind, refuse=3)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate", run=run, tab="Answers")
    rows = answers.data(record)
    values = {metric.label: metric.value for metric in app.metric}
    answered = rows[:-3]
    flipped = sum(row["before"] != row["after"] for row in answered) / len(answered)
    right = sum(row["before"] == row["truth"] for row in answered) / len(answered)
    assert 0 < flipped < 1
    assert values["Queries"] == "20"
    assert values["Answered"] == "17"
    assert values["Noise changed the label"] == percent(flipped)
    assert values["Right before noise"] == percent(right)
    table = _queries(app)
    assert table["node"].tolist() == record.queries.tolist()
    assert table["released"].tolist().count("refused") == 3
    assert {"truth (evaluator only)", "before noise (private)"} <= set(table)
    said = " ".join(text.value for text in app.markdown)
    assert "-badge[:material/lock: private]" in said
    assert "-badge[:material/visibility: evaluator only]" in said
    labels = offered_files.labels(app)
    assert labels.count("SVG") == len(_drawn(app)) == 2


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(("noise", "wins"), [("gaussian", "84.1%"), ("laplace", "86.5%")])
def test_a_margin_as_large_as_the_noise_is_no_tossed_coin(
    opened: Callable[..., AppTest], store: RunStore, noise: str, wins: str
) -> None:
    record = made_answers("counts", noise=3.0)
    app = opened("teachers", data="karate", run=keep_answers(store, record, method="pate", noise=noise), tab="Answers")
    said = next(one.value for one in app.caption if "margin" in one.value)
    assert f"± {number(np.sqrt(2) * record.noise_std)}, the leader of two still wins with a chance of {wins}" in said


def test_names_of_classes_come_from_the_graph(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    app = _ready(opened("teachers", data="karate", run=run, tab="Answers"))
    described = describing.describe("karate", {})
    assert described is not None
    table = _queries(app)
    assert set(table["truth (evaluator only)"]) & set(described.class_names)


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_the_table_can_be_narrowed_and_a_query_chosen(opened: Callable[..., AppTest], store: RunStore) -> None:
    record = made_answers(refuse=2)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate", run=run, show="refused", query=str(record.queries[-1]))
    assert app.selectbox(key="query").options == [str(node) for node in record.queries[-2:]]
    assert app.selectbox(key="query").value == str(record.queries[-1])
    app.selectbox(key="query").set_value(str(record.queries[-2])).run()
    assert not app.exception
    assert any(text.startswith(f"Node {record.queries[-2]}:") for text in _drawn(app))


@pytest.mark.usefixtures("unread")
def test_a_run_older_than_the_list_has_its_address(
    opened: Callable[..., AppTest], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [keep_answers(store, made_answers(seed=seed), seed=seed) for seed in range(3)]
    monkeypatch.setattr(teachers, "MOST_RUNS", 2)
    app = opened("teachers", data="karate", run=runs[0])
    assert not app.warning
    assert app.selectbox(key="run").value == runs[0]
    assert opened("teachers", data="karate").selectbox(key="run").value == runs[2]


def _steps(app: AppTest) -> tuple[list[str], str]:
    """The three large values of a query, and all that is said below them."""
    values = [one.value for one in app.metric if one.label[0] in "①②③"]
    return values, "\n".join(text.value for text in app.caption)


@pytest.mark.usefixtures("unread")
def test_the_page_opens_on_one_vote(opened: Callable[..., AppTest], store: RunStore) -> None:
    """What was said, the noise, what came out, for a query whose leader came out, rightly."""
    record = made_answers("votes", noise=0.8)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate")
    assert app.selectbox(key="run").value == run
    margins = np.sort(record.before, axis=1)
    away = np.abs(margins[:, -1] - margins[:, -2] - 2 * record.noise_std)
    right = (record.released == record.truth) & (record.released == record.before.argmax(axis=1))
    assert right.any()
    place = int(np.where(right, away, np.inf).argmin())
    assert app.selectbox(key="query").value == str(record.queries[place])
    values, told = _steps(app)
    before, label = record.before[place], int(record.released[place])
    first, second = np.argsort(-before)[:2]
    assert values == [
        " against ".join(one_query.alike("votes", before[first], before[second])),
        f"± {number(record.noise_std)}",
        f"class {label}",
    ]
    assert f"weighted votes for **class {first}** and for class {second}" in told
    assert "The noisy numbers go to the student, and nothing of those before." in told
    assert "An evaluator, who knows the truth, sees that the label is right." in told
    assert "The noise changed the label" not in told
    assert "In the middle, large and hollow" in _texts(app)
    drawn = _drawn(app)
    assert len(drawn) == 2
    assert offered_files.labels(app).count("SVG") == 2


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_the_noise_of_a_vote_is_drawn_again(opened: Callable[..., AppTest], store: RunStore) -> None:
    record = made_answers("votes", noise=50.0)
    run = keep_answers(store, record)
    app = opened("teachers", data="karate", run=run, query=str(record.queries[0]))
    own = _drawn(app)[0]
    came, noisy = set(), set()
    for count in range(1, 13):
        app.button(key="draw_again").click().run()
        assert not app.exception, app.exception
        values, told = _steps(app)
        assert values[2] in _drawn(app)[0]
        assert f"{count} draw{'s' * (count > 1)}: " in _texts(app)
        noisy |= set(re.findall(r"leads after noise, with \*\*([\d.−,]+)\*\* against", told))
        assert "An evaluator" not in told, "the run has released another label"
        came.add(values[2])
    assert len(noisy) > 6, "what comes out stands in numbers, new ones for each draw"
    assert len(came) > 1, "noise that drowns a vote gives another label now and then"
    app.button(key="drawn_first").click().run()
    assert _drawn(app)[0] == own


@pytest.mark.long
@pytest.mark.usefixtures("unread")
def test_a_gate_tests_a_vote_that_is_drawn_again(opened: Callable[..., AppTest], store: RunStore) -> None:
    """PrivGNN's gate counts deviations of the answer's noise; a draw may be refused, as in a run."""
    record = made_answers("votes", noise=50.0)
    run = keep_answers(store, record, release="votes", gate=1.0, gate_noise=2.0)
    app = opened("teachers", data="karate", run=run, query=str(record.queries[0]))
    std = record.noise_std
    assert f"through noise of ± {number(2 * std)}, exceeds {number(std)}: votes like these pass" in _texts(app)
    came = set()
    for _ in range(12):
        app.button(key="draw_again").click().run()
        assert not app.exception, app.exception
        values, told = _steps(app)
        assert ("refused this query" in told) == (values[2] == "nothing")
        came.add(values[2] == "nothing")
    assert came == {True, False}, "a test through so much noise goes either way"
    assert "A gate lets a query pass" not in _texts(opened("teachers", run=keep_answers(store, record, seed=1)))


def test_a_tie_is_no_lead() -> None:
    names = ("theory", "systems", "logic")
    tied = one_query.not_released(1, np.array([51.0, 51.0, 3.0]), None, names)
    assert "led before" not in tied
    assert "**Before noise there was a tie** of theory and systems, and the noise decided." in tied
    assert "theory led before" in one_query.not_released(1, np.array([52.0, 51.0, 3.0]), None, names)
    for label in (0, -1):
        assert one_query.not_released(label, np.array([52.0, 51.0, 3.0]), None, names) == "① is not released."


def test_what_comes_out_is_told_without_what_is_secret() -> None:
    """The third card holds what is released alone: neither the truth nor who led before noise."""
    names = ("theory", "systems")
    assert one_query.came_out(1, names) == ("systems", "leads after noise. The label alone goes out.")
    assert "the label is wrong: theory is right" in one_query.not_released(1, np.array([3.0, 1.0]), 0, names)


@pytest.mark.usefixtures("unread")
def test_a_refused_query_gives_nothing(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers("counts", refuse=3), method="pate")
    values, told = _steps(opened("teachers", data="karate", run=run, show="refused"))
    assert values[2] == "nothing"
    assert "refused this query" in told


@pytest.mark.usefixtures("unread")
def test_votes_of_teachers_have_no_neighbours(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers("counts", noise=3.0), method="pate")
    app = opened("teachers", data="karate", run=run)
    assert "there is no neighbourhood to draw" in _texts(app)


@pytest.mark.usefixtures("unread")
def test_a_broken_file_is_one_sentence(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    (store.folder(run) / "answers.npz").write_bytes(b"PK no zip")
    app = opened("teachers", data="karate", run=run)
    assert app.error[0].value.startswith("The teachers' answers of this run cannot be read:")
    (store.folder(run) / "answers.npz").unlink()
    assert "cannot be read" in opened("teachers", data="karate", run=run).error[0].value


@pytest.mark.usefixtures("unread")
def test_the_run_leads_to_its_teachers_and_back(opened: Callable[..., AppTest], store: RunStore) -> None:
    run = keep_answers(store, made_answers())
    app = opened("train", run=run)
    link = next(one.proto for one in app.get("page_link") if one.proto.label == "**What its teachers said**")
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run}
    app = opened("teachers", data="karate", run=run)
    link = next(one.proto for one in app.get("page_link") if one.proto.label == "Open the run")
    assert dict(parse_qsl(link.query_string.removeprefix("?"))) == {"run": run}


@pytest.mark.long
def test_a_run_with_a_table_has_no_teachers_and_begins_the_price_form(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    run = keep_answers(store, replace(made_answers(), kind="table"))
    app = _ready(opened("teachers", run=run, tab="Answers"))
    assert answered.NO_TEACHERS in _texts(app)
    assert "Time of each answer" in {fold.label for fold in app.expander}
    app = opened("teachers", run=run, tab="Price")
    own = store.get(run).statement
    assert own is not None
    assert _shown(app)[0] == stated("sound", own.epsilon), "the run's own noise comes first"
    assert "Queries: any number." in _texts(app)
    said = _opened_fold(app, "privgnn_price")
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
    assert answered.NO_TEACHERS not in _texts(with_teachers)


@pytest.mark.long
def test_the_price_begins_with_the_run_above_or_stands_apart(opened: Callable[..., AppTest], store: RunStore) -> None:
    older = keep_answers(store, made_answers(), lam=0.7)
    newest = keep_answers(store, made_answers(), lam=0.5)
    app = opened("teachers", tab="Price")
    assert app.selectbox(key="run").value == newest, "chosen, though the address names none"
    _opened_fold(app, "privgnn_price")
    unit = price_form.spread("table", "gaussian")
    held = app.selectbox(key="data").value, app.select_slider(key="price.noise").value
    assert held == ("karate", price_form.std_of(0.5, unit))
    assert "This form begins with the settings of the run above" in _texts(app)
    app.selectbox(key="run").set_value(older).run()
    assert app.select_slider(key="price.noise").value == price_form.std_of(0.7, unit), "another run, another beginning"
    assert "This form begins with the settings of the run above" in _texts(app)
    keep_answers(store, made_answers("counts"), method="pate", seed=1, queries=7)
    other = opened("teachers", tab="Price")
    said = _opened_fold(other, "privgnn_price")
    assert "This form begins with the graph of the run above and its number of queries, for votes" in said
    assert other.selectbox(key="data").value == "karate"
    assert (other.select_slider(key="price.queries").value, other.segmented_control(key="price.release").value) == (
        7,
        "votes",
    )
    assert price_words.OTHER_METHOD in said, "beside the number"
    assert price_words.NO_GOODS in said, "the run's votes are of another method"
    other.selectbox(key="data").set_value("digits").run()
    assert "This is no price of the run above: that was on Karate club." in _texts(other)


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
    assert _shown(app)[0] == sound[at]
    app.select_slider(key=f"vote.times.{run}").set_value(2.0).run()
    assert not app.exception, app.exception
    assert _shown(app)[0] == sound[at + 1] != sound[at]
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label == "**Train with these settings**")
    noise = store.get(run).spec.noise
    assert noise is not None
    assert f"{noise.option}=" in link.query_string
    right = table["labels right, on average"].tolist()
    assert any("labels right, on average" in said for said in _drawn(app)), "goods stand beside the price"
    assert float(right[0].rstrip("%")) > float(right[-1].rstrip("%")), "much noise, fewer right labels"
    app.number_input(key=f"price.asked.{run}").set_value(2).run()
    assert float(_shown(app)[0]) < float(sound[at + 1])


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
    said = _texts(app)
    assert "data" not in {one.key for one in app.selectbox}, "the free form is folded"
    assert _shown(app)[0] == run_price.readable("sound", own.epsilon)
    assert helps in said
    assert other_noise.WHICH_END in said
    laplace = "posterior" in release
    assert ("λ (lambda), one over the scale of this noise: 10." in said) == laplace
    assert ("Noise: Gaussian, σ = 0.1." in said) != laplace
    app.select_slider(key=f"vote.times.{run}").set_value(4.0).run()
    assert not app.exception, app.exception
    assert ("λ (lambda), one over the scale of this noise: 2.5." in _texts(app)) == laplace
    assert ("Noise: Gaussian, σ = 0.4." in _texts(app)) != laplace
    less = plans.plan("privgnn", {**store.get(run).spec.options, "lam": 2.5}, KARATE).statement.epsilon
    assert _shown(app)[0] == run_price.readable("sound", less)
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
        assert said in _texts(app), tab
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
    told = _texts(opened("teachers", tab="Price", run=run))
    assert "**What helps:** more noise and fewer queries" in told
    assert "More teachers (the run had 20)" in told
    weak = keep_answers(store, made_answers("counts"), method="pate", lam=0.05, queries=8)
    assert "**What helps:**" not in _texts(opened("teachers", tab="Price", run=weak))


@pytest.mark.long
def test_the_form_tells_how_many_labels_of_the_run_are_right(opened: Callable[..., AppTest], store: RunStore) -> None:
    record = made_answers("votes")
    run = keep_answers(store, record, release="votes")
    app = opened("teachers", tab="Price", run=run)
    _opened_fold(app, "privgnn_price")
    expected = other_noise.expected(record, "gaussian", app.select_slider(key="price.noise").value / record.noise_std)
    assert f"**Labels right, on average:** {percent(expected)}, with the votes of the run above." in _texts(app)
    app.slider(key="price.rate").set_value(0.05).run()
    assert price_words.NO_GOODS in _texts(app), "other samples vote otherwise"


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
    assert why in _texts(app)
    if options.get("release") == "table":
        assert not app.table
        return
    (table,) = (one.value for one in app.table)
    paid = [float(one) for one in table[EPSILONS["sound"].title]]
    assert paid == sorted(paid)
    assert table["queries"].tolist()[-1] == "8"
    guesses = table["a guess is right in"].tolist()
    assert guesses == sorted(guesses)
    assert any("every private node had spent" in said for said in _drawn(app)), "query by query"


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
    _opened_fold(app, "privgnn_price")
    assert app.selectbox(key="data").value == "cora"
    cora = datasets.public_facts(dataset("cora"), {}, "random")
    assert cora is not None
    said = build(Config, {**options, "lam": 0.4}).plan(cora).statement
    assert _shown(app)[0] == upper(said.epsilon)
    assert "7 classes; 1,354 private nodes" in _texts(app)
    assert "with the votes of the run above" in _texts(app)
    app.selectbox(key="data").set_value("karate").run()
    assert not app.exception, app.exception
    assert "This is no price of the run above: that was on Cora." in _texts(app)
    assert "with the votes of the run above" not in _texts(app)
    assert "class 0" not in (told := _texts(opened("teachers", run=run)))
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
