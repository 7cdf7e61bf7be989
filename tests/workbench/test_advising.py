"""What the paragraph says to take on a graph, and why."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.advised_runs import filled, finished

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, advising, comparing, one_sentence, promising, stretches
from privgraph_workbench.facts.covering import Promised
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words import markup


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def test_what_is_clearly_best_is_taken_and_what_it_is_above_is_told(store: RunStore) -> None:
    records = filled(
        store,
        {"gap": [0.50, 0.51, 0.52], "progap": [0.70, 0.71, 0.72]},
        {"mlp": 0.4, "gnn": 0.9},
    )
    said = advising.verdict(records, "edge")
    small, line = said.stretches
    assert (small.epsilons, small.kind, small.takes) == ((1.0,), "one", ("progap",))
    assert (line.epsilons, line.kind, line.takes) == ((4.0,), "one", ("progap",))
    assert line.text == (
        "ε 4 (weak protection): take ProGAP, 81.0% (78.5% to 83.5%), costs 9 points (7 to 11). Clearly above GAP, the "
        "next best, by +20.0 points (the same in every seed) and MLP (ignores edges) by +41.0 points (+38.5 to +43.5)."
    )
    assert said.settled
    assert said.heading == (
        "To hide edges (test accuracy; costs are points below a graph network without privacy, 90.0%):"
    )
    assert "no ε here pays for it" in said.text


@pytest.mark.parametrize(
    ("shipped", "said"),
    [
        ((), ""),
        (("gap",), "As run, 3 of the 6 private models behind this protect nobody: their noise is public."),
        (("gap", "progap"), "As run, the private models behind this protect nobody: their noise is public."),
    ],
)
def test_that_the_noise_behind_the_advice_is_public_is_said(
    store: RunStore, shipped: tuple[str, ...], said: str
) -> None:
    secret = made_runs.statement(made_runs.edge_entries(9))
    for name, accuracy in (("gap", 0.6), ("progap", 0.7)):
        for seed in range(3):
            spec = made_runs.spec(name, epsilon=1.0, seed=seed, unit="edge")
            made_runs.finish(store, spec, accuracy, with_public_noise(secret) if name in shipped else secret)
    told = advising.verdict(list(store.find()), "edge")
    assert told.public == said
    assert (advising.SECRET in told.text) == bool(shipped)


def test_each_range_of_budgets_has_its_own_advice(store: RunStore) -> None:
    """One average would hide where a lead is clear: nothing below, one method between, several above."""
    accuracies = {
        "progap": {0.5: 0.5, 1.0: 0.5, 2.0: 0.7, 4.0: 0.9, 8.0: 0.95},
        "gap": {0.5: 0.49, 1.0: 0.5, 2.0: 0.6, 4.0: 0.89, 8.0: 0.94},
    }
    for name, reached in accuracies.items():
        for epsilon, accuracy in reached.items():
            said = made_runs.statement(made_runs.edge_entries(20))
            for seed, off in enumerate((-0.01, 0.0, 0.01) if name == "gap" else (0.01, 0.0, -0.01)):
                spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="edge")
                made_runs.finish(store, spec, accuracy + off, said)
    bare = made_runs.statement((), unit="none")
    for seed in range(3):
        made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=seed), 0.51, bare)
    told = advising.verdict(list(store.find()), "edge")
    assert [(one.span, one.kind, one.takes) for one in told.stretches] == [
        ("ε 0.5 to 1", "blind", ("mlp",)),
        ("ε 2", "one", ("progap",)),
        ("ε 4", "several", ("progap", "gap")),
        ("ε 8", "several", ("progap", "gap")),
    ]
    assert told.stretches[3].text == (
        "ε 8 (next to no protection): no clear winner: ProGAP, 95.0% (92.5% to 97.5%); or GAP, 94.0% (91.5% to 96.5%). "
        "Not clearly above GAP: +1.0 points (−4.0 to +6.0), 3 seeds. Clearly above MLP (ignores edges) by +44.0 points "
        "(+41.5 to +46.5)."
    )


def test_a_higher_mean_alone_is_no_reason_to_pay_for_noise(store: RunStore) -> None:
    """Intervals that meet that of a model without edges: it is taken. What is clearly better leads, though
    another has a higher mean."""
    records = filled(store, {"gap": [0.60, 0.62, 0.64], "progap": [0.64, 0.70, 0.76]}, {"mlp": 0.67})
    low, high = advising.verdict(records, "edge").stretches
    assert (low.kind, low.takes, low.worth) == ("blind", ("mlp",), "hides every edge"), "whatever the budget"
    assert low.why.endswith("is clearly better: the best, ProGAP, has 70.0% (55.1% to 84.9%) at ε 1.")
    assert (high.kind, high.takes) == ("one", ("gap",)), "at ε 4 80.0%, 65.1% to 94.9%"
    higher = "ProGAP's mean is higher (80.0%), but its 3 seeds (65.1% to 94.9%) do not tell it from MLP (ignores edges)"
    assert high.aside == f"{higher} (67.0%)."
    assert [line[0] for line in high.lines] == ["GAP"], "no choice: what may be no better than what is free"
    assert (high.verdict, low.verdict) == ("too few seeds", "too few seeds")
    to_tell = "too few seeds: about 18 of each may tell it from ProGAP (70.0%)"
    assert low.sure == f"{to_tell}; ProGAP is higher, but not clearly", "GAP is clearly below"
    assert not high.clear
    assert high.told.startswith("take GAP (ProGAP may be better), 72.0% (")
    assert high.short.startswith("GAP 72.0% (too few seeds: about "), "it is drawn above: it is named"
    assert high.short.endswith(" of each may tell it from ProGAP (80.0%))")
    assert high.sure.endswith("; ProGAP is higher, but not clearly above MLP (ignores edges) (67.0%)")
    at_4 = next(row for row in tradeoff.data(records) if row["method"] == "gap" and row["asked"] == 4.0)
    said = advising.verdict(records, "edge")
    assert advised.of_row(at_4, said) == "take (ProGAP may be better)", "table, caption and numbers by one rule"
    assert advised.with_verdict(at_4, said) == "take: too few seeds", "on the page"
    few = advised.VERDICTS["too few seeds"]
    assert [line for line in advised.beneath(said) if line in advised.VERDICTS.values()] == [few], "of no other verdict"
    assert few not in advised.beneath(said, verdicts=()), "where it is said once of several tables"
    assert advised.lines(said).count(markup.literal(high.aside)) == 1, "among the reasons, and not in small print"


def test_a_budget_at_which_more_seeds_may_tell_is_told_apart_from_those_at_which_they_do_not(store: RunStore) -> None:
    """ProGAP is 24 points above the MLP at ε 2, GAP near it at both: of ProGAP at ε 2 seeds are asked."""
    reached = {"progap": {1.0: [0.44, 0.46, 0.45], 2.0: [0.55, 0.85, 0.67]}, "gap": dict.fromkeys((1.0, 2.0), None)}
    for name, budgets in reached.items():
        for epsilon, told in budgets.items():
            for seed, accuracy in enumerate(told or [0.40, 0.45, 0.50]):
                spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="edge")
                made_runs.finish(store, spec, accuracy, made_runs.statement(made_runs.edge_entries(9)))
    for seed, accuracy in enumerate((0.42, 0.46, 0.48)):
        spec, bare = made_runs.spec("mlp", unit="none", seed=seed), made_runs.statement((), unit="none")
        made_runs.finish(store, spec, accuracy, bare)
    said = advising.verdict(list(store.find()), "edge")
    small, large = said.stretches
    assert (small.kind, small.word, small.epsilons) == ("blind", "not told apart", (1.0,))
    assert (large.kind, large.word, large.epsilons) == ("blind", "too few seeds", (2.0,))
    assert {one.method for one in large.needed} == {"mlp", "progap"}, "GAP would not be told, nor need it be"
    assert large.against == ("ProGAP (69.0%)",)
    assert 3 < large.seeds < 20
    assert f"at ε 2 ProGAP (69.0%) may be (about {large.seeds} seeds of each may tell)" in one_sentence.told(said)
    short = advised.in_short(said)
    assert short == f"{advised.SHORT}To hide edges: {one_sentence.told(said)}", "as the page Trade-offs says it"


def test_no_or_is_worse_than_what_costs_no_noise(store: RunStore) -> None:
    """GAP's wide interval meets that of the best and that of the MLP: it stands beside the table."""
    records = filled(store, {"gap": [0.42, 0.52, 0.58], "progap": [0.60, 0.61, 0.62]}, {"mlp": 0.513})
    (low, *_) = advising.verdict(records, "edge").stretches
    assert (low.kind, low.takes) == ("one", ("progap",))
    assert "or" not in {one.title for one in low.candidates}
    assert low.aside == ("GAP (50.7%) is not told apart from ProGAP, nor from MLP (ignores edges) (51.3%): 3 seeds.")


