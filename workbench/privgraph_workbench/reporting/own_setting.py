"""By what the runs of a report belong together: their setting, and whose noise they have."""

from __future__ import annotations

from collections.abc import Container

from privgraph.runs.records import RunRecord
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.words import naming
from privgraph_workbench.words.naming import unit_of

PUBLIC, SECRET = "public noise", "secret noise"


def noise_of(record: RunRecord) -> str:
    """Whose noise a run has: that of the program, or of a home; "" of none."""
    if unit_of(record) == "none" or record.statement is None:
        return ""
    return PUBLIC if noise_is_public(record) else SECRET


def setting(record: RunRecord) -> str:
    """Equal for repetitions of one setting with one kind of noise: means are over these."""
    return f"{naming.setting(record)} {noise_of(record)}".rstrip()


def goes(record: RunRecord, mixed: Container[str]) -> bool:
    """Whether others are not given the run: it has public noise, and runs of its setting, one of these
    `mixed` ones, have secret noise."""
    return noise_of(record) == PUBLIC and naming.setting(record) in mixed
