"""Which runs a figure names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from privgraph_workbench.figures.chart import Row

_ID = re.compile(r"[a-z][a-z0-9-]*-[0-9a-f]{12}")  # as `RunSpec.id` makes them


def named(rows: Iterable[Row], runs: Iterable[str] = ()) -> tuple[str, ...]:
    """The ids of the runs that a figure names, those first that are named beside its rows (`runs`).

    >>> named([{"runs": "gap-cora-00000000beef mlp"}, {"run": ""}], ["mlp-cora-00000000cafe"])
    ('mlp-cora-00000000cafe', 'gap-cora-00000000beef')
    """
    words = (word for row in rows for key in ("run", "runs") for word in str(row.get(key) or "").split())
    return tuple(dict.fromkeys((*runs, *filter(_ID.fullmatch, words))))
