"""Rows of the list of runs: one for each setting, with mean and interval over its seeds."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from privgraph.runs.records import LIVE, PROTECTED, RunRecord
from privgraph_workbench.parts.states import state_word
from privgraph_workbench.summary import confidence
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words import naming
from privgraph_workbench.words.naming import ACCURACY, measure
from privgraph_workbench.words.numbers import percent, stated

Light = Mapping[str, Any]
"""A light row of the store."""
MEASURED: Mapping[str, tuple[Callable[[Sequence[float]], float], int]] = {
    "test_accuracy": (fmean, -1),
    "sound_epsilon": (max, 1),
    "seconds": (fmean, -1),
}
"""Orders that are of a whole setting: what is made of its runs; by the sign the smallest come first."""
CLAIMED: tuple[Epsilon, ...] = ("sound", "published")
"""Epsilons that an audit may refute."""
_settings: dict[str, int] = {}
"""The setting of each run that was listed and could be read, by its id: a run's spec never changes."""


def by_setting(rows: Sequence[Light], order: str) -> list[list[Light]]:
    """The runs of each setting, by seed; settings in the order of their first run, or of their number where
    the order is one of `MEASURED`."""
    found: dict[int, list[Light]] = {}
    for row in rows:
        run = row["id"]
        if run not in _settings and row["spec"] is not None:  # one that cannot be read stands alone, until it can
            _settings[run] = hash(naming.setting(row["spec"]))
        found.setdefault(_settings.get(run, hash(run)), []).append(row)
    groups = [sorted(group, key=lambda row: row["seed"]) for group in found.values()]
    if order in MEASURED:
        made, sign = MEASURED[order]
        numbers = {id(group): sign * made(held) for group in groups if (held := _held(group, order))}
        groups.sort(key=lambda group: numbers.get(id(group), math.inf))
    return groups


def _held(group: Iterable[Light], name: str) -> list[float]:
    return [float(row[name]) for row in group if row[name] is not None]


def rows(groups: Sequence[Sequence[Light]], records: Mapping[str, RunRecord]) -> list[dict[str, Any]]:
    """The settings that are listed together, as the table draws them (`components/runs.js`)."""
    known = {run: one for run, one in records.items() if not one.unreadable}
    words = naming.variants(list(known.values()))
    return [_row(group, known.get(str(group[0]["id"])), words) for group in groups]


def _row(group: Sequence[Light], record: RunRecord | None, words: Mapping[str, str]) -> dict[str, Any]:
    first, accuracies = group[0], _held(group, "test_accuracy")
    mean, low, high = confidence(accuracies, most=1.0) if accuracies else (None, None, None)
    title, unit, of = naming.data_title(first["dataset"]), first["unit"], measure(first["method"])
    size = naming.titled(first["dataset"], first["graph"]).removeprefix(title).strip(" ()")
    found = Counter(one["state"] for one in group)
    state = ", ".join(f"{count} {state_word(one)}" for one, count in found.items()) if len(group) > 1 else _state(first)
    asked = "" if record is None or naming.unit_of(record) == "none" else naming.budget(record)
    blind = unit == "none" and naming.reads_no_edge(first["method"])  # it hides all edges, and needs no noise for it
    return {
        "title": naming.method_title(first["method"]),
        "told": ", ".join(filter(None, (asked, "" if record is None else words[naming.setting(record.spec)]))),
        "graph": title,
        "size": size or ("" if first["nodes"] is None else f"{first['nodes']:,} nodes"),
        "unit": "no person; reads no edge" if blind else str(PROTECTED.get(unit, unit)),
        "epsilons": _epsilons(group),
        "mean": mean,
        "low": low,
        "high": high,
        "accuracy": percent(mean),
        "measure": of if accuracies and of != ACCURACY else "",
        "spread": "" if low is None or high is None else f"{100 * low:.1f} – {100 * high:.1f}",
        "state": "" if found.keys() == {"done"} else state,
        "look": "live" if found.keys() & {*LIVE} else "bad" if found.keys() & {"failed", "lost"} else "quiet",
        "when": max(_held(group, "created"), default=None),
        "tags": sorted({str(tag) for one in group for tag in one["tags"]}),
        "marks": list(dict.fromkeys(str(one["tuning"]) for one in group if one["tuning"])),
        "runs": [
            {key: one[key] for key in ("id", "seed")}
            | {"text": percent(one["test_accuracy"]) if one["state"] == "done" else _state(one)}
            for one in group
        ],
    }


def _state(one: Light) -> str:
    word = state_word(one["state"])
    return f"{word} {one['progress']:.0%}" if one["state"] in LIVE else word


def refuted(group: Sequence[Light], *kinds: Epsilon) -> bool:
    """Whether an audit has shown more than a claimed epsilon (of these kinds, else of either) of a run."""
    return any(
        one["audited_epsilon"] is not None and claim is not None and one["audited_epsilon"] > claim
        for one in group
        for claim in (one[f"{each}_epsilon"] for each in kinds or CLAIMED)
    )


def _epsilons(group: Sequence[Light]) -> list[dict[str, Any]]:
    """The epsilons of the setting, each the largest over its runs; of none that protects nothing."""
    found, private = [], group[0]["unit"] != "none"
    for kind, mark in EPSILONS.items():
        if not (held := _held(group, f"{kind}_epsilon")) or not (private or kind == "sound"):
            continue
        text = stated(kind, max(held))
        shown = f"≥ {text} audited" if max(held) > 0 else "audited: nothing shown"
        one: dict[str, Any] = {"kind": kind, "glyph": mark.glyph, "title": mark.title}
        one["text"] = {"published": f"{text} published", "audited": shown}.get(kind, text)
        one["refuted"] = kind in CLAIMED and refuted(group, kind)
        found.append(one | {"public": kind == "sound" and private and any(each["example"] for each in group)})
    return found
