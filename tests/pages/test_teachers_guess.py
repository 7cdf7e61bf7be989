"""How often a guess about one node is right at most: on the page Teachers, for every run of the gallery that
says so."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from statistics import NormalDist

import pytest

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.runs import gallery
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.teachers import alike, by_weight, payers

Lines = list[dict[str, str]]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    """A store with the runs of the gallery, which is that of the pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRIVGRAPH_HOME", str(tmp_path_factory.mktemp("shipped")))
        queue._store.cache_clear()
        store = queue.store()
        gallery.bring_in(store)
        yield store
        store.close()
        queue._store.cache_clear()


def _settings(store: RunStore, *methods: str) -> list[RunRecord]:
    """One run of each setting."""
    found = store.find(RunQuery(methods=methods, states=("done",), limit=1000))
    return list({json.dumps([one.spec.method, one.spec.options], sort_keys=True): one for one in found}.values())


def _share(line: dict[str, str], column: str) -> float:
    return float(line[column].removeprefix("at most ").removesuffix("%")) / 100


def _holds(lines: Lines) -> bool:
    """Whether both bounds are shown, after it was asserted that the exact one is the smaller in each line."""
    exact = [by_weight.EXACT in line for line in lines]
    assert all(exact) or not any(exact)
    for line in lines if all(exact) else []:
        assert _share(line, by_weight.EXACT) <= _share(line, by_weight.FROM_EPSILON), line
    return all(exact)


def test_a_line_of_fewer_queries_has_the_guess_from_these_alone(shipped: RunStore) -> None:
    tables, exact = 0, 0
    for record in _settings(shipped, "pate", "privgnn"):
        points = alike.spent(record)
        if record.statement is None or record.spec.options.get("release") == "table" or len(points) < 2:
            continue
        lines = alike.lines(record, points)
        tables += 1
        if not _holds(lines):
            assert record.spec.options.get("noise") != "gaussian"
            continue
        exact += 1
        told = [_share(line, by_weight.EXACT) for line in lines]
        assert all(before < after for before, after in pairwise(told)), "more answers, a surer guess"
        std = next(entry.noise_std for entry in record.statement.ledger if entry.noise_std)
        by_hand = [NormalDist().cdf(math.sqrt(2 * count) / std / 2) for count, _ in points]
        assert told == pytest.approx(by_hand, abs=1e-3)
    assert exact >= 1
    assert tables > exact, "of Laplace noise and of samples, no such guess is told"


def test_a_line_of_a_weight_has_the_guess_at_that_weight(shipped: RunStore) -> None:
    exact = 0
    for record in _settings(shipped, "dp-gpl"):
        ensemble = payers.load(shipped.folder(record.id))
        if not isinstance(ensemble, Ensemble) or not by_weight.differ(ensemble):
            continue
        lines = by_weight.lines(ensemble)
        if _holds(lines):
            exact += 1
            told = [_share(line, by_weight.EXACT) for line in lines]
            assert all(before < after for before, after in pairwise(told)), "a heavier vote, a surer guess"
            heaviest = float(ensemble.weights.max())
            mu = heaviest * math.sqrt(2 * len(ensemble.queries)) / ensemble.vote_sigma
            assert told[-1] == pytest.approx(NormalDist().cdf(mu / 2), abs=1e-3)
    assert exact >= 1
