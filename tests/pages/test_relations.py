"""The Relations page: which runs are compared, what is asked of them, and what is said of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests import full_gallery
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages import offered_files
from tests.pages.reading import texts

from privgraph.attacks.options import AttackOptions
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.nn.text import naming as encoders
from privgraph.nn.text.naming import EncoderError
from privgraph.runs import attacking, worked
from privgraph.runs.asking import Asker, Ticket
from privgraph.runs.attacking import Attacking
from privgraph.runs.questions import Answer, AskingError, Near, ProcessEnded, Question
from privgraph.runs.records import RunQuery, StoreError
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import datasets, describing
from privgraph_workbench.figures.relations import moved
from privgraph_workbench.jobs import asking, queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.relations import nearest

Open = Callable[..., AppTest]
EXAMPLES = {"garden": (("oak swing", "oak bench"), ("tin rake", "tin spade")), "kitchen": (("red mug", "blue mug"),)}


class Answering:
    """Stands for the process: it keeps what it was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.found: Answer | AskingError | None = made_answer()
        self.cancelled: list[Ticket] = []
        self.pid: int | None = None

    def cancel(self, ticket: Ticket) -> None:
        self.cancelled.append(ticket)
        ticket.finish(AskingError("the question was cancelled"))

    def ask(self, question: Question) -> Ticket:
        self.asked.append(question)
        ticket = Ticket(question)
        if self.found is None:
            ticket.share, ticket.stage = 0.25, "encoding 1,000 texts by the encoder base"
            return ticket
        names = [one.name for one in question.encoders]
        found = self.found
        if isinstance(found, Answer):
            found = replace(
                found,
                entities=tuple(
                    replace(
                        one,
                        places={name: one.places[name] for name in names},
                        scores={name: one.scores[name] for name in names},
                    )
                    for one in found.entities
                ),
            )
        ticket.finish(found)
        return ticket


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Answering:
    made = Answering()
    monkeypatch.setattr(asking, "asker", lambda: made)
    monkeypatch.setattr(nearest, "PATIENCE", 0.0)
    return made


