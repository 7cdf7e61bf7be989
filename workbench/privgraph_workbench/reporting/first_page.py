"""The first page of a report: whether what was run protects anybody, what was run, and its cost together."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph_workbench import blocks, report, tables
from privgraph_workbench.blocks import Remark, Section, Warned
from privgraph_workbench.facts import composition
from privgraph_workbench.facts.ahead import ahead
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.reporting.asked import Asked, named_runs
from privgraph_workbench.reporting.chapters import Chapter
from privgraph_workbench.words.naming import run_labels

EVALUATOR = (
    "This report holds numbers for an evaluator's eyes: accuracies are measured on private labels, and no guarantee "
    "covers them. Where a statement takes labels to be public, it does not protect them, and so covers no accuracy "
    "either. Whoever publishes this report publishes these numbers as well."
)
SUBTRACTED = (
    "The key of such noise comes with the program, so that anybody can subtract it. Its ε in this report is that of "
    "the same noise with a secret key. Train again, with a key of your own, before anything is released."
)
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def first_page(asked: Asked, chapters: Sequence[Chapter], together: str) -> Section:
    """Who wrote it, whose noise is public, the remark, what only an evaluator may see, each setting in words,
    and all runs in a table, with what they cost `together`."""
    by = ", ".join(filter(None, (asked.author.strip(), asked.date.strip())))
    told: list[blocks.Block] = [by] if by else []
    if warned := _public(asked):
        told.append(warned)
    if asked.remark.strip():
        told.append(Remark(asked.remark))
    told += [Warned(EVALUATOR)] if _evaluator(asked) else []
    if not asked.share:
        told.append(Warned(report.SECRET))
    if said := [one.runs[0].said for one in chapters if one.runs[0].said]:
        told.append("What was run:")
        told.append(Remark("\n".join(f"- {one}" for one in said)))
    if verdict := _ahead(chapters):
        told.append(Remark(verdict))
    below: list[blocks.Block] = []
    if asked.runs:
        table, *below = tables.blocks(lines_of(asked))
        told.append(table)
    return Section("What is reported", [*told, *([Remark(together)] if together else []), *below])


def composed(asked: Asked) -> str:
    """What all private runs whose numbers stand anywhere in the report cost together: its own, those of its
    means, and those of its figures. Asked before ids are withheld: it tells runs apart by them."""
    means = [other for one in asked.runs for other in one.same]
    figures = [other for one in asked.figures for other in one.runs]
    said = composition.together([one.record for one in asked.runs], [*means, *figures])
    if gone := sum(one.gone for one in asked.figures):
        runs = "1 run of a figure is" if gone == 1 else f"{gone} runs of figures are"
        said += f" {runs} in the store no longer, and not counted."
    return said.strip()


def _ahead(chapters: Sequence[Chapter]) -> str:
    """Which setting is ahead, over all of its seeds."""
    first = [one.runs[0] for one in chapters]
    groups = [one.same or [one.record] for one in first]  # itself among them, under whatever id it is told
    return ahead(groups, run_labels([one.record for one in first], privacy_too=True, seeds=False)) if groups else ""


def lines_of(asked: Asked) -> list[tables.Line]:
    """The runs as lines of the table."""
    labels = run_labels([one.record for one in asked.runs], privacy_too=True)
    return [
        tables.Line(name=name, label=label, record=one.record, same=one.same, seed=not asked.share)
        for label, (name, one) in zip(labels, named_runs(asked).items(), strict=True)
    ]


def _public(asked: Asked) -> Warned | None:
    """That the noise of private runs is public, whose ε then protects nobody; None where none is."""
    private = [one.record for one in asked.runs if one.record.statement and one.record.statement.unit != "none"]
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
