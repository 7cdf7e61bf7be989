"""Rows of the list of runs: one for each setting, with mean and interval over its seeds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from privgraph.runs.records import LIVE, PROTECTED, RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.parts import states
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words import naming
from privgraph_workbench.words.measures import ACCURACY, measure
from privgraph_workbench.words.naming import method_title
from privgraph_workbench.words.numbers import percent, stated

Light = Mapping[str, Any]
"""A light row of the store."""
MEASURED: Mapping[str, tuple[Callable[[Sequence[float]], float], bool]] = {
    "test_accuracy": (fmean, True),
    "sound_epsilon": (max, False),
    "seconds": (fmean, True),
}
"""Orders that are of a whole setting: what is made of its runs, and whether the largest come first."""
CLAIMED: tuple[Epsilon, ...] = ("sound", "published")
"""Epsilons that an audit may refute."""
_settings: dict[str, int] = {}
"""The setting of each run that was listed and could be read, by its id: a run's spec never changes."""


def by_setting(store: RunStore, rows: Sequence[Light], order: str) -> list[list[Light]]:
    """The runs of each setting, by seed; settings in the order of their first run, or of their number where
    the order is one of `MEASURED`."""
    new = [row["id"] for row in rows if row["id"] not in _settings]
    for start in range(0, len(new), 500):
        for record in store.find(RunQuery(ids=tuple(new[start : start + 500]))):
            if record.stored_spec is not None:  # one that cannot be read stands alone, until it can
                _settings[record.id] = hash(naming.setting(record))
    found: dict[int, list[Light]] = {}
    for row in rows:
        found.setdefault(_settings.get(row["id"], hash(row["id"])), []).append(row)
    groups = [sorted(group, key=lambda row: row["seed"]) for group in found.values()]
    if order not in MEASURED:
        return groups
    made, descending = MEASURED[order]

    def place(group: Sequence[Light]) -> tuple[bool, float]:
        held = _held(group, order)
        return (not held, (-1 if descending else 1) * made(held) if held else 0.0)

    return sorted(groups, key=place)


def _held(group: Iterable[Light], name: str) -> list[float]:
    return [float(row[name]) for row in group if row[name] is not None]


def rows(groups: Sequence[Sequence[Light]], records: Mapping[str, RunRecord]) -> list[dict[str, Any]]:
    """The settings that are listed together, as the table draws them (`run_list.show`)."""
    known = {run: one for run, one in records.items() if not one.unreadable}
    words = naming.variants(list(known.values()))
    return [_row(group, known.get(str(group[0]["id"])), words) for group in groups]


def _row(group: Sequence[Light], record: RunRecord | None, words: Mapping[str, str]) -> dict[str, Any]:
    first, accuracies = group[0], _held(group, "test_accuracy")
    mean, low, high = confidence(accuracies, most=1.0) if accuracies else (None, None, None)
    title = naming.data_title(first["dataset"])
    size = naming.titled(first["dataset"], first["graph"]).removeprefix(title).strip(" ()")
    state, look = _state(group)
    newest = max(_held(group, "created"), default=None)
    asked = "" if record is None or naming.unit_of(record) == "none" else naming.asked(record)
    return {
        "title": method_title(first["method"]),
        "told": ", ".join(filter(None, (asked, "" if record is None else words[naming.setting(record)]))),
        "graph": title,
        "size": size or ("" if first["nodes"] is None else f"{first['nodes']:,} nodes"),
        "unit": _protects(first),
        "epsilons": _epsilons(group),
        "mean": mean,
        "low": low,
        "high": high,
        "accuracy": percent(mean),
        "measure": measure(first["method"]) if accuracies and measure(first["method"]) != ACCURACY else "",
        "spread": "" if low is None or high is None else f"{100 * low:.1f} – {100 * high:.1f}",
        "state": state,
        "look": look,
        "when": "" if newest is None else since(time.time() - newest),
        "tags": sorted({str(tag) for one in group for tag in one["tags"]}),
        "marks": list(dict.fromkeys(str(one["tuning"]) for one in group if one["tuning"])),
        "runs": [{"id": one["id"], "seed": one["seed"], "text": _result(one)} for one in group],
    }


def _protects(one: Light) -> str:
    """What a run protects; a model that reads no edge hides all of them, and needs no noise for it."""
    if one["unit"] == "none" and naming.reads_no_edge(one["method"]):
        return "no person; reads no edge"
    return str(PROTECTED.get(one["unit"], one["unit"]))


def refuted(group: Sequence[Light], *kinds: Epsilon) -> bool:
    """Whether an audit has shown more than a claimed epsilon (of these kinds, else of either) of a run."""
    return any(
        one["audited_epsilon"] is not None and claim is not None and one["audited_epsilon"] > claim
        for one in group
        for claim in (one[f"{each}_epsilon"] for each in kinds or CLAIMED)
    )


def _epsilons(group: Sequence[Light]) -> list[dict[str, Any]]:
    """The epsilons of the setting, each the largest over its runs; of none that protects nothing."""
    found = []
    for kind, mark in EPSILONS.items():
        held = _held(group, f"{kind}_epsilon")
        if held and (kind == "sound" or group[0]["unit"] != "none"):
            wrong = kind in CLAIMED and refuted(group, kind)
            found.append(
                {
                    "kind": kind,
                    "glyph": mark.glyph,
                    "title": mark.title,
                    "text": _claimed(kind, max(held)),
                    "refuted": wrong,
                    "public": kind == "sound" and group[0]["unit"] != "none" and any(one["example"] for one in group),
                }
            )
    return found


def _claimed(kind: Epsilon, value: float) -> str:
    """An epsilon with its kind, where that is not the proved one.

    >>> _claimed("sound", 2.0), _claimed("audited", 0.0)
    ('2', 'audited: nothing shown')
    """
    if kind == "audited":
        return f"≥ {stated(kind, value)} audited" if value > 0 else "audited: nothing shown"
    return f"{stated(kind, value)}{' published' * (kind == 'published')}"


def _state(group: Sequence[Light]) -> tuple[str, str]:
    """How far the setting's runs are, and how that looks; nothing where all are done."""
    counted = Counter(one["state"] for one in group)
    if set(counted) == {"done"}:
        return "", ""
    look = "live" if any(one in counted for one in LIVE) else "bad" if {"failed", "lost"} & set(counted) else "quiet"
    if len(group) == 1:
        return _one_state(group[0]), look
    return ", ".join(f"{count} {states.state_word(state)}" for state, count in counted.items()), look


def _one_state(one: Light) -> str:
    word = states.state_word(one["state"])
    return f"{word} {one['progress']:.0%}" if one["state"] in LIVE else word


def _result(one: Light) -> str:
    return percent(one["test_accuracy"]) if one["state"] == "done" else _one_state(one)


def since(seconds: float) -> str:
    """How long ago something was, in one unit.

    >>> since(20), since(7300), since(200_000)
    ('just now', '2 h ago', '2 days ago')
    """
    for unit, length in (("day", 86_400), ("h", 3600), ("min", 60)):
        if count := int(seconds // length):
            return f"{count} {unit}{'s' * (unit == 'day' and count > 1)} ago"
    return "just now"
