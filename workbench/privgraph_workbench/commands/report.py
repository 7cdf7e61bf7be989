"""`privgraph report`: runs as one archive that is read without a network."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.commands.values import find_run
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.words.naming import describe, graph_of, method_title, setting

MOST_NAMED = 4
"""Methods or graphs that a title names."""


def _title(records: Sequence[RunRecord]) -> str:
    """What was run: the settings by name, as many as a title has room for, and on which graphs."""
    settings = list({setting(one): describe(one) for one in records}.values())
    if len(settings) == 1:
        return settings[0]
    methods = list(dict.fromkeys(method_title(one.spec.method) for one in records))
    graphs = list(dict.fromkeys(graph_of(one).partition(" (")[0] for one in records))
    names = (f"{len(held)} {what}" if len(held) > MOST_NAMED else both(held)
             for held, what in ((methods, "methods"), (graphs, "graphs")))  # fmt: skip
    return " on ".join(names)[: reporting.TITLE]


def report_command(parsed: argparse.Namespace) -> int:
    """Write the archive, and print its path."""
    try:
        store = RunStore.open()
        records = list({one.id: one for one in (find_run(store, run) for run in parsed.runs)}.values())
        told = [reporting.told_of(store, one) for one in records]
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    title = parsed.title or _title(records)
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
