"""One answer under other noise on the Teachers page: chances, an average, a price; or why there are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.pages.kept_runs import KARATE, keep_answers

from privgraph.methods.teachers.answers import Answers
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import noisy_labels, plans
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.teachers import chain, other_noise
from privgraph_workbench.views.teachers.tabs import PRICE
from privgraph_workbench.words.numbers import chance, number, percent, stated

Open = Callable[..., AppTest]
ASKED = "What if the noise had been different?"


pytestmark = pytest.mark.usefixtures("unread")


def _texts(app: AppTest) -> str:
    return "\n".join(one.value for kind in (app.markdown, app.caption) for one in kind)


def _numbers(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def _figure(app: AppTest, name: str) -> str:
    found = [json.loads(one.proto.json) for one in app.get("bidi_component")]
    return json.dumps(next(one for one in found if one["name"].startswith(name)))


LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("kind", "options", "law"),
    [
        ("counts", {"method": "pate", "queries": 8}, "laplace"),
        pytest.param("counts", {"method": "pate", "queries": 8, "noise": "gaussian"}, "gaussian", marks=LONG),
        pytest.param(
            "counts", {"release": "ensemble", "queries": 8, "maximum": "exponential"}, "exponential", marks=LONG
        ),
        pytest.param("votes", {"release": "votes", "queries": 8}, "gaussian", marks=LONG),
        pytest.param("posterior", {"release": "posterior", "queries": 8}, "laplace", marks=LONG),
    ],
)
def test_every_vote_can_be_asked_under_other_noise(
    opened: Open, store: RunStore, kind: str, options: dict[str, Any], law: str
) -> None:
    record = made_answers(kind)
    run = keep_answers(store, record, **options)
    kept = store.get(run)
    app = opened("teachers", data="karate", run=run, query=str(record.queries[0]))
    cost = f"Cost of all 20: {EPSILONS['sound'].label}"
    assert ASKED in _texts(app)
    assert kept.statement is not None
    assert _numbers(app)[cost] == stated("sound", kept.statement.epsilon), "the run's own noise costs what it says"
    counts = record.before[0].astype(float)
    for times in (1.0, 4.0):
        if times != 1.0:
            app.select_slider(key=f"vote.times.{run}").set_value(times).run()
            assert not app.exception, app.exception
        stays = noisy_labels.chances(law, times * record.noise_std, counts)[counts.argmax()]
        assert _numbers(app)["The largest class stays"] == chance(float(stays))
        assert "chance to be largest" in _figure(app, "one_answer")
    noise = kept.spec.noise
    assert noise is not None
    less = {**kept.spec.options, noise.option: noise.value / 4 if noise.option == "lam" else 4 * noise.value}
    assert _numbers(app)[cost] == stated("sound", plans.plan(kept.spec.method, less, KARATE).statement.epsilon)
    assert "An evaluator, who" not in _texts(app), "of other noise nothing was released"


def test_what_one_tab_asks_of_the_noise_the_other_one_does_as_well(opened: Open, store: RunStore) -> None:
    run = keep_answers(store, made_answers("votes"), release="votes", queries=8)
    app = opened("teachers", data="karate", run=run)
    app.select_slider(key=f"vote.times.{run}").set_value(4.0).run()
    cost = _numbers(app)[f"Cost of all 20: {EPSILONS['sound'].label}"]
    app.session_state["tab"] = PRICE
    app.run()
    assert not app.exception, app.exception
    assert app.select_slider(key=f"vote.times.{run}").value == 4.0
    assert _numbers(app)[EPSILONS["sound"].label] == cost, "one price of one noise"


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_fewer_queries_are_priced_at_the_noise_that_the_run_had(store: RunStore, noise: str) -> None:
    """Also where the run was given a budget, which would choose less noise for fewer queries."""
    run = keep_answers(store, made_answers("counts"), method="pate", lam=None, noise=noise, queries=8, epsilon=20.0)
    record = store.get(run)
    assert record.statement is not None
    assert record.spec.noise is not None
    whole = plans.plan("pate", record.spec.options, KARATE)
    named = {record.spec.noise.option: other_noise.given(record.spec.noise.option, other_noise.scale(whole.noise))}
    for queries in (1, 3):
        options = {**record.spec.options, **named, "queries": queries}
        found = other_noise.epsilon(record, queries=queries)
        assert found is not None
        assert found == pytest.approx(plans.plan("pate", options, KARATE).statement.epsilon, rel=1e-4)
        assert found < 0.9 * record.statement.epsilon


@pytest.mark.parametrize("kind", ["table", "log-posterior"])
def test_where_no_other_noise_can_be_asked_it_says_why(opened: Open, store: RunStore, kind: str) -> None:
    app = opened("teachers", data="karate", run=keep_answers(store, made_answers(kind), release=kind))
    assert other_noise.WHY_NOT[kind] in _texts(app)
    assert "The largest class stays" not in _numbers(app)
    assert "chance to be largest" not in _figure(app, "one_answer")


@pytest.mark.long
def test_the_gate_of_privgnn_grows_with_the_noise(opened: Open, store: RunStore) -> None:
    """It counts deviations of the noise: what is priced is what is tested."""
    record = made_answers("votes")
    run = keep_answers(store, record, release="votes", gate=1.0, gate_noise=2.0)
    app = opened("teachers", data="karate", run=run)
    app.select_slider(key=f"vote.times.{run}").set_value(4.0).run()
    std = 4 * record.noise_std
    assert f"through noise of ± {number(2 * std)}, exceeds {number(std)}: votes" in _texts(app)


def test_expected_and_drawn_are_told_apart(opened: Open, store: RunStore) -> None:
    record = made_answers("counts", noise=3.0)
    app = opened("teachers", data="karate", run=keep_answers(store, record, method="pate"))
    came = percent(float((record.after.argmax(axis=1) == record.truth).mean()))
    assert f"The run drew once: {came} of its labels came out right." in _texts(app)
    led = np.sort(record.before, axis=1)
    mean = percent(other_noise.expected(record, "laplace", 1.0))
    assert mean != came, "or one of them could stand for both"
    assert f"released {came} ({mean} on average over noise) → student 70.0%" in _texts(app), "above all tabs"
    assert (led[:, -1] > led[:, -2]).any()
    assert _numbers(app)["Labels right, on average"] == percent(other_noise.expected(record, "laplace", 1.0))
    quiet = other_noise.expected(record, "laplace", 0.001)
    ties = np.sort(record.before, axis=1)
    led = ties[:, -1] > ties[:, -2]
    right = (record.before.argmax(axis=1) == record.truth)[led].sum()
    assert right / 20 <= quiet <= (right + (~led).sum()) / 20, "without noise the leaders go out"


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_an_average_is_over_the_queries_that_are_counted_before_noise(law: str) -> None:
    """Many queries, unevenly right, some refused: it meets *before noise* where noise is small, and the run's
    own draw lies where an average over that noise says that draws lie."""
    source, many = np.random.default_rng(3), 900
    truth = source.integers(0, 4, many)
    before = source.integers(0, 15, (many, 4)).astype(np.float32)
    before[np.arange(many), truth] += np.where(np.arange(many) % 9 == 0, 0, 6).astype(np.float32)
    std = 4.0
    after = before + np.stack([noisy_labels.drawn(law, std, 4, source) for _ in range(many)]).astype(np.float32)
    released = np.where(np.arange(many) < 700, after.argmax(axis=1), -1)
    nobody = np.zeros(0, dtype=np.int64)
    found = Answers(
        kind="counts",
        queries=np.arange(many),
        before=before,
        after=after,
        noise_std=std,
        released=released,
        truth=truth,
        seconds=np.zeros(many),
        pointers=np.zeros(many + 1, dtype=np.int64),
        neighbours=nobody,
        weights=nobody.astype(np.float32),
        edge_pointers=np.zeros(many + 1, dtype=np.int64),
        edges=np.zeros((2, 0), dtype=np.int64),
    )
    told = chain.shares(found)
    assert told is not None
    assert other_noise.expected(found, law, 1e-9) == pytest.approx(told.before, abs=1e-5)
    average = other_noise.expected(found, law, 1.0)
    assert average < told.before - 0.02, "this noise costs something"
    assert other_noise.came(found) == pytest.approx(told.released), "of the answered ones, too"
    low, high = binom.interval(0.999, 700, average)
    assert low / 700 <= told.released <= high / 700
    assert not low / 700 <= told.before <= high / 700, "or the interval says nothing"


@pytest.mark.parametrize("law", ["gaussian", "laplace"])
def test_the_noise_card_names_the_distribution_and_lambda_is_of_laplace_noise_alone(
    opened: Open, store: RunStore, law: str
) -> None:
    record = made_answers("counts", noise=3.0)
    run = keep_answers(store, record, method="pate", noise=law, lam=0.5)
    card = f"{law.title()}, σ = {number(record.noise_std, 3)} (standard deviation), on each count. "
    for tab in (None, PRICE):
        app = opened("teachers", data="karate", run=run, **({} if tab is None else {"tab": tab}))
        assert ("λ (lambda), one over the scale" in _texts(app)) == (law == "laplace"), tab
        assert f"Noise: {law.title()}, σ = " in _texts(app)
        if tab is None:
            assert card in _texts(app)
