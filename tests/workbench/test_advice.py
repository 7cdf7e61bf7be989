"""Which method to take at which epsilon: the rule, by numbers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.pages.test_tuned_runs import TERMS

from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark, Trial
from privgraph_workbench import advice, summary
from privgraph_workbench.advice import Outcome, Verdict

NODES = 100_000
"""So many test nodes that seeds alone decide."""
FULL = {"neighbours": "undirected edge", "release": "model"}


def runs(
    method: str,
    values: Sequence[float],
    *,
    unit: str = "edge",
    asked: float | None = 1.0,
    guess: float = 0.3,
    nodes: float = NODES,
    options: str = "{}",
    sound: float | None = None,
    **more: str,
) -> pd.DataFrame:
    """A setting with a run for each value."""
    private = asked is not None
    row: dict[str, object] = {"graph": "ring", "dataset": "ring", "method": method, "title": method, "options": options}
    row |= {"unit": unit if private else "none", "asked": asked, "guess": guess, "test_nodes": nodes}
    row |= {"epsilon": (sound or asked) if private else float("inf"), "delta": 1e-5}
    row |= {"epsilon_as_published": None, "epsilon_audited": None, "data_dependent": False, "seconds": 1.0}
    row |= {"source": "own", **FULL}
    row |= {"neighbours": "frozen roster" if unit == "node" else "undirected edge", **more}
    seeds = [
        {**row, "run": f"{method}-{unit}-{asked}-{at}", "seed": at, "accuracy": value}
        for at, value in enumerate(values)
    ]
    numbers = ("asked", "epsilon", "epsilon_as_published", "epsilon_audited")
    return pd.DataFrame(seeds).astype(dict.fromkeys(numbers, "float64"))


def advised(*frames: pd.DataFrame, unit: str = "edge") -> list[advice.Advice]:
    return advice.advise(pd.concat(frames, ignore_index=True), unit)


def verdicts(one: advice.Advice) -> dict[str, Verdict]:
    return {method.method: method.verdict for method in one.methods}


MLP = runs("mlp", [0.50, 0.51, 0.52], asked=None)


def test_pairs_hide_no_difference_that_every_split_has_in_common() -> None:
    one, other = runs("gap", [0.60, 0.70, 0.80]), runs("progap", [0.55, 0.66, 0.75])
    found = advice.difference(one, other)
    expected = stats.ttest_rel(one.accuracy, other.accuracy).confidence_interval(0.95)
    assert found[1:] == pytest.approx(tuple(expected))
    assert advice.better(one, other)
    assert not advice.better(other, one)
    assert advice.difference(one, other.iloc[::-1]) == found, "a pair is of one seed, in whatever order runs ended"


def test_no_interval_is_narrower_than_the_test_nodes_allow() -> None:
    """Seeds that agree are no certainty: their answers are counted once."""
    one, other = runs("gap", [0.6] * 3, nodes=100), runs("progap", [0.5] * 3, nodes=100)
    found = advice.difference(one, other)
    half = stats.norm.ppf(0.975) * ((0.6 * 0.4 + 0.5 * 0.5) / 100) ** 0.5
    assert found[1:] == pytest.approx((0.1 - half, 0.1 + half))
    assert not advice.better(one, other)
    assert advice.better(runs("gap", [0.6] * 3), runs("progap", [0.5] * 3))


def test_of_many_methods_each_must_differ_more() -> None:
    one, other = runs("gap", [0.60, 0.63, 0.62, 0.65]), runs("progap", [0.55, 0.55, 0.60, 0.60])
    rest = [runs(name, [0.55, 0.55, 0.60, 0.60]) for name in ("edge-rand", "dp-gnn", "dp-mlp", "heter-poisson")]
    low = runs("mlp", [0.35, 0.36, 0.355], asked=None)
    two, many = advised(low, one, other)[0], advised(low, one, other, *rest)[0]
    assert (two.outcome, two.take) == (Outcome.TAKE, ("gap",))
    assert many.outcome is Outcome.OPEN
    assert set(many.take) > {"gap", "progap"}


def test_edges_are_compared_with_a_model_that_reads_none() -> None:
    below = advised(MLP, runs("gap", [0.48, 0.50, 0.49]), runs("progap", [0.40, 0.41, 0.42]))[0]
    assert (below.outcome, below.take) == (Outcome.BASELINE, ("mlp",))
    kept = {"gap": Verdict.BASELINE, "progap": Verdict.BASELINE, "mlp": Verdict.REFERENCE}
    assert verdicts(below) == kept
    assert below.methods[-1].method == "mlp", "the baseline has a row of its own"
    idle = runs("mlp", [0.30, 0.31, 0.29], asked=None)
    above = advised(idle, runs("gap", [0.48, 0.50, 0.49]), runs("progap", [0.40, 0.41, 0.42]))[0]
    assert (above.outcome, above.take) == (Outcome.TAKE, ("gap",)), "a baseline no better than guessing is none"


def test_a_weaker_promise_at_a_smaller_epsilon_takes_no_ones_place() -> None:
    full = {"neighbours": "node record", "release": "model"}
    weak = runs("heter-poisson", [0.70, 0.71, 0.72], unit="node", release="weights")
    small = weak, runs("dp-mlp", [0.50, 0.51, 0.52], unit="node", **full)
    large = [
        runs(name, [mean, mean + 0.01, mean + 0.02], unit="node", asked=4.0, **full)
        for name, mean in (("dp-mlp", 0.6), ("gap", 0.5))
    ]
    first, second = advised(*small, *large, unit="node")
    assert first.take == ("heter-poisson",)
    assert (second.outcome, second.take, second.at) == (Outcome.TAKE, ("dp-mlp",), 4.0)


def test_what_does_not_keep_its_target_is_left_out() -> None:
    lies = runs("gap", [0.9, 0.91, 0.92], sound=1.5)
    found = advised(MLP, lies, runs("progap", [0.7, 0.71, 0.72]), runs("edge-rand", [0.6, 0.61, 0.62]))[0]
    assert found.take == ("progap",)
    assert "gap" not in verdicts(found)


def test_costs_are_points_below_the_network_without_privacy() -> None:
    network = runs("gnn", [0.80, 0.81, 0.82], asked=None)
    found = advised(network, MLP, runs("gap", [0.70, 0.71, 0.72]), runs("progap", [0.6, 0.61, 0.62]))
    first = found[0].methods[0]
    student = stats.t.interval(0.95, 2, loc=0.71, scale=0.01 / 3**0.5)
    assert (first.low, first.high) == pytest.approx(student)
    assert (first.cost, first.cost_low, first.cost_high) == pytest.approx((10, 10, 10), abs=1)
    table = advice.table(found)
    assert list(table.cost.round(6)) == [10.0, 20.0, 30.0]
    assert list(table.verdict) == ["best", "worse", "baseline"]
    elsewhere = runs("gnn", [0.80, 0.81, 0.82], asked=None, nodes=50)
    assert advised(elsewhere, MLP, runs("gap", [0.7, 0.71, 0.72]), runs("progap", [0.6] * 3))[0].methods[0].cost is None


def test_a_rule_of_chance_keeps_its_promise() -> None:
    """Six methods that are alike: one of them is called best in at most 5% of draws."""
    rng, called = np.random.default_rng(1), 0
    names = ("gap", "progap", "edge-rand", "dp-gnn", "dp-mlp", "heter-poisson")
    for _ in range(60):
        frames = [runs(name, list(0.6 + 0.02 * rng.standard_normal(5))) for name in names]
        called += advised(MLP, *frames)[0].outcome is Outcome.TAKE
    assert called <= 8
    frames = [runs(name, list(0.6 + 0.02 * rng.standard_normal(5) + 0.2 * (name == "gap"))) for name in names]
    assert advised(MLP, *frames)[0].take == ("gap",)


def test_settings_have_intervals_over_seeds_and_the_largest_epsilon() -> None:
    frame = pd.concat([runs("gap", [0.5, 0.6, 0.7]), runs("progap", [0.5, 0.6], sound=0.9)], ignore_index=True)
    frame.loc[1, "epsilon"] = 1.25
    table = summary.settings(frame)
    gap, progap = table.iloc[0], table.iloc[1]
    half = stats.t.ppf(0.975, 2) * 0.1 / 3**0.5
    assert (gap["mean"], gap.low, gap.high) == pytest.approx((0.6, 0.6 - half, 0.6 + half))
    assert gap.epsilon == 1.25
    assert gap.runs == list(frame.run[:3])
    assert pd.isna(progap.low)
    assert progap.seeds == 2


def test_the_worst_attack_on_any_run_stands_for_a_setting() -> None:
    frame = runs("gap", [0.5, 0.6, 0.7])
    attacks = [
        replace(made_attack(run, memory=memory), areas=(area,), true_rates=((0.0, 0.0, 0.0),))
        for run, area, memory in (
            (frame.run[0], 0.5, 0.0),
            (frame.run[1], 0.9, 2.0),
            (frame.run[1], 0.5, 0.0),
            (frame.run[2], 0.6, 0.5),
        )
    ]
    (row,) = summary.settings(frame, attacks).itertuples()
    assert (row.attack, row.attack_low, row.attack_high) == attacks[1].found
    assert row.attack > max(one.found[0] for one in (attacks[0], *attacks[2:]))


def test_what_a_tuning_tried_is_no_run_of_a_setting(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    own, tried = (made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said) for seed in range(2))
    mark = Mark(tuning="tune-progap-0", trial=Trial.RELEASED, terms=TERMS)
    assert list(summary.of_records([own, replace(tried, tuning=mark)]).run) == [own.id]
