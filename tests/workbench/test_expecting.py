"""What to expect of a run before it begins: from finished runs, and from its plan alone."""

from dataclasses import replace

import pytest
from tests.pages.kept_runs import keep, spec

from privgraph.data.spec import PublicFacts, in_two_domains
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import expecting
from privgraph_workbench.facts.plans import drowned
from privgraph_workbench.facts.references import without_privacy
from privgraph_workbench.figures.settings import setting_rows

SOCIAL = PublicFacts(nodes=600, edges=4800, entries=9600, features=32, classes=3, train_nodes=450)


def _kept(store: RunStore, *runs: tuple[float, float, int], **options: object) -> list[RunRecord]:
    """Finished runs of ProGAP: (epsilon, accuracy, seed)."""
    return [
        store.get(keep(store, spec(epsilon=epsilon, seed=seed, **options), accuracy=accuracy))
        for epsilon, accuracy, seed in runs
    ]


def _outlook(records: list[RunRecord], run: RunSpec) -> expecting.Outlook:
    return expecting.outlook(setting_rows(records), run)


def test_between_two_budgets_accuracy_is_straight_over_the_logarithm(store: RunStore) -> None:
    runs = [(1.0, 0.5 + seed / 100, seed) for seed in range(3)] + [(4.0, 0.8 + seed / 100, seed) for seed in range(3)]
    told = _outlook(_kept(store, *runs), spec(epsilon=2.0))
    low, high = told.points
    at = told.expected(2.0)
    for name in ("mean", "low", "high"):
        assert at[name] == pytest.approx((low[name] + high[name]) / 2)
    assert (told.expected(4.0), told.expected(0.1), told.expected(50.0)) == (high, None, None)
    assert _outlook([], spec(epsilon=2.0)).expected(2.0) is None


def test_the_nearest_settings_tell_and_say_in_what_they_differ(store: RunStore) -> None:
    few, many = _kept(store, (2.0, 0.9, 0), hidden=4), _kept(store, (2.0, 0.6, 0), (2.0, 0.7, 1), hidden=8)
    records = [*few, *many, *_kept(store, (2.0, 0.8, 0), hidden=8, depth=3)]
    for held in (records, records[::-1]):
        told = _outlook(held, spec(epsilon=2.0))
        assert (told.points[0]["mean"], told.differs, told.expected(2.0)) == (pytest.approx(0.65), ("Hidden",), None)
    assert _outlook(records, spec(epsilon=2.0, hidden=8)).differs == ()
    assert _outlook(records, spec("gap", epsilon=2.0)).points == (), "of another method they tell nothing"
    public = make_spec("progap", "karate", {"epsilon": 2.0}, split="inductive")
    assert _outlook(records, public).points == (), "of another split they tell nothing"


def test_a_budget_that_other_options_have_on_both_sides_is_told_by_these(store: RunStore) -> None:
    """Rather than by runs of the same options at a budget far above."""
    same, other = _kept(store, (8.0, 0.9, 0)), _kept(store, (1.0, 0.5, 0), (4.0, 0.6, 0), hidden=8)
    between, far = (_outlook([*same, *other], spec(epsilon=epsilon)) for epsilon in (2.0, 8.0))
    assert (between.differs, between.points[0]["asked"]) == (("Hidden",), 1.0)
    assert (far.differs, far.points[0]["asked"]) == ((), 8.0)


def test_what_an_accuracy_is_read_beside(store: RunStore) -> None:
    records = _kept(store, (2.0, 0.7, 0))
    records.append(store.get(keep(store, spec("mlp", unit="none"), accuracy=0.6)))
    records.append(store.get(keep(store, spec("progap", unit="none", hidden=8), accuracy=0.9)))
    told = _outlook(records, spec(epsilon=2.0))
    assert told.majority == 0.5
    assert (told.blind["mean"], told.bare["mean"]) == (pytest.approx(0.6), pytest.approx(0.9))
    assert _outlook(records, spec("privgnn", lam=0.4)).majority is None, "it draws parts of its own"


def test_private_and_public_nodes_are_those_of_the_run(store: RunStore) -> None:
    """A network that was trained on the run's own split has read other nodes, and is judged on others."""
    asked = spec("privgnn", lam=0.4, private=0.4)
    others = ({}, {"trained_on": "public", "private": 0.4}, {"trained_on": "private", "private": 0.5})
    records = [store.get(keep(store, spec("gnn", **one), accuracy=0.9)) for one in others]
    assert _outlook(records, asked).bare is None
    wanted = without_privacy(asked)
    records.append(store.get(keep(store, wanted, accuracy=0.7)))
    bare = _outlook(records, asked).bare
    assert bare["mean"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("method", "options", "edges"),
    [
        ("progap", {"unit": "edge"}, True),
        ("gap", {"unit": "edge"}, True),
        ("edge-rand", {}, True),
        ("dp-mlp", {}, False),
        ("heter-poisson", {"unit": "node"}, False),
    ],
)
def test_noise_drowns_the_signal_at_a_tiny_budget_and_not_at_a_large_one(
    method: str, options: dict[str, object], edges: bool
) -> None:
    worst = drowned(spec(method, epsilon=0.01, **options).config().plan(SOCIAL))
    assert worst.times > 1
    assert worst.edges is edges
    assert drowned(spec(method, epsilon=8.0, **options).config().plan(SOCIAL)) is None


def test_noise_on_sums_is_held_against_the_mean_degree() -> None:
    plan = spec(epsilon=0.25).config().plan(SOCIAL)
    worst = drowned(plan)
    assert worst.times == pytest.approx((plan.statement.ledger[0].noise_std or 0.0) / 16)


def test_domains_that_are_left_to_the_method_are_those_that_runs_name(store: RunStore) -> None:
    facts = in_two_domains(PublicFacts(nodes=2000, edges=4000, entries=8000, features=1, classes=12, train_nodes=1500))
    facts = replace(facts, domains=("kitchen", "garden"))
    named = {"trained_on": "kitchen", "tested_on": "garden", "shots": 16}
    ran = [
        store.get(keep(store, make_spec("relational", "products", {**named, "epsilon": 4.0}, seed=seed), facts=facts))
        for seed in range(3)
    ]
    told = _outlook(ran, make_spec("relational", "products", {"epsilon": 4.0}))
    assert (told.differs, told.relations) == ((), True)
    other = make_spec("relational", "products", {"trained_on": "garden", "epsilon": 4.0})
    assert len(_outlook(ran, other).differs) == 2
