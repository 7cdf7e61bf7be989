"""How many runs and settings are behind a report: counted once, here, for all that tells it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from privgraph.runs.records import RunRecord
from privgraph_workbench import tables
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.reporting import advice_again, noises, references
from privgraph_workbench.reporting.asked import Asked
from privgraph_workbench.reporting.behind import behind
from privgraph_workbench.reporting.own_setting import setting
from privgraph_workbench.reporting.withholding import without_seeds


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Runs that tables/runs.csv lists, those of them that are private, and those whose noise is public; and
    their settings, one with secret and with public noise apart, as in tables. `references`: further runs,
    which stand behind levels of tables/references.csv alone."""

    runs: int
    settings: int
    private: int
    private_settings: int
    public: int
    references: int = 0

    @staticmethod
    def of(asked: Asked) -> Counts:
        every = [one.record for one in behind(replace(asked, figures=asked.shown))]
        ids = {one.id for one in every}
        return replace(Counts.over(every), references=sum(one.id not in ids for one in references.runs_of(asked)))

    @staticmethod
    def told(asked: Asked) -> Counts:
        """As the report counts once it is made: for others without what they are not given. Raises
        `OptionError` where nothing is left."""
        plain = [advice_again.without(one) for one in asked.figures]  # it takes its time, and counts nothing
        apart = noises.apart(replace(asked, figures=plain))
        return Counts.of(without_seeds(apart) if asked.share else apart)

    @staticmethod
    def over(runs: Iterable[RunRecord]) -> Counts:
        """Of these runs, each counted once."""
        every = list({one.id: one for one in runs}.values())
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
        """All runs, in parts that sum to them."""
        every, without = self.runs + self.references, self.runs - self.private
        if self.private == every:
            return f"{counted(every, 'run')} of {counted(self.settings, 'setting')}, all private"
        parts = [f"{self.private:,} private (of {counted(self.private_settings, 'setting')})"] * bool(self.private)
        parts += [f"{without:,} without privacy"] * bool(without)
        parts += [counted(self.references, "reference")] * bool(self.references)
        return f"{counted(every, 'run')}: {', '.join(parts)}"