def test_costs_are_counted_from_a_method_without_noise_where_no_network_ran(store: RunStore) -> None:
    records = filled(
        store, {"gap": [0.50, 0.51, 0.52], "progap": [0.70, 0.71, 0.72]}, {"mlp": 0.4, "progap": 0.88, "gap": 0.85}
    )
    networks = comparing.networks([records[0].spec], records)
    said = advising.verdict(records, "edge", (), networks)
    assert said.stretches[0].candidates[0].cost == "17"
    assert "points below ProGAP without privacy, 88.0%" in advised.below(said)
    assert f", {advised.SHARED}. " in advised.below(said)
    apart = [replace(one, stored_spec=replace(one.spec, seed=place)) for place, one in enumerate(records)]
    unshared = advising.verdict(apart, "edge", (), comparing.networks([apart[0].spec], apart))
    assert f", {advised.OF_MEANS}. " in advised.below(unshared), "no seed is that of two settings"
    wanted = comparing.specs("karate", "edge")
    lacks = comparing.lacking(wanted, {one.id for one in records}, said.network)
    assert "gnn" in {one.method for one in lacks}, "a plain network is still to run"


@pytest.mark.long
def test_what_would_settle_a_choice_is_so_many_seeds_and_they_do(store: RunStore) -> None:
    """Seeds of the same mean and spread, as many as were said, are told apart; one fewer are not. The button
    trains the ones that lack."""

    def finish(name: str, count: int, mean: float, spread: float) -> None:
        off = spread * (1 if count % 2 else math.sqrt((count - 1) / count)) * (1 if name == "gap" else -1)
        said = made_runs.statement(made_runs.edge_entries(3))
        for seed in range(count):
            accuracy = mean + (off if seed % 2 else -off if seed < count - count % 2 else 0.0)
            made_runs.finish(store, made_runs.spec(name, epsilon=4.0, seed=seed, unit="edge"), accuracy, said)

    finish("gap", 4, 0.60, 0.04)
    finish("progap", 4, 0.65, 0.04)
    (line,) = advising.verdict(list(store.find()), "edge").stretches
    seeds = {one.seeds for one in line.needed}
    assert {(one.method, one.epsilon) for one in line.needed} == {("gap", 4.0), ("progap", 4.0)}
    (more,) = seeds
    assert line.why.startswith("Not clearly above GAP: +5.0 points (−")
    assert line.why.endswith("), 4 seeds.")
    for count, kind in ((more, "one"), (more - 1, "several")):
        for one in store.find():
            store.delete(one.id)
        finish("gap", count, 0.60, 0.04)
        finish("progap", count, 0.65, 0.04)
        assert [one.kind for one in advising.verdict(list(store.find()), "edge").stretches] == [kind]
    wanted = comparing.specs("karate", "edge")
    runs = comparing.settling(line.needed, wanted)
    assert len(runs) == 2 * more
    assert {(one.method, one.asked_epsilon) for one in runs} == {("gap", 4.0), ("progap", 4.0)}
    assert {one.id for one in wanted if one.asked_epsilon == 4.0 and one.method == "gap"} <= {one.id for one in runs}


