"""What stands beside the advice: seeds, the network that costs are counted from, open questions, noise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.advised_runs import filled, finished

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, advising, comparing, few_nodes, stretches
from privgraph_workbench.figures.runs import tradeoff, tradeoff_marks


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def test_the_advice_has_the_seeds_of_what_is_taken(store: RunStore) -> None:
    records = filled(store, {"gap": [0.5, 0.51, 0.52], "progap": [0.7, 0.71, 0.72, 0.71]}, {"mlp": 0.4})
    ((first,), *_) = advised.table(advising.verdict(records, "edge"))
    assert dict(zip(advised.HEAD, first, strict=True))["Seeds"] == "4"


def test_the_advice_and_the_figure_have_the_same_guess(store: RunStore) -> None:
    """A baseline over more seeds, on other test nodes, moves neither."""
    records = finished(store, {"gap": {2.0: [0.38, 0.41, 0.44]}, "dp-mlp": {2.0: [0.37, 0.40, 0.43]}})
    bare = made_runs.statement((), unit="none")
    for seed in range(5):
        run = made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=seed), 0.5, bare)
        records.append(replace(run, metrics={**run.metrics, "majority_class_accuracy": 0.35}))
    told = advising.verdict(records, "node")
    assert "than a guess (40.0%)" in told.stretches[0].why
    drawn = [one for one in tradeoff.chart(tradeoff.data(records)).series if one.name == tradeoff_marks.GUESS]
    assert [one.y for one in drawn] == [pytest.approx((0.4,))]


def test_where_too_little_has_run_nothing_is_advised(store: RunStore) -> None:
    records = filled(store, {"gap": [0.2, 0.5, 0.8]}, {"mlp": 0.3})
    said = advising.verdict(records, "edge", ["gap", "progap", "edge-rand"])
    assert said.heading == "Too little has run to say what hides edges best: ProGAP, EdgeRand have not run."
    assert [one.takes for one in said.stretches] == [()]
    assert "take" not in said.text
    assert not said.settled


def test_a_reference_that_ran_at_other_options_is_not_called_missing_without_a_word(store: RunStore) -> None:
    wanted = comparing.specs("karate", "edge")
    done = {one.id for one in wanted if one.method != "gnn"}
    assert "Graph network (not private) (3 runs)" in comparing.known_words(wanted, done, 9)
    told = comparing.known_words(wanted, done, 9, {"gnn"})
    assert "Graph network (not private) (3 runs; further ones here have other options)" in told


def test_the_network_that_costs_are_counted_from_is_not_missing(store: RunStore) -> None:
    """Whatever its options: a comparison that counts costs from it does not lack another one."""
    records = filled(store, {"gap": [0.5, 0.51, 0.52], "progap": [0.7, 0.71, 0.72]}, {"mlp": 0.4})
    wanted = comparing.specs("karate", "edge")
    done = {one.id for one in wanted if one.method != "gnn"}
    for seed in range(3):
        other = made_runs.spec("gnn", unit="none", seed=seed, conv="gcn")
        made_runs.finish(store, other, 0.88, made_runs.statement((), unit="none"))
        networks = comparing.networks([records[0].spec], list(store.find()))
        network = advising.verdict(records, "edge", (), networks).network
        lacks = comparing.lacking(wanted, done, network)
        assert [one.method for one in lacks] == ([] if seed == 2 else ["gnn"] * 3), "one seed tells no mean"
    assert comparing.known_words(wanted, done, 9, {"gnn"}, network).endswith(
        "Every method and epsilon of the comparison has run."
    )
    open_ = [stretches.Needed(method="gap", epsilon=epsilon, seeds=9) for epsilon in (8.0, 1.0)]
    said = comparing.known_words(wanted, done, 9, {"gnn"}, network, open_)
    assert said.endswith("has run; ε 1 and 8 need more seeds.")
    assert "88.0%, 3 seeds." in comparing.network_words(network)
    assert "no cost is known" in comparing.network_words(None)


def test_relations_are_judged_by_what_there_is_to_reach_and_by_their_score(store: RunStore) -> None:
    """No method comes near 100% of PREC@1: a tie is within a share of what is reached without privacy."""
    options: dict[str, object] = {"trained_on": "garden"}
    reached = {"relational": [0.13, 0.14, 0.15], "relation-rand": [0.01, 0.02, 0.03]}
    for name, told in reached.items():
        for seed, share in enumerate(told):
            said = made_runs.statement(made_runs.edge_entries(9))
            made_runs.finish(
                store, make_spec(name, "products", {**options, "unit": "edge", "epsilon": 4.0}, seed=seed), share, said
            )
    for seed in range(3):
        bare = make_spec("relational", "products", {**options, "unit": "none"}, seed=seed)
        made_runs.finish(store, bare, 0.2 + seed / 100, made_runs.statement((), unit="none"))
    said = advising.verdict(list(store.find()), "edge")
    assert said.score == advising.PREC
    assert said.margin == pytest.approx(0.05 * 0.21)
    assert advised.head(said)[2] == "PREC@1"
    assert "| PREC@1 |" in advised.lines(said)
    tie = replace(said, stretches=tuple(replace(one, kind="several", tied=2, aside="") for one in said.stretches))
    (meant,) = advised.verdict_words(tie)
    assert meant.startswith("Tie: the 95% interval of the difference lies within ±5% of the highest PREC@1")
    assert meant.endswith("(here ±1.1 points).")
    both = advised.verdict_words(tie, replace(tie, score=advising.ACCURACY, margin=0.05))
    assert both == [advised.VERDICTS["tie"], meant]


def test_the_network_that_costs_are_counted_from_gets_as_many_seeds_as_methods(store: RunStore) -> None:
    wanted = comparing.specs("karate", "edge")
    network = made_runs.spec("gnn", unit="none", seed=2, conv="gcn")
    needed = [stretches.Needed(method=name, epsilon=1.0, seeds=more) for name, more in (("gap", 5), ("mlp", 4))]
    runs = comparing.settling(needed, wanted, network)
    held = {name: [one.seed for one in runs if one.method == name] for name in ("gnn", "gap", "mlp")}
    assert held == {"gnn": list(range(5)), "gap": list(range(5)), "mlp": list(range(4))}
    assert {one.options["conv"] for one in runs if one.method == "gnn"} == {"gcn"}, "the one that was compared with"
    assert comparing.settling([], wanted, network) == []


@pytest.mark.parametrize(
    ("nodes", "mean", "seeds", "said"),
    [
        (5, 0.5, 3, "5 test nodes: differences below 36 points cannot be told here with 3 seeds of each, nor below 14"),
        (45, 0.9, 1, "45 test nodes: differences below 12 points cannot be told here with 1 seed of each, nor below 3"),
        (5, 0.5, 20, "5 test nodes: differences below 14 points cannot be told here with 20 seeds of each."),
        (5, 1.0, 3, "5 test nodes: differences below 36 points"),
        (100, 0.5, 3, ""),
        (None, 0.5, 3, ""),
    ],
)
def test_what_few_test_nodes_cannot_tell_is_said(nodes: int | None, mean: float, seeds: int, said: str) -> None:
    row = {"asked": 1.0, "mean": mean, "test_nodes": nodes}
    told = few_nodes.warned([{**row, "asked": None, "test_nodes": 7}, row], None, seeds)
    assert told.startswith(said)
    assert bool(told) is bool(said)


def test_public_noise_is_told_only_where_something_that_adds_noise_is_taken(store: RunStore) -> None:
    spec = [
        made_runs.spec(name, unit="edge", seed=seed, epsilon=1.0) for name in ("gap", "progap") for seed in range(3)
    ]
    said = with_public_noise(made_runs.statement(made_runs.edge_entries(9)))
    for one in spec:
        made_runs.finish(store, one, 0.5 + one.seed / 100, said)
    for seed in range(3):
        asked = made_runs.spec("mlp", unit="none", seed=seed)
        made_runs.finish(store, asked, 0.9, made_runs.statement((), unit="none"))
    records = store.find()
    (line,) = advising.verdict(records, "edge").stretches
    assert (line.kind, line.protection) == ("blind", "every edge (ε 0), no person")
    assert advising.verdict(records, "edge").public == ""
    assert "protects no person" in advised.below(advising.verdict(records, "edge"))
    alone = [one for one in records if one.spec.method != "mlp"]
    told = advising.verdict(alone, "edge")
    assert "protect nobody" in told.public
    assert told.text.startswith(told.public), "before the advice on the command line"
    assert advised.words("Karate club", [told], 6).startswith(f"**{told.public}**"), "and in a report"


def test_of_people_the_last_word_is_to_leave_it_where_nothing_helps(store: RunStore) -> None:
    at = {1.0: [0.30, 0.31, 0.29], 4.0: [0.59, 0.60, 0.61]}
    records = finished(store, {"dp-mlp": at, "gap": {**at, 4.0: [0.50, 0.51, 0.49]}})
    assert not advising.verdict(records, "node").closing, "its row says it"
    for seed in range(3):
        asked = made_runs.spec("mlp", unit="none", seed=seed)
        records.append(made_runs.finish(store, asked, 0.9, made_runs.statement((), unit="none")))
    told = advising.verdict(records, "node")
    assert told.closing.startswith("Reading edges is not shown to help: at no ε compared is a method")
    assert "clearly better than DP-MLP." in told.closing
    assert told.closing in told.text
    assert list(advised.table(told)[0][0][:2]) == ["1", "don't: not shown to beat a guess"]
    low = advising.verdict([one for one in records if one.spec.asked_epsilon in (None, 1.0)], "node")
    assert (low.lead.partition(":")[0], low.closing) == (" don't", ""), "said once"


def test_one_seed_each_says_nothing(store: RunStore) -> None:
    said = advising.verdict(filled(store, {"gap": [0.5], "progap": [0.7]}, {}), "edge")
    assert said.heading == "Too little has run to say what hides edges best: ProGAP has fewer than three seeds."


def test_a_budget_at_which_one_method_ran_alone_says_nothing(store: RunStore) -> None:
    records = filled(store, {"gap": [0.5, 0.5, 0.5], "progap": [0.7, 0.7, 0.7]}, {"mlp": 0.4})
    alone = made_runs.spec("gap", epsilon=8.0, unit="edge")
    records.append(made_runs.finish(store, alone, 0.9, made_runs.statement(made_runs.edge_entries(2))))
    said = advising.verdict(records, "edge")
    assert [one.span for one in said.stretches] == ["ε 1", "ε 4"]
    assert "A single method has run at ε 8." in said.notes


def test_before_anything_is_done_nothing_is_recommended(store: RunStore) -> None:
    nothing = advising.verdict([], "edge")
    assert (nothing.methods, nothing.stretches, nothing.heading) == (0, (), "No method has a finished run yet.")
    assert advising.verdict(filled(store, {"gap": [0.5]}, {}), "edge").methods == 1
