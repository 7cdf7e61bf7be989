"""`privgraph compare`: train what fits a graph, and print what to take at each epsilon."""

import argparse
import math
import secrets
import sys

from privgraph.data.catalogue import dataset
from privgraph.runs.engine_options import RETRIES
from privgraph.runs.launch import capacity, wait
from privgraph.runs.store import RunStore
from privgraph_workbench import advice, summary, sweeps
from privgraph_workbench.commands.output import say, table
from privgraph_workbench.commands.watching import counting
from privgraph_workbench.facts import datasets, expecting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.settings import table_rows
from privgraph_workbench.words.numbers import duration

SETTINGS = ("method", "unit", "asked", "epsilon", "epsilon_as_published", "epsilon_audited", "mean", "low", "high")
"""Columns of settings that are printed, with `seeds` and `neighbours`."""


def compare_command(parsed: argparse.Namespace) -> int:
    """Train in the background, wait, and print two tables."""
    wanted = sweeps.specs(
        parsed.data,
        parsed.unit,
        epsilons=parsed.epsilons,
        seeds=parsed.seeds,
        data_options=dict(parsed.data_set),
        methods=[one.strip() for one in parsed.methods.split(",") if one.strip()],
    )
    store = RunStore.open()
    facts = datasets.public_facts(dataset(parsed.data), wanted[0].data_options, "random")
    known, _ = expecting.known(store, dict.fromkeys(one.method for one in wanted))
    about = duration(sweeps.seconds(wanted, facts, known, capacity()))
    print(f"{len(wanted)} runs; time on this machine: {about}", file=sys.stderr)
    ids = store.submit_all(wanted, ["compare"], f"compare-{secrets.token_hex(4)}", retries=RETRIES)
    store.retry_undone(ids)
    with counting(len(ids)) as look:
        records = wait(store, ids, watch=lambda found: look({one.id: one.state for one in found}))
    undone = [record for record in records if record.state != "done"]
    for record in undone:
        print(f"privgraph: {record.id} is {record.state}: {record.error}", file=sys.stderr)
    frame = summary.of_records(one for one in records if one.state == "done")
    settings, found = summary.settings(frame), advice.advise(frame, parsed.unit)
    advised = advice.table(found)
    rows = [setting_row(row) for row in tradeoff.on_fronts(table_rows(settings))]
    told = [{name: getattr(one, name) for name in ("epsilon", "outcome", "take", "at")} for one in found]
    tables = (settings, [*SETTINGS, "seeds"]), (advised, [*map(str, advised)])
    texts = [table(frame.to_dict("records"), columns) for frame, columns in tables]
    say(parsed.json, {"rows": rows, "advice": told, "runs": ids}, *texts)
    return int(bool(undone))


def setting_row(row: Row) -> dict[str, object]:
    """A setting as JSON values; an infinite epsilon is null."""
    return {name: None if row[name] == math.inf else row[name] for name in (*SETTINGS, "seeds", "neighbours")}
