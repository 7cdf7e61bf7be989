"""The table of settings, from Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from privgraph.api.run import Run
from privgraph.figures import drawers
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore

if TYPE_CHECKING:
    import pandas as pd


def table(runs: Run | Iterable[Run] | RunStore) -> pd.DataFrame:
    """Summarise finished runs: a row for each setting, which seeds share.

    It needs the extra app.

    Args:
        runs: Runs, one run, or a store, for all finished runs in it.

    Returns:
        Mean accuracy with its 95% interval, seeds, the three epsilons, delta, the strongest attack with its
        interval, and what else `privgraph_workbench/text/columns.toml` lists under `[settings]`.
    """
    if isinstance(runs, RunStore):
        found = [Run(record, runs) for record in runs.find(RunQuery(states=("done",)))]
    else:
        found = [runs] if isinstance(runs, Run) else list(runs)
    (drawer, *_) = drawers()
    made: pd.DataFrame = drawer.table(
        [one.record for one in found], [attack for one in found for attack in one.attacks]
    )
    return made
