"""The decorator `@figure` that registers a figure, and the figure as something that is called.

A figure's module has `data(...) -> rows` and `chart(rows) -> Chart`; the decorator stands on `chart`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import plotly.graph_objects as go

from privgraph.api.run import Run
from privgraph.options import OptionError, nearest, short
from privgraph.runs.spec import RunSpec
from privgraph_workbench.figures.chart import Chart, Row
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.flags import Flag, of_rows
from privgraph_workbench.figures.needs import Needs
from privgraph_workbench.text import texts

P = ParamSpec("P")
EXAMINATIONS = ("attacks", "audits")
"""Subjects that an evaluator alone sees."""
REGISTERED: dict[str, Figure] = {}
"""Figures by name, once their modules are imported."""
_NOTHING: Any = object()


def figure(
    name: str,
    title: str,
    data: Callable[..., list[Row]],
    *,
    needs: Needs | None = None,
    settings: bool = False,
    flags: Sequence[Flag] = (),
    table: Callable[[Sequence[Row]], list[Row]] = list,
) -> Callable[[Callable[Concatenate[Sequence[Row], P], Chart]], Callable[Concatenate[Sequence[Row], P], Chart]]:
    """Register the decorated `chart` as a figure.

    Args:
        name: Of the figure, and of its module.
        title: What it shows.
        data: Makes its rows.
        needs: What `data` reads of runs; None: it takes plain values.
        settings: Whether it shows settings, so that a report may hold it; other figures show single runs.
        flags: Warnings that it always carries.
        table: Its rows as a CSV has them.

    Returns:
        A decorator; the decorated function fills in title, caption and flags.
    """

    def register(
        chart: Callable[Concatenate[Sequence[Row], P], Chart],
    ) -> Callable[Concatenate[Sequence[Row], P], Chart]:
        def complete(rows: Sequence[Row], /, *args: P.args, **options: P.kwargs) -> Chart:
            made = chart(rows, *args, **options)
            carried = dict.fromkeys((*of_rows(rows), *(flags if rows else ()), *made.flags))
            caption = texts("figures")["captions"][name]
            return replace(made, title=made.title or title, caption=caption, flags=tuple(carried))

        complete.__doc__, complete.__module__ = chart.__doc__, chart.__module__
        subject = chart.__module__.split(".")[-2]
        REGISTERED[name] = Figure(name, title, subject, data, complete, needs, settings, table)
        return complete

    return register


@dataclass(frozen=True)
class Figure:
    """A figure: call it with runs, or with what its `data` takes, and it is drawn."""

    name: str
    title: str
    subject: str
    make: Callable[..., list[Row]]
    draw: Callable[..., Chart]
    reads: Needs | None
    settings: bool
    table: Callable[[Sequence[Row]], list[Row]]

    def __post_init__(self) -> None:
        rows = inspect.cleandoc(self.make.__doc__ or "")
        caption = texts("figures")["captions"][self.name]
        told = f"{self.title}. {caption}\n\nIt needs {self.needs}.\n\nRows: {rows}"
        object.__setattr__(self, "__doc__", told)  # what help(privgraph.figures) shows of it

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}; needs {self.needs}>"

    @property
    def needs(self) -> str:
        """What it is drawn from: runs, events, an audit, or the arguments of its `data`."""
        if self.reads is not None:
            return str(texts("figures")["needs"][self.name])
        taken = inspect.signature(self.make).parameters.values()
        required = [one.name for one in taken if one.default is inspect.Parameter.empty]
        free = [one.name for one in taken if one.default is not inspect.Parameter.empty]
        also = f" (it also takes {', '.join(free)})" if free else ""
        return (", ".join(required) or "nothing") + also

    @property
    def examines(self) -> bool:
        """Whether it shows what attacks or audits found, which an evaluator alone sees."""
        return self.subject in EXAMINATIONS

    def __call__(self, subject: Any = _NOTHING, *more: Any, theme: str = "light", **options: Any) -> go.Figure:
        """Draw it with plotly, `light` or `dark`, of what `data` takes."""
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
            inspect.signature(self.make).bind(*given, **options)
        except TypeError as error:
            raise OptionError(f"the figure {self.name} needs {self.needs} ({error})") from None
        try:
            return self.make(*given, **options)
        except (AttributeError, TypeError) as error:
            if runs_of(subject):
                raise
            raise OptionError(f"the figure {self.name} needs {self.needs} (got {short(subject)}: {error})") from error

    def _read(self, subject: Any) -> tuple[Any, ...]:
        """The first arguments of `data`: what it reads of runs, or the subject as it is."""
        runs = runs_of(subject)
        if self.reads is not None and runs:
            return self.reads(runs)
        if self.reads is not None and subject is not _NOTHING:
            for one in subject if isinstance(subject, list | tuple) else (subject,):
                if one is None or isinstance(one, RunSpec | str | int | float):
                    raise OptionError(f"the figure {self.name} needs {self.needs} (got {short(one)})")
        return () if subject is _NOTHING else (subject,)

    def chart(self, rows: Sequence[Row], **options: Any) -> Chart:
        """What is drawn of rows, before a renderer draws it."""
        return self.draw(rows, **options)

    def plot(self, rows: Sequence[Row], theme: str = "light") -> go.Figure:
        """Draw rows, as `data` gives them, with plotly, `light` or `dark`."""
        return draw(self.draw(rows), theme)

    def save(self, path: str | Path, subject: Any = _NOTHING, *more: Any, theme: str = "light", **options: Any) -> Path:
        """Write it to a file, with the privacy statements of its runs (of a CSV: in a text file beside it).

        Args:
            path: The file; its ending says the format: svg, pdf, png, csv, txt or json.
            subject: Runs, a run, or the first of what `data` takes; further arguments and options as there.
            theme: `light` or `dark`.

        Raises:
            OptionError: There is no such format, or it was not given what it needs.
        """
        from privgraph_workbench.figures.export import FORMATS, export
        from privgraph_workbench.leaks import with_bounds

        written = Path(path)
        kind = written.suffix.removeprefix(".").lower()
        if kind not in FORMATS:
            raise OptionError(f"a figure is saved as {', '.join(FORMATS)} (got {written.name}){nearest(kind, FORMATS)}")
        statements = {
            run.id: with_bounds(said, run.attacks) if self.subject == "attacks" else said
            for run in runs_of(subject)
            if (said := run.statement) is not None
        }
        rows = self.data(subject, *more, **options)
        written.write_bytes(export(self.name, rows, statements, kind, theme))
        if kind == "csv":
            written.with_suffix(".txt").write_bytes(export(self.name, rows, statements, "txt"))
        return written


def without(*columns: str) -> Callable[[Sequence[Row]], list[Row]]:
    """A table without these columns."""

    def table(rows: Sequence[Row]) -> list[Row]:
        return [{name: value for name, value in row.items() if name not in columns} for row in rows]

    return table


def runs_of(subject: Any) -> list[Run]:
    """The runs that the subject is, or nothing where it is something else."""
    held = list(subject) if isinstance(subject, list | tuple) else [subject]
    return held if all(isinstance(one, Run) for one in held) else []
