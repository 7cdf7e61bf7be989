"""What `privgraph.figures` and `privgraph.table` find under the entry point `privgraph.figures`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunRecord
from privgraph_workbench import summary
from privgraph_workbench.figures import catalogue, figure_of
from privgraph_workbench.figures.figure import Figure


def names() -> Iterable[str]:
    """All figures."""
    return catalogue().keys()


def figure(name: str) -> Figure:
    """The figure of that name. Raises `UnknownName` with the nearest match."""
    return figure_of(name)


def table(records: Sequence[RunRecord], attacks: Sequence[AttackRecord]) -> pd.DataFrame:
    """The table of settings that `privgraph.table` gives, without runs' ids."""
    return summary.settings(summary.of_records(records), attacks).drop(columns="runs")
