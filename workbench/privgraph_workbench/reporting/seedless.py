"""The order of what others are given: the same for any seeds that give the same results. Runs come from a
store by seed, so that their order alone would tell which of them has the smallest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures import for_others
from privgraph_workbench.figures.attacks.colours import slots
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting.asked import Asked, Drawn, Told
from privgraph_workbench.reporting.own_setting import setting

_NUMBER = re.compile(r"\d+")
Key = Callable[[RunRecord], Any]
DIGITS = 12
"""Of a mean the last digits hang on the order in which its runs were added up."""


def by_results(record: RunRecord) -> list[tuple[str, float]]:
    """The order of runs in a report for others: by the results that leave."""
    return sorted(for_others.metrics(record.metrics).items())


def ordered(asked: Asked) -> Asked:
    """What is reported, runs within their setting by their results, settings as their author has them. Of
    runs with the same results those come first of which attacks have shown less; what their seeds gave in
    other settings counts for nothing; what is still alike can be exchanged without changing a byte."""
    key = _key(asked)
    places: dict[str, int] = {}
    for one in asked.runs:
        places.setdefault(setting(one.record), len(places))
    runs = sorted(asked.runs, key=lambda one: (places[setting(one.record)], key(one.record)))
    return replace(
        asked,
        runs=[_told(one, one.record, key) for one in runs],
        figures=[_drawn(one, key) for one in asked.figures],
    )


def _key(asked: Asked) -> Key:
    """Results, then what attacks have shown, and what they found; then whether the report tells the run by
    itself."""
    own = {one.record.id for one in asked.runs}
    every = [*asked.runs, *(one for figure in asked.figures for one in figure.beside)]
    found: dict[str, set[str]] = {}
    for attack in (attack for one in every for attack in one.every_attack):
        found.setdefault(attack.run, set()).add(_found(attack))
    return lambda one: (
        by_results(one),
        -1.0 if one.epsilon_audited is None else one.epsilon_audited,
        sorted(found.get(one.id, ())),
        one.id not in own,
    )


@lru_cache(maxsize=256)
def _found(attack: AttackRecord) -> str:
    """All of an attack but whom it was on."""
    return repr(replace(attack, run="").to_json())


def _drawn(one: Drawn, key: Key) -> Drawn:
    runs = sorted(one.runs, key=lambda run: (setting(run), key(run)))
    beside = []
    for told in sorted(one.beside, key=lambda told: setting(told.record)):
        same = [run for run in runs if setting(run) == setting(told.record)]
        beside.append(_told(told, same[0] if same else told.record, key))
    return replace(one, runs=runs, beside=beside)


def _told(one: Told, record: RunRecord, key: Key) -> Told:
    same = sorted(one.same, key=key)
    places = {run.id: place for place, run in enumerate(same)}
    return replace(
        one,
        record=record,
        same=same,
        attacks=_by_runs(one.attacks, places),
        elsewhere=_by_runs(one.elsewhere, places),
        stands=[
            {**row, "mine": row["seed"] == record.spec.seed} if row.get("kind") == "seed" else row for row in one.stands
        ],
    )


def rows(given: Sequence[Row], figure: str = "") -> list[Row]:
    """Rows of numbered seeds and runs, in the order of these numbers, and numbers without their last digits
    but for an epsilon, which may not be rounded down."""
    ordered = sorted(given, key=lambda row: number_of(row["seed"]) if row.get("kind") == "seed" else -1)
    if figure in ("compare", "attack_kept"):
        lines = {name: place for place, name in reversed(list(enumerate(_line(row) for row in ordered)))}
        apart = figure == "attack_kept"  # a line a method, in the order of its answer
        ordered.sort(key=lambda row: (lines[_line(row)] if apart else 0, _first_run(row)))
    if figure in CURVES:
        ordered = _curves(ordered)
    return [{name: _settled(name, value) for name, value in row.items()} for row in ordered]


def _by_runs(attacks: Sequence[AttackRecord], places: Mapping[str, int]) -> list[AttackRecord]:
    """Attacks in the order of their runs; those of one run as they are, and of others by what they found."""
    return sorted(
        attacks,
        key=lambda one: (places[one.run], "") if one.run in places else (len(places), _found(one)),
    )


CURVES = ("attack_roc", "attack_areas")
"""Figures of attacks, whose rows stand in the order in which somebody has picked them, or of the ids."""
_SEED = re.compile(r",? ?\bseed #\d+")
_OF_POINTS = ("curve", "false", "true", "low", "high")


def _line(row: Row) -> str:
    """What a row is called, without its seed."""
    return _SEED.sub("", str(row.get("method", "")))


def _first_run(row: Row) -> tuple[int, str]:
    """The smallest number of the runs behind a row, and all that it says."""
    runs = [number_of(one) for one in str(row.get("runs") or row.get("run") or "").split()]
    return min(runs, default=0), repr(sorted(row.items()))


def _curves(given: Sequence[Row]) -> list[Row]:
    """The rows of each attack together, the smallest epsilon first, then by what they are called without
    seeds, then by the numbers of runs; colours, and the attack by which a claim of several is told, in that
    order."""
    groups: dict[str, list[Row]] = {}
    for row in given:
        groups.setdefault(str(row["attack"]), []).append(row)
    claims = {
        _claim(row): [other for other in held if other.get("curve") == "sound"]
        for held in groups.values()
        for row in held
        if row.get("curve") == "sound"
    }
    ordered = sorted(
        ([row for row in held if row.get("curve") != "sound"] for held in groups.values()),
        key=lambda held: (held[0]["epsilon"], _SEED.sub("", str(held[0]["attack"])), _first_run(held[0])),
    )
    # of relations a colour says whose the model is
    coloured = len({row.get("slot") for row in given}) > 1 and "relation" not in str(given[0].get("asks"))
    found: list[Row] = []
    for held, slot in zip(ordered, slots([held[0]["epsilon"] for held in ordered]), strict=True):
        shared = {name: value for name, value in held[0].items() if name not in _OF_POINTS}
        found += [{**row, "slot": slot} for row in held] if coloured else held
        found += [{**row, **shared} for row in claims.pop(_claim(held[0]), ())]
    return found


def _claim(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("epsilon", "delta", "steps"))


def _settled(name: str, value: Any) -> Any:
    if name == "runs" and isinstance(value, str):
        return " ".join(sorted(value.split(), key=number_of))
    if isinstance(value, float) and not name.startswith(("epsilon", "delta", "asked")):
        return float(f"{value:.{DIGITS}g}")
    return value


def number_of(name: object) -> int:
    """The first number in the name of a run or a seed.

    >>> number_of("run-12 (seed #3)"), number_of("#3"), number_of("3"), number_of("run")
    (12, 3, 3, 0)
    """
    found = _NUMBER.search(str(name))
    return int(found[0]) if found else 0


def statements(held: Mapping[str, PrivacyStatement]) -> dict[str, PrivacyStatement]:
    """Statements by their labels, in which runs are numbered."""
    return dict(sorted(held.items()))
