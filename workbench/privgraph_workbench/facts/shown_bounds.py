"""The third number of a run: the largest lower bound on epsilon that anything has shown of it, an audit or an
attack. Whatever tells it asks here, so that it is the same wherever it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import audited_of
from privgraph.runs.records import RunRecord
from privgraph_workbench.words.attacks import with_bounds


def counted(record: RunRecord, attacks: Sequence[AttackRecord]) -> RunRecord:
    """The run with what those of the attacks have shown that are on it, as its statement tells it then."""
    own = [one for one in attacks if one.run == record.id]
    if record.statement is None or not own:
        return record
    said = with_bounds(record.statement, own)
    return record if said == record.statement else replace(record, **audited_of(said))
