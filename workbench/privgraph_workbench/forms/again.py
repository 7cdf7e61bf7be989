"""The address of a form that begins with given settings."""

from __future__ import annotations

from collections.abc import Mapping

from privgraph.options import Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.forms import widgets

CHANGED = "from"
"""In an address of the form: the run whose settings it begins with."""


def settings(
    method: str, data: str, options: Mapping[str, Scalar], data_options: Mapping[str, Scalar], **more: str
) -> dict[str, str]:
    """The query parameters that fill the form of a method with these options, on that graph."""
    known = parameters(METHODS[method].load_config()) if method in METHODS else ()
    held = {**widgets.address(options, known=known), **widgets.address(data_options, prefix="data.")}
    return {"method": method, "data": data, **held, **more}


def address(record: RunRecord) -> dict[str, str]:
    """The same with the settings of a run, and whose they are."""
    spec = record.spec
    more = {"split": spec.split, "seed": str(spec.seed), "device": spec.device, CHANGED: record.id}
    return settings(spec.method, spec.dataset, spec.options, spec.data_options, **more)
