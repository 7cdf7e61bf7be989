"""The lessons of text/lessons.toml: steps with a control, a figure and a question. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privgraph.options import Option, Parameter, nearest
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

    def __post_init__(self) -> None:
        for word in self.words:
            if word not in texts("glossary"):
                raise ValueError(f"words must be in the glossary (got {word}){nearest(word, texts('glossary'))}")
        if [bool(hint) for hint in self.hints] != [place != self.right for place in range(len(self.choices))]:
            raise ValueError("hints must be one for each wrong choice, and none for the right one")

    def rows(self, value: object = None) -> list[Row]:
        """The figure's rows, with this value of the control."""
        return figure_of(self.figure).data(**self.given, **({self.reads: value} if self.reads else {}))


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Steps, and what is to be remembered of them."""

    name: str
    title: str
    minutes: int
    about: str
    steps: tuple[Step, ...]
    takeaway: str
    paper: str
    holds: str
    notebook: str
    """The name of the notebook with the same figures and exercises."""


def _control(given: Mapping[str, Any]) -> Parameter:
    option: dict[str, Any] = {name: tuple(value) if name == "choices" else value for name, value in given.items()}
    name, default = option.pop("name"), option.pop("default")
    return Parameter(name, type(default), default, Option(**option))


def _step(given: Mapping[str, Any], controls: Mapping[str, Parameter]) -> Step:
    lists = {name: tuple(given[name]) for name in ("words", "choices", "hints")}
    return Step(**{**given, **lists, "control": controls[given["control"]] if "control" in given else None})


def _read(said: Mapping[str, Any]) -> Mapping[str, Lesson]:
    controls = {name: _control(given) for name, given in said["controls"].items()}
    return {
        name: Lesson(**{**given, "name": name, "steps": tuple(_step(one, controls) for one in given["steps"])})
        for name, given in said["lessons"].items()
    }


LESSONS: Mapping[str, Lesson] = _read(texts("lessons"))
"""All lessons by name, in order."""
