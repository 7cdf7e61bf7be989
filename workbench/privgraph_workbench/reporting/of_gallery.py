"""Which settings the gallery that comes with the program has, whatever is left of it in a store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from privgraph.runs import gallery
from privgraph.runs.records import RunRecord


def has(record: RunRecord) -> bool:
    """Whether the gallery has runs of the setting of this one, with whatever seeds."""
    return record.stored_spec is not None and _key(record.stored_spec.to_json()) in _settings()


@lru_cache(maxsize=1)
def _settings() -> frozenset[str]:
    if not gallery.FILE.is_file():
        return frozenset()
    return frozenset(_key(one["run"]["spec"]) for chapter in gallery.content().values() for one in chapter)


def _key(spec: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in spec.items() if name != "seed"}, sort_keys=True)
