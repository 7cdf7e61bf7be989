"""The runs behind a report: those that it tells, those of its means, and those of its figures; and the
commands that make them again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.audits.options import AuditOptions
from privgraph.audits.record import AuditRecord
from privgraph.options import Scalar
from privgraph.runs.records import RunRecord
from privgraph_workbench import repeating
from privgraph_workbench.facts.plans import command_line
from privgraph_workbench.reporting import of_gallery, references
from privgraph_workbench.reporting.asked import Asked, once
from privgraph_workbench.reporting.own_setting import setting
from privgraph_workbench.words.naming import describe, moved
from privgraph_workbench.words.numbers import option

TOLD, MEAN, FIGURES = "told here", "only in means", "only in figures"
"""Where a run stands."""
REFERENCE = "only in references"
"""Where one stands that tables/runs.csv does not list: behind a level of tables/references.csv."""
HERE = "\0"
"""Where the seed of a command stands: no title or option holds it."""
_SEED = re.compile(r"(?<= --seed )\d+")


@dataclass(frozen=True, kw_only=True)
class Behind:
    """A run, where it stands, attacks on it and audits of it, and the numbers of figures that show it."""

    record: RunRecord
    stands: str
    attacks: Sequence[AttackRecord] = ()
    audits: Sequence[AuditRecord] = ()
    figures: Sequence[int] = ()


def behind(asked: Asked) -> list[Behind]:
    """Each run once, the report's own first, setting by setting and there by seed."""
    shown: dict[str, list[int]] = {}
    for place, figure in enumerate(asked.figures, start=1):
        for one in figure.runs:
            shown.setdefault(one.id, []).append(place)
    every = [*asked.runs, *asked.beside]
    attacks: dict[str, list[AttackRecord]] = {}
    for attack in once(attack for one in every for attack in one.every_attack):
        attacks.setdefault(attack.run, []).append(attack)
    audits: dict[str, dict[str, AuditRecord]] = {}
    for audit in (audit for one in every for audit in one.audits):
        audits.setdefault(audit.run, {})[repr(audit.to_json())] = audit
    held: dict[str, tuple[RunRecord, str]] = {}
    for stands, records in (
        (TOLD, [one.record for one in asked.runs]),
        (MEAN, [other for one in asked.runs for other in one.same]),
        (FIGURES, [run for figure in asked.figures for run in figure.runs]),
        (FIGURES, [other for one in asked.beside for other in (one.record, *one.same)]),
    ):
        for record in records:
            held.setdefault(record.id, (record, stands))
    order = {key: place for place, key in reversed(list(enumerate(setting(record) for record, _ in held.values())))}
    found = [
        Behind(
            record=record,
            stands=stands,
            attacks=attacks.get(record.id, ()),
            audits=list(audits.get(record.id, {}).values()),
            figures=shown.get(record.id, ()),
        )
        for record, stands in held.values()
    ]
    return sorted(found, key=lambda one: (order[setting(one.record)], one.record.spec.seed, one.record.id))


def with_references(asked: Asked) -> list[Behind]:
    """The same, and behind them the runs of references alone."""
    every = behind(asked)
    ids = {one.record.id for one in every}
    more = sorted(references.runs_of(asked), key=lambda one: (setting(one), one.spec.seed))
    return [*every, *(Behind(record=one, stands=REFERENCE) for one in more if one.id not in ids)]


def commands(asked: Asked) -> str:
    """The lines of a shell script that makes every run and attack behind the report, a block
    for each setting."""
    groups: dict[str, list[Behind]] = {}
    for one in with_references(asked):
        groups.setdefault(setting(one.record), []).append(one)
    return "\n".join(line for held in groups.values() for line in ("", *_block(held)))


def _block(held: Sequence[Behind]) -> Iterator[str]:
    """What a setting is and where it stands; its runs, in a loop over seeds where they differ in these alone;
    then what was attacked."""
    first = held[0].record
    places = sorted({place for one in held for place in one.figures})
    where = [f"figure{'s' * (len(places) > 1)} {', '.join(map(str, places))}"] * bool(places)
    where = ["tables"] * any(one.stands in (TOLD, MEAN) for one in held) + where
    where += ["references"] * any(one.stands == REFERENCE for one in held)
    about = "; ".join([", ".join([describe(first), *moved(first)]), f"{first.spec.split} split"])
    yield f"# {_comment(about)} ({' and '.join(where) or 'means'})"
    if kept := [one.record.id.removeprefix(of_gallery.MARK) for one in held if repeating.by_gallery(one.record)]:
        yield f"# with the gallery's own noise: {'; '.join(f'privgraph gallery {run} --again' for run in kept)}"
    lines: dict[str, list[int]] = {}
    for one in held:
        seeds = lines.setdefault(_SEED.sub(HERE, command_line(one.record.spec), count=1), [])
        seeds += [one.record.spec.seed] * (one.record.spec.seed not in seeds)
    for line, seeds in lines.items():
        if len(seeds) == 1:
            yield line.replace(HERE, str(seeds[0]), 1)
        else:
            yield f"for seed in {' '.join(map(str, seeds))}; do"
            yield "  " + line.replace(HERE, '"$seed"', 1)
            yield "done"
    yield from _examined(held)


def _examined(held: Iterable[Behind]) -> Iterator[str]:
    """The attacks and audits on these runs: equal settings have equal ids, on any machine."""
    for one in held:
        for attack in one.attacks:
            yield attack_line(one.record.id, attack)
        for audit in one.audits:
            yield audit_line(one.record, audit)


WHITE_BOX = "white-box"
"""The audit that counts canaries, where all others count trials."""


def audit_line(run: RunRecord, audit: AuditRecord) -> str:
    """The command that makes the same audit: how often it was played, and what differs from the defaults."""
    plain, line = AuditOptions(), ["privgraph", "audit", run.id, "--audit", audit.audit]
    line += ["--canaries" if audit.audit == WHITE_BOX else "--trials", str(audit.trials)]
    line += ["--confidence", f"{audit.confidence:g}"] * (audit.confidence != plain.confidence)
    own = run.statement is not None and audit.delta == run.statement.delta
    line += [] if own else ["--delta", f"{audit.delta:g}"]
    return shlex.join([*line, *(["--seed", str(audit.seed)] if audit.seed != plain.seed else [])])


def attack_line(run: str, attack: AttackRecord) -> str:
    """The command that makes the same attack, with what differs from the defaults."""
    given: Mapping[str, Scalar] = asdict(attack.options)
    line = ["privgraph", "attack", run, attack.attack]
    for one in fields(AttackOptions):
        if (value := given[one.name]) != one.default:
            line += [f"--{one.name}", ("yes" if value else "no") if isinstance(value, bool) else option(value)]
    return shlex.join(line)


def _comment(text: str) -> str:
    """A text as a comment of a shell script, in one line whatever a title holds."""
    return " ".join(text.split())
