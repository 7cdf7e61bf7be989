"""Which runs fit a kept trade-off and are not in it, and the figure that is made anew with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts import advised
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.runs.tradeoff_shown import ADVISED
from privgraph_workbench.reporting import Drawn, newer
from privgraph_workbench.words.naming import statements_of

METHODS = ("gap", "progap")


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


@pytest.fixture
def figure(store: RunStore) -> Drawn:
    """A trade-off of two methods, a model without edges, and of ProGAP two options."""
    asked = [spec(name, epsilon=2.0, unit="edge") for name in METHODS]
    asked += [spec("progap", epsilon=2.0, unit="edge", depth=1), spec("mlp", unit="none")]
    return _kept(store, [keep(store, one) for one in asked])


def _kept(store: RunStore, ids: Sequence[str], front: bool = True) -> Drawn:
    held = [store.get(run) for run in ids]
    said = advised.of_runs(held)
    rows = tradeoff.shown(
        tradeoff.data(held), published=False, front=front, advice={"": ""}, advised="What was said when it was kept."
    )
    return reporting.drawn(store, "tradeoff", rows, statements_of(held), ids, advice=said)


@pytest.mark.parametrize(
    ("asked", "fits"),
    [
        (spec("gap", seed=1, epsilon=2.0, unit="edge"), True),
        (spec("gap", epsilon=8.0, unit="edge"), True),
        (spec("progap", seed=3, epsilon=4.0, unit="edge", depth=1), True),
        (spec("mlp", seed=5, unit="none"), True),
        (spec("gap", epsilon=2.0, unit="node"), False),
        (spec("gap", epsilon=2.0, unit="edge", hidden=8), False),
        (spec("gnn", unit="none"), False),
        (make_spec("gap", "social", {"epsilon": 2.0, "unit": "edge"}, seed=1), False),
        (make_spec("gap", "karate", {"epsilon": 2.0, "unit": "edge"}, seed=1, split="inductive"), False),
    ],
    ids=lambda one: repr(one) if isinstance(one, RunSpec) else "",
)
def test_what_fits_has_graph_unit_and_options_of_a_setting_at_any_epsilon_and_seed(
    figure: Drawn, store: RunStore, asked: RunSpec, fits: bool
) -> None:
    assert not newer.of(store, figure.rows).runs
    run = keep(store, asked)
    found = newer.of(store, figure.rows)
    assert [one.id for one in found.runs] == [run] * fits
    assert found.later


def test_what_is_not_done_or_was_not_measured_alike_does_not_fit(figure: Drawn, store: RunStore) -> None:
    for seed, state in enumerate(("queued", "running", "failed"), start=1):
        keep(store, spec("gap", seed=seed, epsilon=2.0, unit="edge"), state=state)
    done = keep(store, spec("gap", seed=9, epsilon=2.0, unit="edge"))
    assert [one.id for one in newer.of(store, figure.rows).runs] == [done]
    assert not newer.of(store, [{**row, "metric": "test_mrr"} for row in figure.rows]).runs


def test_a_run_that_was_there_before_is_more_and_not_newer(store: RunStore) -> None:
    runs = [keep(store, spec("gap", seed=seed, epsilon=2.0, unit="edge")) for seed in range(3)]
    last = newer.of(store, _kept(store, runs[2:]).rows)
    assert {one.id for one in last.runs} == set(runs[:2])
    assert not last.later
    assert newer.of(store, _kept(store, runs[:1]).rows).later


def test_rows_statements_runs_and_advice_are_made_anew(figure: Drawn, store: RunStore) -> None:
    more = [
        *(keep(store, spec("gap", seed=seed, epsilon=2.0, unit="edge"), accuracy=0.9) for seed in (1, 2)),
        keep(store, spec("progap", epsilon=4.0, unit="edge"), accuracy=0.95),
    ]
    made = newer.taken_in(store, figure)
    every = [store.get(run) for run in (*(one.id for one in figure.runs), *more)]
    fresh = {row["runs"]: row for row in tradeoff.data(every)}
    assert {frozenset(str(row["runs"]).split()) for row in made.rows} == {frozenset(key.split()) for key in fresh}
    (gap,) = [row for row in made.rows if row["method"] == "gap"]
    assert gap["seeds"] == 3
    assert gap["mean"] == pytest.approx((0.8 + 0.9 + 0.9) / 3)
    assert {run for row in made.rows for run in str(row["runs"]).split()} == {one.id for one in every}
    assert set(made.statements) == set(statements_of(every))
    assert {one.id for one in made.runs} == {one.id for one in every}
    assert not newer.of(store, made.rows).runs, "all are in"
    assert [row for row in made.rows if row["front"]] == [row for row in tradeoff.with_front(made.rows) if row["front"]]


def test_what_to_take_is_said_anew_also_where_nothing_could_be_said(store: RunStore) -> None:
    reached = {"mlp": 0.5, "gnn": 0.9, "gap": 0.7, "progap": 0.75}
    runs = {
        (name, seed): keep(store, spec(name, seed=seed, **_budget(name)), accuracy=reached[name] + seed / 100)
        for name in reached
        for seed in range(3)
    }
    keep(store, spec("gap", epsilon=4.0, unit="edge"), accuracy=0.8)
    before = _kept(store, [run for (_, seed), run in runs.items() if seed < 2])
    assert before.advice
    for kept in (before, replace(before, advice="")):
        made = newer.taken_in(store, kept)
        assert len(made.runs) == 13
        assert made.advice == advised.of_runs(list(made.runs))
        assert made.advice not in ("", kept.advice)


def _budget(name: str) -> dict[str, object]:
    return {"unit": "edge", "epsilon": 2.0} if "gap" in name else {"unit": "none"}


def test_curves_are_drawn_and_called_as_before(figure: Drawn, store: RunStore) -> None:
    kept = Drawn(
        figure="tradeoff",
        rows=[{**row, "variant": "", "setting": row["variant"]} for row in figure.rows if row["seeds"]],
        statements={},
        runs=figure.runs,
    )
    keep(store, spec("progap", epsilon=4.0, unit="edge", depth=1))
    made = newer.taken_in(store, kept)
    assert not made.statements, "where it had none"
    assert all(row["with_front"] and not row["with_published"] for row in made.rows)
    said = {str(row["setting"]) for row in kept.rows if row["method"] == "progap"}
    assert {str(row["setting"]) for row in made.rows if row["method"] == "progap"} == said
    assert all(row["variant"] == "" for row in made.rows)
    assert made.rows[0][ADVISED] != "What was said when it was kept."
    assert not any(ADVISED in row for row in made.rows[1:])


def test_what_is_behind_runs_that_are_gone_stays(figure: Drawn, store: RunStore) -> None:
    (gone,) = [row for row in figure.rows if row["method"] == "gap"]
    store.delete(str(gone["runs"]))
    keep(store, spec("progap", seed=1, epsilon=2.0, unit="edge"))
    made = newer.taken_in(store, reporting.drawn(store, "tradeoff", figure.rows, figure.statements))
    (row,) = [row for row in made.rows if row["method"] == "gap"]
    assert (row["runs"], row["mean"]) == (gone["runs"], gone["mean"])
    assert any(label.startswith("GAP on") for label in made.statements)
