"""`privgraph report`: runs as one archive that is read without a network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.commands.values import find_run
from privgraph_workbench.words.naming import describe


def report_command(parsed: argparse.Namespace) -> int:
    """Write the archive, and print its path."""
    try:
        store = RunStore.open()
        records = list({one.id: one for one in (find_run(store, run) for run in parsed.runs)}.values())
        told = [reporting.told_of(store, one) for one in records]
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    title = parsed.title or (describe(records[0]) if len(records) == 1 else f"{len(records)} runs")
    asked = reporting.Asked(
        title=title,
        author=parsed.author,
        date=parsed.date,
        remark=parsed.remark,
        runs=told,
        figures=reporting.usual(told),
        share=parsed.share,
        notebook=not parsed.no_notebook,
        appendix=not parsed.no_appendix,
    )
    packed = reporting.build(asked)
    try:
        Path(parsed.out).write_bytes(packed)
    except OSError as error:
        print(f"privgraph: nothing can be written to {parsed.out} ({error.strerror})", file=sys.stderr)
        return 1
    print(parsed.out)
    return 0