def test_what_no_number_of_seeds_would_tell_is_said_to_be_near(store: RunStore) -> None:
    records = filled(store, {"gap": [0.60, 0.65, 0.70], "progap": [0.701, 0.651, 0.601]}, {"mlp": 0.4})
    for line in advising.verdict(records, "edge").stretches:
        assert line.why.startswith("Not clearly above GAP: +0.1 points (−")
        assert not line.needed


def test_what_a_smaller_budget_gives_is_not_lost_at_a_larger_one(store: RunStore) -> None:
    """A guarantee at ε 4 is one at ε 8 and at ε 16, where a method is worse, or none helps."""
    steady, wide = [0.59, 0.60, 0.61], [0.20, 0.62, 0.99]
    records = finished(
        store,
        {
            "dp-mlp": {4.0: steady, 8.0: [0.54, 0.55, 0.56], 16.0: [0.41, 0.39, 0.40]},
            "gap": {4.0: [0.49, 0.50, 0.51], 8.0: [0.49, 0.50, 0.51], 16.0: wide},
        },
    )
    small, worse, large = advising.verdict(records, "node").stretches
    nothing = "nothing is clearly better: at best"
    assert (small.span, small.kind) == ("ε 4", "one")
    assert (worse.span, worse.kind, worse.takes, worse.sure) == (
        "ε 8",
        "before",
        (),
        f"clear; {nothing} DP-MLP (reads no edge), 55.0% (52.5% to 57.5%)",
    )
    assert (large.span, large.kind, large.takes) == ("ε 16", "before", ())
    assert large.sure.startswith(f"not told apart from GAP (60.3%); {nothing} GAP, 60.3% (")
    assert large.told.startswith("stay at ε 4, where DP-MLP (reads no edge) has 60.0% (")
    assert large.lines[0][0] == "DP-MLP, as at ε 4"
    assert large.lines[0][1].startswith("60.0% ("), "what is taken reaches that"
    assert large.protection == "that of ε 4: weak: ≤ 98.3%"
    assert large.why.startswith(
        "What is promised at ε 4 is promised here. No method is clearly better here: the best, GAP"
    )


