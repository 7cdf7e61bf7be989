"""An accuracy that all seeds share is no certainty: what the test nodes leave open counts."""

from __future__ import annotations

from dataclasses import replace

from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advised, advising


def _records(store: RunStore, reached: dict[str, list[float]], test_nodes: int, guess: float) -> list[RunRecord]:
    said = made_runs.statement(made_runs.node_entries(2.0), unit="node")
    for name, told in reached.items():
        for seed, accuracy in enumerate(told):
            made_runs.finish(store, made_runs.spec(name, epsilon=4.0, seed=seed, unit="node"), accuracy, said)
    more = {"majority_class_accuracy": guess, "test_nodes": float(test_nodes)}
    return [replace(one, metrics={**one.metrics, **more}) for one in store.find()]


def test_what_all_seeds_share_is_told_with_what_the_test_nodes_leave() -> None:
    records = _records(
        RunStore.open(), {"dp-mlp": [48 / 90] * 3, "heter-poisson": [0.54, 0.62, 0.70]}, test_nodes=90, guess=0.3
    )
    (line,) = advising.verdict(records, "node").stretches
    (same,) = (one for one in line.candidates if one.title.startswith("DP-MLP"))
    assert same.reached == "53.3% (same in all 3 seeds; 90 test nodes alone leave 42.5% to 63.9%)"
    assert "53.3% to 53.3%" not in line.text


def test_seeds_that_agree_on_few_test_nodes_make_nothing_clear() -> None:
    """Of 20 nodes a share of 60% is as good as a guess of 50%; of 2,000 it is not."""
    store = RunStore.open()
    few = _records(store, {"dp-mlp": [0.6] * 3, "gap": [0.4] * 3}, test_nodes=20, guess=0.5)
    assert [one.kind for one in advising.verdict(few, "node").stretches] == ["nothing"]
    many = [replace(one, metrics={**one.metrics, "test_nodes": 2000.0}) for one in few]
    assert [one.kind for one in advising.verdict(many, "node").stretches] == ["one"]


def test_one_of_a_lower_mean_stands_beside_its_rival_with_the_reason() -> None:
    reached = {"dp-mlp": [0.52, 0.53, 0.54], "heter-poisson": [0.48, 0.62, 0.76]}
    said = advising.verdict(_records(RunStore.open(), reached, test_nodes=900, guess=0.4), "node")
    ((first,),) = advised.table(said)
    assert first[:2] == ("4", "DP-MLP (reads no edge; hides opt-out)")
    assert first[-2] == (
        "too few seeds: about 11 of each may tell it from HeterPoisson (62.0%); HeterPoisson is higher, but not "
        "clearly above a guess (40.0%)"
    )
    assert said.stretches[0].why == (
        "HeterPoisson's mean is higher (62.0%), but its 3 seeds (27.2% to 96.8%) do not tell it from a guess (40.0%)."
    )


def test_seeds_that_agree_do_not_outdo_a_higher_mean_when_a_guess_differs_by_seed() -> None:
    """Three times 48 of 90 right, and a guess that is right in 34, 35 or 37: no seed of the model tells."""
    reached = {"dp-mlp": [48 / 90] * 3, "heter-poisson": [0.52, 0.62, 0.72], "progap": [0.3, 0.31, 0.32]}
    ran = _records(RunStore.open(), reached, test_nodes=90, guess=0.39)
    for nodes, kind in ((90, "nothing"), (9000, "one")):
        told = {"test_nodes": float(nodes)}
        records = [
            replace(one, metrics={**one.metrics, **told, "majority_class_accuracy": (34, 35, 37)[one.spec.seed] / 90})
            for one in ran
        ]
        (line,) = advising.verdict(records, "node").stretches
        assert line.kind == kind
        if nodes == 90:
            assert "at best HeterPoisson, 62.0%" in line.sure, "the higher mean is named"
        else:
            assert line.higher == ("HeterPoisson",)
