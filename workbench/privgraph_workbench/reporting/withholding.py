"""What is reported as others get it: without what tells seeds, its runs and seeds numbered."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from privgraph.options import OptionError
from privgraph_workbench.figures import for_others
from privgraph_workbench.reporting import fixed, noises, not_drawn, seedless
from privgraph_workbench.reporting.asked import Asked, Drawn, Told
from privgraph_workbench.reporting.own_setting import goes
from privgraph_workbench.withheld import Withheld
from privgraph_workbench.words import naming
from privgraph_workbench.words.naming import describe, setting

NONE_LEFT = (
    "a report for others leaves out what is not measured on test nodes, and of settings without noise all but means "
    "over several runs, and nothing else is reported"
)


CAME = "their runs came with the program, and the same settings have runs of your own: the gallery tells their seeds"
TOGETHER = (
    "they show means over runs of your own and of the gallery together: beside means over your own alone, these would "
    "tell single runs"
)
BARE = (
    "they show settings without noise by other runs than all of your own: means over all of them, of two at least, "
    "are told alone"
)
"""Why a figure stays though others are given figures of its kind, in words that follow its name."""


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What becomes of a figure: it as the report has it, or None where that leaves it out, and `why` it does,
    in words that follow its name."""

    given: Drawn | None
    why: str = ""


def without_seeds(asked: Asked) -> Asked:
    """What is reported, without what tells seeds or private values; figures that tell them are left out."""
    asked = seedless.ordered(asked)
    hidden, asked = numbered(asked), fixed.averaged(asked)
    # of a measure that stays, or of a single run without noise, nothing is left
    figures = [given for one in asked.shown if (given := _figure_without_seed(hidden, one)).rows]
    if not asked.runs and not figures:
        raise OptionError(NONE_LEFT)
    return replace(asked, runs=[_without_seed(hidden, one) for one in asked.runs], figures=figures)


def decided(asked: Asked, figures: Mapping[str, Drawn]) -> dict[str, Decided]:
    """What becomes of figures, by their marks. Whatever counts or names what is left out asks here."""
    mixed = asked.mixed if asked.share else frozenset()
    by_noise = {
        mark: not_drawn.told(noises.figure(one, mixed, share=asked.share), asked) for mark, one in figures.items()
    }
    if not asked.share:
        return {mark: Decided(given=one) for mark, one in by_noise.items()}
    why = {mark: for_others.stays(one.figure, one.rows) for mark, one in figures.items()}
    for mark, told in by_noise.items():
        if not why[mark] and not told.rows:
            why[mark] = CAME if all(goes(run, mixed) for run in figures[mark].runs) else TOGETHER
    if all(why.values()):  # so that there may be no report, by which means are told
        return {mark: Decided(given=None, why=said) for mark, said in why.items()}
    asked = noises.apart(asked)
    ordered = seedless.ordered(asked)
    hidden, means = numbered(ordered), fixed.Means.of(ordered)
    found = {}
    for mark, one in figures.items():
        told = by_noise[mark] if why[mark] else _figure_without_seed(hidden, means.drawn(by_noise[mark]))
        if not why[mark] and not told.rows:
            why[mark] = TOGETHER if one.figure in fixed.LEVELLED and _is_mixed(one, mixed) else BARE
        found[mark] = Decided(given=None if why[mark] else told, why=why[mark])
    return found


def _is_mixed(one: Drawn, mixed: Container[str]) -> bool:
    """Whether it shows a setting of whose runs some came with the program, and some are one's own."""
    return any(naming.setting(run) in mixed for run in one.runs)


def _figure_without_seed(hidden: Withheld, one: Drawn) -> Drawn:
    settings = {setting(run) for run in one.runs}
    of = settings.pop() if len(settings) == 1 else ""
    return replace(
        one,
        rows=seedless.rows(hidden.rows(for_others.rows(one.figure, one.rows), of), one.figure),
        statements=seedless.statements(hidden.labelled(one.statements, _settings_of(one))),
        runs=[hidden.record(run) for run in one.runs],
        beside=[_without_seed(hidden, told) for told in one.beside],
        title=hidden.text(one.title, of),
        caption=hidden.text(one.caption, of),
        advice=hidden.text(for_others.advice(one.advice), of),
    )


def _settings_of(one: Drawn) -> dict[str, str]:
    """The settings of labels that name a run by its seed, of a figure of several where one run alone fits."""
    found = {}
    named = [(describe(run), re.compile(rf"\bseed {run.spec.seed}\b"), setting(run)) for run in one.runs]
    several = len({key for _, _, key in named}) > 1
    for label in one.statements:
        keys = {key for words, seed, key in named if not several or (label.startswith(words) and seed.search(label))}
        if len(keys) == 1:
            found[label] = keys.pop()
    return found


def numbered(asked: Asked) -> Withheld:
    """What numbers the runs of a report for others, the same in all of its files: its own in its order, so
    that the seed of its first is #1; then setting by setting the others by what they reached, which tells no
    seed. Seeds are numbered within their setting, in the same order."""
    hidden = Withheld()
    for one in asked.runs:
        hidden.meet(one.record)
    for one in (*asked.runs, *asked.beside):
        for record in sorted(one.same or [one.record], key=seedless.by_results):
            hidden.meet(record)
    drawn = (record for one in asked.figures for record in one.runs)
    for record in sorted(drawn, key=lambda one: (setting(one), seedless.by_results(one))):
        hidden.meet(record)
    for record in sorted(
        (record for one in asked.runs for held in one.references.values() for record in held),
        key=lambda one: (setting(one), seedless.by_results(one)),
    ):
        hidden.meet(record)  # last: they are counted, and never named
    return hidden


def _without_seed(hidden: Withheld, one: Told) -> Told:
    of = setting(one.record)
    return replace(
        one,
        record=hidden.record(one.record),
        events=(),  # what happened in training
        same=[hidden.record(other) for other in one.same],
        stands=seedless.rows(hidden.rows(for_others.rows("standing", one.stands), of)),
        said=hidden.text(one.shared, of),
        seeds={hidden.text(run): hidden.seed(seed, of) for run, seed in one.seeds.items()},
        withheld=hidden.seed(one.record.spec.seed, of),
        attacks=[replace(attack, run=hidden.text(attack.run)) for attack in one.attacks],
        audits=(),  # reproduce.sh alone tells them
        elsewhere=[replace(attack, run=hidden.text(attack.run)) for attack in one.elsewhere],
        references={kind: [hidden.record(other) for other in held] for kind, held in one.references.items()},
    )
