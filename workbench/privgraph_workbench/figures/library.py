"""What `privgraph.figures` and `privgraph.table` find under the entry point `privgraph.figures`."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects  # noqa: F401 - who lacks it is told when this is loaded, and not by a figure

from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunRecord
from privgraph_workbench import summary
from privgraph_workbench.figures import catalogue as names
from privgraph_workbench.figures import figure_of as figure

__all__ = ["figure", "names", "table"]


def table(records: Sequence[RunRecord], attacks: Sequence[AttackRecord]) -> pd.DataFrame:
    """The table of settings that `privgraph.table` gives, without runs' ids."""
    return summary.settings(summary.of_records(records), attacks).drop(columns="runs")
