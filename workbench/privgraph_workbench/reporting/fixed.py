"""Settings without noise in a report for others. Whoever has the graph trains such a model for one seed after
another, and knows which run has which by any number of a single run: of these settings means over seeds are
told alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from privgraph.privacy.statement import NOT_AUDITED
from privgraph.runs.records import RunRecord
from privgraph_workbench import attack_means
from privgraph_workbench.facts import advised
from privgraph_workbench.facts.expecting import METRIC, Reached, reached
from privgraph_workbench.facts.unpaired import FEWEST, apart, is_fixed
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.reporting.asked import Asked, Drawn, Told
from privgraph_workbench.reporting.own_setting import OWN, origin_of
from privgraph_workbench.reporting.shown import ATTACKS
from privgraph_workbench.words.naming import setting
from privgraph_workbench.words.statements_apart import unaudited

_COUNTS = ("test_nodes", "test_relations")
"""Results that count, and are no scores."""
LEVELS = ("blind", "bare")
"""Rows of settings without noise that stand beside others."""
LEVELLED = ("standing", "expected")
"""Figures of one setting, which name no runs in their rows."""
LEFT_OUT = (
    "Attacks on models without noise are left out for others: a single model's numbers tell its seed. Their means "
    "stand in the table of settings."
)
"""What stands below a figure of attacks that shows fewer of them than its author chose."""


def averaged(asked: Asked) -> Asked:
    """What is reported, with means alone of settings without noise: their runs have the mean results of their
    setting each, and of attacks their means alone. Of one seed nothing is told."""
    means = Means.of(asked)
    return replace(
        asked,
        runs=[means.told(one) for one in asked.runs],
        figures=[means.drawn(one) for one in asked.figures],
    )


class Means:
    """The settings without noise by their keys, each with the means of its results and what it reached; and
    of each of one's own runs those that stand behind its means: the difference of two means over other
    runs would tell a single one."""

    def __init__(
        self,
        results: Mapping[str, dict[str, float]],
        over: Mapping[str, Reached | None],
        beside: Mapping[str, frozenset[str]],
    ) -> None:
        self.results, self.over, self.beside = results, over, beside

    @staticmethod
    def of(asked: Asked) -> Means:
        groups: dict[str, dict[str, RunRecord]] = {}
        for told in (*asked.runs, *(one for figure in asked.figures for one in figure.beside)):
            groups.setdefault(setting(told.record), {}).update({one.id: one for one in told.runs})
        for run in (run for figure in asked.figures for run in figure.runs):
            groups.setdefault(setting(run), {}).setdefault(run.id, run)
        fixed = {
            key: [one for one in held.values() if METRIC in one.metrics]
            for key, held in groups.items()
            if all(is_fixed(one.statement) for one in held.values())
        }
        return Means(
            {key: _means(held) for key, held in fixed.items()},
            {key: reached(held) if len(held) >= FEWEST else None for key, held in fixed.items()},
            {
                one.id: frozenset(other.id for other in held)
                for held in fixed.values()
                for one in held
                if origin_of(one) == OWN
            },
        )

    def record(self, one: RunRecord) -> RunRecord:
        """The run with the means of its setting, where that has no noise."""
        key = setting(one)
        if key not in self.results:
            return one
        # what attacks have shown of a model without noise follows from its seed as well
        return replace(one, metrics=self.results[key], **NOT_AUDITED)

    def told(self, one: Told) -> Told:
        stands = [row for row in one.stands if row["kind"] not in LEVELS or row["seeds"] >= FEWEST]
        same = [self.record(other) for other in one.same]
        key = setting(one.record)
        if key not in self.results:
            return replace(one, stands=stands)
        over = self.over[key]
        return replace(
            one,
            record=self.record(one.record),
            same=same,
            over=None if over is None else replace(over, records=tuple(map(self.record, over.records))),
            stands=[row for row in stands if row["kind"] != "seed"] if over is not None else [],
            shared=one.shared if over is not None else one.unmeasured,
            attacks=[],
            elsewhere=[],
            averaged=attack_means.of(one.every_attack),
            untold=bool(one.every_attack),
        )

    def _whole(self, row: Row) -> bool:
        ids = frozenset(str(row.get("runs") or "").split())
        return all(self.beside[one] == ids for one in ids if one in self.beside)

    def drawn(self, one: Drawn) -> Drawn:
        fixed = {run.id: setting(run) in self.results for run in one.runs}
        if one.figure in LEVELLED:
            rows = _levelled(one, bare=all(fixed.values()) and all(map(is_fixed, one.statements.values())))
        else:
            rows = [row for row in _rows(one.figure, one.rows, fixed) if self._whole(row)]
        if one.figure == "tradeoff" and all("front" in row for row in rows):  # of what is seen, whatever is not
            rows = tradeoff.with_front(rows)
        if one.figure.startswith(ATTACKS) and len(rows) < len(one.rows):  # nothing names what is not drawn
            one = replace(
                one,
                statements={label: said for label, said in one.statements.items() if not is_fixed(said)},
                runs=[run for run in one.runs if not fixed[run.id]],
                beside=[told for told in one.beside if setting(told.record) not in self.results],
                left_out=" ".join(filter(None, (one.left_out, LEFT_OUT))),
            )
        return replace(
            one,
            rows=rows,
            statements={label: unaudited(said) if is_fixed(said) else said for label, said in one.statements.items()},
            advice=_advice(one),
            runs=[self.record(run) for run in one.runs],
            beside=[self.told(told) for told in one.beside],
        )


def _advice(one: Drawn) -> str:
    """What to take by the runs of the figure, whose seeds are not held against each other."""
    return advised.of_runs(apart(one.runs)) if one.advice else ""


def _means(held: Sequence[RunRecord]) -> dict[str, float]:
    """The means of all scores that may leave; none of a single run."""
    if len(held) < FEWEST:
        return {}
    names = dict.fromkeys(name for one in held for name in for_others.metrics(one.metrics) if name not in _COUNTS)
    values = {name: [one.metrics[name] for one in held if name in one.metrics] for name in names}
    return {name: confidence(found)[0] for name, found in values.items() if len(found) >= FEWEST}


def _levelled(one: Drawn, *, bare: bool) -> list[Row]:
    """The rows of a figure of one setting and the levels beside it, which name no runs: of levels, and where
    it is `bare` of the setting itself, those that are means over as many runs as are known behind them."""
    told = {row["kind"]: row for row in one.beside[0].stands} if one.beside else {}
    kept = []
    for row in one.rows:
        kind, alone = row.get("kind"), row.get("kind") in LEVELS
        if bare and (kind == "own" or (kind == "reached" and row.get("epsilon") is None)):
            alone, kind = True, "own"
        elif bare and kind == "seed":
            continue
        if alone and (row["seeds"] < FEWEST or row["seeds"] != told.get(kind, {}).get("seeds")):
            continue
        kept.append(row)
    if one.figure == "standing" and not any(row["kind"] == "own" for row in kept):
        return []
    return kept


def _rows(figure: str, rows: Sequence[Row], fixed: Mapping[str, bool]) -> list[Row]:
    """The rows of a figure without those that tell of a single run without noise. `fixed`: of each run
    behind it whether it has none; of a run that is not known an infinite epsilon says so."""
    kept = []
    for row in rows:
        ids = set(str(row.get("runs") or row.get("run") or "").split())
        bare = any(fixed.get(one, False) for one in ids) or row.get("unit") == "none"
        if figure.startswith(ATTACKS):
            if bare or (not ids & fixed.keys() and row.get("epsilon") == math.inf):
                continue
        elif bare or row.get("kind") in LEVELS:
            if 0 < (row.get("seeds") or len(ids)) < FEWEST:
                continue
            row = {**row, "epsilon_audited": None} if "epsilon_audited" in row else row
        kept.append(row)
    return kept
