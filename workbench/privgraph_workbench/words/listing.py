"""What runs are called in a list of many: what groups them first, and no more than tells them apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from privgraph.options import Scalar
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.words.naming import (
    MOST_MOVED,
    asked,
    data_title,
    distinct,
    first_words,
    moved_options,
    said,
    settable,
    unit_of,
)
from privgraph_workbench.words.numbers import HIGHEST, kept_budget, percent, stated


def led_by_options(
    records: Sequence[RunRecord],
    first: Sequence[str],
    last: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    right: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Runs of one method by id: the options that group them (`first`, in these `words` where they have one),
    epsilon, accuracy (as `right` has it by id, else the run's own); then the `last` options where runs differ
    in them, and as many more as tell namesakes apart; graph and seed where these differ, and for whoever is
    alike still the end of the id. What a preset sets is not told beside it."""
    differ, known = _differing(records), words or {}
    parts = []
    for one in records:
        method, own = one.spec.method, one.spec.options
        leading = [known.get(str(own[key])) or said(method, key, own[key]) for key in first if key in own]
        parts.append((", ".join(leading) if set(first) & set(differ) else "", guaranteed(one)))
    graphs, seeds = ([told(one) for one in records] for told in (_data, lambda one: f"seed {one.spec.seed}"))
    rest = [", ".join(told[place] for told in (graphs, seeds) if len(set(told)) > 1) for place in range(len(records))]
    behind = [[key for key in last if key in differ and key in own] for own in map(_own_or_preset, records)]
    alike: dict[tuple[object, ...], list[RunRecord]] = {}
    for one, part, tail, keys in zip(records, parts, rest, behind, strict=True):
        alike.setdefault((*part, tail, *(str(one.spec.options[key]) for key in keys)), []).append(one)
    apart = {one.id: keys for group in alike.values() for keys in [_apart(group, {"delta"})] for one in group}
    names = []
    for one, (lead, epsilon), tail, keys in zip(records, parts, rest, behind, strict=True):
        own = _own_or_preset(one)
        options = ", ".join(said(one.spec.method, key, own[key]) for key in (*keys, *apart[one.id]) if key in own)
        accuracy = one.metrics.get("test_accuracy")
        told = "" if accuracy is None else (right or {}).get(one.id) or percent(accuracy)
        names.append(" · ".join(filter(None, [lead, epsilon, told, options, tail])))
    return distinct(dict(zip((one.id for one in records), names, strict=True)))


def _data(record: RunRecord) -> str:
    return data_title(record.spec.dataset)


def guaranteed(record: RunRecord) -> str:
    """The run's epsilon and no more: the one that was asked for where its statement keeps it, with all digits
    where it is large."""
    said, asked_for = record.statement, record.spec.asked_epsilon
    if unit_of(record) == "none" or said is None:
        return asked(record)
    kept = kept_budget(asked_for, said.epsilon)
    if kept is not None:
        return f"ε {kept:g}"
    if math.isinf(said.epsilon):
        return "nothing guaranteed"
    return f"ε {math.ceil(said.epsilon):,}" if 1000 <= said.epsilon <= HIGHEST else f"ε {stated('sound', said.epsilon)}"


def _own_or_preset(record: RunRecord) -> dict[str, Scalar]:
    """The options that say what was run: of a preset itself, and what was set beside it."""
    own = settable(record)
    if own.get("preset", "own") == "own":
        return {key: value for key, value in own.items() if key != "preset"}
    return {key: own[key] for key in moved_options(record)}


def told_in_list(records: Sequence[RunRecord]) -> dict[str, list[str]]:
    """What rows of a list say of their settings, by id: first the options that tell a run from others of its
    method, graph and budget, as many of them as it takes; then those that are not the method's defaults,
    without what all listed runs of the method share."""
    methods: dict[str, list[RunRecord]] = {}
    alike: dict[tuple[object, ...], list[RunRecord]] = {}
    for one in records:
        methods.setdefault(one.spec.method, []).append(one)
        alike.setdefault((one.spec.method, GraphId.of(one.spec), unit_of(one), asked(one)), []).append(one)
    apart = {one.id: keys for group in alike.values() for keys in [_apart(group)] for one in group}
    told = {}
    for method, group in methods.items():
        differ = set(_differing(group))
        for one in group:
            own, first = settable(one), apart[one.id]
            rest = [key for key in moved_options(one) if key not in first and (len(group) == 1 or key in differ)]
            words = [said(method, key, own[key]) for key in (*first, *rest) if key in own]
            told[one.id] = first_words(words, max(MOST_MOVED, len(first) + 1))
    return told


def _differing(records: Sequence[RunRecord]) -> list[str]:
    """The options in which these runs differ, in the order of the method's form."""
    own = [settable(one) for one in records]
    keys = dict.fromkeys(key for one in own for key in one)
    return [key for key in keys if len({str(one.get(key)) for one in own}) > 1]


def _apart(records: Sequence[RunRecord], left: Iterable[str] = ()) -> list[str]:
    """Options (none of the `left`) that tell these runs apart, no more of them than it takes: each tells some
    that those before it do not."""
    own = [settable(one) for one in records]
    keys: list[str] = []
    found = 1
    for key in (key for key in _differing(records) if key not in left):
        more = len({tuple(str(one.get(name)) for name in (*keys, key)) for one in own})
        if more > found:
            keys, found = [*keys, key], more
    return keys
