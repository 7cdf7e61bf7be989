"""The page Relations: encoders are asked, the cost of privacy, and runs that are trained."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages.relation_pages import Answering, ask, exemplified, files, lists, process

from privgraph.nn.text import naming
from privgraph.runs import worked
from privgraph.runs.questions import LONGEST, Near, ProcessEnded
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import describing
from privgraph_workbench.parts import encoders
from privgraph_workbench.words import meaning

Open = Callable[..., AppTest]
__all__ = ["exemplified", "process"]  # fixtures
pytestmark = pytest.mark.usefixtures("exemplified", "process")


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def links(app: AppTest) -> dict[str, dict[str, list[str]]]:
    return {one.proto.label: parse_qs(one.proto.query_string.lstrip("?")) for one in app.get("page_link")}


def ranking(app: AppTest) -> pd.DataFrame:
    table: pd.DataFrame = next(one.value for one in app.dataframe if "mrr" in one.value)
    return table.set_index("label")


def badges(app: AppTest) -> str:
    return " ".join(one.value for one in app.markdown if "badge" in one.value)


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
    rows = files(app)["moved"]["rows"]
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
    assert again.text_input(key=encoders.TEXT).value == "oak swing"


def test_partners_of_the_domain_that_was_learnt_are_private(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    assert "lock: private" in badges(ask(opened("relations", domain="kitchen"), "rustic bench"))
    assert "lock: private" not in badges(ask(opened("relations", domain="garden"), "rustic bench"))


def test_a_text_that_is_unlike_all_carries_a_badge(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    near = {key: Near(score=0.8, usual=0.7, chance=0.3, nearer=0.1) for key in ("base", "bare", "private")}
    for nearer, marked in ((0.1, 0), (0.99, 1)):
        found = near | {"bare": replace(near["bare"], nearer=nearer)}
        process.found = replace(made_answer(), near=found)
        assert badges(ask(opened("relations"), "zzz")).count("far") == marked


def test_texts_of_others_are_text(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    process.found = made_answer(hostile=" ![x](http://evil.example) <b>")
    app = ask(opened("relations"), "rustic bench")
    assert len(lists(app)) == 3
    assert not any("![x](" in one.value for one in app.markdown)


def test_a_failed_question_is_asked_again_by_a_button(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    process.found = ProcessEnded("the process that reads texts was killed")
    app = ask(opened("relations"), "a rake")
    assert len(app.error) == 1
    app.run()
    assert len(process.asked) == 1, "not by being drawn again"
    process.found = made_answer()
    app.button(key="ask_again").click().run()
    assert len(process.asked) == 2
    assert not app.error


def test_a_question_shows_how_far_it_is_and_can_be_cancelled(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    process.found = None
    app = ask(opened("relations"), "a rake")
    assert app.get("progress")[0].proto.value == 25
    ticket = app.session_state[encoders.TICKET]
    app.button(key="cancel_question").click().run()
    assert process.cancelled == [ticket]
    assert app.text_input(key=encoders.TEXT).value == ""
    assert not app.get("progress")
    assert len(process.asked) == 1


def test_examples_are_asked_by_a_click_and_long_texts_are_not(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_pair(store)
    app = opened("relations")
    assert app.text_input(key=encoders.TEXT).proto.max_chars == LONGEST
    app.button(key="example.0").click().run()
    assert process.asked[-1].text == "oak swing"
    ask(app, "   ")
    assert len(process.asked) == 1


@pytest.mark.parametrize("unit", ["edge", "none"])
def test_one_run_alone_is_asked_beside_the_encoder_before_training(
    opened: Open, store: RunStore, process: Answering, unit: str
) -> None:
    made_run(store, unit=unit)
    app = ask(opened("relations"), "a rake")
    assert [one.name for one in process.asked[0].encoders] == ["base", "private" if unit == "edge" else "bare"]
    assert len(lists(app)) == 2
    assert badges(app).count("no encoder") == 1


def test_the_gallery_opens_on_an_answer_that_came_along(opened: Open, store: RunStore, process: Answering) -> None:
    app = opened("relations", store="examples")
    first, second, *_ = worked.content()["answers"]
    assert app.text_input(key=encoders.TEXT).value == first
    assert len(lists(app)) == 3
    app.button(key="example.1").click().run()
    assert app.text_input(key=encoders.TEXT).value == second
    assert not process.asked
    app = opened("relations", store="examples")
    without = next(one for one in app.selectbox(key="private").options if "no encoder" in one)
    app.selectbox(key="private").set_value(without).run()
    assert not app.exception
    assert not process.asked, "nobody has asked it of other encoders"


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
    assert list(runs.kept) == pytest.approx([0.25, 0.5, 0.7])
    assert list(runs.seeds) == [3, 3, 3]
    said = private[0].statement
    assert said is not None
    four = table[np.isclose(table.accuracy, 0.12)].iloc[0]
    assert (four.accuracy_low, four.accuracy_high) == pytest.approx((0.0952, 0.1448), abs=1e-3)
    assert four.guess == pytest.approx(meaning.guess(said.epsilon, said.delta), abs=1e-4)
    assert four.guess >= meaning.guess(said.epsilon, said.delta), "rounded up"
    rows = files(app)["relation_ranking"]["rows"]
    assert {row["kind"] for row in rows} == {"guessing", "base", "run"}
    assert links(app)["Attacks on the private run"]["run"] == [app.selectbox(key="private").value]


def test_other_options_than_privacy_keep_no_gain(opened: Open, store: RunStore) -> None:
    made_pair(store)
    other = made_run(store, negatives=9, metrics={"test_accuracy": 0.09})
    app = opened("relations", private=other.id)
    table = ranking(app)
    kept = table[np.isclose(table.accuracy, 0.09)].kept
    assert kept.isna().all()
    assert table[np.isclose(table.accuracy, 0.06)].kept.notna().all()


def test_few_texts_are_few_candidates(opened: Open, store: RunStore) -> None:
    made_pair(store)
    assert "guessing among 60" in ranking(opened("relations")).index


# Train


def test_an_empty_page_trains_a_pair(opened: Open, store: RunStore) -> None:
    app = opened("relations")
    assert not app.get("bidi_component")
    app.button(key="train").click().run()
    assert not app.exception
    found = store.find(RunQuery())
    assert sorted(one.spec.unit for one in found) == ["edge", "none"]
    assert {(one.spec.method, one.spec.dataset) for one in found} == {("relational", "products")}
    assert "sweep_stop" in keys(app)


def test_training_begins_with_the_options_of_the_chosen_run_and_a_free_seed(opened: Open, store: RunStore) -> None:
    _, private = made_pair(store)
    app = opened("relations")
    app.button_group(key="train_units").set_value(["edge"])
    next(one for one in app.number_input if str(one.key).endswith(".negatives")).set_value(3)
    app.number_input(key="train_seeds").set_value(2).run()
    app.button(key="train").click().run()
    sent = store.find(RunQuery(states=("queued",)))
    assert sorted(one.spec.seed for one in sent) == [0, 1]
    for one in sent:
        assert one.spec.options["negatives"] == 3
        assert (one.spec.unit, one.spec.options["epsilon"]) == ("edge", private.spec.options["epsilon"])
        assert one.spec.options["encoder"] == "tiny"
    app = opened("relations")
    app.button(key="train").click().run()
    again = [one.spec for one in store.find(RunQuery(states=("queued",))) if one.id not in {two.id for two in sent}]
    assert sorted((one.unit, one.seed) for one in again) == [("edge", 1), ("none", 1)], "seed 0 is there"


def test_without_the_packages_nothing_is_asked_or_trained(
    opened: Open, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)
    monkeypatch.setattr(naming, "installed", lambda: False)
    app = opened("relations")
    assert encoders.TEXT not in {one.key for one in app.text_input}
    assert app.button(key="train").disabled
    assert len(ranking(app)) == 4, "numbers need no packages"


# Which runs


def test_wrong_addresses_are_said_and_left_out(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = opened("relations", private="nobody", bare="![x](y)", domain="attic", neighbours="99")
    assert len(app.warning) == 2
    assert not any("![x](" in one.value for one in app.warning)
    assert app.number_input(key="neighbours").value == 6
    ask(app, "a rake")
    assert process.asked[0].domain == "garden"


@pytest.mark.parametrize(("unit", "key"), [("edge", "private"), ("none", "bare")])
def test_an_address_chooses_a_run(opened: Open, store: RunStore, unit: str, key: str) -> None:
    run = made_run(store, unit=unit)
    made_run(store, unit=unit, seed=1)
    app = opened("relations", **{key: run.id})
    assert app.selectbox(key=key).value == run.id
    assert not app.warning


def test_other_data_bring_their_own_runs(opened: Open, store: RunStore) -> None:
    made_pair(store)
    titles = [made_run(store, unit=unit, data="m10-titles") for unit in ("none", "edge")]
    app = opened("relations", data="products", domain="kitchen")
    for data in ("m10-titles", "products", "m10-titles"):
        app.selectbox(key="data").set_value(data).run()
        assert not app.exception
        assert not app.warning
    assert [app.selectbox(key=key).value for key in ("bare", "private")] == [one.id for one in titles]


def test_runs_on_other_domains_are_not_compared(opened: Open, store: RunStore) -> None:
    made_run(store, unit="none", trained_on="garden", tested_on="kitchen")
    private = made_run(store)
    app = opened("relations")
    assert app.selectbox(key="private").value == private.id
    assert "bare" not in {one.key for one in app.selectbox}


def test_texts_that_cannot_be_read_keep_nobody_from_asking(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_pair(store)
    described = describing.describe
    monkeypatch.setattr(describing, "describe", lambda *_, **__: None)
    app = opened("relations")
    assert "example.0" not in keys(app)
    monkeypatch.setattr(describing, "describe", described)
    assert "example.0" in keys(app.run()), "once they are read"
    monkeypatch.setattr(describing, "describe", lambda *_, **__: None)
    assert len(lists(ask(opened("relations"), "a rake"))) == 3


def test_the_figure_of_places_states_both_runs(opened: Open, store: RunStore, process: Answering) -> None:
    made_pair(store)
    app = ask(opened("relations"), "rustic bench")
    units = sorted(one["unit"] for one in files(app)["moved"]["statements"].values())
    assert units == ["edge", "none"]
    assert json.dumps(files(app)["moved"]["rows"]).count("rustic walnut bench") == 3
