"""The Relations page: the privacy ladder, settings, and the form that trains another run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_run
from tests.pages.reading import texts
from tests.pages.relation_pages import Answering, ask, described, files, process, submitted

from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.relations import cost

Open = Callable[..., AppTest]
__all__ = ["described", "process", "submitted"]  # fixtures
pytestmark = pytest.mark.usefixtures("described")


def seeds(store: RunStore, reached: Sequence[float], **rest: Any) -> list[RunRecord]:
    """A run for each accuracy, with seeds from 0 on; the base encoder reaches 2%."""
    return [made_run(store, seed=seed, metrics={"test_accuracy": one}, **rest) for seed, one in enumerate(reached)]


def ladder(app: AppTest) -> dict[str, dict[str, str]]:
    (table,) = (one.value for one in app.table if "gain kept" in one.value)
    return {row[""]: dict(row) for _, row in table.iterrows()}


@pytest.mark.long
def test_the_ladder_climbs_from_the_base_to_no_privacy(opened: Open, store: RunStore, process: Answering) -> None:
    seeds(store, [0.21, 0.22, 0.23], unit="none")
    seeds(store, [0.15, 0.16, 0.17], epsilon=10.0)
    seeds(store, [0.11, 0.12, 0.13])
    seeds(store, [0.06, 0.07, 0.08], method="relation-rand", epsilon=4.0)
    made_run(store, data="m10-titles", metrics={"test_accuracy": 0.9})
    app = opened("relations", data="products")
    rungs = ladder(app)
    assert list(rungs) == [
        "guessing among 256",
        "base encoder tiny",
        "Private, ε 4",
        "Randomised relations, ε 4",
        "Private, ε 10",
        "Without privacy",
    ]
    kept = [row["gain kept"].split(" ")[0] for row in rungs.values()]
    assert kept == ["–", "–", "50%", "25%", "70%", "–"]
    assert rungs["Private, ε 4"]["PREC@1"] == "12.0% (9.5% to 14.5%)"
    assert [row["adversary right, at most"] for row in rungs.values()][-1] == "100%", "nothing is promised"
    assert rungs["Private, ε 4"]["adversary right, at most"] == "98.3%", "cost and protection in one line"
    assert rungs["Private, ε 4"]["seeds"] == "3"
    (first,) = (row for row in files(app)["relation_ranking"]["rows"] if row["label"] == "Private, ε 4")
    assert first["kept"] == pytest.approx(0.5)
    assert 0.3 < first["kept_low"] < 0.5 < first["kept_high"] < 0.7
    drawn = [row["label"] for row in files(app)["relation_ranking"]["rows"]]
    assert drawn == list(rungs), "figure and table have the same rungs"


@pytest.mark.parametrize(("reached", "share"), [(0.10, "80%"), (0.07, "50%")])
def test_the_share_follows_the_numbers_and_one_seed_has_no_interval(
    opened: Open, store: RunStore, process: Answering, reached: float, share: str
) -> None:
    seeds(store, [0.12], unit="none")
    seeds(store, [reached])
    assert ladder(opened("relations"))["Private, ε 4"]["gain kept"] == share


@pytest.mark.parametrize("without", [[0.01], [0.01, 0.03, 0.08]], ids=["below the base", "not shown to be above it"])
def test_where_training_without_privacy_gains_nothing_there_is_no_share(
    opened: Open, store: RunStore, process: Answering, without: list[float]
) -> None:
    seeds(store, without, unit="none")
    seeds(store, [0.06])
    app = opened("relations")
    assert {row["gain kept"] for row in ladder(app).values()} == {"–"}


@pytest.mark.long
def test_what_was_trained_otherwise_stands_on_the_ladder_and_has_no_share(
    opened: Open, store: RunStore, process: Answering
) -> None:
    (private,) = seeds(store, [0.06])
    (bare,) = seeds(store, [0.12], unit="none")
    seeds(store, [0.11], negatives=8)
    seeds(store, [0.11], epsilon=2.0, steps=5)
    made_run(store, max_tokens=8, metrics={"test_accuracy": 0.9})
    app = opened("relations", private=private.id, bare=bare.id)
    rungs = ladder(app)
    assert "Private, ε 2, steps 5" in rungs, "it has no namesake, and yet was trained otherwise"
    told = {row["label"]: row["otherwise"] for row in files(app)["relation_ranking"]["rows"]}
    assert [one for one in told.values() if one] == ["steps 5", "negatives 8"]
    assert {label: row["gain kept"] for label, row in rungs.items() if "Private, ε 4" in label} == {
        "Private, ε 4": "40%",
        "Private, ε 4, negatives 8": "–",
    }, "and what reads texts otherwise was judged beside another base encoder"


@pytest.mark.long
def test_many_settings_are_all_in_the_table_and_the_nearest_in_the_figure(
    opened: Open, store: RunStore, process: Answering
) -> None:
    for negatives in range(1, 13):
        made_run(store, negatives=negatives)
    chosen = made_run(store, negatives=20)
    app = opened("relations", private=chosen.id)
    drawn = [row["run"] for row in files(app)["relation_ranking"]["rows"] if row["kind"] == "run"]
    assert len(drawn) == 9
    assert chosen.id in drawn
    assert sum("Private" in label for label in ladder(app)) == 13


def test_settings_stand_in_a_table(opened: Open, store: RunStore, process: Answering) -> None:
    seeds(store, [0.06])
    seeds(store, [0.12], unit="none")
    (table,) = (one.value for one in opened("relations").dataframe if "setting" in one.value)
    rows = {row["setting"]: (row["private run"], row["run without privacy"]) for _, row in table.iterrows()}
    assert rows["Learning rate"] == ("auto (0.01)", "auto (0.003)")
    assert rows["Clip"] == ("1.0", "none")
    assert rows["Steps"] == ("4", "4")
    assert (rows["Epsilon"], rows["Shots"]) == (("4.0", "none"), ("none", "none"))
    assert rows["Delta"][0].startswith("auto (")


def test_another_run_is_trained_with_options_that_stand_openly(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    (chosen,) = seeds(store, [0.06])
    app = opened("relations")
    prefix = f"new.{chosen.id[-4:]}."
    app.button(key="train_new").click().run()
    assert not app.exception
    (again,) = submitted
    assert (again.options, again.seed) == (chosen.spec.options, 1), "the next seed that is not here"
    submitted.clear()
    app.number_input(key=f"{prefix}steps").set_value(80)
    app.number_input(key=f"{prefix}seeds").set_value(2).run()
    assert app.button(key="train_new").label == "Train 2 runs"
    link = next(one.proto for one in app.get("page_link") if one.proto.label == "All options")
    assert {"method": "relational", "data": "products", "steps": "80", "encoder": "tiny"}.items() <= dict(
        parse_qsl(link.query_string.removeprefix("?"))
    ).items()
    app.button(key="train_new").click().run()
    assert [(one.options["steps"], one.options["epsilon"], one.seed) for one in submitted] == [(80, 4, 0), (80, 4, 1)]


def test_what_the_button_trains_is_shown_beside_it_until_it_is_done_and_chosen(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "launch", lambda *_: None)
    (chosen,) = seeds(store, [0.06])
    app = opened("relations")
    assert not app.button(key="train_new").disabled
    app.button(key="train_new").click().run()
    (sent,) = (one for one in store.find(RunQuery()) if one.pending)
    assert app.button(key=f"stop_run.new{sent.id}").label == "Stop this run"
    assert app.button(key="train_new").disabled, "a second click would be a second look"
    app.number_input(key=f"new.{chosen.id[-4:]}.steps").set_value(80).run()
    assert not app.button(key="train_new").disabled, "other settings are another run"
    assert made_run(store, seed=1).id == sent.id
    app.run()
    assert app.selectbox(key="private").value == sent.id
    assert [one.value for one in app.toast] == ["PvGaLM, edge ε 4, seed 1 is done, and chosen now."]
    (done,) = app.success
    assert done.value == (
        "**Done: PvGaLM, edge ε 4, seed 1, 6.0% PREC@1.** It is chosen now, [at the top](#relations)."
    )
    assert f"stop_run.new{sent.id}" not in {one.key for one in app.button}


def test_a_list_names_the_options_in_which_namesakes_differ_of_every_run(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store, steps=40)
    made_run(store, epsilon=10.0)
    chosen = made_run(store, shots=16)
    app = opened("relations", private=chosen.id)
    assert sorted(app.selectbox(key="private").options) == [
        "PvGaLM, edge ε 10, seed 0, steps 4",
        "PvGaLM, edge ε 4, seed 0, steps 4",
        "PvGaLM, edge ε 4, seed 0, steps 40",
    ], "and nothing of shots, which training does not read"


def test_beside_one_another_runs_are_called_by_what_they_differ_in(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store, steps=40)
    chosen = made_run(store, steps=4)
    bare = made_run(store, steps=5, unit="none")
    app = ask(opened("relations", private=chosen.id, bare=bare.id), "rustic bench")
    shown = texts(app)
    assert "**Private run: PvGaLM, edge ε 4, seed 0**" in shown, "on its card"
    assert "##### Private, ε 4, steps 4" in shown, "above its column"
    assert "##### Without privacy, steps 5" in shown
    assert {"Private, ε 4, steps 4", "Without privacy, steps 5"} < {row["title"] for row in files(app)["moved"]["rows"]}
    app = ask(opened("relations", private=chosen.id, bare=made_run(store, unit="none").id), "rustic bench")
    assert "##### Private, ε 4\n" in texts(app) + "\n"
    assert {"Private, ε 4", "Private, ε 4, steps 40", "Without privacy"} <= set(ladder(app))


def test_what_was_stopped_is_said_beside_its_button(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "launch", lambda *_: None)
    seeds(store, [0.06])
    app = opened("relations")
    app.button(key="train_new").click().run()
    (sent,) = (one for one in store.find(RunQuery()) if one.pending)
    app.button(key=f"stop_run.new{sent.id}").click().run()
    assert "PvGaLM, edge ε 4 asked for, seed 1: stopped." in [one.value for one in app.warning]
    assert not app.button(key="train_new").disabled


def test_the_form_names_its_method_where_another_one_is_chosen(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store, method="relation-rand")
    app = opened("relations")
    shown = texts(app)
    assert "Train another run of PvGaLM" in [one.label for one in app.expander]
    assert "This form trains PvGaLM; the chosen run is of Randomised relations, and options of both are" in shown


def test_a_run_without_privacy_is_asked_for_without_its_options(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    (chosen,) = seeds(store, [0.06])
    app = opened("relations")
    prefix = f"new.{chosen.id[-4:]}."
    app.get("button_group")[0]  # the choice is there
    app.session_state[f"{prefix}unit"] = "none"
    app.run()
    assert f"{prefix}clip" not in {one.key for one in app.slider}
    app.button(key="train_new").click().run()
    assert [(one.unit, one.seed) for one in submitted] == [("none", 0)]


def test_an_interval_of_the_gain_is_not_cut_at_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below 0% private training may be worse than none: that is what too few seeds leave open."""
    shown: list[list[dict[str, str]]] = []
    monkeypatch.setattr(cost.st, "table", lambda lines, **_: shown.append(lines))
    between = {f"{name}{end}": 0.1 for name in ("accuracy", "mrr") for end in ("", "_low", "_high")}
    shares = {"kept": 0.5, "kept_low": -0.2, "kept_high": 1.3}
    cost._table([{"run": "a", "kind": "run", "label": "A", "seeds": 3, **between, **shares}], {})
    assert shown[0][0]["gain kept"] == "50% (at least -20%)"
