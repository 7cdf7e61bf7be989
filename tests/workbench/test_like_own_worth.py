"""What edges are worth on a graph like one's own is said by what holds there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import advising, comparing
from privgraph_workbench.facts.candidates import Candidate
from privgraph_workbench.facts.stretches import Stretch
from privgraph_workbench.facts.traits import Traits
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.views.tradeoffs import like_own
from privgraph_workbench.views.tradeoffs.known import Known


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def _known(records: list[RunRecord], expected: tuple[str, ...] = ()) -> Known:
    said = advising.verdict(records, "node", expected)
    table = tradeoff.data(records)
    public = comparing.WithPublic()
    return Known(table=table, said=said, words="", short="", public=public, promises=[], more={}, records=records)


def _worth(known: Known) -> str:
    return like_own._worth(Traits(nodes=600, mlp=0.5), {"node": known}, "There", carries=True)


def _people(store: RunStore, means: dict[str, float], mlp: float, guess: float) -> list[RunRecord]:
    said = made_runs.statement(made_runs.node_entries(3.0), unit="node")
    bare = made_runs.statement((), unit="none")
    for seed, off in enumerate((-0.02, 0.0, 0.02)):
        for name, mean in means.items():
            made_runs.finish(store, made_runs.spec(name, epsilon=1.0, seed=seed, unit="node"), mean + off, said)
        made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=seed), mlp + off, bare)
    return [replace(one, metrics={**one.metrics, "majority_class_accuracy": guess}) for one in store.find()]


def test_no_better_than_a_guess_is_not_said_to_be_no_better_than_an_mlp(store: RunStore) -> None:
    """Here both methods are clearly above the MLP, which is far below a guess."""
    known = _known(_people(store, {"gap": 0.4, "dp-mlp": 0.38}, mlp=0.2, guess=0.4))
    assert [one.kind for one in known.said.stretches] == ["nothing"]
    assert "nothing is clearly above a guess at any ε compared" in _worth(known)
    assert "above its MLP" not in _worth(known)


def test_no_better_than_an_mlp_is_said_so(store: RunStore) -> None:
    records = _people(store, {"gap": 0.7, "dp-mlp": 0.6}, mlp=0.9, guess=0.4)
    assert "nothing is clearly above its MLP at any ε compared" in _worth(_known(records))
    thin = _known(records, ("gap", "dp-mlp", "progap", "dp-gnn", "heter-poisson"))
    assert thin.said.thin
    assert "with people hidden" not in _worth(thin), "too little has run"


def test_better_than_an_mlp_is_not_denied(store: RunStore) -> None:
    assert "nothing is clearly" not in _worth(_known(_people(store, {"gap": 0.7, "dp-mlp": 0.6}, mlp=0.4, guess=0.3)))


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (("clear", "clear"), "ε 1 on, and at each of these ε it is clear which method is best."),
        (("open", "open"), "pays there. Which method is best is another question, and at none of these ε is it clear."),
        (("open", "clear"), "pays there. Which method is best is another question, and at ε 1 it is not clear."),
    ],
)
def test_above_an_mlp_is_one_question_and_which_is_best_another(verdicts: tuple[str, ...], said: str) -> None:
    first = Candidate(title="ProGAP", mean=0.8, reached="80.0%")
    shared: dict[str, Any] = {"takes": ("progap",), "told": "", "why": "", "candidates": (first,)}
    better = [
        Stretch(epsilons=(epsilon,), kind="one" if clear == "clear" else "several", wide=clear == "open", **shared)
        for epsilon, clear in zip((1.0, 4.0), verdicts, strict=True)
    ]
    told = like_own._above_mlp(better, "There")
    assert told.startswith("On There, with edges hidden, ProGAP is clearly above its MLP from ε 1 on")
    assert told.endswith(said)
