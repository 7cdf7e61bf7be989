"""Every figure as something that is called: what `privgraph.figures` finds under the entry point of that
name.

A figure of runs is given runs; any other is given what its `data` takes. `Figure.needs` says which.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from privgraph.api.run import Run
from privgraph.attacks.record import AttackRecord
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import Answers
from privgraph.options import OptionError, UnknownName, listed, nearest, short
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench import summary
from privgraph_workbench.facts.expecting import outlook
from privgraph_workbench.figures import FIGURES, module_of
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.figures.export import FORMATS, export
from privgraph_workbench.leaks import with_bounds
from privgraph_workbench.words.naming import setting

_NOTHING: Any = object()
"""Of a figure whose `data` takes nothing that must be given."""


def _records(runs: Sequence[Run]) -> tuple[Any, ...]:
    return ([run.record for run in runs],)


def _pairs(runs: Sequence[Run]) -> tuple[Any, ...]:
    return ([(run.record, run.events) for run in runs],)


def _outlook(runs: Sequence[Run]) -> tuple[Any, ...]:
    records = [run.record for run in runs]
    if not records:
        raise OptionError("this figure is of one run and those that it is read beside (got none)")
    return (outlook(records, records[0].spec),)


def _standing(runs: Sequence[Run]) -> tuple[Any, ...]:
    (told,) = _outlook(runs)
    first, *others = (run.record for run in runs)
    return (first, [first, *(one for one in others if setting(one) == setting(first))], told)


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


def _attack(run: Run) -> tuple[Any, ...]:
    attacks = run.attacks
    if not attacks:
        raise OptionError(f"no attack on {run.id} has been made: privgraph.attack makes one")
    return (attacks[-1],)


@dataclass(frozen=True)
class _Reader:
    """What a figure of runs reads of them, and in words which runs it needs, or what else may be given."""

    read: Callable[[Sequence[Run]], tuple[Any, ...]]
    needs: str


def _kept(kind: type[Answers] | type[Ensemble], what: str) -> Callable[[Sequence[Run]], tuple[Any, ...]]:
    def read(run: Run) -> tuple[Any, ...]:
        try:
            return (kind.load(run.folder),)
        except FileNotFoundError:
            raise OptionError(f"{run.id} has kept no {what}: a run of {run.spec.method} draws no such figure") from None

    return _of_one(read)


_PLACE = ", and place: the number of a query, from 0 on"
_RECORDS = _Reader(_records, "runs: a list of privgraph.Run, or one")
_ANSWERS = _Reader(_kept(Answers, "answers of teachers"), "one privgraph.Run of privgnn, pate or dp-gpl")
_ENSEMBLE = _Reader(_kept(Ensemble, "teachers"), "one privgraph.Run of dp-gpl")
_AUDIT = _Reader(_of_one(_audit), "one audit, as privgraph.audit returns it, or a privgraph.Run, for its last audit")

_ATTACK = _Reader(
    _of_one(_attack), "one attack, as privgraph.attack returns it, or a privgraph.Run, for the last attack on it"
)

_READERS: Mapping[str, _Reader] = {
    "tradeoff": _RECORDS,
    "compare": _RECORDS,
    "depth": _RECORDS,
    "teachers_compared": replace(_RECORDS, needs="runs of privgnn, pate or dp-gpl: a list of privgraph.Run"),
    "expected": _Reader(_outlook, "runs on one graph: a list of privgraph.Run, the one in question first"),
    "standing": _Reader(_standing, "runs on one graph: a list of privgraph.Run, the one in question first"),
    "relation_ranking": replace(_RECORDS, needs="runs of relational or relation-rand: a list of privgraph.Run"),
    "neighbours_heatmap": replace(_RECORDS, needs="runs of heter-poisson: a list of privgraph.Run"),
    "convergence": _Reader(_pairs, "runs: a list of privgraph.Run, or one, for their events"),
    "curves": _Reader(_of_one(lambda run: (run.events,)), "one privgraph.Run, or its events"),
    "ledger": _Reader(_of_one(_ledger), "one privgraph.Run, or a statement's ledger and its delta"),
    **dict.fromkeys(("answers", "agreement", "teacher_times"), _ANSWERS),
    **dict.fromkeys(("one_answer", "chosen"), replace(_ANSWERS, needs=_ANSWERS.needs + _PLACE)),
    **dict.fromkeys(("teacher_epsilons", "budget", "consensus", "stopped", "teacher_accuracy"), _ENSEMBLE),
    "one_vote": replace(_ENSEMBLE, needs=_ENSEMBLE.needs + _PLACE),
    **dict.fromkeys(
        ("attack_roc", "attack_areas", "attack_kept"),
        _Reader(_of_one(lambda run: (run.attacks,)), "a list of attacks, or one privgraph.Run, for all attacks on it"),
    ),
    **dict.fromkeys(("attack_scores", "attack_exposure", "attack_map"), _ATTACK),
    **dict.fromkeys(("audit_roc", "audit_scores", "audit_bounds"), _AUDIT),
}
"""What a figure's `data` reads of runs, for those that are of runs."""


