"""Every figure as something that is called: what `privgraph.figures` finds under the entry point of that
name.

A figure of runs is given runs; any other is given what its `data` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import plotly.graph_objects as go

from privgraph.api.run import Run
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import Answers
from privgraph.options import OptionError, UnknownName, listed, nearest
from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench.figures import FIGURES, module_of
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.figures.export import FORMATS, export

_NOTHING: Any = object()
"""Of a figure whose `data` takes nothing that must be given."""


def _records(runs: Sequence[Run]) -> tuple[Any, ...]:
    return ([run.record for run in runs],)


def _pairs(runs: Sequence[Run]) -> tuple[Any, ...]:
    return ([(run.record, run.events) for run in runs],)


def _of_one(read: Callable[[Run], tuple[Any, ...]]) -> Callable[[Sequence[Run]], tuple[Any, ...]]:
    def reader(runs: Sequence[Run]) -> tuple[Any, ...]:
        if len(runs) != 1:
            raise OptionError(f"this figure is of one run (got {len(runs)})")
        return read(runs[0])

    return reader


def _ledger(run: Run) -> tuple[Any, ...]:
    statement = run.statement
    return ((), 0.0) if statement is None else (statement.ledger, statement.delta)


def _audit(run: Run) -> tuple[Any, ...]:
    audits = run.audits
    if not audits:
        raise OptionError(f"no audit of {run.id} has been made: privgraph.audit makes one")
    return (audits[-1],)


_ANSWERS = _of_one(lambda run: (Answers.load(run.folder),))
_ENSEMBLE = _of_one(lambda run: (Ensemble.load(run.folder),))
_AUDIT = _of_one(_audit)

_READERS: Mapping[str, Callable[[Sequence[Run]], tuple[Any, ...]]] = {
    "tradeoff": _records,
    "compare": _records,
    "depth": _records,
    "neighbours_heatmap": _records,
    "convergence": _pairs,
    "curves": _of_one(lambda run: (run.events,)),
    "ledger": _of_one(_ledger),
    **dict.fromkeys(("answers", "one_answer", "agreement", "chosen", "teacher_times"), _ANSWERS),
    **dict.fromkeys(("teacher_epsilons", "budget", "one_vote", "consensus", "stopped", "teacher_accuracy"), _ENSEMBLE),
    **dict.fromkeys(("audit_roc", "audit_scores", "audit_bounds"), _AUDIT),
}
"""What a figure's `data` reads of runs, for those that are of runs."""


@dataclass(frozen=True)
class Figure:
    """A figure by its name: call it with runs, or with what its `data` takes, and it is drawn.

    Args:
        name: A name of `FIGURES`.
        title: What it shows.
    """

    name: str
    title: str

    def __call__(self, subject: Any = _NOTHING, *more: Any, theme: str = "light", **options: Any) -> go.Figure:
        """Draw it.

        Args:
            subject: Runs, a run, or the first of what `data` takes.
            *more: The rest of what `data` takes.
            theme: `light` or `dark`.
            **options: Options of `data`.

        Returns:
            A figure of plotly.
        """
        return self.plot(self.data(subject, *more, **options), theme)

    def data(self, subject: Any = _NOTHING, *more: Any, **options: Any) -> list[Row]:
        """The plain rows that the figure draws.

        Args:
            subject: Runs, a run, or the first of what the figure is made of.
            *more: The rest of it.
            **options: Options of this figure.

        Returns:
            One mapping a row; the module's own `data` says which columns.
        """
        runs = _runs(subject)
        given = (
            _READERS[self.name](runs) if runs and self.name in _READERS else () if subject is _NOTHING else (subject,)
        )
        rows: list[Row] = self._module.data(*given, *more, **options)
        return rows

    def chart(self, rows: Sequence[Row]) -> Chart:
        """What is drawn of rows, before anybody draws it."""
        found: Chart = self._module.chart(rows)
        return found

    def plot(self, rows: Sequence[Row], theme: str = "light") -> go.Figure:
        """Draw rows.

        Args:
            rows: As `data` gives them.
            theme: `light` or `dark`.

        Returns:
            A figure of plotly.
        """
        return self._module.plot(rows, theme)

    def save(self, path: str | Path, subject: Any = _NOTHING, *more: Any, theme: str = "light", **options: Any) -> Path:
        """Write it to a file, with the privacy statements of its runs.

        Args:
            path: The file; its ending says the format: svg, pdf, png, csv or json.
            subject: Runs, a run, or the first of what `data` takes.
            *more: The rest of what `data` takes.
            theme: `light` or `dark`.
            **options: Options of `data`.

        Returns:
            The path.

        Raises:
            OptionError: There is no such format.
        """
        written = Path(path)
        kind = written.suffix.removeprefix(".").lower()
        if kind not in FORMATS:
            raise OptionError(f"a figure is saved as {', '.join(FORMATS)} (got {written.name}){nearest(kind, FORMATS)}")
        statements: dict[str, PrivacyStatement] = {}
        for run in _runs(subject):
            if (statement := run.statement) is not None:
                statements[run.id] = statement
        written.write_bytes(export(self.name, self.data(subject, *more, **options), statements, kind, theme))
        return written

    @property
    def _module(self) -> ModuleType:
        return module_of(self.name)


def _runs(subject: Any) -> list[Run]:
    """The runs that the subject is, or nothing where it is something else."""
    if isinstance(subject, Run):
        return [subject]
    if isinstance(subject, list | tuple) and subject and all(isinstance(one, Run) for one in subject):
        return list(subject)
    return []


def names() -> Iterable[str]:
    """All figures."""
    return FIGURES.keys()


@lru_cache(maxsize=64)
def figure(name: str) -> Figure:
    """The figure of that name. Raises `UnknownName` with the nearest match."""
    if name not in FIGURES:
        raise UnknownName(f"there is no figure {name}; figures are {listed(FIGURES)}{nearest(name, FIGURES)}")
    return Figure(name, FIGURES[name])
