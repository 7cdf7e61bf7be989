"""Numbers behind the Teachers page: right labels in all, the run that weights are held against, and how far
one node moves all answers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.kept_runs import KARATE, keep_answers, keep_ensemble

from privgraph.data.errors import DataError
from privgraph.privacy.composition import gaussian_epsilon
from privgraph.privacy.events import Laplace
from privgraph.runs.store import RunStore
from privgraph_workbench.facts.teacher_settings import WEIGHTED
from privgraph_workbench.figures.teachers import one_vote
from privgraph_workbench.figures.teachers.one_vote import Noise
from privgraph_workbench.views.teachers import chain, other_noise, own_noise, verdict
from privgraph_workbench.views.teachers.tabs import VOTES
from privgraph_workbench.words.numbers import upper


def test_right_labels_in_all_are_those_that_pass_and_are_right() -> None:
    """As drawing the noise has it."""
    found = ensemble(queries=400, teachers=30)
    noise = Noise(vote_sigma=6.0, gate_sigma=5.0, threshold=20.0)
    label, told, _, below = chain.right_in_all(found, noise)
    assert label.endswith(" of 400"), "not in the number, which a card of a phone would cut"
    matched = re.fullmatch(r"(\d+): (\d+) without the gate", f"{told}: {below}")
    assert matched is not None, told
    counts, source, times = found.counts(), np.random.default_rng(1), 400
    gated, bare = [], []
    for _ in range(times):
        right = (counts + source.normal(0, 6.0, counts.shape)).argmax(axis=1) == found.truth
        passed = counts.max(axis=1) + source.normal(0, 5.0, len(counts)) > 20.0
        gated.append((right & passed).sum())
        bare.append(right.sum())
    for number, drawn in zip(matched.groups(), (gated, bare), strict=True):
        assert abs(int(number) - np.mean(drawn)) < 0.5 + 4 * np.std(drawn) / math.sqrt(times)
    assert int(matched[1]) < int(matched[2]) - 10, "the gate loses some of them"
    _, told, _, below = chain.right_in_all(found, Noise(vote_sigma=6.0, gate_sigma=0.1, threshold=1000.0))
    assert (told, below) == ("0", f"{matched[2]} without the gate"), "it lets nothing pass"


def test_the_run_with_equal_weights_is_alike_in_all_else_and_of_the_same_seed_if_it_can_be(store: RunStore) -> None:
    found, answered = ensemble(gate_sigma=0.0), made_answers("counts", noise=3.0)

    def kept(seed: int, **options: object) -> str:
        return keep_ensemble(store, found, answered, seed, teachers=8, **options)

    weighted = store.get(kept(1, weighting=WEIGHTED, w_min=0.4))
    assert verdict.equal_run(weighted, store) is None, "itself has unequal ones"
    kept(1, weighting="uniform", queries=9)
    assert verdict.equal_run(weighted, store) is None, "that one was asked about more nodes"
    another = kept(2, weighting="uniform")
    assert verdict.equal_run(weighted, store) == another, "no other seed is there"
    same = kept(1, weighting="uniform", w_min=0.7)
    assert verdict.equal_run(weighted, store) == same, "equal weights read no bound on weights"
    kept(3, weighting="uniform")
    assert verdict.equal_run(weighted, store) == same, "a newer one is of another seed"


@pytest.mark.parametrize(
    ("options", "squared"),
    [
        ({"method": "pate", "noise": "gaussian", "queries": 8}, 2 * 8 / 2.5**2),  # a vote leaves one count for another
        ({"release": "table"}, 1 / 2.5**2),
        ({"method": "pate", "queries": 8}, None),  # Laplace
        ({"release": "votes", "queries": 8}, None),  # drawn on a sample
    ],
)
def test_how_far_a_node_moves_all_answers_is_told_of_plain_gaussians_alone(
    store: RunStore, options: dict[str, Any], squared: float | None
) -> None:
    record = store.get(keep_answers(store, made_answers("counts"), **options))
    moved = other_noise.moved(record)
    if squared is None:
        assert moved is None
        return
    assert moved == pytest.approx(math.sqrt(squared))
    assert record.statement is not None
    assert gaussian_epsilon(moved, record.statement.delta) == pytest.approx(record.statement.epsilon, rel=1e-6)


def test_of_fewer_answers_it_moves_fewer_and_of_an_unknown_graph_nothing_is_told(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = keep_answers(store, made_answers("counts"), method="pate", noise="gaussian", queries=8)
    record = store.get(run)
    whole = other_noise.moved(record)
    assert whole is not None
    assert other_noise.moved(record, 2) == pytest.approx(whole / 2), "it goes with the root of their number"
    plan = record.spec.config().plan(KARATE)
    little = SimpleNamespace(event=Laplace(noise_multiplier=1e9), count=1)
    mixed = SimpleNamespace(entries=[*plan.entries, little], statement=plan.statement)
    with monkeypatch.context() as patch:
        patch.setattr(other_noise.plans, "plan", lambda *_: mixed)
        assert other_noise.moved(record) is None, "some of the noise is of another kind"
    other = SimpleNamespace(entries=plan.entries, statement=replace(plan.statement, epsilon=2 * plan.statement.epsilon))
    with monkeypatch.context() as patch:
        patch.setattr(other_noise.plans, "plan", lambda *_: other)
        assert other_noise.moved(record) is None, "its epsilon is not that of this noise"
    monkeypatch.setattr(other_noise, "facts_of", lambda _: None)
    assert other_noise.moved(record) is None, "the graph is being counted"

    def refuse(_: object) -> None:
        raise DataError("no such graph")

    monkeypatch.setattr(other_noise, "facts_of", refuse)
    assert other_noise.moved(record) is None


@pytest.mark.usefixtures("unread")
def test_the_price_without_a_gate_is_that_of_the_run_in_the_same_digits(
    opened: Callable[..., AppTest], store: RunStore
) -> None:
    """The slider holds the run's noise in three digits; a gate that is switched on changes nothing of it."""
    found = ensemble(gate_sigma=0.0, vote_sigma=20.0449)
    own, rounded = (upper(one_vote.cost(found, Noise(vote_sigma=one)).run) for one in (20.0449, 20.0))
    assert own != rounded, "or the two would be told alike anyhow"
    run = keep_ensemble(store, found, made_answers("counts", noise=20.0449), weighting=WEIGHTED, teachers=8)
    app = opened("teachers", run=run, tab=VOTES)
    app.toggle(key="vote.gate").set_value(True).run()
    assert not app.exception, app.exception
    said = "\n".join(one.value for one in app.caption)
    (without,) = re.findall(r"with it, ([\d.,]+) without\.", said)
    (as_run,) = re.findall(r"All 20 queries, answered, cost ([\d.,]+) with it", said)
    assert without == as_run == own


def test_sliders_that_hold_the_own_noise_mean_all_its_digits_and_others_what_they_say() -> None:
    gated = ensemble(vote_sigma=20.0449, gate_sigma=30.0449)
    assert own_noise.exact(gated, own_noise.held(gated)) == Noise.of(gated)
    assert own_noise.exact(gated, Noise(vote_sigma=20.0)) == Noise(vote_sigma=20.0449), "without its gate, too"
    other = Noise(vote_sigma=21.0, gate_sigma=30.0, threshold=5.0)
    assert own_noise.exact(gated, other) == Noise(vote_sigma=21.0, gate_sigma=30.0449, threshold=5.0)
    bare = ensemble(vote_sigma=20.0449, gate_sigma=0.0)
    assert own_noise.exact(bare, own_noise.held(bare)) == Noise(vote_sigma=20.0449)
    asked = Noise(vote_sigma=20.0, gate_sigma=7.0, threshold=5.0)
    assert own_noise.exact(bare, asked) == Noise(vote_sigma=20.0449, gate_sigma=7.0, threshold=5.0)
