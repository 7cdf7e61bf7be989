"""The Relations page: what is asked of the runs, and what is said of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages import offered_files
from tests.pages.reading import texts
from tests.pages.relation_pages import (
    Answering,
    ask,
    drawn,
    exemplified,
    files,
    lists,
    process,
)

from privgraph.data.catalogue import dataset
from privgraph.runs import worked
from privgraph.runs.questions import Near, ProcessEnded
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import datasets
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.views.relations import nearest

Open = Callable[..., AppTest]
__all__ = ["exemplified", "process"]  # fixtures
pytestmark = pytest.mark.usefixtures("exemplified")


def test_nothing_is_asked_before_somebody_asks(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = opened("relations")
    assert not process.asked
    assert "joins two texts: two products that one customer bought" in texts(app), "what is private here"
    assert "an edge between two texts" in app.selectbox(key="private").help
    assert "Of a text on a button, true partners are marked" in texts(app)
    ask(app, "   ")
    assert not process.asked


def test_an_example_is_asked_by_its_button(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = opened("relations")
    assert [one.label for one in app.button if str(one.key).startswith("example.")] == ["oak swing", "tin rake"]
    app.button(key="example.1").click().run()
    assert process.asked[0].text == "tin rake" == app.text_input(key=nearest.TEXT).value


def test_it_is_asked_when_somebody_asks(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = opened("relations")
    app.text_input(key=nearest.TEXT).set_value("a rake").run()
    assert not process.asked, "a text that is half typed is none"
    assert app.button(key="ask").label == "Ask"
    ask(app, "a rake")
    assert [one.text for one in process.asked] == ["a rake"]


@pytest.mark.long
def test_a_text_of_the_data_stands_in_the_address_and_no_other(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_pair(store)
    app = ask(opened("relations"), "RUSTIC  bench")
    assert app.query_params["text"] in ("rustic bench", ["rustic bench"]), "as the data have it"
    again = opened("relations", text="rustic bench")
    assert again.text_input(key=nearest.TEXT).value == "rustic bench"
    assert process.asked[-1].text == "rustic bench"
    assert len(lists(again)) == 3
    assert "of the public data stands in this page's address" in again.text_input(key=nearest.TEXT).help
    process.found = made_answer(partners=False)
    assert "text" not in ask(app, "my own secret").query_params
    assert "text" not in opened("relations", text="nan").query_params, "as it was asked about, and is none of the data"
    assert process.asked[-1].text == "nan"
    process.found = made_answer()
    app = ask(app, "rustic bench")
    assert "text" in app.query_params
    assert "text" not in ask(app, "").query_params


def test_texts_that_somebody_has_brought_along_stand_in_no_address(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)
    monkeypatch.setattr(nearest, "dataset", lambda name: replace(dataset(name), kind="upload"))
    app = ask(opened("relations"), "rustic bench")
    assert len(lists(app)) == 3
    assert "text" not in app.query_params


@pytest.mark.parametrize(
    ("near", "said"),
    [
        (
            Near(score=0.2, usual=0.7, chance=0.3, nearer=1.0),
            "**To the base encoder, nothing in garden resembles this text**",
        ),
        (Near(score=0.5, usual=0.7, chance=0.3, nearer=0.98), "**These are the nearest texts that garden has, and "),
        (Near(score=0.69, usual=0.7, chance=0.3, nearer=0.6), "This text is as near to its nearest ones as is usual"),
    ],
)
def test_how_near_the_nearest_is_is_said_and_answers_are_shown_all_the_same(
    opened: Open, store: RunStore, process: Answering, near: Near, said: str
) -> None:
    made_pair(store)
    process.found = replace(made_answer(partners=False), near={"base": near})
    app = ask(opened("relations"), "asdf qwer")
    shown = texts(app)
    assert said in shown
    assert f"nearest {near.score:.3f} · usual 0.700" in shown
    assert len(lists(app)) == 3
    assert not any("texts have a nearer" in one.value for one in app.info), "numbers stand in the fold"
    numbers = [one.value for one in app.table if "score of the nearest" in one.value]
    assert len(numbers) == (near.nearer > 0.9)
    for table in numbers:
        assert table.iloc[0].tolist()[1:] == [f"{near.score:.3f}", "0.700", "0.300", f"{near.nearer:.1%}"]


def test_a_phone_shows_one_list_which_tabs_choose(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = ask(opened("relations"), "rustic bench")
    (tabs,) = (one for one in app.get("button_group") if one.key == "encoder_shown")
    assert list(tabs.options) == ["Base", "Without privacy", "Private, ε 4"]


def test_other_texts_are_offered(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = dataset("m10-titles")
    monkeypatch.setattr(datasets, "unavailable", lambda spec: "no" if spec.name == absent.name else None)
    for runs_here in (False, True):
        if runs_here:
            made_pair(store)
        links = {
            one.proto.label: (one.proto.page, dict(parse_qsl(one.proto.query_string.removeprefix("?"))))
            for one in opened("relations").get("page_link")
        }
        assert links["Bring your own texts"] == ("data", {"data": "products", "bring": "texts"})
        title = dataset("cora-titles").title
        assert links[f"Train on {title}"] == ("train", {"data": "cora-titles", "method": "relational"})
        (missing,) = (place for label, place in links.items() if label.startswith(absent.title))
        assert missing == ("data", {"data": absent.name})
        assert not any("social" in str(place) for place in links.values()), "a graph of people has no texts"


def test_places_scores_and_moves(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = ask(opened("relations", neighbours="3"), "rustic bench")
    base, bare, private = lists(app)
    assert base.startswith("1. **rustic** red **bench** of **oak**"), "two of three share it"
    assert "score 0.999" in base
    assert "▲" not in base
    assert "partner" in base.split("\n")[5], "a garden lamp"
    for found in (bare, private):
        assert found.startswith("1. **rustic** walnut **bench**  \n   :orange-badge[★ partner] ")
        assert "▲ 899, from 900" in found
    assert "▼ 2, from 1" in bare
    assert "same place" in bare
    assert [len([one for one in found.split("\n") if one[0].isdigit()]) for found in (base, bare, private)] == [3] * 3
    assert any("From “Base encoder" in one for one in drawn(app))
    (shown,) = (one for one in app.dataframe if "text" in one.value)
    longest = max(map(len, shown.value["text"]))
    assert json.loads(shown.proto.columns)["text"]["width"] >= 7 * longest, "no text is cut"
    table = next(one.value for one in app.dataframe if "text" in one.value)
    assert table["text"].tolist()[0] == "rustic walnut bench"
    assert len(table) == 6
    shown = texts(app)
    assert "Compared with 999 texts of garden." in shown
    assert "has 2 partners among those that were searched" in shown
    assert "moved nearer" in shown, "the figure's summary stands below it"
    assert "Base encoder, tiny: place **3**" in shown
    assert "By chance it would stand at about place 333" in shown
    assert "-badge[:material/visibility: evaluator only]" in shown
    labels = offered_files.labels(app)
    assert labels.count("SVG") == labels.count("CSV") == 2, "what moved, and how well relations are predicted"


@pytest.mark.long
@pytest.mark.parametrize(
    ("neighbours", "said"), [("2", "Of the 2 nearest texts, **1** is"), ("3", "Of the 3 nearest texts, **3** are")]
)
def test_how_many_of_the_nearest_both_runs_share_is_one_line(
    opened: Open, store: RunStore, process: Answering, neighbours: str, said: str
) -> None:
    made_pair(store)
    process.found = made_answer(partners=False)
    shown = texts(ask(opened("relations", neighbours=neighbours), "a typed text"))
    assert f"{said} the same with privacy and without." in shown
    assert "Of the 10 nearest texts, **" in texts(ask(opened("relations"), "a typed text"))


def test_of_one_run_alone_nothing_is_shared(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store)
    assert "nearest texts, **" not in texts(ask(opened("relations"), "a typed text"))


def test_partners_that_were_trained_on_are_private(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = ask(opened("relations", domain="kitchen"), "rustic bench")
    shown = texts(app)
    assert "-badge[:material/lock: private]" in shown
    assert "These are relations that the runs trained on" in shown
    assert any(Flag.PRIVATE.sentence in one for one in drawn(app))
    assert any("true partner (private)" in one.value for one in app.dataframe)
    process.found = made_answer(partners=False)
    app = ask(app, "something else")
    shown = texts(app)
    assert "★" not in "".join(lists(app))
    assert "-badge[:material/lock: private]" not in shown


def test_texts_of_others_are_shown_as_they_are(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    process.found = made_answer(hostile=" ![x](http://evil.example) <b>")
    app = ask(opened("relations"), "rustic bench")
    for one in lists(app):
        assert "![x](" not in one
        assert r"!\[x\](" in one


def test_what_goes_wrong_is_said_and_can_be_asked_again(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    process.found = ProcessEnded("the process that reads texts was killed; ask again, and another one starts")
    app = ask(opened("relations"), "a rake")
    assert "The process that reads texts was killed" in app.error[0].value
    app.run()
    assert len(process.asked) == 1, "it is not asked again by being drawn again"
    process.found = made_answer()
    app.button(key="ask_again").click().run()
    assert len(process.asked) == 2
    assert not app.error
    assert len(lists(app)) == 3


@pytest.mark.long
def test_progress_is_shown_until_there_is_an_answer(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)
    process.found = None
    app = ask(opened("relations"), "a rake")
    (shown,) = app.get("progress")
    assert (shown.proto.value, shown.proto.text) == (
        25,
        "Encoding 1,000 texts by Base encoder, tiny (1 of 3) · 25%",
    ), "nothing is known yet of how fast they read"
    held = app.session_state[nearest.TICKET]
    monkeypatch.setattr(nearest, "time", SimpleNamespace(monotonic=lambda: 160.0))
    app.session_state[nearest.ASKED] = 148.0
    held.share, held.stage = 0.0, "loading the encoder base"
    app.run()
    told = app.get("progress")[0].proto.text
    assert told == "Loading Base encoder, tiny (1 of 3) · 12 s so far", "which goes on before anything is done"
    app.session_state[nearest.SINCE] = (100.0, 0.25)
    held.share = 0.5
    app.run()
    assert app.get("progress")[0].proto.text.endswith("· 50%"), "a quarter is little to go by"
    held.share = 0.75
    app.run()
    assert app.get("progress")[0].proto.text.endswith("· 75% · about 30 s left")
    held.finish(made_answer())
    app.run()
    assert len(process.asked) == 1
    assert len(lists(app)) == 3


@pytest.mark.long
def test_a_question_can_be_cancelled(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    process.found = None
    app = ask(opened("relations"), "a rake")
    ticket = app.session_state[nearest.TICKET]
    app.button(key="cancel_question").click().run()
    assert process.cancelled == [ticket]
    app.run()
    assert (app.text_input(key=nearest.TEXT).value, len(process.asked)) == ("", 1)
    assert not app.get("progress")
    assert "The first question takes about a minute" in texts(app)


@pytest.mark.long
def test_the_page_opens_on_a_kept_answer_of_the_gallery(opened: Open, store: RunStore, process: Answering) -> None:
    app = opened("relations", store="examples")
    first, second, *_ = worked.content()["answers"]
    assert app.text_input(key=nearest.TEXT).value == first
    assert len(lists(app)) == 3
    app.button(key="example.1").click().run()
    assert app.text_input(key=nearest.TEXT).value == second
    assert not process.asked
    ask(app, "a rake")
    assert [one.text for one in process.asked] == ["a rake"]


@pytest.mark.long
def test_what_the_page_opened_on_is_not_asked_of_other_encoders(
    opened: Open, store: RunStore, process: Answering
) -> None:
    app = opened("relations")
    own = made_run(store)
    app.run()
    app.selectbox(key="private").set_value(own.id).run()
    assert not process.asked, "nobody has asked it"
    assert app.text_input(key=nearest.TEXT).value == ""


def test_numbers_stand_under_the_encoder_that_they_are_of(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    answer = made_answer()
    scores = {"base": (0.61, 0.51), "bare": (0.72, 0.62), "private": (0.83, 0.73)}
    near = {key: Near(score=score, usual=usual, chance=0.3, nearer=0.1) for key, (score, usual) in scores.items()}
    process.found = replace(answer, near=near)
    app = ask(opened("relations"), "rustic bench")
    told = [one.value for one in app.caption if one.value.startswith("nearest ")]
    assert told == [f"nearest {score:.3f} · usual {usual:.3f}" for score, usual in scores.values()]
    places = {(one.number, key): (one.places[key], one.scores[key]) for one in answer.entities for key in scores}
    drawn = files(app)["moved"]["rows"]
    assert {(row["number"], row["encoder"]): (row["place"], row["score"]) for row in drawn} == places
    table = next(one.value for one in app.dataframe if "text" in one.value)
    titles = {"base": "Base encoder, tiny", "bare": "Without privacy", "private": "Private, ε 4"}
    for one in answer.entities:
        (row,) = (dict(row) for _, row in table.iterrows() if row["text"] == one.text)
        for key, title in titles.items():
            assert (row[f"place, {title}"], row[f"score, {title}"]) == places[one.number, key]