def test_all_that_cannot_be_told_apart_is_named_and_why(store: RunStore) -> None:
    """Whatever is not clearly above a guess stands aside."""
    records = finished(
        store,
        {
            "dp-mlp": {4.0: [0.69, 0.70, 0.71]},
            "heter-poisson": {4.0: [0.63, 0.64, 0.65]},
            "gap": {4.0: [0.66, 0.69, 0.72]},
            "progap": {4.0: [0.65, 0.69, 0.72]},
            "dp-gnn": {4.0: [0.30, 0.55, 0.80]},
        },
    )
    (line,) = advising.verdict(records, "node").stretches
    assert line.kind == "several"
    assert line.why.startswith("Not clearly above GAP: +1.0 points (−")
    assert "), 3 seeds. Nor is DP-MLP clearly above ProGAP. " in line.why
    assert [one[0] for one in line.lines] == ["DP-MLP (reads no edge)"]
    assert line.tied == 3
    assert line.sure == "not told apart from GAP (69.0%) and ProGAP (68.7%)", "who stands aside is none"
    assert line.aside.startswith("DP-GNN (55.0%) is not told apart from DP-MLP, nor from a guess (40.0%)")


def test_a_network_is_the_most_accurate_one_whatever_its_options(store: RunStore) -> None:
    """The figure draws that one, too."""
    records = filled(store, {"gap": [0.5, 0.51, 0.52], "progap": [0.7, 0.71, 0.72]}, {"mlp": 0.4, "gnn": 0.86})
    for seed in range(3):
        other = made_runs.spec("gnn", unit="none", seed=seed, conv="gcn")
        made_runs.finish(store, other, 0.88, made_runs.statement((), unit="none"))
    networks = comparing.networks([records[0].spec], list(store.find()))
    assert len(networks) == 6
    said = advising.verdict(records, "edge", (), networks).text
    assert "; costs are points below a graph network without privacy, 88.0%)" in said
    assert "take ProGAP, 81.0% (78.5% to 83.5%), costs 7 points" in said
    assert "86.0%" not in said


