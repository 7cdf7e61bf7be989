"""The address of the form that begins with a run's settings."""

from __future__ import annotations

from privgraph.options import parameters
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import widgets

CHANGED = "from"
"""In an address of the form: the run whose settings it begins with."""


def address(record: RunRecord) -> dict[str, str]:
    """The query parameters that fill the form with the run's settings, and say whose they are."""
    spec = record.spec
    known = parameters(METHODS[spec.method].load_config()) if spec.method in METHODS else ()
    return {
        "method": spec.method,
        "data": spec.dataset,
        "split": spec.split,
        "seed": str(spec.seed),
        "device": spec.device,
        **widgets.address(spec.options, known=known),
        **widgets.address(spec.data_options, prefix="data."),
        CHANGED: record.id,
    }
