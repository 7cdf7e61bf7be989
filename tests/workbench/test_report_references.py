"""Levels that a report tells beside its runs have rows of their own, and its runs are counted once."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.workbench.made_reports import opened

from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Asked, Told, first_page, references
from privgraph_workbench.reporting.chapters import chapters_of
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.reporting.withholding import without_seeds
from privgraph_workbench.words.naming import statements_of

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def told(store: RunStore) -> Told:
    """A private run beside which the store has two seeds without privacy and one that reads no edge."""
    made_runs.finish(store, made_runs.spec(unit="none", seed=81), 0.90, made_runs.statement((), unit="none"))
    made_runs.finish(store, made_runs.spec(unit="none", seed=82), 0.94, made_runs.statement((), unit="none"))
    made_runs.finish(store, made_runs.spec("mlp", unit="none", seed=83), 0.55, made_runs.statement((), unit="none"))
    said = made_runs.statement(made_runs.edge_entries(9))
    more = {"majority_class_accuracy": 0.31}
    return reporting.told_of(store, made_runs.finish(store, made_runs.spec(seed=80), 0.7, said, more=more))


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


@pytest.mark.parametrize("share", [True, False])
def test_each_level_has_a_row_with_its_mean_its_seeds_and_where_it_is_from(store: RunStore, share: bool) -> None:
    asked = Asked(title="T", runs=[told(store)], share=share, notebook=False, appendix=False)
    files = opened(reporting.build(asked))
    found = {row["what"]: row for row in rows(files["tables/references.csv"])}
    bare, blind = found["without privacy"], found.get("reads no edge")
    assert (float(bare["mean_score_percent"]), bare["seeds"], bare["from"]) == (92.0, "2", references.STORE)
    assert (blind is None) is share, "of one seed without noise others get nothing: it could be found"
    assert blind is None or (float(blind["mean_score_percent"]), blind["seeds"]) == (55.0, "1")
    assert ("largest class of the test nodes" in found) is not share, "it follows from labels and split"
    assert ("runs" in bare) is not share
    listed = {row["run"] for row in rows(files["tables/runs.csv"])}
    assert len(listed) == 1, "for others the single runs of references tell seeds"
    page = re.sub(r"\s*<[^>]*>\s*", "|", files["report.html"].decode())
    assert first_page.LEVELS in page
    assert ("MLP (ignores edges), reads no edge: 55.0%" in page) is not share
    assert ("largest class of the test nodes: 31.0%, of the seeds of ProGAP" in page) is not share
    assert "ProGAP, without privacy: 92.0%" in page


def test_counts_sum_to_all_runs_behind_a_report_and_are_told_alike(store: RunStore) -> None:
    one = told(store)
    extra, again = (
        made_runs.finish(
            store, made_runs.spec("gnn", unit="none", seed=seed), 0.9, made_runs.statement((), unit="none")
        )
        for seed in (71, 72)
    )
    rows_of_both = reporting.usual([one, reporting.told_of(store, extra)])[0].rows
    figure = reporting.drawn(store, "tradeoff", rows_of_both, statements_of([extra, again]))
    asked = Asked(title="T", runs=[one], figures=[figure], share=True, notebook=False, appendix=False)
    counts = Counts.told(asked)
    assert counts == Counts.of(without_seeds(asked)), "with seeds withheld, too"
    assert counts.words == "6 runs: 1 private (of 1 setting), 2 without privacy, 3 references"
    whole, *parts = map(int, re.findall(r"(\d+) (?:runs|private|without|references)", counts.words))
    assert whole == sum(parts)
    files = opened(reporting.build(asked))
    assert counts.runs == len(rows(files["tables/runs.csv"]))
    line = f"{first_page.BEHIND} {counts.words}."
    assert line in files["README.txt"].decode()
    assert line in files["report.html"].decode()


def test_a_run_that_stands_in_a_figure_is_no_reference(store: RunStore) -> None:
    one = told(store)
    held = [*one.references["bare"], *one.references["blind"]]
    figure = replace(reporting.drawn(store, "tradeoff", [], {}, [run.id for run in held]), rows=[{"kind": "x"}])
    asked = Asked(title="T", runs=[one], figures=[figure])
    assert Counts.of(asked).references == 0
    assert Counts.of(asked).runs == 4


def test_a_level_is_told_once_with_all_settings_beside_it(store: RunStore) -> None:
    first = told(store)
    said = made_runs.statement(made_runs.edge_entries(20))
    other = reporting.told_of(store, made_runs.finish(store, made_runs.spec(epsilon=0.5, seed=80), 0.6, said))
    asked = Asked(title="T", runs=[first, other])
    levels = [one for one in references.levels(chapters_of(asked)) if one.kind == "bare"]
    assert [one.of for one in levels] == ["ProGAP"]
    assert list(levels[0].beside) == [first.record.id, other.record.id]


@pytest.mark.parametrize("share", [True, False])
def test_what_hides_edges_is_held_against_a_reference_that_reads_none(store: RunStore, share: bool) -> None:
    said, runs = made_runs.statement(made_runs.edge_entries(9)), []
    for seed in range(3):
        made_runs.finish(
            store, made_runs.spec("mlp", unit="none", seed=seed), 0.7, made_runs.statement((), unit="none")
        )
        for method, reached in (("gap", 0.70), ("progap", 0.90)):
            spec = made_runs.spec(method, seed=seed)
            more = {"majority_class_accuracy": 0.31, "test_nodes": 400.0}
            runs.append(made_runs.finish(store, spec, reached + seed / 100, said, more=more))
    asked = Asked(title="T", runs=[reporting.told_of(store, one) for one in runs], share=share)
    told = first_page.ahead(asked)
    assert "yes, better than MLP (ignores edges) (70.0%)" in told
    assert "not told from MLP (ignores edges) (70.0%)" in told
    assert "a guess" not in told
    assert "| MLP" not in told


def test_one_seed_is_not_called_above_or_below_another_model(store: RunStore) -> None:
    said = made_runs.statement(made_runs.edge_entries(9))
    for seed in range(3):
        made_runs.finish(
            store, made_runs.spec("mlp", unit="none", seed=seed), 0.6, made_runs.statement((), unit="none")
        )
    one = reporting.told_of(store, made_runs.finish(store, made_runs.spec(), 0.7, said))
    for told in (one.said, one.shared):
        assert "how far that is from MLP (ignores edges) cannot be told with one seed" in told
        assert "points" not in told
    for seed, reached in ((1, 0.71), (2, 0.72)):
        made_runs.finish(store, made_runs.spec(seed=seed), reached, said)
    again = reporting.told_of(store, one.record)
    assert "11 points (95% interval 9 to 13) above MLP (ignores edges)" in again.said
