"""`privgraph watch` and `privgraph stop`: runs that are under way, one by one or by a tag."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping

from privgraph.options import short
from privgraph.runs.records import FINISHED, RunQuery, StoreAway
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.output import print_runs
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.values import find_run, settle
from privgraph_workbench.commands.watching import STOPPED, counting, sentence

LOOK_SECONDS = 0.5


def watch_command(parsed: argparse.Namespace) -> int:
    """Wait until the runs are over, or with --once say how they stand; starts no worker and stops none."""
    store, ids = _chosen(parsed)
    states = store.states(ids)
    if not parsed.once:
        try:
            with counting(len(ids), sum(state in FINISHED for state in states.values())) as look:
                states = _until_over(store, ids, look)
        except KeyboardInterrupt:
            print("the runs go on; privgraph stop ends them", file=sys.stderr)
            return STOPPED
    print_runs(store, [run for run in ids if run in states], parsed.json)
    print(sentence(states), file=sys.stderr)
    return 0 if all(state == "done" or (parsed.once and state not in FINISHED) for state in states.values()) else 1


def stop_command(parsed: argparse.Namespace) -> int:
    """Ask the runs to stop: those that wait are stopped at once, the others at their next step."""
    store, ids = _chosen(parsed)
    for run, state in store.states(ids).items():
        print(f"{run}  {state if state in FINISHED else store.request_stop(run)}")
    return 0


def _until_over(store: RunStore, ids: list[str], look: Callable[[Mapping[str, str]], None]) -> dict[str, str]:
    """The states of the runs once all are over; those that are deleted meanwhile are waited for no longer."""
    while True:
        try:
            store.sweep_lost()
            states = store.states(ids)
            look(states)
            if all(state in FINISHED for state in states.values()):
                return states
        except StoreAway:
            pass  # the runs go on, and so does the wait
        time.sleep(LOOK_SECONDS)


def _chosen(parsed: argparse.Namespace) -> tuple[RunStore, list[str]]:
    """The ids of the runs that the command line names, one by one or by tags. Raises `UsageError`."""
    store = RunStore.open()
    settle(store)
    if not (parsed.runs or parsed.tag):
        raise UsageError(f"say which runs: ids, or --tag TAG, as privgraph {parsed.name} --tag sweep")
    found = [find_run(store, beginning).id for beginning in parsed.runs]
    for tag in parsed.tag:
        tagged = [row["id"] for row in store.find_rows(RunQuery(tags=(tag,), descending=False))]
        if not tagged:
            raise UsageError(f"no run has the tag {short(tag)}")
        found += tagged
    return store, list(dict.fromkeys(found))
