"""The rows of a report's tables: a run, or one that stands for its setting with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench import attack_means
from privgraph_workbench.attack_means import AttackMean
from privgraph_workbench.facts.expecting import Reached


@dataclass(frozen=True, kw_only=True)
class Line:
    """A run of the table, or one that stands for its setting: the name of its files, its label, and the
    finished runs of its setting. `heading`: its graph, where the table has several ("": it has one); `seed`:
    it may be told; `attacks` on any of the runs it stands for; `stands`: where in the report, as a CSV
    says it; `over`: what its setting reached, where no single result is told. Of a setting: `audited`, its
    run of which audits have shown most (None: `record`), and `seeds`, what is told of the seed of each of its
    runs, by their ids; `averaged`: what attacks found on them on average, where no single one is
    told (`untold`: there are such); `single`: nor is its result, which is that of one seed."""

    name: str
    label: str
    record: RunRecord
    same: Sequence[RunRecord] = ()
    heading: str = ""
    seed: bool = True
    attacks: Sequence[AttackRecord] = ()
    stands: str = ""
    over: Reached | None = None
    audited: RunRecord | None = None
    seeds: Mapping[str, str] = field(default_factory=dict)
    averaged: Sequence[AttackMean] = ()
    untold: bool = False
    single: bool = False

    @property
    def attacked(self) -> list[AttackMean]:
        """What attacks found on several of its runs, on average."""
        return list(self.averaged) or attack_means.of(self.attacks)

    @property
    def bound(self) -> PrivacyStatement | None:
        """The statement with what audits have shown of the setting: that of the run that was audited."""
        return (self.audited or self.record).statement

    @property
    def bound_seed(self) -> str:
        """Of which of several seeds that is; "" where nothing was audited."""
        said = self.bound
        return "" if said is None or said.epsilon_audited is None else self.seed_of((self.audited or self.record).id)

    def seed_of(self, run: str) -> str:
        """Which of several seeds that run has; "" where the setting has one run.

        >>> from types import SimpleNamespace as Made
        >>> Line(name="", label="", record=Made(), seeds={"a": "3", "b": "4"}).seed_of("b")
        'seed 4'
        """
        return f"seed {self.seeds[run]}" if len(self.seeds) > 1 and run in self.seeds else ""


def most_audited(records: Sequence[RunRecord]) -> RunRecord:
    """The run of which audits have shown most, the first where none was audited; that nothing was shown is an
    audit, too."""
    return max(records, key=lambda one: -1.0 if one.epsilon_audited is None else one.epsilon_audited)
