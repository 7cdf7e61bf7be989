"""Whose papers are behind a report and each of its figures: by methods, attacks, audits and data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.privacy.statements import statement_text
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting.asked import Asked, Drawn
from privgraph_workbench.reporting.chapters import Chapter
from privgraph_workbench.words.bibliography import named, named_in


def of(asked: Asked) -> list[str]:
    """The methods, attacks and audits whose papers are behind the report: those of its runs and figures, and
    the papers that its statements name."""
    names = [name for one in asked.runs for name in (named(one.record.spec), *(a.attack for a in one.every_attack))]
    names += [attack.attack for one in asked.beside for attack in one.every_attack]
    for one in asked.figures:
        names += _named(one.rows, one.runs)
    said = {run.statement for one in (*asked.runs, *asked.beside) for run in one.runs} | {
        held for one in asked.figures for held in one.statements.values()
    }
    known = [one for one in said if one is not None]
    names += sorted({one.audited_by for one in known if one.audited_by})
    names += sorted(
        {one.record.spec.dataset for one in (*asked.runs, *asked.beside)}
        | {run.spec.dataset for one in asked.figures for run in one.runs}
        | {str(row["dataset"]) for one in asked.figures for row in one.rows if row.get("dataset")}
    )
    return [*dict.fromkeys(names), *named_in("\n".join(sorted(map(statement_text, known))))]


def of_figures(figures: Mapping[str, Drawn], chapters: Sequence[Chapter]) -> dict[str, list[str]]:
    """The methods, attacks and data sets of each figure, by the names of its files: one of a chapter has
    those of its setting."""
    found = {}
    for name, one in figures.items():
        held = [run for chapter in chapters if name.startswith(f"{chapter.name}-") for run in chapter.records]
        runs = [*one.runs, *([] if one.runs else held)]
        data = [run.spec.dataset for run in runs]
        found[name] = list(dict.fromkeys([*_named(one.rows, runs), *data]))
    return found


def _named(rows: Sequence[Row], runs: Sequence[RunRecord]) -> list[str]:
    """The methods and attacks of a figure: what a run says of its method is more than what its row does."""
    known = {run.spec.method for run in runs}
    told = [str(row[key]) for row in rows for key in ("method", "attack_name") if row.get(key)]
    return [*(named(run.spec) for run in runs), *(one for one in told if one not in known)]