@pytest.fixture(autouse=True)
def _described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples without another process that reads the data."""

    class Described:
        domains = tuple(
            describing.Domain(name=name, texts=60, relations=90, words=2.0, most_words=2, samples=samples)
            for name, samples in EXAMPLES.items()
        )
        facts = TEXT_FACTS

    monkeypatch.setattr(describing, "describe", lambda *_, **__: Described())


def drawn(app: AppTest) -> list[str]:
    return [json.loads(one.proto.json)["summary"] for one in app.get("bidi_component")]


def lists(app: AppTest) -> list[str]:
    """The numbered lists, in order."""
    return [one.value for one in app.markdown if one.value.startswith("1. ")]


def ask(app: AppTest, text: str) -> AppTest:
    app.text_input(key=nearest.TEXT).set_value(text)
    app.button(key="ask").click().run()
    assert not app.exception, app.exception
    return app


# Which runs


def test_without_a_run_it_says_what_there_will_be_and_trains_a_pair(opened: Open, store: RunStore) -> None:
    app = opened("relations")
    assert "No language model has learnt relations here yet" in app.info[0].value
    link = next(one.proto for one in app.get("page_link") if "Choose the settings" in one.proto.label)
    query = dict(parse_qsl(link.query_string.removeprefix("?")))
    assert query == {"method": "relational", "data": "products"}
    train = opened("train", **query)
    assert (train.radio(key="method").value, train.radio(key="data").value) == ("relational", "products")
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


def test_a_run_that_is_no_twin_is_said_to_be_none(opened: Open, store: RunStore, process: Answering) -> None:
    private = made_run(store, negatives=3)
    far, near = made_run(store, unit="none", negatives=7, batch_size=5), made_run(store, unit="none", negatives=7)
    app = opened("relations")
    assert app.selectbox(key="bare").value == near.id, "what differs least comes first"
    warned = next(one.value for one in app.warning if "not the price of privacy alone" in one.value)
    assert "negatives 3 there, 7 here" in warned
    assert "batch size" not in warned
    assert app.button(key="twin_none").label == "Train the same without privacy"
    assert "not the price of privacy alone" in texts(opened("relations", private=private.id, bare=far.id))


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
    assert dict(app.query_params) == {"private": private.id, "bare": bare.id}, "who opens this address sees these two"
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


# The question and its answer


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
    assert any(moved.PRIVATE_BADGE in one for one in drawn(app))
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
    full_gallery.fill(store)
    app = opened("relations")
    first, second, *_ = worked.content()["answers"]
    assert app.text_input(key=nearest.TEXT).value == first
    assert "**Kept answer**" in texts(app)
    assert len(lists(app)) == 3
    assert "futuristic** in 10" in texts(app), "what all share, though it was told of no word before"
    assert "Bought together are those of one style and of one material" in texts(app)
    assert [one.label for one in app.button if str(one.key).startswith("example.")] == list(worked.content()["answers"])
    app.button(key="example.1").click().run()
    assert app.text_input(key=nearest.TEXT).value == second
    assert not process.asked
    ask(app, "a rake")
    assert [one.text for one in process.asked] == ["a rake"]
    assert "**Kept answer**" not in texts(app)
    made_run(store)
    made_run(store, data="m10-titles")
    again = texts(opened("relations"))
    assert "**Kept answer**" in again, "runs of one's own, which nobody has chosen, do not take its place"
    assert "The first question takes" in again
    process.pid = 1
    again = texts(opened("relations"))
    assert "**Kept answer**" in again
    assert "The first question takes" not in again, "encoders are in memory"


@pytest.mark.long
def test_what_the_page_opened_on_is_not_asked_of_other_encoders(
    opened: Open, store: RunStore, process: Answering
) -> None:
    full_gallery.fill(store)
    app = opened("relations")
    own = made_run(store)
    app.run()
    app.selectbox(key="private").set_value(own.id).run()
    assert not process.asked, "nobody has asked it"
    assert app.text_input(key=nearest.TEXT).value == ""


@pytest.mark.long
def test_randomised_relations_keep_their_column_and_the_seed_of_the_others(
    opened: Open, store: RunStore, process: Answering
) -> None:
    full_gallery.fill(store)
    app = opened("relations")
    options = app.selectbox(key="private").options
    place = next(place for place, one in enumerate(options) if one.startswith("Randomised relations, edge ε 4"))
    app.selectbox(key="private").select_index(place).run()
    assert not app.exception, app.exception
    shown = texts(app)
    assert "##### Randomised relations, ε 4" in shown
    assert "Its encoder is not here" in shown
    assert "The two are of different seeds" not in shown
    assert len(lists(app)) == 2, "of the others, the kept answer is shown"


def test_without_the_packages_everything_else_is_there(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)
    monkeypatch.setattr(encoders, "installed", lambda: False)
    app = opened("relations")
    assert app.info[0].value == (
        "No text can be read here: language models need more packages: install them by make text, or pip install "
        "'privgraph\\[text\\]'."
    )
    assert nearest.TEXT not in {one.key for one in app.text_input}
    assert any("PREC@1 and MRR of 2 runs" in one for one in drawn(app))
    for run in store.find(RunQuery()):
        store.delete(run.id)
    app = opened("relations")
    assert "install them by make text, or pip install" in app.warning[0].value
    assert "train_pair" not in {one.key for one in app.button}


def test_examples_that_cannot_be_read_keep_nobody_from_asking(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)

    def refuse(*_: object, **__: object) -> None:
        raise DataError("the texts are not at hand")

    monkeypatch.setattr(describing, "describe", refuse)
    app = opened("relations")
    assert "The texts are not at hand." in texts(app)
    assert len(lists(ask(app, "a rake"))) == 3


def test_an_encoder_whose_folder_is_gone(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)

    def refuse(name: str) -> None:
        raise EncoderError(f"there is no {name}")

    monkeypatch.setattr(nearest, "describe_encoder", refuse)
    assert "No text can be read here: there is no tiny." in texts(opened("relations"))


def test_the_pages_share_one_asker_that_has_started_nothing(store: RunStore) -> None:
    made = asking.asker()
    assert isinstance(made, Asker)
    assert made is asking.asker()
    assert made.pid is None


@pytest.mark.long
def test_what_attacks_found_of_the_chosen_runs_stands_below(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, private = made_pair(store)
    app = opened("relations")
    assert "No attack on either run has tried that yet." in texts(app)
    going = Attacking(
        token="a", name="relations", options=AttackOptions(), started=0.0, progress=0.4, stage="model 1 of 4"
    )
    with monkeypatch.context() as patched:
        patched.setattr(attacking, "states", lambda _, run: [going] if run == bare.id else [])
        running = opened("relations")
    assert any("model 1 of 4" in str(one.proto) for one in running.get("progress"))
    assert "No attack on either run" not in texts(running)
    app = opened("relations")
    assert not [one for one in app.dataframe if "attack" in one.value]
    store.add_attack(private.id, made_attack(private.id, name="bavaria"))
    for memory, p in ((0.2, 0.5), (1.5, 1e-6)):
        store.add_attack(
            bare.id, replace(made_attack(bare.id, name="relations", memory=memory), signed_rank=p, bound=0.25)
        )
    app = opened("relations")
    (found,) = (one for one in app.dataframe if "attack" in one.value)
    assert len(found.value) == 1, "the newest on the run; an attack on nodes asks something else"
    row = found.value.iloc[0]
    assert row["signed-rank p"] == "1e-06"
    assert row["ε audited"] == "at least 0.25", "in the words of the run's card"
    assert any("Intervals are at 95% confidence" in one for one in drawn(app))


@pytest.mark.long
def test_both_runs_are_attacked_by_one_click_which_says_what_it_takes(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = made_pair(store)
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(attacking, "start", lambda _, run, attack, options: asked.append((run, attack)) or "token")
    app = opened("relations")
    assert "It trains each run 4 times again" in texts(app)
    assert "8 trainings, about 24 s in all on a quiet machine" in texts(app), "one time for both, of 3 s a run"
    assert app.button(key="attack_relations").label == "Attack both runs"
    app.button(key="attack_relations").click().run()
    assert sorted(asked) == sorted((one.id, "relations") for one in pair)
    store.add_attack(pair[0].id, made_attack(pair[0].id, name="relations"))
    one_left = opened("relations")
    one_left.button(key="attack_relations").click().run()
    assert asked[2:] == [(pair[1].id, "relations")]


def test_where_there_are_fewer_candidates_than_256_so_many_are_named(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_pair(store)
    app = opened("relations")
    assert "which of 60 candidates is the partner of a text?" in texts(app), "garden has 60 texts"
    (table,) = (one.value for one in app.table if "PREC@1" in one.value)
    assert table.iloc[0, 0] == "guessing among 60"


def test_an_attack_that_cannot_start_says_why(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)

    def fails(*_: object) -> str:
        raise StoreError("no process can be started")

    monkeypatch.setattr(attacking, "start", fails)
    app = opened("relations")
    app.button(key="attack_relations").click().run()
    assert any("No process can be started" in one.value for one in app.error)


@pytest.mark.long
def test_one_option_is_moved_and_only_what_is_missing_is_trained(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_run(store, seed=3)
    app = opened("relations")
    assert "### What moves it?" not in texts(app), "no section where there is nothing"
    assert "#what-moves-it" not in texts(app)
    made_run(store, seed=3, negatives=8)
    made_run(store, seed=3, negatives=2, state="queued")
    made_run(store, seed=3, negatives=1, state="failed")
    trained: list[RunSpec] = []
    monkeypatch.setattr(queue, "submit", lambda specs, tags=(): trained.extend(specs))
    app = opened("relations", private=run.id)
    assert app.selectbox(key="moved").value == "negatives"
    app.button(key="train_moved").click().run()
    assert not app.exception
    assert [one.options["negatives"] for one in trained] == [1, 16], "2 waits, 4 and 8 are there, 1 failed"
    for one in trained:
        assert (one.seed, one.method, one.dataset) == (3, run.spec.method, run.spec.dataset)
        assert {**one.options, "negatives": 4} == run.spec.options
    trained.clear()
    app.selectbox(key="moved").select("epsilon").run()
    app.number_input(key="moved_seeds").set_value(2).run()
    app.button(key="train_moved").click().run()
    assert [(one.seed, one.options["epsilon"]) for one in trained] == [
        *((3, budget) for budget in (1, 2, 10)),
        *((4, budget) for budget in (1, 2, 4, 10)),
    ]
    trained.clear()
    app.number_input(key="moved_seeds").set_value(1).run()
    app.selectbox(key="moved").select("learning_rate").run()
    app.button(key="train_moved").click().run()
    assert [one.options["learning_rate"] for one in trained] == [0.001, 0.003], "0.01 is what its method took"


def test_without_privacy_no_noise_is_offered_to_be_moved(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, unit="none")
    offered = opened("relations").selectbox(key="moved").options
    assert "clip C" not in offered
    assert "negatives k" in offered


@pytest.mark.long
def test_a_text_is_there_again_when_one_comes_back(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    assert ask(opened("relations"), "oak swing").session_state[nearest.KEPT] == "oak swing"
    app = opened("runs")  # Streamlit forgets the fields of a page that is left
    app.session_state[nearest.KEPT] = "oak swing"
    app.switch_page(str(shell.folder() / "relations.py")).run()
    assert app.text_input(key=nearest.TEXT).value == "oak swing"


def test_a_text_that_is_too_long_is_told_and_not_cut(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = ask(opened("relations"), "a" * 2001)
    assert "This text has 2,001 characters, and at most 2,000 are compared: shorten it." in app.warning[0].value
    assert not process.asked


def test_a_run_in_training_is_not_asked_for_again(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, unit="none")
    assert "twin_edge" in {one.key for one in opened("relations").button}
    made_run(store, state="queued")
    app = opened("relations")
    assert "One is in training, as it says above" in texts(app)
    assert "twin_edge" not in {one.key for one in app.button}
