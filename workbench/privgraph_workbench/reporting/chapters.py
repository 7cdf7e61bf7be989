"""The chapters of a report: one for each setting, in which nothing is said twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench import repeating, report
from privgraph_workbench.blocks import Block, Picture, Remark, Section, Warned
from privgraph_workbench.facts.advising import BASIS
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.export import table
from privgraph_workbench.reporting import same_titles
from privgraph_workbench.reporting.asked import Asked, Drawn, Told, named_runs, title_of
from privgraph_workbench.words.glossary import GLOSSARY, PUBLISHED, SOUND
from privgraph_workbench.words.measures import MEANS, measure
from privgraph_workbench.words.naming import setting, statements_of, unit_of
from privgraph_workbench.words.statements_apart import unaudited

WORDS = ("ε (epsilon)", "δ (delta)", SOUND, PUBLISHED, "lower bound (ε audited)")
"""The words that a report explains."""
ONCE = (report.PRECISION, report.LAST_STEPS, report.OUTSIDERS)
"""What is said below these words, and not in each chapter."""
ELSEWHERE = (report.NUMBERS, report.MEASURED, *map(Warned, repeating.SECRETS))
"""What these words, or the first page, say in its place."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """What is said of the runs of one setting. `label`: what the setting is called; `name`: what its files
    begin with; `said_once`: what of `ONCE` belongs to it."""

    title: str
    label: str
    name: str
    runs: Sequence[Told]
    sections: Sequence[Section]
    said_once: Sequence[str] = ()

    @property
    def statements(self) -> dict[str, PrivacyStatement]:
        """What the pictures of the chapter carry: of the setting, with the seed that was audited."""
        own = {unaudited(one.record.statement) for one in self.runs if one.record.statement}
        alike = [one for one in self.records if one.statement and unaudited(one.statement) in own]
        found = {}
        for label, said in statements_of(alike).items():
            audited = [one.id for one in alike if one.statement == said and said.epsilon_audited is not None]
            seed = self.seeds.get(audited[0], "") if audited and len(alike) > 1 else ""
            found[f"{label} (audited: seed {seed})" if seed else label] = said
        return found

    @property
    def records(self) -> list[RunRecord]:
        """All runs of the setting, each once; those that the chapter tells as it tells them."""
        same = [other for one in self.runs for other in one.same]
        return list({one.id: one for one in (*same, *(told.record for told in self.runs))}.values())

    @property
    def seeds(self) -> dict[str, str]:
        """What is told of the seed of each of them, by their ids."""
        return {run: seed for one in self.runs for run, seed in one.seeds.items()}


def chapters_of(asked: Asked) -> list[Chapter]:
    """A chapter for each setting; a figure that was chosen is named, and not drawn again."""
    named, labels = named_runs(asked), same_titles.labels(asked, [one.record for one in asked.runs])
    held: dict[tuple[object, ...], list[str]] = {}
    for name, one in named.items():
        said = one.record.statement
        alike = setting(one.record), one.record.state, one.record.error, None if said is None else unaudited(said)
        held.setdefault(alike, []).append(name)
    firsts = [named[names[0]].record for names in held.values()]
    together = same_titles.labels(asked, firsts, seeds=False)
    before: dict[tuple[str, str], report.Before] = {}
    found = []
    for place, (label, first, names) in enumerate(zip(together, firsts, held.values(), strict=True), start=1):
        title = f"{label}: {len(names)} runs" if len(names) > 1 else labels[list(named).index(names[0])]
        told = [_reported(named[name], several=len(names) > 1) for name in names]
        told[0] = replace(told[0], others=_others([named[name] for name in names]))
        promise = first.spec.method, unit_of(first)
        sections = report.sections(told, asked.share, before.get(promise))
        if first.statement is not None:
            before.setdefault(promise, report.Before(title=title, statement=first.statement))
        found.append(
            Chapter(
                title=title,
                label=label,
                name=names[0] if len(names) == 1 else f"setting-{place:02d}",
                runs=[named[name] for name in names],
                sections=[replace(section, blocks=_once(asked, section.blocks)) for section in sections],
                said_once=[one for one in ONCE if any(one in section.blocks for section in sections)],
            )
        )
    return found


def _reported(one: Told, *, several: bool) -> report.Reported:
    """A run for its chapter, with a name where it has `several`."""
    return report.Reported(
        record=one.record,
        events=one.events,
        attacks=one.attacks,
        stands=one.stands,
        name=f"seed {one.seed}" if several else "",
        same=one.same,
        over=one.over,
        seed=f"seed {one.seed}",
    )


def _others(runs: Sequence[Told]) -> list[report.Other]:
    """The runs of the setting that the chapter does not tell by themselves, with what attacks have shown of
    them."""
    own = {one.record.id for one in runs}
    first = runs[0]
    return [
        report.Other(
            name=f"seed {first.seeds.get(one.id, one.spec.seed)}",
            record=one,
            attacks=[attack for attack in first.elsewhere if attack.run == one.id],
        )
        for one in first.same
        if one.id not in own
    ]


def _once(asked: Asked, blocks: Sequence[Block]) -> list[Block]:
    """What a chapter says without what stands elsewhere: figures that were chosen, and what words mean."""
    chosen = {place: _drawn(one.figure, one.rows) for place, one in enumerate(asked.figures, start=1)}
    found: list[Block] = []
    for block in blocks:
        drawn = _drawn(block.figure, block.rows) if isinstance(block, Picture) else None
        place = next((at for at, one in chosen.items() if one == drawn), None)
        if block in (*ONCE, *ELSEWHERE):
            continue
        kept = replace(block, marked=True) if isinstance(block, Picture) else block  # the first page warns in full
        found.append(kept if place is None else f"See Figure {place}.")
    return found


def _drawn(figure: str, rows: Sequence[Row]) -> tuple[str, list[Row]]:
    """By what two figures are one: what is drawn, and not what is said of it."""
    return figure, list(table(figure, rows))


def words_of(asked: Asked, chapters: Sequence[Chapter]) -> Section | None:
    """What the words and numbers of the chapters, and of advice, mean, once; None where there is none."""
    points = [f"- **{word}**: {GLOSSARY[word]}" for word in WORDS] if chapters else []
    scores = dict.fromkeys(measure(one.runs[0].record.spec.method) for one in chapters)
    points += [f"- **{name}**: {MEANS[name]}" for name in scores]
    told: list[Block] = [Remark("\n".join(points))] if points else []
    told += [one for one in ONCE if any(one in chapter.said_once for chapter in chapters)]
    told += [f"What to take: {BASIS}"] if any(one.advice for one in asked.figures) else []
    return Section("What the words mean", told) if told else None


def figures_of(chapters: Sequence[Chapter]) -> dict[str, Drawn]:
    """The figures of the runs' own chapters."""
    return {
        f"{chapter.name}-{block.figure}": Drawn(
            figure=block.figure,
            rows=[{**row, "run": chapter.name} if row.get("run") == "" else row for row in block.rows],
            statements=chapter.statements,
            title=title_of(
                block.figure, block.rows, [chapter.runs[0].record]
            ),  # a file says by itself of which setting
        )
        for chapter in chapters
        for section in chapter.sections
        for block in section.blocks
        if isinstance(block, Picture)
    }
