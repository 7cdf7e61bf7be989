"""What a report tells of its runs in several places, counted once: the third number of each run and setting,
whoever has shown it, and how many runs of a figure read the same people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import shown_bounds
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.notes import composed
from privgraph_workbench.reporting.asked import Asked, Drawn, Told, once
from privgraph_workbench.reporting.own_setting import setting
from privgraph_workbench.table_lines import most_audited
from privgraph_workbench.words import naming
from privgraph_workbench.words.naming import describe, variants
from privgraph_workbench.words.statements_apart import audited_as, unaudited


def counted(asked: Asked) -> Asked:
    """What is reported, each of its runs with what the attacks on it have shown, and each statement of a
    figure with the most that was shown of a run of its setting."""
    told = [*asked.runs, *(one for figure in asked.shown for one in figure.beside)]
    attacks: dict[str, list[AttackRecord]] = {}
    for attack in once(attack for one in told for attack in one.every_attack):
        attacks.setdefault(attack.run, []).append(attack)
    every = {one.id: one for figure in asked.shown for one in figure.runs}
    every |= {run.id: run for one in told for run in one.runs}
    shown = _Shown.of([shown_bounds.counted(one, attacks.get(one.id, ())) for one in every.values()])
    return replace(
        asked,
        runs=[shown.told(one) for one in asked.runs],
        figures=[shown.drawn(one) for one in asked.figures],
    )


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """The runs of a report by their ids, with all that was shown of them; `settings`: of which setting each
    of them is, and `promises`: what it promises apart from that."""

    runs: dict[str, RunRecord]
    settings: dict[str, str]
    promises: dict[str, PrivacyStatement | None]

    @staticmethod
    def of(runs: Sequence[RunRecord]) -> _Shown:
        return _Shown(
            runs={one.id: one for one in runs},
            settings={one.id: setting(one) for one in runs},
            promises={one.id: None if one.statement is None else unaudited(one.statement) for one in runs},
        )

    def told(self, one: Told) -> Told:
        (record,) = self._of([one.record])
        return replace(one, record=record, same=self._of(one.same))

    def drawn(self, one: Drawn) -> Drawn:
        differs = variants(one.runs)
        named = {run.id: ", ".join(filter(None, (describe(run), differs[naming.setting(run)]))) for run in one.runs}
        return replace(
            one,
            runs=self._of(one.runs),
            beside=[self.told(told) for told in one.beside],
            statements={label: self._statement(label, said, named) for label, said in one.statements.items()},
            rows=self._rows(composed_here(one)),
        )

    def _of(self, runs: Iterable[RunRecord]) -> list[RunRecord]:
        return [self.runs.get(one.id, one) for one in runs]

    def _statement(self, label: str, said: PrivacyStatement, named: dict[str, str]) -> PrivacyStatement:
        """A statement of a figure, whose label begins with what its runs are called: several settings may
        promise the same. It stays as it is where it is of no setting of the report."""
        promise = unaudited(said)
        alike = [run for run in named if self.promises.get(run) == promise]
        called = [run for run in alike if label == named[run] or label.startswith(f"{named[run]}, ")]
        settings = {self.settings[run] for run in called or alike}
        if len(settings) != 1:
            return said
        most = most_audited(
            [one for run, one in self.runs.items() if self.settings[run] in settings and self.promises[run] == promise]
        )
        return said if most.statement is None else audited_as(said, most.statement)

    def _rows(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Rows with a column of the number: of a setting the most of its runs; where several are of one
        setting, each the most of its own."""
        if not any("epsilon_audited" in row for row in rows):
            return rows
        ids = [
            [one for one in str(row.get("runs") or row.get("run") or "").split() if one in self.runs] for row in rows
        ]
        settings = [{self.settings[one] for one in held} for held in ids]
        times = Counter(key for keys in settings for key in keys)
        told = []
        for row, held, keys in zip(rows, ids, settings, strict=True):
            if len(keys) == 1 and "epsilon_audited" in row:
                alone = times[next(iter(keys))] > 1
                of = held if alone else [one for one, key in self.settings.items() if key in keys]
                row = {**row, "epsilon_audited": most_audited([self.runs[one] for one in of]).epsilon_audited}
            told.append(row)
        return told


def composed_here(one: Drawn) -> Sequence[Row]:
    """The rows of a figure that count how many of its runs read the same people: those that stand in it, and
    not those beside which a page had drawn it."""
    counts = composed(one.runs)
    return [
        {**row, "composed": counts[first]}
        if row.get("composed")
        and (first := next(iter(str(row.get("runs") or row.get("run") or "").split()), "")) in counts
        else row
        for row in one.rows
    ]
