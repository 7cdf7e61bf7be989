"""Two tabs of the Teachers page: epsilon of each teacher with the budget, and one vote under other noise."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.ensemble_pages import PAYERS, Open, drawn_of, keep_run, numbers_of
from tests.pages.kept_runs import KARATE, keep_ensemble
from tests.pages.reading import texts

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.teachers import ensembles, stopped
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.teachers import payers
from privgraph_workbench.words.numbers import number, upper

pytestmark = pytest.mark.usefixtures("unread")


@pytest.mark.long
def test_a_finished_run_shows_its_teachers(opened: Open, store: RunStore) -> None:
    teachers = ensemble(limit=0.8)
    run = keep_run(store, teachers)
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    for part in ("student", "teachers"):
        app.session_state[f"fold.{part}"] = True
    app.run()
    numbers, drawn = numbers_of(app), drawn_of(app)
    assert (numbers["Student"], numbers["Before tuning"], numbers["All teachers"]) == ("70.0%", "30.0%", "80.0%")
    assert numbers["Best teacher"] == "—"  # this run did not say
    assert f"**{EPSILONS['sound'].title} 0.8**: no node pays more" in texts(app), "what the heaviest pay"
    gone = int((ensembles.stopped_at(teachers) >= 0).sum())
    assert 0 < gone < 40
    assert f"{gone} of 40 teachers were stopped" in texts(app)
    table = next(one.value for one in app.dataframe if "because of" in one.value)
    assert len(table) == gone
    assert set(table["because of"]) == {"its own limit"}
    assert "Karate club, seed 0" in texts(app)
    assert set(drawn) == {"teacher_epsilons-sound-histogram-weight", "budget-sound", "stopped", "teacher_accuracy"}
    assert not any("data-dependent ε" in one.value.to_string() for one in app.table), "no guarantee waits in a fold"
    app.session_state["fold.dependent"] = True
    assert any("no: it was read from private votes" in one.value.to_string() for one in app.run().table)
    assert not app.warning, app.warning
    app = opened("teachers", data="karate", run=run, tab="Answers")
    assert "consensus" not in drawn_of(app)
    app.session_state["fold.consensus"] = True
    app.run()
    assert "consensus" in drawn_of(app)


def _by_weight(app: AppTest) -> list[tuple[float, ...]]:
    """Weight, teachers, and the sound epsilon of one answer and of all, where there are more."""
    table = next(one.value for one in app.table if "weight" in one.value and "teachers" in one.value)
    columns = ["weight", "teachers", *(name for name in table if name.startswith(EPSILONS["sound"].title))]
    return [tuple(float(cell) for cell in row) for row in table[columns].to_numpy()]


def test_who_pays_how_much_is_a_table(opened: Open, store: RunStore) -> None:
    """One answer and all of them, by weight: epsilon of one is exact, and all are what is guaranteed."""
    found = ensemble(gate_sigma=0.0)
    run = keep_run(store, found, weighting="private-centrality", teachers=8)
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    rows = _by_weight(app)
    assert [row[0] for row in rows] == pytest.approx(np.unique(found.weights), rel=5e-3)
    assert sum(row[1] for row in rows) == 40
    one = [ensembles.price(1, 20.0, 0.0, float(weight), found.delta) for weight in np.unique(found.weights)]
    assert [row[2] for row in rows] == pytest.approx(one, rel=1e-2)
    assert [row[3] for row in rows] == pytest.approx(np.unique(found.sound), rel=1e-2)
    assert all(row[3] < 20 * row[2] for row in rows)
    assert "as much as one answer whose noise is √20 ≈ 4.47 times smaller" in texts(app)
    said = store.get(run).statement
    assert said is not None
    app.session_state["fold.dependent"] = True
    kinds = next(one.value for one in app.run().table if "may it be published?" in one.value)
    assert kinds["value"].tolist() == [
        f"{upper(found.sound.min())} – {upper(found.sound.max())}",
        number(said.epsilon_as_published, 4),
        f"{upper(found.dependent.min())} – {upper(found.dependent.max())}",
    ]
    assert [one.split(":")[0] for one in kinds["may it be published?"]][::2] == ["yes", "no"]


def test_every_teacher_is_a_row(opened: Open, store: RunStore) -> None:
    """Why one is heavy stands beside what its nodes pay: who pays most comes first."""
    found = ensemble(gate_sigma=0.0)
    app = opened("teachers", data="karate", run=keep_run(store, found), tab=PAYERS)
    assert "**More public neighbours → a heavier vote → a larger ε**" in texts(app)
    assert payers.PUBLIC in texts(app)
    app.session_state["fold.teachers"] = True
    table = next(one.value for one in app.run().dataframe if "right by itself" in one.value)
    assert sorted(table["teacher"]) == list(range(40))
    assert table[EPSILONS["sound"].title].tolist() == sorted(found.sound, reverse=True)
    first = table.iloc[0]
    assert first["centrality"] == found.centrality[int(first["teacher"])]
    assert "-badge[:material/lock: private]" in texts(app)


def test_the_price_says_whose_it_is(opened: Open, store: RunStore) -> None:
    """With the noise that the run's plan has, also for one query."""
    run = keep_run(store, ensemble(gate_sigma=0.0), weighting="private-centrality", teachers=8)
    spec, app = store.get(run).spec, opened("teachers", run=run, tab="Price")
    assert "**For a node of weight 1.5, who pays most:** Somebody who knows" in texts(app)
    app.session_state["fold.run_published"] = True
    kinds = next(one.value for one in app.run().table if "may it be published?" in one.value)
    assert kinds["value"].tolist()[-1].endswith(" (in the run)"), "other noise has no votes of its own"
    sigma = spec.config().plan(KARATE).noise["votes"]

    def lightest() -> float:
        found = re.search(r"Nodes of weight 0\.51, the lightest, pay ([\d.]+)\.", texts(app))
        assert found is not None
        return float(found[1])

    many = lightest()
    app.number_input(key=f"price.asked.{run}").set_value(1).run()
    assert not app.exception, app.exception
    assert not app.error, "one query has a price"
    delta, ends = spec.config().plan(KARATE).statement.delta, ensemble().weights
    light, heavy = (ensembles.price(1, sigma, 0.0, weight, delta) for weight in (float(ends.min()), float(ends.max())))
    assert lightest() == pytest.approx(light, rel=1e-2)
    assert float(numbers_of(app)[EPSILONS["sound"].label]) == pytest.approx(heavy, rel=1e-2)
    assert lightest() < many


