"""Settings without noise in a report for others. Whoever has the graph trains such a model for one seed after
another, and knows which run has which by any number of a single run: of these settings means over seeds are
told alone. Where all runs of a setting came with the program everybody can look them up, and they are told as
they are: of a setting that has runs of one's own, too, the others are not given them (`noises`), whether or
not seeds are equal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from privgraph.privacy.serialisation import statement_to_json
from privgraph.privacy.statement import NOT_AUDITED, PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench import attack_means
from privgraph_workbench.facts.expecting import METRIC, Reached, reached
from privgraph_workbench.facts.unpaired import FEWEST, apart, is_fixed, public
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.reporting import advice_again, of_gallery
from privgraph_workbench.reporting.asked import Asked, Drawn, Told
from privgraph_workbench.reporting.own_setting import OWN, origin_of, unmixed
from privgraph_workbench.reporting.shown import ATTACKS
from privgraph_workbench.words.naming import describe, setting, statements_of
from privgraph_workbench.words.statements_apart import withheld

_COUNTS = ("test_nodes", "test_relations")
"""Results that count, and are no scores."""
LEVELS = ("blind", "bare")
"""Rows of settings without noise that stand beside others."""
LEVELLED = ("standing", "expected")
"""Figures of one setting, which name no runs in their rows."""
LEFT_OUT = "Attacks on one's own models without noise are left out for others: a single model's numbers tell its seed."
"""What stands below a figure of attacks that shows fewer of them than its author chose."""
MEANS = "Their means over several runs stand in the table of settings."
SOME_MEANS = "Where an attack was made on several runs, its mean stands in the table of settings."
"""Where its numbers are told, of all that is left out or of some."""
UNPAIRED = "For others seeds are not paired, so that this verdict tells less than one for oneself."
"""What stands beside a verdict that is by means, where seed by seed it would be by differences."""
AUDITED = "epsilon_audited"
"""What of a row is withheld, as its column in a CSV says it."""


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
        audited: frozenset[str] = frozenset(),
    ) -> None:
        self.results, self.over, self.beside, self.audited = results, over, beside, audited

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
            if all(is_fixed(one.statement) for one in held.values()) and not public(held.values())
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
            frozenset(key for key in fixed if any(one.epsilon_audited is not None for one in groups[key].values())),
        )

    def record(self, one: RunRecord) -> RunRecord:
        """The run with the means of its setting, where that has no noise."""
        key = setting(one)
        if key not in self.results:
            return one
        # what attacks have shown of a model without noise follows from its seed as well
        kept = {**NOT_AUDITED, "metrics": self.results[key]}
        if key in self.audited and (said := one.own_statement) is not None:  # of all runs: which it was, is not told
            kept["statement_json"] = statement_to_json(replace(said, audit_withheld=True))
        return replace(one, **kept)

    def told(self, one: Told) -> Told:
        stands = [row for row in one.stands if row["kind"] not in LEVELS or self._stands(row, one)]
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
            single=over is None and METRIC in one.record.metrics,
        )

    def _stands(self, row: Row, one: Told) -> bool:
        """Whether others are told a level: of all own runs of one setting, for the mean of that is told. A
        level of several settings, such as of relations that differ in `shots`, tells what that mean lacks."""
        behind = one.references.get(str(row["kind"]), ())
        whole = len(set(map(setting, behind))) < 2 and len(self._all_of(behind)) == len(behind)
        return bool(row["seeds"] >= FEWEST) and whole

    def _whole(self, row: Row) -> bool:
        ids = frozenset(str(row.get("runs") or "").split())
        return all(self.beside[one] == ids for one in ids if one in self.beside)

    def _all_of(self, runs: Sequence[RunRecord]) -> list[RunRecord]:
        """The runs without those of settings of which only some are among them: a mean over these, beside
        that over all, would tell the others."""
        ids: dict[str, set[str]] = {}
        for run in runs:
            ids.setdefault(setting(run), set()).add(run.id)
        return [run for run in runs if self.beside.get(run.id, ids[setting(run)]) == ids[setting(run)]]

    def drawn(self, one: Drawn) -> Drawn:
        if one.figure not in LEVELLED and not one.figure.startswith(ATTACKS):
            one = self._without_single(one)
        fixed = {run.id: setting(run) in self.results for run in one.runs}
        advised = unmixed(self._all_of(one.runs))
        one = advice_again.by(one, apart(of_gallery.with_own_seeds(advised)))
        if one.figure in LEVELLED:
            rows = _levelled(one, bare=all(fixed.values()) and all(map(is_fixed, one.statements.values())))
        else:
            rows = [row for row in _rows(one.figure, one.rows, fixed) if self._whole(row)]
        if one.figure == "tradeoff" and all("front" in row for row in rows):  # of what is seen, whatever is not
            rows = tradeoff.with_front(rows)
        if one.figure.startswith(ATTACKS) and len(rows) < len(one.rows):  # nothing names what is not drawn
            gone = [attack_means.of(told.every_attack) for told in one.beside if setting(told.record) in self.results]
            means = MEANS if gone and all(gone) else SOME_MEANS if any(gone) else ""
            one = replace(
                one,
                statements={label: said for label, said in one.statements.items() if not self._hides(one, label, said)},
                runs=[run for run in one.runs if not fixed[run.id]],
                # of the others nothing is told but that they were attacked
                beside=[
                    told
                    for told in one.beside
                    if setting(told.record) not in self.results or attack_means.of(told.every_attack)
                ],
                left_out=" ".join(filter(None, (one.left_out, LEFT_OUT, means))),
            )
        return replace(
            one,
            rows=rows,
            statements={
                label: withheld(said) if self._hides(one, label, said) else said
                for label, said in one.statements.items()
            },
            unpaired=UNPAIRED if one.advice and not public(advised) else "",
            runs=[self.record(run) for run in one.runs],
            beside=[self.told(told) for told in one.beside],
        )

    def _without_single(self, one: Drawn) -> Drawn:
        """The figure without settings of one seed, of which it draws nothing: nor does anything name them."""
        runs = [run for run in one.runs if setting(run) not in self.results or self.over[setting(run)] is not None]
        if len(runs) == len(one.runs):
            return one
        kept, statements = set(map(setting, runs)), one.statements
        if statements.keys() == statements_of(one.runs).keys():
            statements = {label: statements.get(label, said) for label, said in statements_of(runs).items()}
        ids = {run.id for run in one.runs} - {run.id for run in runs}
        return replace(
            one,
            rows=[row for row in one.rows if not ids & set(str(row.get("runs") or row.get("run") or "").split())],
            runs=runs,
            statements=statements,
            beside=[told for told in one.beside if setting(told.record) in kept],
        )

    def _hides(self, one: Drawn, label: str, said: PrivacyStatement) -> bool:
        """Whether the statement of that label in a figure may be of runs without noise that are not of the
        gallery alone."""
        if not is_fixed(said):
            return False
        known = {setting(run): describe(run) for run in one.runs}
        shown = {name for key, name in known.items() if key not in self.results}
        hidden = {name for key, name in known.items() if key in self.results}

        def is_of(names: set[str]) -> bool:
            return any(label == name or label.startswith(f"{name}, ") for name in names)

        return is_of(hidden) or not is_of(shown)


def _means(held: Sequence[RunRecord]) -> dict[str, float]:
    """The means of all scores that may leave; none of a single run."""
    if len(held) < FEWEST:
        return {}
    names = dict.fromkeys(name for one in held for name in for_others.metrics(one.metrics) if name not in _COUNTS)
    values = {name: [one.metrics[name] for one in held if name in one.metrics] for name in names}
    return {name: confidence(found)[0] for name, found in values.items() if len(found) >= FEWEST}


def _levelled(one: Drawn, *, bare: bool) -> list[Row]:
    """The rows of a figure of one setting and the levels beside it, which name no runs: of levels, and where
    it is `bare` of the setting itself, those that are the very means that are told elsewhere: a kept one over
    other runs would tell of what is not in both."""
    told = {row["kind"]: row for row in one.beside[0].stands} if one.beside else {}
    kept = []
    for row in one.rows:
        kind, alone = row.get("kind"), row.get("kind") in LEVELS
        if bare and (kind == "own" or (kind == "reached" and row.get("epsilon") is None)):
            alone, kind = True, "own"
        elif bare and kind == "seed":
            continue
        if alone and (row["seeds"] < FEWEST or _level(row) != _level(told.get(kind, {}))):
            continue
        kept.append(row)
    if one.figure == "standing" and not any(row["kind"] == "own" for row in kept):
        return []
    return kept


def _level(row: Row) -> tuple[object, ...]:
    """A mean with its seeds and interval, by either of the columns that figures of levels have it in."""
    mean, *ends = (row.get("value", row.get("mean")), row.get("low"), row.get("high"))
    return row.get("seeds"), *(None if end is None else round(float(end), 12) for end in (mean, *ends))


def _rows(figure: str, rows: Sequence[Row], fixed: Mapping[str, bool]) -> list[Row]:
    """The rows of a figure without those that tell of a single run without noise. `fixed`: of each run
    behind it whether it has none; of a run that is not known an infinite epsilon says so."""
    kept = []
    for row in rows:
        ids = set(str(row.get("runs") or row.get("run") or "").split())
        none = row.get("unit") == "none"
        bare = any(fixed.get(one, none) for one in ids) if ids else none
        if figure.startswith(ATTACKS):
            if bare or (not ids & fixed.keys() and row.get("epsilon") == math.inf):
                continue
        elif bare or row.get("kind") in LEVELS:
            if 0 < (row.get("seeds") or len(ids)) < FEWEST:
                continue
            if row.get("epsilon_audited") is not None:
                row = {**row, "epsilon_audited": None, "withheld": AUDITED}
        kept.append(row)
    return kept
