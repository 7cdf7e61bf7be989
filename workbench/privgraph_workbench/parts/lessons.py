"""The lessons of text/lessons.toml: steps with a control, a figure and a question. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privgraph.options import Option, Parameter
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.text import texts


@dataclass(frozen=True, kw_only=True)
class Step:
    """A sentence or two, at most one control and one figure, and a question that is checked."""

    title: str
    text: str
    words: tuple[str, ...]
    """Terms of the glossary."""
    question: str
    choices: tuple[str, ...]
    hints: tuple[str, ...]
    """Where to look, for each wrong choice; empty for the right one."""
    right: int
    """The place of the right choice."""
    why: str
    control: Parameter | None = None
    figure: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the figure's `data`."""
    reads: str = ""
    """The argument that the control sets."""

    def rows(self, value: object = None) -> list[Row]:
        """The figure's rows, with this value of the control."""
        return figure_of(self.figure).data(**self.given, **({self.reads: value} if self.reads else {}))


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Steps, and what is to be remembered of them."""

    title: str
    minutes: int
    about: str
    steps: tuple[Step, ...]
    takeaway: str
    holds: str
    notebook: str
    """The name of the notebook with the same figures and exercises."""


def _control(name: str, default: Any, **option: Any) -> Parameter:
    known: dict[str, Any] = {key: tuple(one) if key == "choices" else one for key, one in option.items()}
    return Parameter(name, type(default), default, Option(**known))


def _step(told: Mapping[str, Any]) -> Step:
    control = texts("lessons")["controls"][told["control"]] if "control" in told else None
    return Step(**{**told, "control": control and _control(**control)})


LESSONS: Mapping[str, Lesson] = {
    name: Lesson(**{**told, "steps": tuple(map(_step, told["steps"]))})
    for name, told in texts("lessons")["lessons"].items()
}
"""All lessons by name, in order."""
