"""The lessons of text/lessons.toml, and the control and the figure of their steps. No Streamlit."""

from collections.abc import Mapping
from typing import Any

from privgraph.options import Option, Parameter
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.text import texts

LESSONS: Mapping[str, dict[str, Any]] = texts("lessons")["lessons"]
"""All lessons by name, in order."""


def control(step: Mapping[str, Any]) -> Parameter | None:
    """What can be set in a step, if anything."""
    if "control" not in step:
        return None
    known = texts("lessons")["controls"][step["control"]]
    told: dict[str, Any] = {name: tuple(one) if name == "choices" else one for name, one in known.items()}
    name, default = told.pop("name"), told.pop("default")
    return Parameter(name, type(default), default, Option(**told))


def rows(step: Mapping[str, Any], value: object = None) -> list[Row]:
    """The rows of its figure, with this value of the control."""
    own = {step["reads"]: value} if "reads" in step else {}
    return figure_of(step["figure"]).data(**step.get("given", {}), **own)
