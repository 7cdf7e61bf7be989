"""Attacks and audits as tables, cached by what the store holds."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from privgraph_workbench import leaks
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import layout
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.text import texts
from privgraph_workbench.theme import EPSILONS

Kind = Literal["attacks", "audits"]
KINDS: tuple[Kind, ...] = ("attacks", "audits")
OF_RUN = ("run", "graph", "method", "unit", "seed")
"""Columns that are the same for all rows of a run."""
LABELS = {
    "epsilon": "ε",
    "area": "AUC",
    "published": EPSILONS["published"].title,
    "published_claim": "claim as published",
    "bound": "ε at least",
    **{name: f"TPR at {false:.1%}".replace(".0%", "%") for name, false in leaks.RATES.items()},
}
FORMATS = dict.fromkeys((*leaks.RATES, "accuracy", "trained_accuracy", "confidence"), "percent")
FORMATS |= {"area": "%.3f", "low": "%.3f", "high": "%.3f", "epsilon": "%.4g", "published": "%.4g", "bound": "%.3f"}


@kept
def frame(kind: Kind) -> pd.DataFrame:
    """All of the store that is shown."""
    found = leaks.table(queue.store()) if kind == "attacks" else leaks.audits(queue.store())
    return found.sort_values(["graph", "method", "unit", "epsilon"], kind="stable")


def unreadable() -> int:
    """How many attacks and audits of the store are in neither table: they, or their runs, cannot be read."""
    mark = queue.store().evidence_mark()
    return int((mark[0] or 0) + (mark[3] or 0)) - len(frame("attacks")) - len(frame("audits"))


def table(shown: pd.DataFrame, kind: Kind, *, leave_out: Sequence[str] = (), **more: Any) -> Any:
    """Draw attacks or audits; `more` goes to Streamlit, and gives what was chosen."""
    helps = texts("columns")[kind]
    cells = shown[[name for name in helps if name not in leave_out]].replace(math.inf, None)
    return layout.table(cells, helps, LABELS, FORMATS, placeholder="", **more)
