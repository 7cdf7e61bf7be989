"""`privgraph examples`: the finished runs that came with the program, and any of them run again."""

import argparse
import sys
import tempfile
from pathlib import Path

from privgraph.runs import examples
from privgraph.runs.records import EXAMPLE, RunRecord
from privgraph_workbench.commands.output import say
from privgraph_workbench.commands.parser import UsageError
from privgraph_workbench.commands.values import find_run
from privgraph_workbench.facts import plans


def examples_command(parsed: argparse.Namespace) -> int:
    """Print the examples, one of them with the commands that repeat it, or both results side by side."""
    store = examples.open_store()
    if parsed.run is None:
        if parsed.again:
            raise UsageError("say which example is to be run again")
        chapters = examples.chapters(store)
        lists = ("\n".join([f"{chapter}: {len(ids):,} runs", *ids]) for chapter, ids in chapters.items())
        say(parsed.json, chapters, *lists)
        return 0
    record = find_run(store, EXAMPLE + parsed.run.removeprefix(EXAMPLE))
    told: dict[str, object] = {"run": record.id, "version": record.version, "kept": _numbers(record)}
    if parsed.again:
        with tempfile.TemporaryDirectory() as folder:
            again = examples.again(record, Path(folder))
        if again.state != "done":
            print(f"privgraph: the run is {again.state}: {again.error}", file=sys.stderr)
            return 1
        told["again"] = _numbers(again)
    told["with its own noise"] = f"privgraph examples {record.id} --again"
    told["with noise of yours"] = plans.command_line(record.spec)
    say(parsed.json, told, told)
    return 0


def _numbers(record: RunRecord) -> dict[str, float | None]:
    said = record.statement
    return {
        **{name: record.metrics.get(name) for name in ("test_accuracy", "val_accuracy")},
        "sound_epsilon": said.epsilon if said else None,
        "published_epsilon": said.epsilon_as_published if said else None,
        "delta": said.delta if said else None,
    }
