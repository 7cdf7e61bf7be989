"""`privgraph compare`: train what fits a graph, and print what to take at each epsilon."""

from __future__ import annotations

import argparse
import math
import secrets
import sys

from privgraph.data.catalogue import dataset
from privgraph.options import OptionError, short
from privgraph.runs.engine_options import RETRIES
from privgraph.runs.launch import capacity, wait
from privgraph.runs.records import RunQuery, RunRecord, StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench import advice, summary, sweeps
from privgraph_workbench.commands.output import json_line
from privgraph_workbench.commands.values import pairs, whole
from privgraph_workbench.facts import datasets
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.numbers import duration

MOST_KNOWN = 2000
TAG = "compare"
SETTINGS = ("method", "unit", "asked", "epsilon", "epsilon_as_published", "epsilon_audited", "mean", "low", "high")
"""Columns of settings that are printed, with `seeds` and `neighbours`."""


def compare_command(parsed: argparse.Namespace) -> int:
    """Train in the background, wait, and print two tables."""
    options = pairs(parsed.data_set, "--data-set")
    wanted = sweeps.specs(
        parsed.data,
        parsed.unit,
        epsilons=_numbers(parsed.epsilons),
        seeds=whole("seeds", parsed.seeds),
        data_options=options,
        methods=[one.strip() for one in parsed.methods.split(",") if one.strip()],
    )
    try:
        store = RunStore.open()
        facts = datasets.public_facts(dataset(parsed.data), wanted[0].data_options, "random")
        known = store.find(RunQuery(states=("done",), limit=MOST_KNOWN))
        about = sweeps.seconds(wanted, facts, known, capacity())
        print(f"{len(wanted)} runs, about {duration(about)} on this machine", file=sys.stderr)
        ids = store.submit_all(wanted, [TAG], f"compare-{secrets.token_hex(4)}", retries=RETRIES)
        for run in ids:
            if store.get(run).state in ("stopped", "failed", "lost"):
                store.retry(run)
        records = wait(store, ids, watch=_Progress(len(ids)).look)
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    for record in records:
        if record.state != "done":
            print(f"privgraph: {record.id} is {record.state}: {record.error}", file=sys.stderr)
    frame = summary.of_records(one for one in records if one.state == "done")
    found = advice.advise(frame, parsed.unit)
    rows = tradeoff.of_settings(summary.settings(frame))
    if parsed.json:
        told = [{"epsilon": one.epsilon, "outcome": one.outcome, "take": one.take, "at": one.at} for one in found]
        print(json_line({"rows": list(map(_plain, rows)), "advice": told, "runs": ids}))
    else:
        columns = [*SETTINGS, "seeds"]
        print(summary.settings(frame)[columns].to_string(index=False, float_format="{:.4g}".format, na_rep="-"))
        print()
        print(advice.table(found).to_string(index=False, float_format="{:.4g}".format, na_rep="-"))
    return 0 if all(record.state == "done" for record in records) else 1


def _numbers(text: str) -> list[float]:
    """Budgets of a list with commas. Raises `OptionError` for one that is no positive number."""
    found = []
    for word in text.replace(",", " ").split():
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not (value > 0 and math.isfinite(value)):
            raise OptionError(f"epsilons must be positive numbers with commas between them (got {short(word)})")
        found.append(value)
    return sorted(set(found))


def _plain(row: Row) -> dict[str, object]:
    names = (*SETTINGS, "seeds", "neighbours")
    return {name: None if row[name] is not None and row[name] == math.inf else row[name] for name in names}


class _Progress:
    """Says on standard error how many runs are over, now and then."""

    def __init__(self, total: int) -> None:
        self._total, self._told = total, -1

    def look(self, records: list[RunRecord]) -> None:
        """Print where a tenth more is over."""
        done = sum(not record.pending for record in records)
        if done != self._told and (done == self._total or done >= self._told + max(1, self._total // 10)):
            self._told = done
            print(f"{done} of {self._total} runs are over", file=sys.stderr)
