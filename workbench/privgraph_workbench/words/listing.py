"""What runs are called in a list of many: what groups them first, and no more than tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.words.naming import (
    MOST_MOVED,
    asked,
    first_words,
    moved_options,
    said,
    settable,
    unit_of,
)


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


def _apart(records: Sequence[RunRecord]) -> list[str]:
    """Options that tell these runs apart, no more of them than it takes: each tells some
    that those before it do not."""
    own = [settable(one) for one in records]
    keys: list[str] = []
    found = 1
    for key in _differing(records):
        more = len({tuple(str(one.get(name)) for name in (*keys, key)) for one in own})
        if more > found:
            keys, found = [*keys, key], more
    return keys
