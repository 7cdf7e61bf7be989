"""What the tab Who pays says in words: which epsilon holds, whether weights pay, what was left unspent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble, moved_by_all
from tests.pages.kept_runs import keep, keep_ensemble

from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts.teacher_settings import WEIGHTED
from privgraph_workbench.views.teachers import verdict

Open = Callable[..., AppTest]


pytestmark = pytest.mark.usefixtures("unread")


def _texts(app: AppTest) -> str:
    return "\n".join(one.value for kind in (app.markdown, app.caption) for one in kind)


def test_it_is_said_which_epsilon_holds_and_why_they_differ() -> None:
    found = ensemble(gate_sigma=0.0)
    sound = found.sound
    for times, word in ((1.3, "larger here: the paper adds up Rényi costs"), (0.5, "smaller here: it charges less")):
        said = verdict.why(replace(found, dependent=sound * times))
        assert word in said
    assert "its own teacher's vote alone" in verdict.why(moved_by_all(found))
    assert not verdict.why(replace(found, dependent=np.full(len(sound), np.nan)))


def test_all_was_spent_where_all_was_answered() -> None:
    whole, gated = ensemble(gate_sigma=0.0), ensemble(threshold=30.0)
    assert verdict.spent(whole, "sound") == " All 20 queries were answered, so that the whole guarantee was spent."
    refused = int((gated.released < 0).sum())
    assert 0 < refused < 20
    assert f"{refused} of 20 queries were not, and less was spent" in verdict.spent(gated, "sound")
    assert not verdict.spent(gated, "data-dependent")


def test_whether_weights_pay_is_said_in_numbers(store: RunStore) -> None:
    found = ensemble(gate_sigma=0.0, weights=(0.4, 1.6))
    run = keep_ensemble(store, found, made_answers("counts", noise=3.0), weighting=WEIGHTED, teachers=8)
    record = store.get(run)

    def said() -> verdict.Said:
        found_out = verdict.weights(record, found, store)
        assert found_out is not None
        return found_out

    heavy, alone = said().parts
    assert said().whole == (
        "They save ε for the nodes of 20 of 40 teachers; what they cost the student is not known here."
    )
    light, strong = (100 * found.accuracy[found.weights == one].mean() for one in np.unique(found.weights))
    assert f"{strong:.1f}% of test nodes on average" in heavy
    assert f"(weight 0.4) on {light:.1f}%" in heavy
    assert "No run with equal weights, and all else alike" in alone
    same = {**record.spec.options, "weighting": "uniform"}
    for seed, accuracy in enumerate((0.74, 0.75, 0.76)):
        keep(store, make_spec("dp-gpl", "karate", same, seed=seed), accuracy=accuracy)
    assert verdict.beside_equal(record, store) == [(0.7, 0.74)], "seed by seed"
    assert "on 74.0%. Fewer than 3 seeds" in said().parts[-1]
    keep(store, make_spec("dp-gpl", "karate", {**same, "epsilon": 4.0}), accuracy=0.1)
    for seed in (1, 2):
        keep(store, make_spec("dp-gpl", "karate", record.spec.options, seed=seed), accuracy=0.7)
    student = said().parts[-1]
    assert "70.0% on average over 3 seeds (70.0% in this run); with equal weights" in student
    assert "on 75.0%: a difference of −5.0 points, seed by seed (95% interval −7.5 to −2.5)" in student
    assert said().whole.endswith("of 20 of 40 teachers, and cost the student accuracy.")
    assert not verdict.weights(record, replace(found, weights=np.ones(40)), store)


@pytest.mark.parametrize(
    ("heavier", "judged"),
    [(0.2, "Heavy teachers are better"), (-0.2, "Heavy teachers are worse"), (0.0, "Neither is shown")],
)
def test_whether_heavy_teachers_are_better_is_a_sentence_of_its_own(
    store: RunStore, heavier: float, judged: str
) -> None:
    found = ensemble(gate_sigma=0.0, weights=(0.4, 1.6))
    heavy, accuracy = found.weights > 1, np.empty(len(found.weights))
    for group, mean in ((heavy, 0.5 + heavier), (~heavy, 0.5)):
        accuracy[group] = mean + np.linspace(-0.02, 0.02, group.sum())
    found = replace(found, accuracy=accuracy)
    run = keep_ensemble(store, found, made_answers("counts", noise=3.0), weighting=WEIGHTED, teachers=8)
    said = verdict.weights(store.get(run), found, store)
    assert said is not None
    assert said.parts[0].endswith(f"). {judged}.")


def test_equal_weights_are_one_sentence_and_lead_to_unequal_ones(opened: Open, store: RunStore) -> None:
    answers = made_answers("counts", noise=3.0)
    one = keep_ensemble(store, ensemble(weights=(1.0,)), answers)
    other = keep_ensemble(store, ensemble(), answers, weighting=WEIGHTED, teachers=8)
    app = opened("teachers", data="karate", run=one, tab="Who pays")
    assert "**all private nodes pay the same**: sound ε" in _texts(app)
    drawn = [element.proto.json for element in app.get("bidi_component")]
    assert not any("Epsilon of each teacher" in figure for figure in drawn), "one bar tells nothing"
    assert any("Budget used" in figure for figure in drawn)
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    (way,) = (query for label, query in links.items() if "unequal weights" in label)
    assert f"run={other}" in way
    app = opened("teachers", data="karate", run=other, tab="Who pays")
    assert "**More public neighbours → a heavier vote → a larger ε**" in _texts(app)
    assert "Are unequal weights worth it?" in _texts(app)
