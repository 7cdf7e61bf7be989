"""`privgraph report`: settings as one archive that is read without a network."""

import argparse
from pathlib import Path
from typing import Any

from privgraph.options import OptionError
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.values import look_up
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.report.asked import LETTERS, Asked, Entry
from privgraph_workbench.words.naming import graph_of, method_title, statements_of


def report_command(parsed: argparse.Namespace) -> int:
    """Write the archive, and print its path."""
    from privgraph_workbench.report.archive import pack  # matplotlib and typst take a second to import

    store = RunStore.open()
    records = list({one.id: one for one in (look_up(run)[1] for run in parsed.runs)}.values())
    records = [one for one in records if one.tuning is None and one.state == "done"]
    if not records:
        raise OptionError("none of these is a finished run outside a tuning")
    runs = [one.id for one in records]
    rows = tradeoff.data(records)
    entry = Entry.of("tradeoff", rows, statements_of(records), runs) if rows else Entry(runs=tuple(runs))
    given: dict[str, Any] = {name: getattr(parsed, name) for name in ("author", "date", "remark")}
    given |= {"notebook": not parsed.no_notebook, "appendix": not parsed.no_appendix}
    named = ([method_title(one.spec.method) for one in records], map(graph_of, records))
    title = ": ".join(", ".join(dict.fromkeys(one)) for one in named)[: LETTERS["title"]]
    asked = Asked(title=parsed.title or title, entries=[entry], **given)
    Path(parsed.out).write_bytes(pack(asked, store))
    print(parsed.out)
    return 0