_ATTACKED = ("attack_roc", "attack_areas", "attack_kept", "attack_scores", "attack_exposure", "attack_map")
"""Figures of attacks: what these have shown stands in the statements that leave with them."""


@dataclass(frozen=True)
class Figure:
    """A figure by its name: call it with runs, or with what its `data` takes, and it is drawn.

    Args:
        name: A name of `FIGURES`.
        title: What it shows.
    """

    name: str
    title: str

    def __post_init__(self) -> None:
        rows = inspect.cleandoc(self._module.data.__doc__ or "")
        told = f"{self.title}.\n\nIt needs {self.needs}.\n\nRows: {rows}"
        object.__setattr__(self, "__doc__", told)  # what help(privgraph.figures) shows of it

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}; needs {self.needs}>"

    @property
    def needs(self) -> str:
        """What it is drawn from, in words: runs, events, an audit, or the arguments of its `data`."""
        if self.name in _READERS:
            return _READERS[self.name].needs
        taken = inspect.signature(self._module.data).parameters.values()
        required = [one.name for one in taken if one.default is inspect.Parameter.empty]
        free = [one.name for one in taken if one.default is not inspect.Parameter.empty]
        also = f" (it also takes {', '.join(free)})" if free else ""
        return (", ".join(required) or "nothing") + also

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

        Raises:
            OptionError: It was not given what it needs (`needs`).
        """
        given = (*self._read(subject), *more)
        try:
            inspect.signature(self._module.data).bind(*given, **options)
        except TypeError as error:
            raise OptionError(f"the figure {self.name} needs {self.needs} ({error})") from None
        try:
            rows: list[Row] = self._module.data(*given, **options)
        except (AttributeError, TypeError) as error:
            if _runs(subject):
                raise
            raise OptionError(f"the figure {self.name} needs {self.needs} (got {short(subject)}: {error})") from error
        return rows

    def _read(self, subject: Any) -> tuple[Any, ...]:
        """The first arguments of `data`: what it reads of runs, or the subject as it is."""
        runs, reader = _runs(subject), _READERS.get(self.name)
        if reader is not None and runs:
            return reader.read(runs)
        if reader is not None and subject is not _NOTHING:
            for one in subject if isinstance(subject, list | tuple) else (subject,):
                if one is None or isinstance(one, RunSpec | str | int | float):
                    raise OptionError(f"the figure {self.name} needs {self.needs} (got {short(one)})")
        return () if subject is _NOTHING else (subject,)

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
        """Write it to a file, with the privacy statements of its runs (of a CSV: in a text file beside it).

        Args:
            path: The file; its ending says the format: svg, pdf, png, csv, txt or json.
            subject: Runs, a run, or the first of what `data` takes.
            *more: The rest of what `data` takes.
            theme: `light` or `dark`.
            **options: Options of `data`.

        Returns:
            The path.

        Raises:
            OptionError: There is no such format, or it was not given what it needs.
        """
        written = Path(path)
        kind = written.suffix.removeprefix(".").lower()
        if kind not in FORMATS:
            raise OptionError(f"a figure is saved as {', '.join(FORMATS)} (got {written.name}){nearest(kind, FORMATS)}")
        statements: dict[str, PrivacyStatement] = {}
        for run in _runs(subject):
            if (statement := run.statement) is not None:
                statements[run.id] = with_bounds(statement, run.attacks) if self.name in _ATTACKED else statement
        rows = self.data(subject, *more, **options)
        written.write_bytes(export(self.name, rows, statements, kind, theme))
        if kind == "csv":
            written.with_suffix(".txt").write_bytes(export(self.name, rows, statements, "txt"))
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


def table(records: Sequence[RunRecord], attacks: Sequence[AttackRecord]) -> pd.DataFrame:
    """The table of settings that `privgraph.table` gives, without runs' ids."""
    return summary.settings(summary.of_records(records), attacks).drop(columns="runs")