def test_data_dependent_numbers_are_marked(opened: Open, store: RunStore) -> None:
    found = ensemble()
    app = opened(
        "teachers",
        data="karate",
        run=keep_run(store, found),
        tab=PAYERS,
        epsilons__number="data-dependent",
        epsilons__view="strip",
        epsilons__colour="centrality",
    )
    drawn = drawn_of(app)
    assert "data-dependent ε from" in drawn["teacher_epsilons-data-dependent-strip-centrality"]
    assert "data-dependent ε" in drawn["budget-data-dependent"]
    assert ensembles.DEPENDENT_BADGE[1:] in texts(app)
    plots = [json.loads(one.proto.json)["figure"] for one in app.get("bidi_component")]
    marked = [json.dumps(plot, ensure_ascii=False) for plot in plots]
    assert sum(ensembles.DEPENDENT_BADGE in text for text in marked) == 2
    assert stopped.NOBODY[1:] not in texts(app)
    assert "every teacher voted on every query" in texts(app)


def test_a_broken_record_is_one_sentence(opened: Open, store: RunStore) -> None:
    run = keep_run(store, ensemble())
    (store.folder(run) / "ensemble.npz").write_bytes(b"PK no zip")
    app = opened("teachers", data="karate", run=run, tab=PAYERS)
    assert app.error[0].value.startswith("The record of this run's teachers cannot be read:")


def test_times_that_were_shared_are_not_drawn(opened: Open, store: RunStore) -> None:
    for seed, shared in enumerate((False, True)):
        found = made_answers("counts", noise=3.0)
        found = replace(found, seconds=np.full(20, 0.021)) if shared else found
        app = opened("teachers", data="karate", run=keep_ensemble(store, ensemble(), found, seed), tab="Answers")
        assert any(fold.label == "Time of each teacher" for fold in app.expander) == (not shared)
