"""The decorator `@figure` that registers a figure, and the figure as something that is called.

A figure's module has `data(...) -> rows` and `chart(rows) -> Chart`; the decorator stands on `chart`.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from privgraph.api.run import Run
from privgraph.options import OptionError, nearest, short
from privgraph_workbench.figures.chart import Chart, Flag, Row, Rows, flags
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.marks import empty, placed
from privgraph_workbench.figures.needs import NEEDS
from privgraph_workbench.text import texts


def figure(
    name: str,
    title: str,
    data: Callable[..., list[Row]],
    *,
    needs: str = "",
    settings: bool = False,
    always: Sequence[Flag] = (),
    table: Callable[[Rows], list[Row]] = list,
) -> Callable[[Callable[..., Chart]], Callable[..., Chart]]:
    """Register the decorated `chart` of rows that `data` makes; it fills in title, caption and flags then.

    Args:
        name: Of the figure, and of its module.
        title: What it shows.
        data: Makes its rows.
        needs: What `data` reads of runs, of `NEEDS`; "": it takes plain values.
        settings: Whether it shows settings, and a report may hold it.
        always: Warnings that it always carries.
        table: Its rows as a CSV has them.
    """

    def register(chart: Callable[..., Chart]) -> Callable[..., Chart]:
        @wraps(chart)
        def complete(rows: Rows, **options: Any) -> Chart:
            made = chart(rows, **options) if rows else empty()
            carried = dict.fromkeys((*of_rows(rows), *(always if rows else ()), *made.flags))
            caption = texts("figures")["captions"][name]
            return replace(made, title=made.title or title, caption=caption, flags=tuple(carried))

        REGISTERED[name] = Figure(name, title, chart.__module__.split(".")[-2], data, complete, needs, settings, table)
        return complete

    return register


def of_rows(rows: Rows) -> tuple[Flag, ...]:
    """The flags that columns of rows call for: `evaluator`, `data_dependent`, `composed`, and epsilons of
    several a `unit`."""
    private = (row for row in rows if any(placed(row.get(one)) for one in ("epsilon", "epsilon_as_published")))
    return flags(
        {
            Flag.EVALUATOR: any(row.get("evaluator") for row in rows),
            Flag.DATA_DEPENDENT: any(row.get("data_dependent") for row in rows),
            Flag.COMPOSED: any((row.get("composed") or 0) > 1 for row in rows),
            Flag.MIXED_UNITS: len({row.get("unit") for row in private} - {None, "none"}) > 1,
        }
    )


@dataclass(frozen=True)
class Figure:
    """A figure: call it with runs, or with what its `data` takes, and it is drawn."""

    name: str
    title: str
    subject: str
    make: Callable[..., list[Row]]
    chart: Callable[..., Chart]
    reads: str
    settings: bool
    table: Callable[[Rows], list[Row]]

    def __post_init__(self) -> None:
        rows, caption = inspect.cleandoc(self.make.__doc__ or ""), texts("figures")["captions"][self.name]
        told = f"{self.title}. {caption}\n\nIt needs {self.needs}.\n\nRows: {rows}"
        object.__setattr__(self, "__doc__", told)  # what help(privgraph.figures) shows of it

    def __repr__(self) -> str:
        return f"<figure {self.name}: {self.title}; needs {self.needs}>"

    @property
    def needs(self) -> str:
        """What it is drawn from, in words."""
        if self.reads:
            return str(texts("figures")["needs"][self.reads])
        taken = inspect.signature(self.make).parameters.values()
        required = ", ".join(one.name for one in taken if one.default is one.empty) or "nothing"
        more = ", ".join(one.name for one in taken if one.default is not one.empty)
        return f"{required} (it also takes {more})" if more else required

    @property
    def examines(self) -> bool:
        """Whether it shows what attacks or audits found, which an evaluator alone sees."""
        return self.subject in ("attacks", "audits")

    def __call__(self, *given: Any, theme: str = "light", **options: Any) -> go.Figure:
        """Draw it with plotly, `light` or `dark`, of what `data` takes."""
        return self.plot(self.data(*given, **options), theme)

    def data(self, *given: Any, **options: Any) -> list[Row]:
        """The plain rows that the figure draws of runs, a run, or what it is made of, and of its options: one
        mapping a row; its documentation says which columns. Raises `OptionError` where it was not given what
        it `needs`."""
        runs = runs_of(*given[:1])
        if self.reads and runs:
            given = (*NEEDS[self.reads](runs), *given[1:])
        try:
            inspect.signature(self.make).bind(*given, **options)
        except TypeError as error:
            raise OptionError(f"the figure {self.name} needs {self.needs} ({error})") from None
        try:
            return self.make(*given, **options)
        except (AttributeError, TypeError) as error:
            if runs or not given:
                raise
            wrong = given[0][0] if isinstance(given[0], list | tuple) and given[0] else given[0]
            raise OptionError(f"the figure {self.name} needs {self.needs} (got {short(wrong)})") from error

    def plot(self, rows: Rows, theme: str = "light") -> go.Figure:
        """Draw rows, as `data` gives them, with plotly, `light` or `dark`."""
        return draw(self.chart(rows), theme)

    def save(self, path: str | Path, *given: Any, theme: str = "light", **options: Any) -> Path:
        """Write it to a file, with the privacy statements of its runs (of a CSV: in a text file beside it).

        The path's ending says the format: svg, pdf, png, csv, txt or json. The rest is what `data` takes, and
        the theme, `light` or `dark`. Raises `OptionError` where there is no such format, or it was not given
        what it needs.
        """
        from privgraph_workbench.figures.export import FORMATS, export
        from privgraph_workbench.leaks import with_bounds

        written = Path(path)
        kind = written.suffix.removeprefix(".").lower()
        if kind not in FORMATS:
            raise OptionError(f"a figure is saved as {', '.join(FORMATS)} (got {written.name}){nearest(kind, FORMATS)}")
        statements = {
            run.id: with_bounds(said, run.attacks) if self.subject == "attacks" else said
            for run in runs_of(*given[:1])
            if (said := run.statement) is not None
        }
        rows = self.data(*given, **options)
        written.write_bytes(export(self.name, rows, statements, kind, theme))
        if kind == "csv":
            written.with_suffix(".txt").write_bytes(export(self.name, rows, statements, "txt"))
        return written


REGISTERED: dict[str, Figure] = {}
"""Figures by name, once their modules are imported."""


def without(*columns: str) -> Callable[[Rows], list[Row]]:
    """A table without these columns."""
    return lambda rows: [{name: value for name, value in row.items() if name not in columns} for row in rows]


def runs_of(subject: Any = None) -> list[Run]:
    """The runs that the subject is, or nothing where it is something else."""
    held = list(subject) if isinstance(subject, list | tuple) else [subject]
    return held if all(isinstance(one, Run) for one in held) else []
