"""`privgraph compare`: train what fits a graph, and say what to take."""

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
from privgraph_workbench.commands.output import json_line
from privgraph_workbench.commands.values import pairs, whole
from privgraph_workbench.facts import advising, comparing, datasets
from privgraph_workbench.facts.row_words import protects_of, with_interval
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.numbers import duration

MOST_KNOWN = 2000
TAG = "compare"


def compare_command(parsed: argparse.Namespace) -> int:
    """Train in the background, wait, and print a table and a paragraph."""
    options = pairs(parsed.data_set, "--data-set")
    wanted = comparing.specs(
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
        about = comparing.seconds(wanted, facts, known, capacity())
        print(f"{len(wanted)} runs, about {duration(about)} on this machine", file=sys.stderr)
        batch = f"compare-{secrets.token_hex(4)}"
        ids = store.submit_all(wanted, [TAG], batch, retries=RETRIES)
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
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    said = advising.verdict(records, parsed.unit)
    if parsed.json:
        advice = [
            {"epsilons": list(one.epsilons), "kind": one.kind, "takes": list(one.takes), "why": one.why}
            for one in said.stretches
        ]
        print(json_line({"rows": [_plain(row) for row in rows], "advice": advice, "why": said.text, "runs": ids}))
    else:
        print(_table(rows, parsed.unit))
        print(said.text)
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
    epsilons = ("asked", "epsilon", "epsilon_as_published", "epsilon_audited")
    names = ("method", "unit", *epsilons, "mean", "low", "high", "seeds", "neighbours")
    return {name: None if row[name] is not None and row[name] == math.inf else row[name] for name in names}


def _table(rows: list[Row], unit: str) -> str:
    lines = [f"{'method':28} {'protects':9} {'sound epsilon':>13}  accuracy (95% over seeds)"]
    for row in sorted(rows, key=lambda one: (one["unit"] == "none", one["title"], one["epsilon"])):
        protects, epsilon = protects_of(row, unit)
        lines.append(f"{row['title'][:28]:28} {protects:9} {epsilon:>13}  {with_interval(row)}")
    return "\n".join(lines)


class _Progress:
    """Says on standard error how many runs are over, now and then."""

    def __init__(self, total: int) -> None:
        self._total, self._told = total, -1

    def look(self, records: list[RunRecord]) -> None:
        done = sum(not record.pending for record in records)
        if done != self._told and (done == self._total or done >= self._told + max(1, self._total // 10)):
            self._told = done
            print(f"{done} of {self._total} runs are over", file=sys.stderr)
