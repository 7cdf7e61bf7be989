"""Settings as the rows of figures."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench import summary
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.marks import placed
from privgraph_workbench.words.naming import titled, unit_of


def setting_rows(records: Iterable[RunRecord], leave_out: Sequence[str] = ()) -> list[Row]:
    """A row for each setting of the finished runs: the columns of `summary.settings`, options (by name), runs
    (ids), reference (no epsilon to place it at), evaluator (True: test labels are private), composed (how
    many of these runs read the same people). The graph is in words. `leave_out`: options that are axes of a
    figure, and no variant."""
    done = [one for one in records if one.state == "done"]
    return table_rows(summary.settings(summary.of_records(done), leave_out=leave_out), composed(done))


def table_rows(table: pd.DataFrame, together: Mapping[str, int] | None = None) -> list[Row]:
    """The same of a table of settings; `together`: how many runs read the same people, by run."""
    return [
        {str(name): value for name, value in one.items()}
        | {
            "graph": titled(one["graph"].partition(" (")[0], one["graph"]),
            "options": json.loads(one["options"]),
            "runs": " ".join(one["runs"]),
            "reference": not (placed(one["epsilon"]) or placed(one["epsilon_as_published"])),
            "evaluator": True,
            "composed": (together or {}).get(one["runs"][0], 0),
        }
        for one in table.astype(object).where(table.notna(), None).to_dict("records")
    ]


def composed(records: Iterable[RunRecord]) -> dict[str, int]:
    """How many of these runs read the same people, by the id of each; 0 where none of them is private."""
    known = list(records)
    people = {one.id: GraphId.of(one.spec).people for one in known}
    together, private = Counter(people.values()), {people[one.id] for one in known if unit_of(one) != "none"}
    return {run: together[read] if read in private else 0 for run, read in people.items()}


def target(row: Row) -> str:
    """The target epsilon of a setting; one that its statement does not keep says so."""
    if row["asked"] is None:
        return ""
    return f"ε {row['asked']:g}" + " asked for" * (row["epsilon"] is None or row["epsilon"] > row["asked"])
