"""What a lesson is made of. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privgraph.options import Parameter, nearest
from privgraph_workbench.figures import module_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.words.glossary import GLOSSARY


@dataclass(frozen=True, kw_only=True)
class Question:
    """`right` is the place of the right choice, and `why` is said once somebody has made it. `hints` say for
    each wrong choice where to look; the right one's is empty."""

    text: str
    choices: tuple[str, ...]
    hints: tuple[str, ...]
    right: int
    why: str

    def __post_init__(self) -> None:
        if not 0 <= self.right < len(self.choices):
            raise ValueError(f"Question.right must be the place of a choice (got {self.right})")
        if [bool(hint) for hint in self.hints] != [place != self.right for place in range(len(self.choices))]:
            raise ValueError("Question.hints must have one for each wrong choice, and none for the right one")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure by its name, with fixed arguments of its `data`; `reads` is the argument that the step's
    control sets."""

    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    reads: str = ""

    def rows(self, value: object = None) -> list[Row]:
        """The figure's rows, with this value of the control."""
        asked = {**self.given, **({self.reads: value} if self.reads else {})}
        found: list[Row] = module_of(self.name).data(**asked)
        return found


@dataclass(frozen=True, kw_only=True)
class Step:
    """A sentence or two, at most one control and one figure, and a question that is checked. `words` are
    terms of the glossary that its text needs."""

    title: str
    text: str
    words: tuple[str, ...]
    question: Question
    control: Parameter | None = None
    figure: Figure | None = None

    def __post_init__(self) -> None:
        for word in self.words:
            if word not in GLOSSARY:
                raise ValueError(f"Step.words must be terms of the glossary (got {word}){nearest(word, GLOSSARY)}")


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """`minutes` are what it takes; `takeaway` is to be remembered of it, in one sentence; `paper` is what
    papers say of it, and `holds` what holds. `notebook` is the name of the one with the same figures and
    exercises."""

    name: str
    title: str
    minutes: int
    about: str
    steps: tuple[Step, ...]
    takeaway: str
    paper: str
    holds: str
    notebook: str
