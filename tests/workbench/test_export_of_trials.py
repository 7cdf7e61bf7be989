"""What is exported of a run that a tuning tried: nothing that tells how many trials there were."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.figures import made_runs
from tests.pages.test_tuned_runs import TERMS

from privgraph.progress import Log
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph.runs.trials import Mark, Trial
from privgraph_workbench.cli import main


@pytest.mark.long
@pytest.mark.parametrize("tuned", [True, False])
def test_times_threads_and_memory_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: bool) -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    events = [Log(message="worker 12 on cpu, 8 threads"), *made_runs.learning(3)]
    run = made_runs.finish(store, made_runs.spec(seed=3), 0.7, said, events).id
    find = RunStore.find

    def marked(self: RunStore, query: RunQuery) -> list[RunRecord]:
        mark = Mark(tuning="tune-gap-0", trial=Trial.RELEASED, terms=TERMS)
        return [replace(one, tuning=mark if tuned else None) for one in find(self, query)]

    monkeypatch.setattr(RunStore, "find", marked)
    assert main(["export", run, "--out", str(tmp_path), "--format", "json", "--format", "md"]) == 0
    text = (tmp_path / f"{run}.json").read_text()
    record = json.loads(text)
    timed = {"seconds", "peak_memory_mb", "attempt", "created", "started", "finished"} & set(record)
    assert (timed == set()) == tuned
    assert ("8 threads" in text) != tuned
    assert all(("time" in event) != tuned for event in record["events"])
    assert "metric" in [event["kind"] for event in record["events"]]
    assert ("- Seconds: " in (tmp_path / f"{run}.md").read_text()) != tuned
