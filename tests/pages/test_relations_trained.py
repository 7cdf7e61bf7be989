"""The Relations page: what is missing, what attacks found, and runs that are trained from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_attacks import attack as made_attack
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

from privgraph.attacks.options import AttackOptions
from privgraph.data.errors import DataError
from privgraph.nn.text import naming as encoders
from privgraph.nn.text.naming import EncoderError
from privgraph.runs import attacking
from privgraph.runs.asking import Asker
from privgraph.runs.attacking import Attacking
from privgraph.runs.leases import new_worker
from privgraph.runs.records import RunQuery, StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import describing
from privgraph_workbench.jobs import asking, queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.relations import nearest

Open = Callable[..., AppTest]
__all__ = ["exemplified", "process"]  # fixtures
pytestmark = pytest.mark.usefixtures("exemplified")


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
    going = Attacking(
        token="a", name="relations", options=AttackOptions(), started=0.0, progress=0.4, stage="model 1 of 4"
    )
    with monkeypatch.context() as patched:
        patched.setattr(attacking, "states", lambda _, run: [going] if run == bare.id else [])
        running = opened("relations")
    assert any("model 1 of 4" in str(one.proto) for one in running.get("progress"))
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
    assert found.value.bound.iloc[0] == 0.25
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
    (table,) = (one.value for one in app.table if "PREC@1" in one.value)
    assert table.iloc[0, 0] == "guessing among 60", "garden has 60 texts"


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
