"""The Relations page: runs of the gallery and one's own, and what privacy cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_relations import made_answer, made_pair, made_run
from tests.pages.reading import texts
from tests.pages.relation_pages import (
    Answering,
    ask,
    described,
    files,
    process,
    submitted,
)

from privgraph.runs.leases import new_worker
from privgraph.runs.questions import Near
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph_workbench.jobs import queue

Open = Callable[..., AppTest]
__all__ = ["described", "process", "submitted"]  # fixtures
pytestmark = pytest.mark.usefixtures("described")


@pytest.mark.long
def test_runs_of_the_gallery_say_that_their_encoder_is_not_here_and_are_trained_by_one_click(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    first = opened("relations")
    assert "no encoder" not in texts(first), "encoders of a few runs came along, and those stand first"
    assert not [one for one in first.button if str(one.key).startswith("train_here.")]
    for path in store.folders.glob("*/*.safetensors"):
        path.unlink()  # as of every other run of the gallery
    app = opened("relations")
    shown = texts(app)
    assert (
        "The gallery has the numbers of both runs, and no encoder: until one is trained here, the base encoder "
        "answers alone." in shown
    )
    asked = [one for one in app.button if str(one.key).startswith("train_here.")]
    assert [one.label for one in asked] == [
        "Train the private run here, about 2 min",
        "Train the run without privacy here, about 2 min",
    ]
    assert "It takes about 2 min." in shown, "one time for one training, everywhere"
    assert len(asked) == 2
    settings = [f"{name}, edge ε {one}" for name in ("PvGaLM", "Randomised relations") for one in (1, 2, 4, 10)]
    offered = [*settings, "PvGaLM, edge ε 4 · products 200"]  # the small shop, whose relations are read often
    assert sorted(app.selectbox(key="private").options) == sorted(f"{one} · no encoder" for one in offered), (
        "one of each setting: seeds that cannot be asked are told in the table"
    )
    assert app.selectbox(key="bare").options[0] == "PvGaLM, not private · no encoder"
    there = first.selectbox(key="private").options
    assert [one.split(", seed")[0] for one in there[:2]] == ["PvGaLM, edge ε 4", "PvGaLM, edge ε 10"]
    assert len(there) == len(settings) + 1
    private = store.get(str(app.selectbox(key="private").value))
    asked[0].click().run()
    (spec,) = submitted
    shipped = {one.spec.seed for one in store.find(RunQuery(limit=1000)) if one.spec.options == spec.options}
    assert (spec.options, spec.seed) == (private.spec.options, max(shipped) + 1), "the gallery's seeds stay"
    ask(app, "a rake")
    assert [one.name for one in process.asked[0].encoders] == ["base"], "what is not here is not asked"
    assert max(len(one) for one in app.selectbox(key="private").options) < 53, (
        "no entry is cut where the field is as wide as a phone"
    )
    own = made_run(store)
    assert opened("relations").selectbox(key="private").value == own.id, "of what can be asked, the newest comes first"


def test_a_run_under_way_is_stopped_here_and_its_stop_is_acknowledged(
    opened: Open, store: RunStore, process: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_run(store, state="queued")
    worker = new_worker()
    store.leases.claim([run.id], worker)
    monkeypatch.setattr(queue, "launch", lambda *_: None)
    app = opened("relations", private=run.id)
    assert not app.warning, "an address that names a run in training is no mistake"
    app.button(key=f"stop_run.{run.id}").click().run()
    assert store.get(run.id).state == "stopping"
    button = app.button(key=f"stop_run.{run.id}")
    assert (button.label, button.disabled) == ("Stopping…", True)


def test_the_base_encoder_has_no_seeds_for_nothing_trained_it(
    opened: Open, store: RunStore, process: Answering
) -> None:
    for seed in range(2):
        made_run(store, seed=seed)
    (table,) = (one.value for one in opened("relations").table if "PREC@1" in one.value)
    assert table["seeds"].tolist() == ["–", "–", "2"]


def test_two_values_of_an_option_are_no_section_and_more_can_be_trained(
    opened: Open, store: RunStore, process: Answering
) -> None:
    run = made_run(store, metrics={"test_accuracy": 0.1})
    made_run(store, negatives=8, metrics={"test_accuracy": 0.3})
    app = opened("relations", private=run.id)
    assert "### What moves it?" not in texts(app)
    assert "relation_options" not in files(app)
    assert app.button(key="train_moved").label == "Train 3 runs"
    (told,) = (one.value for one in app.caption if "runs are missing" in one.value)
    assert "3 runs are missing, about 7 s in all." in told, "25 texts a relation, 10 of which took 3 s"
    made_run(store, negatives=16)
    app = opened("relations", private=run.id)
    assert "### What moves it?" in texts(app)
    assert "[what moves it](#what-moves-it)" in texts(app)
    assert "one in **negatives k** alone, all else equal. For other options: “Train several values of" in texts(app)
    made_run(store, steps=8)
    told = next(one.value for one in opened("relations", private=run.id).markdown if "all else equal" in one.value)
    assert "**negatives k or steps T** alone" in told
    assert "learning rate" not in told, "of one learning rate alone"


# What privacy cost


def test_one_seed_of_each_says_what_privacy_cost_and_trains_what_would_show_it(
    opened: Open, store: RunStore, process: Answering, submitted: list[RunSpec]
) -> None:
    bare, private = made_pair(store)
    made_run(store, seed=2, state="queued")
    app = opened("relations")
    said = next(one.value for one in app.markdown if "the right partner comes first" in one.value)
    assert said == (
        "**At ε 4, the right partner comes first (PREC@1) for 6.0% of relations, and for 14.0% without privacy.** 1 "
        "seed of each cannot tell what privacy costs: it takes 3 of each. Training was short (each relation was read "
        "0.13 times on average): after more, the price may differ. Before any training, it is 2.0%."
    )
    assert "differ in more" not in said
    order = [one.value for one in app.markdown]
    assert order.index(said) < order.index("### Settings and training")
    assert "1 more seed is in training" in texts(app)
    assert app.button(key="train_seeds").label == "Train 3 missing seeds: about 9 s"
    app.button(key="train_seeds").click().run()
    assert not app.exception
    assert [(one.options, one.seed) for one in submitted] == [
        *((bare.spec.options, seed) for seed in (1, 2)),
        (private.spec.options, 1),
    ], "seed 2 of the private run waits"


@pytest.mark.parametrize(
    ("spread", "said", "offered"),
    [
        (0.002, "**At ε 4, privacy costs 5.0 points: the right partner comes first (PREC@1) for 15.2%", 0),
        (0.05, "may differ. The difference is 9.8", 6),
        (-0.05, "this difference may still be chance.** Before any training, it is 2.0%. Training was short", 6),
    ],
)
def test_three_seeds_of_each_say_whether_privacy_cost_anything(
    opened: Open,
    store: RunStore,
    process: Answering,
    submitted: list[RunSpec],
    spread: float,
    said: str,
    offered: int,
) -> None:
    for seed in range(3):
        made_run(store, seed=seed, metrics={"test_accuracy": 0.15 + 0.002 * seed})
        made_run(store, seed=seed, unit="none", metrics={"test_accuracy": 0.2 + spread * seed})
    app = opened("relations")
    assert said in texts(app)
    assert ("train_seeds" in {one.key for one in app.button}) == bool(offered)
    if offered:
        assert app.button(key="train_seeds").label == "Train 3 more seeds of each: about 18 s"
        app.button(key="train_seeds").click().run()
        assert sorted(one.seed for one in submitted) == [3, 3, 4, 4, 5, 5]


def test_what_differs_in_more_than_privacy_is_not_called_its_cost(
    opened: Open, store: RunStore, process: Answering
) -> None:
    for seed in range(3):
        made_run(store, seed=seed)
        made_run(store, seed=seed, unit="none", negatives=7)
    shown = texts(opened("relations"))
    assert "The difference is 0.0 points (95% confidence interval 0.0 to 0.0 points, 3 seeds of each)" in shown
    assert " The two differ in more than privacy: negatives." in shown
    assert "At ε 4, privacy costs" not in shown


def test_a_run_alone_is_told_beside_its_base(opened: Open, store: RunStore, process: Answering) -> None:
    made_run(store, unit="none")
    app = opened("relations")
    assert "**Without privacy, the right partner comes first (PREC@1) for 6.0% of relations.**" in texts(app)
    assert "train_seeds" not in {one.key for one in app.button}


@pytest.mark.parametrize(
    ("private", "bare", "said"),
    [
        (0.20, 0.15, "the private run finds 5.0 points more: the right partner comes first (PREC@1) for 20.2% of"),
        (0.15, 0.20, "privacy costs 5.0 points: the right partner comes first (PREC@1) for 15.2% of"),
    ],
)
def test_a_difference_stands_beside_its_interval_whichever_run_is_ahead(
    opened: Open, store: RunStore, process: Answering, private: float, bare: float, said: str
) -> None:
    """Welch's: 2.78 standard errors of 0.163 points."""
    for seed in range(3):
        made_run(store, seed=seed, metrics={"test_accuracy": private + 0.002 * seed})
        made_run(store, seed=seed, unit="none", metrics={"test_accuracy": bare + 0.002 * seed})
    shown = texts(opened("relations"))
    assert f"**At ε 4, {said}" in shown
    assert "95% confidence interval 4.5 to 5.5 points, 3 seeds of each" in shown


def test_promises_of_other_epsilons_stand_each_beside_its_own(
    opened: Open, store: RunStore, process: Answering
) -> None:
    made_run(store)
    shown = texts(opened("relations"))
    assert "at most: ε 0.5: 62.3% · ε 1: 73.2% · ε 2: 88.1% · ε 4: 98.3% · ε 10: over 99.99%. It holds" in shown


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
