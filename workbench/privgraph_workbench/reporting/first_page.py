"""The first page of a report: its summary. All else is a figure, or stands in the appendix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from privgraph_workbench import blocks, report, tables
from privgraph_workbench.blocks import Remark, Section, Warned
from privgraph_workbench.facts import composition
from privgraph_workbench.facts.ahead import ahead, measured
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.reporting import findings
from privgraph_workbench.reporting.asked import Asked, Told, named_runs
from privgraph_workbench.reporting.chapters import Chapter
from privgraph_workbench.words.naming import graph_of, run_labels, unit_of

EVALUATOR = Warned(
    "No guarantee covers them, also where a statement takes labels to be public, and whoever publishes this report "
    "publishes them as well.",
    title="Accuracies of this report are measured on private labels",
)
STATEMENTS = "The privacy statement of each setting stands in full in the archive, as statements/."
SUBTRACTED = (
    "The key of such noise comes with the program, so that anybody can subtract it. Train again, with a key of your "
    "own, before anything is released."
)
ALONE = "Settings that stand in figures alone"
MANY = "{count} more settings stand in figures alone: what they guarantee and reached is told below, under “{section}”."
MOST_BESIDE = 6
"""Of such settings are told on the first page."""
MOST_IN_WORDS = 2
"""Settings that have a sentence each on the first page: of more their table is read."""
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def first_page(asked: Asked, chapters: Sequence[Chapter], together: str) -> Section:
    """Who wrote it and the remark, whose noise is public, whose labels are read; what the figures say; then
    what each setting guarantees and reached, and what all cost `together`."""
    by = ", ".join(filter(None, (asked.author.strip(), asked.date.strip())))
    told: list[blocks.Block] = [by] if by else []
    if asked.remark.strip():
        told.append(Remark(f"**Remark**\n\n{asked.remark}"))
    if warned := _public(asked):
        told.append(warned)
    told += [EVALUATOR] if _evaluator(asked) else []
    if found := findings.found(asked):
        told.append(Remark(found))
    notes: tables.Notes = {}
    lines = all_settings(asked, chapters) if few_beside(asked) else settings_of(chapters)
    told += tables.guarantees(lines, notes) if lines else []
    if few(chapters) and (said := [one.runs[0].said for one in chapters if one.runs[0].said]):
        told.append(_points("What was run", said))
    if few_beside(asked) and (said := [one.said for one in asked.beside if one.said]):
        told.append(_points(ALONE, said))
    if verdict := _ahead(asked, chapters):
        told.append(Remark(verdict))
    told += tables.measured(lines, notes) if lines else []
    told += [] if few_beside(asked) else [MANY.format(count=len(asked.beside), section=ALONE)]
    told += [Remark(together)] if together else []
    told += [] if asked.share else [Warned(report.SECRET)]
    told += [STATEMENTS] if (asked.runs or asked.beside) and not asked.appendix else []
    return Section("What is reported", told)


def beside(asked: Asked, chapters: Sequence[Chapter]) -> Section | None:
    """The settings that stand in figures alone, where the first page has no room for them: what was run, what
    each guarantees and what it reached."""
    if few_beside(asked):
        return None
    notes: tables.Notes = {}
    lines = all_settings(asked, chapters)[len(chapters) :]
    said = [one.said for one in asked.beside if one.said]
    told: list[blocks.Block] = [_points("What was run", said)] if said else []
    return Section(ALONE, [*told, *tables.guarantees(lines, notes), *tables.measured(lines, notes)])


def _points(title: str, said: Sequence[str]) -> Remark:
    return Remark("\n".join([f"**{title}**\n", *(f"- {one}" for one in said)]))


def few_beside(asked: Asked) -> bool:
    """Whether the settings that stand in figures alone are told on the first page, and not in a section."""
    return len(asked.beside) <= MOST_BESIDE


def few(chapters: Sequence[Chapter]) -> bool:
    """Whether each setting is told in words on the first page, and not at the head of its chapter."""
    return len(chapters) <= MOST_IN_WORDS


def composed(asked: Asked) -> str:
    """What all private runs whose numbers stand anywhere in the report cost together: its own, those of its
    means, and those of its figures. Asked before ids are withheld: it tells runs apart by them."""
    means = [other for one in (*asked.runs, *asked.beside) for other in one.same]
    figures = [other for one in asked.figures for other in one.runs]
    said = composition.together([one.record for one in asked.runs], [*means, *figures])
    if gone := sum(one.gone for one in asked.figures):
        runs = "1 run of a figure is" if gone == 1 else f"{gone} runs of figures are"
        said += f" {runs} in the store no longer, and not counted."
    return said.strip()


def _ahead(asked: Asked, chapters: Sequence[Chapter]) -> str:
    """Which setting is ahead, over all of its seeds; of many that stand in figures alone, the most accurate
    of each graph and unit is among them."""
    first = [*(one.runs[0] for one in chapters), *_foremost(asked)]
    groups = [one.same or [one.record] for one in first]  # itself among them, under whatever id it is told
    return ahead(groups, run_labels([one.record for one in first], privacy_too=True, seeds=False)) if groups else ""


def _foremost(asked: Asked) -> list[Told]:
    if few_beside(asked):
        return asked.beside
    best: dict[tuple[str, str], tuple[float, Told]] = {}
    for one in asked.beside:
        if values := measured(one.same or [one.record]):
            key, mean = (graph_of(one.record), unit_of(one.record)), fmean(values)
            best[key] = max(best.get(key, (mean, one)), (mean, one), key=lambda held: held[0])
    return [one for _, one in best.values()]


def lines_of(asked: Asked) -> list[tables.Line]:
    """Each run as a line of the table."""
    labels = run_labels([one.record for one in asked.runs], privacy_too=True)
    return [
        tables.Line(name=name, label=label, record=one.record, same=one.same, seed=not asked.share, attacks=one.attacks)
        for label, (name, one) in zip(labels, named_runs(asked).items(), strict=True)
    ]


def settings_of(chapters: Sequence[Chapter]) -> list[tables.Line]:
    """Each setting as a line of the table, by its run of which attacks have shown most."""
    return [
        tables.Line(
            name=one.name,
            label=one.label,
            record=max((run.record for run in one.runs), key=lambda record: record.epsilon_audited or 0.0),
            same=one.runs[0].same or [run.record for run in one.runs],
            attacks=[attack for run in one.runs for attack in run.attacks],
        )
        for one in chapters
    ]


def all_settings(asked: Asked, chapters: Sequence[Chapter]) -> list[tables.Line]:
    """These, and those that stand in figures alone, each by a name that is no other's."""
    lines = settings_of(chapters)
    lines += [
        tables.Line(name=name, label="", record=one.record, same=one.same or [one.record], attacks=one.attacks)
        for name, one in beside_names(asked).items()
    ]
    if not asked.beside:
        return lines
    labels = run_labels([one.record for one in lines], privacy_too=True, seeds=False)
    return [replace(one, label=label) for one, label in zip(lines, labels, strict=True)]


def beside_names(asked: Asked) -> dict[str, Told]:
    """The settings that stand in figures alone, by the names of their files."""
    return {f"figure-setting-{place:02d}": one for place, one in enumerate(asked.beside, start=1)}


def _public(asked: Asked) -> Warned | None:
    """That the noise of private runs is public, whose ε then protects nobody; None where none is."""
    every_one = (*asked.runs, *asked.beside)
    private = [one.record for one in every_one if one.record.statement and one.record.statement.unit != "none"]
    count, every = sum(map(tables.noise_is_public, private)), len(private)
    if not count:
        return None
    if every == 1:
        return Warned(SUBTRACTED, title="As run, this model protects nobody: its noise is public")
    these = f"of these {_number(every)} private models"
    whose = f"{_number(count)} {these} protect{'s' * (count == 1)} nobody" if count < every else ""
    return Warned(SUBTRACTED, title=f"As run, {whose or f'none {these} protects anybody'}: their noise is public")


def _number(count: int) -> str:
    return SMALL[count] if count < len(SMALL) else f"{count:,}"


def _evaluator(asked: Asked) -> bool:
    return any(one.record.metrics for one in asked.runs) or any(badges_of(one.rows) for one in asked.figures)
