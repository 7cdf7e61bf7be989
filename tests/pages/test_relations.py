"""The page Relations: encoders are asked, the cost of privacy, and runs that are trained."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages.reading import Open, badges, exported, links

from privgraph.runs.asking import Ticket
from privgraph.runs.questions import Answer, Question
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.testing.methods import TEXT_FACTS
from privgraph_workbench.facts import datasets
from privgraph_workbench.parts import encoders
from privgraph_workbench.words import meaning

EXAMPLES = {"garden": (("oak swing", "oak bench"), ("tin rake", "tin spade")), "kitchen": (("red mug", "blue mug"),)}


class Answering:
    """Stands for the process: it keeps what it was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.found: Answer = made_answer()
        self.pid: int | None = None

    def ask(self, question: Question) -> Ticket:
        self.asked.append(question)
        ticket = Ticket(question)
        names = [one.name for one in question.encoders]
        kept = (
            replace(
                one, **{field: {name: getattr(one, field)[name] for name in names} for field in ("places", "scores")}
            )
            for one in self.found.entities
        )
        ticket.finish(replace(self.found, entities=tuple(kept)))
        return ticket


@pytest.fixture(autouse=True)
def process(monkeypatch: pytest.MonkeyPatch) -> Answering:
    made = Answering()
    monkeypatch.setattr(encoders, "_asker", lambda _: made)
    return made


@pytest.fixture(autouse=True)
def exemplified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples without another process that reads the data."""

    class Described:
        domains = tuple({"name": name, "texts": 60, "samples": samples} for name, samples in EXAMPLES.items())
        facts = TEXT_FACTS

    monkeypatch.setattr(datasets, "describe", lambda *_, **__: Described())


def lists(app: AppTest) -> list[str]:
    """The nearest texts under each encoder, in order."""
    return [one.value for one in app.markdown if one.value.startswith("**1** ")]


def ask(app: AppTest, text: str) -> AppTest:
    app.text_input(key="relations.text").set_value(text)
    return app.button(key="ask").click().run()


def ranking(app: AppTest) -> pd.DataFrame:
    table: pd.DataFrame = next(one.value for one in app.dataframe if "mrr" in one.value)
    return table.set_index("label")


def seeds(store: RunStore, reached: Sequence[float], **rest: Any) -> list[RunRecord]:
    """A run for each accuracy, with seeds from 0 on; the encoder before training reaches 2%."""
    return [made_run(store, seed=seed, metrics={"test_accuracy": one}, **rest) for seed, one in enumerate(reached)]


# Ask


def test_a_private_run_and_its_twin_are_asked(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, method="relation-rand", epsilon=8.0)
    made_run(store, unit="none", seed=2, encoder="minilm")
    bare, private = made_pair(store)
    app = opened("relations", domain="kitchen", neighbours="3")
    assert app.selectbox(key="private").value == private.id, "PvGaLM comes before randomised relations"
    assert app.selectbox(key="bare").value == bare.id, "with the same encoder"
    assert not process.asked, "nobody has asked"
    app = ask(app, "rustic bench")
    (asked,) = process.asked
    assert (asked.text, asked.domain, asked.neighbours) == ("rustic bench", "kitchen", 3)
    assert [one.name for one in asked.encoders] == ["base", "bare", "private"]
    assert [one.folder for one in asked.encoders] == ["", *(str(store.folder(run.id)) for run in (bare, private))]
    assert len(lists(app)) == 3


def test_numbers_stand_under_the_encoder_that_they_are_of(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = ask(opened("relations", neighbours="5"), "rustic bench")
    found = made_answer()
    for text, key in zip(lists(app), ("base", "bare", "private"), strict=True):
        near = sorted((one for one in found.entities if one.places[key] <= 5), key=lambda one: one.places[key])
        lines = text.split("\n\n")
        assert len(lines) == len(near)
        for line, one in zip(lines, near, strict=True):
            assert line.startswith(f"**{one.places[key]}** {one.text}")
            assert f"{one.scores[key]:.3f}" in line
            assert ("★" in line) == one.partner
            assert (f"was {one.places['base']}" in line) == (key != "base")
    places = {(one.number, key): one.places[key] for one in found.entities for key in ("base", "bare", "private")}
    rows = exported(app)["moved"]["rows"]
    assert {(row["number"], row["encoder"]): row["place"] for row in rows} == places


def test_texts_of_the_data_stand_in_the_address_and_typed_ones_do_not(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_pair(store)
    app = ask(opened("relations"), "rustic  BENCH")
    assert app.query_params["text"] in ("rustic bench", ["rustic bench"])
    assert "evaluator" in badges(app)
    process.found = made_answer(partners=False)
    app = ask(app, "a typed text")
    assert "text" not in app.query_params
    assert "evaluator only" not in badges(app)
    process.found = made_answer()
    again = opened("relations", text="oak swing")
    assert process.asked[-1].text == "oak swing"
    assert again.text_input(key="relations.text").value == "oak swing"


# Cost


def test_the_cost_of_privacy_is_a_row_a_setting(opened: Open, store: RunStore) -> None:
    seeds(store, [0.21, 0.22, 0.23], unit="none")
    seeds(store, [0.15, 0.16, 0.17], epsilon=10.0)
    private = seeds(store, [0.11, 0.12, 0.13])
    seeds(store, [0.06, 0.07, 0.08], method="relation-rand", epsilon=4.0)
    made_run(store, data="m10-titles", metrics={"test_accuracy": 0.9})
    app = opened("relations", data="products")
    table = ranking(app)
    assert len(table) == 6, "guessing, the encoder before training, four settings"
    runs = table[table.epsilon.notna()].sort_values(["accuracy"])
    assert list(runs.seeds) == [3, 3, 3]
    said = private[0].statement
    four = table[np.isclose(table.accuracy, 0.12)].iloc[0]
    assert (four.accuracy_low, four.accuracy_high) == pytest.approx((0.0952, 0.1448), abs=1e-3)
    assert four.guess == pytest.approx(meaning.guess(said.epsilon, said.delta), abs=1e-4)
    assert four.guess >= meaning.guess(said.epsilon, said.delta), "rounded up"
    rows = exported(app)["relation_ranking"]["rows"]
    assert {row["kind"] for row in rows} == {"guessing", "base", "run"}
    assert links(app)["Attacks on the private run"]["run"] == [app.selectbox(key="private").value]
