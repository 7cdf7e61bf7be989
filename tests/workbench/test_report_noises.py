"""Runs with noise of one's own beside the gallery's of the same setting: each mean is over one kind of noise,
and no byte of a report for others tells which seed was one's own."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import opened

from privgraph.options import OptionError
from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.facts import advised
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.reporting import Asked, noises
from privgraph_workbench.words.naming import setting

REACHED = (0.61, 0.64, 0.67, 0.73)
"""What the gallery's run of each seed reaches, which everybody can look up."""
OWN = 0.70


def _store(home: Path, own: int) -> tuple[RunStore, list[RunRecord], RunRecord]:
    """The gallery's runs beside one of one's own, which has one of their seeds and so stands in its place."""
    home.mkdir()
    store = RunStore.open(f"sqlite:///{home / 'runs.sqlite'}", home / "runs")
    secret = made_runs.statement(made_runs.edge_entries(9))
    runs = []
    for method in ("progap", "gap", "mlp"):
        for seed, reached in enumerate(REACHED):
            mine = method == "progap" and seed == own
            spec = made_runs.spec(method, unit="none" if method == "mlp" else "edge", seed=seed)
            said = made_runs.statement((), unit="none") if method == "mlp" else with_public_noise(secret)
            done = made_runs.finish(
                store, spec, OWN if mine else reached, secret if mine else said, (), {"test_nodes": 400.0}
            )
            runs.append(done)
    (one,) = (run for run in runs if run.spec.method == "progap" and run.spec.seed == own)
    return store, runs, one


def _report(home: Path, own: int, *, share: bool) -> dict[str, bytes]:
    store, runs, one = _store(home, own)
    figures = [
        reporting.drawn(store, "tradeoff", tradeoff.data(runs), {}, advice=advised.of_runs(runs)),
        *reporting.usual([reporting.told_of(store, run) for run in (one, runs[5], runs[-1])]),
    ]
    told = [reporting.told_of(store, one)]
    built = reporting.build(
        Asked(title="Ours", runs=told, figures=figures, share=share, notebook=False, appendix=False)
    )
    store.close()
    return opened(built)


def _cells(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


@pytest.mark.long
@pytest.mark.parametrize("other", [1, 3])
def test_others_cannot_infer_the_seed_as_the_one_that_the_gallery_lacks(tmp_path: Path, other: int) -> None:
    first = _report(tmp_path / "a", 2, share=True)
    second = _report(tmp_path / "b", other, share=True)
    assert first.keys() == second.keys()
    assert {name for name in first if first[name] != second[name]} == set()
    # whoever looks the gallery up finds none of its runs of that setting, so that none is missing either
    scores = {row["score_percent"] for row in _cells(first["tables/runs.csv"]) if row["method"] == "progap"}
    assert scores == {f"{100 * OWN:.1f}"}
    means = {float(row["mean"]) for row in _cells(first["figures/01-tradeoff.csv"]) if row["method"] == "progap"}
    assert means == {OWN}
    assert noises.LEFT_OUT in first["figures/01-tradeoff.txt"].decode()


@pytest.mark.usefixtures("undrawn")
def test_for_myself_a_mean_is_over_one_kind_of_noise_and_says_which(tmp_path: Path) -> None:
    found = _report(tmp_path / "a", 2, share=False)
    (row,) = (
        one
        for one in _cells(found["tables/settings.csv"])
        if one["method"] == "progap" and one["seeds_of_setting"] == "1"
    )
    assert float(row["mean_score_percent"]) == pytest.approx(100 * OWN)
    assert row["label"].endswith("(secret noise)")
    rows = {
        one["variant"]: one
        for one in json.loads(found["figures/01-tradeoff.json"])["rows"]
        if one["method"] == "progap"
    }
    assert rows.keys() == {"secret noise", ""}
    assert rows["secret noise"]["mean"] == OWN
    assert rows[""]["mean"] == pytest.approx(sum(REACHED[at] for at in (0, 1, 3)) / 3)
    assert [rows[name]["noise_public"] for name in ("secret noise", "")] == [False, True]


def test_public_runs_alone_are_no_report_for_others_where_the_store_has_secret_ones(tmp_path: Path) -> None:
    store, runs, _ = _store(tmp_path / "a", 2)
    told = [reporting.told_of(store, runs[0])]
    with pytest.raises(OptionError, match="leaves out runs with public noise"):
        Asked(title="Ours", runs=told, share=True)
    assert Asked(title="Ours", runs=told).runs  # for oneself it is one
    assert len(told[0].same) == len(REACHED) - 1
    store.close()


def test_advice_is_by_the_runs_of_the_figure_alone(tmp_path: Path) -> None:
    store, runs, _ = _store(tmp_path / "a", 2)
    few = [run for run in runs if run.spec.seed < 2]
    one = reporting.drawn(store, "tradeoff", tradeoff.data(few), {}, advice="By 1,000 runs on another page.")
    told = noises.figure(one, set())
    assert "another page" not in told.advice
    assert told.advice == advised.of_runs(one.runs) != advised.of_runs(runs)
    bare = replace(one, runs=[run for run in one.runs if run.spec.method != "mlp"])
    assert noises.figure(bare, set()).advice == ""  # without the level of what reads no edge nothing is advised
    assert len({setting(run) for run in one.runs}) == 3
    store.close()