def test_what_is_taken_says_what_it_promises(store: RunStore) -> None:
    records = filled(store, {"gap": [0.60, 0.62, 0.64], "progap": [0.80, 0.81, 0.82]}, {"mlp": 0.75})
    said = advising.verdict(records, "edge")
    (told,) = promising.promises(records, said)
    assert told.method == "progap"
    assert told.text.startswith("hides one connection (edge), δ = ")
    assert "May be released: " in told.text
    run = store.get(told.run)
    assert (run.spec.method, run.spec.asked_epsilon, run.spec.seed) == ("progap", told.epsilon, 0)
    assert told.epsilon == said.stretches[0].epsilons[0], "of the budget at which it is taken"
    blind = advising.Verdict(
        unit="edge", stretches=(stretches.Stretch(epsilons=(1.0,), kind="blind", takes=("mlp",), told="", why=""),)
    )
    (told,) = promising.promises(records, blind)
    assert "It protects no person." in told.text
    assert not told.run, "of a run that protects nothing nobody is sent there"


def test_people_are_never_told_to_take_a_model_that_protects_nobody(store: RunStore) -> None:
    for name, accuracy in (("gap", 0.5), ("dp-mlp", 0.6)):
        for seed in range(3):
            said = made_runs.statement(made_runs.node_entries(2.0), unit="node")
            spec = made_runs.spec(name, epsilon=2.0, seed=seed, unit="node")
            made_runs.finish(store, spec, accuracy + seed / 100, said)
    for seed in range(3):
        bare = made_runs.statement((), unit="none")
        made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=seed), 0.7, bare)
    told = advising.verdict(list(store.find()), "node")
    (line,) = told.stretches
    assert (line.kind, line.takes) == ("one", ("dp-mlp",))
    assert "ignores edges" not in line.text
    assert line.told.startswith("take DP-MLP (reads no edge), 61.0%"), "what reads none says so"
    assert told.heading == (
        "To hide people (test accuracy): at no ε compared is a method clearly better than a model that reads no edge "
        "and protects nobody (70.0%)."
    )


def test_where_no_method_beats_a_guess_that_is_said_first(store: RunStore) -> None:
    """Naming the largest class for everybody is as good: nothing is taken, whatever has the highest mean."""
    for name, accuracy in (("gap", 0.38), ("dp-mlp", 0.41)):
        for seed, off in enumerate((-0.03, 0.0, 0.03)):
            said = made_runs.statement(made_runs.node_entries(2.0), unit="node")
            spec = made_runs.spec(name, epsilon=2.0, seed=seed, unit="node")
            made_runs.finish(store, spec, accuracy + off, said)
    records = [replace(one, metrics={**one.metrics, "majority_class_accuracy": 0.4}) for one in store.find()]
    told = advising.verdict(records, "node")
    (line,) = told.stretches
    assert told.heading == (
        "To hide people (test accuracy): don't: over 3 seeds, no method is shown to beat a guess (40.0%) at any ε "
        "compared."
    )
    assert (line.kind, line.takes, line.told) == ("nothing", (), "no method is shown to beat a guess (3 seeds)")
    assert line.short == "don't: not shown to beat a guess", "its intervals are narrow"
    assert not told.settled
    better = [replace(one, metrics={**one.metrics, "majority_class_accuracy": 0.2}) for one in records]
    assert advising.verdict(better, "node").stretches[0].takes[0] == "dp-mlp", "half of that is clearly beaten"


