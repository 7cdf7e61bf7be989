"""How many runs and settings are behind a report: counted once, from the runs that tables/runs.csv lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph.runs.records import RunRecord
from privgraph_workbench import tables
from privgraph_workbench.reporting.asked import Asked
from privgraph_workbench.reporting.behind import behind
from privgraph_workbench.words.naming import setting


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Runs, those of them that are private, and those whose noise is public; and their settings."""

    runs: int
    settings: int
    private: int
    private_settings: int
    public: int

    @staticmethod
    def of(asked: Asked) -> Counts:
        every: Sequence[RunRecord] = [one.record for one in behind(asked)]
        private = [one for one in every if one.statement is not None and one.statement.unit != "none"]
        return Counts(
            runs=len(every),
            settings=len(set(map(setting, every))),
            private=len(private),
            private_settings=len(set(map(setting, private))),
            public=sum(map(tables.noise_is_public, private)),
        )

    @property
    def words(self) -> str:
        """All runs, and what is left out where private ones are counted."""
        said = f"{counted(self.runs, 'run')} of {counted(self.settings, 'setting')}"
        without = self.runs - self.private
        if not without:
            return f"{said}, all private"
        return f"{said}: {self.private:,} private (of {counted(self.private_settings, 'setting')}), {without:,} not"


def counted(count: int, thing: str) -> str:
    """
    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{count:,} {thing}{'s' * (count != 1)}"
