"""A run that has ended, and where it is kept. No torch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError, listed, nearest
from privgraph.privacy.rounding import upper
from privgraph.privacy.statement import PrivacyStatement
from privgraph.progress import Metric
from privgraph.runs.records import RunRecord, StoredEvent
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run as `privgraph.run` returns it: what was run, what it came to, and what it guarantees.

    Args:
        record: The run as it stood in the store when it was looked at.
        store: The store that keeps it.
    """

    record: RunRecord
    store: RunStore = field(repr=False)

    def __repr__(self) -> str:
        accuracy = self.metrics.get("test_accuracy")
        reached = "" if accuracy is None else f", test accuracy {accuracy:.3f}"
        return f"<Run {self.id}: {self.record.state}{reached}, sound epsilon {upper(self.epsilon)}>"

    @property
    def id(self) -> str:
        """Its id: the same for the same spec, everywhere."""
        return self.record.id

    @property
    def spec(self) -> RunSpec:
        """What was run."""
        return self.record.spec

    @property
    def metrics(self) -> Mapping[str, float]:
        """What it came to: `test_accuracy` and others, accuracies in [0, 1]."""
        return self.record.metrics

    @property
    def statement(self) -> PrivacyStatement | None:
        """What it guarantees, with known faults and audits of today; None of a run that never began."""
        return self._now.statement

    @property
    def epsilon(self) -> float:
        """The sound epsilon; infinite where nothing is guaranteed, or nothing is known."""
        return math.inf if self.record.statement is None else self.record.statement.epsilon

    @property
    def folder(self) -> Path:
        """The folder of its files. They are for who holds the data, and no part of what is released."""
        return self.store.folder(self.id)

    @property
    def events(self) -> list[StoredEvent]:
        """All that it told, oldest first."""
        return self.store.events(self.id)

    @property
    def audits(self) -> Sequence[AuditRecord]:
        """What attacks on it have shown, the oldest first."""
        return self.store.audits(self.id)

    @property
    def attacks(self) -> Sequence[AttackRecord]:
        """What outsiders could tell of who trained in it, the oldest first."""
        return self.store.attacks(self.id)

    @property
    def _now(self) -> RunRecord:
        return self.store.get(self.id)

    def curve(self, metric: str) -> list[tuple[int, float]]:
        """Read one of its curves. Accuracies on private labels are for study, and covered by no guarantee.

        Args:
            metric: A name such as `train_loss` or `val_accuracy`.

        Returns:
            Pairs of step and value along its last attempt; empty where it told no curve at all.

        Raises:
            OptionError: It told curves, and none of that name.
        """
        told = self.store.events(self.id, kinds=["metric"])
        last = max((stored.attempt for stored in told), default=0)
        points = [stored.event for stored in told if stored.attempt == last]
        curves: dict[str, list[tuple[int, float]]] = {}
        for one in points:
            if isinstance(one, Metric):
                curves.setdefault(one.name, []).append((one.step, one.value))
        if curves and metric not in curves:
            raise OptionError(f"{self.id} has no curve {metric}; it has {listed(curves)}{nearest(metric, curves)}")
        return curves.get(metric, [])


class RunFailed(Exception):
    """A run, or an audit, came to nothing; the message is one sentence. `runs` are all that were asked
    for."""

    def __init__(self, message: str, runs: Sequence[Run] = ()) -> None:
        super().__init__(message)
        self.runs = tuple(runs)
