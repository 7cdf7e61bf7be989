"""What the tab Who pays says in words: which epsilon holds, whether weights pay, what was left unspent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble, moved_by_all
from tests.pages.kept_runs import keep_ensemble

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
