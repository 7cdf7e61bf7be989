"""Which runs an outsider can attack."""

from __future__ import annotations

from privgraph.options import OptionError, UnknownName
from privgraph.registry import ATTACKS
from privgraph.runs import attacking
from privgraph.runs.records import RunRecord, StoreError


def attackable(record: RunRecord) -> bool:
    """Whether some attack can be made on the run."""
    try:
        subject = attacking.subject(record)
    except (StoreError, OptionError, UnknownName):
        return False
    return any(spec.refuses(subject) is None for spec in ATTACKS.values())