def test_wide_intervals_leave_open_whether_a_guess_is_beaten(store: RunStore) -> None:
    """Three seeds of 49% on average, from 39 to 60, are no evidence that a guess of 40% does as well."""
    at = {1.0: [0.45, 0.49, 0.54], 4.0: [0.79, 0.80, 0.81]}
    records = finished(store, {"dp-mlp": at, "gap": {**at, 4.0: [0.60, 0.61, 0.59]}})
    wide, _ = advising.verdict(records, "node").stretches
    assert (wide.kind, wide.wide, wide.short) == ("nothing", True, "too few seeds to say")
    told = advising.verdict(records, "node")
    assert (told.stretches[0].verdict, told.closing) == ("too few seeds", "")
    alone = advising.verdict([one for one in records if one.spec.asked_epsilon in (None, 1.0)], "node")
    assert alone.lead == " don't yet: too few seeds to say (3 seeds) whether any method beats a guess (40.0%)."
    assert not alone.closing, "said once"
    for words in (told.text, alone.text, advised.lines(told), advised.lines(alone)):
        assert "too few seeds to say" in words
        assert "as good" not in words


def test_no_seeds_are_offered_where_one_rival_would_stay(store: RunStore) -> None:
    """A clear winner needs all rivals told apart: seeds against the third do nothing about the second."""
    values = {"progap": [0.771, 0.801, 0.831], "edge-rand": [0.82, 0.78, 0.80], "gap": [0.77, 0.72, 0.76]}
    filled(store, values, {"mlp": 0.3})
    records = [one for one in store.find() if one.spec.asked_epsilon in (None, 1.0)]
    (line,) = advising.verdict(records, "edge").stretches
    assert (line.kind, line.needed, line.word) == ("several", (), "not told apart"), "they may be further apart"
    assert line.alike.startswith("+0.1 points")
    (far,) = advising.verdict([one for one in records if one.spec.method != "edge-rand"], "edge").stretches
    assert far.kind == "several"
    assert far.needed, "of these two more seeds do"
    assert (far.alike, far.word) == ("", "too few seeds")


def test_what_is_next_to_equal_by_its_interval_is_a_tie(store: RunStore) -> None:
    filled(store, {"progap": [0.791, 0.801, 0.811], "edge-rand": [0.800, 0.795, 0.805]}, {"mlp": 0.3})
    (line, *_) = advising.verdict(list(store.find()), "edge").stretches
    assert (line.kind, line.needed, line.word) == ("several", (), "tie")
    assert line.sure == "tie with EdgeRand (80.0%)"
    assert line.alike.startswith("+0.1 points")


def test_the_delta_of_each_epsilon_is_told_of_what_promises_something() -> None:
    def at(delta: float, *promised: Promised) -> stretches.Stretch:
        return stretches.Stretch(epsilons=(1.0,), kind="one", takes=(), told="", why="", delta=delta, promised=promised)

    gap = ("GAP", "undirected edge")
    assert advised.deltas(advising.Verdict(unit="edge", stretches=(at(1e-3),))) == ""
    several = (at(1e-4, gap), at(1e-6, gap), at(1e-3))
    assert advised.deltas(advising.Verdict(unit="edge", stretches=several)) == "Each ε is at δ = 1e-06 to 0.0001."
    assert advised.deltas(advising.Verdict(unit="edge", stretches=several[:1])) == "Each ε is at δ = 0.0001."


def test_what_ran_alone_at_its_budget_is_no_reason_to_leave_edges_out(store: RunStore) -> None:
    """At ε 1 two methods are no better than the MLP; at ε 2 ProGAP alone ran, far above it."""
    for name, budgets in {"progap": {1.0: 0.4, 2.0: 0.85}, "gap": {1.0: 0.4}}.items():
        for epsilon, accuracy in budgets.items():
            for seed, off in enumerate((-0.01, 0.0, 0.01)):
                spec = made_runs.spec(name, epsilon=epsilon, seed=seed, unit="edge")
                made_runs.finish(store, spec, accuracy + off, made_runs.statement(made_runs.edge_entries(9)))
    for seed in range(3):
        spec = made_runs.spec("mlp", unit="none", seed=seed)
        made_runs.finish(store, spec, 0.6 + seed / 100, made_runs.statement((), unit="none"))
    said = advising.verdict(list(store.find()), "edge")
    assert one_sentence.told(said).endswith("; ProGAP (85.0% at ε 2) ran alone at that ε, and is not compared.")
