"""The ledger: what was run, with which noise, how often. Entries are written by those who draw noise."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from privgraph.privacy.events import Composed, Nothing, Repeated, Single, whole
from privgraph.privacy.kinds import MechanismKind


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """What a mechanism's worst case is made of, where neither noise nor event tell it; None where its kind
    has no use for it.

    `clip`: the largest norm of one gradient. `max_degree`: how many lists, or sums over neighbours, may hold
    one node. `noise`: the name of the noise of sampled subgraphs (`mechanisms.subgraph_entries.NOISES`).
    `neighbours`, `largest_degree`, `exclusive`: as in `SampledSubgraphs`, also where the noise has no event.
    `gate_std`: noise of the test that goes before each answer; 0 without one.
    """

    clip: float | None = None
    max_degree: int | None = None
    noise: str | None = None
    neighbours: int | None = None
    largest_degree: int | None = None
    exclusive: bool | None = None
    gate_std: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class LedgerEntry:
    """One mechanism, run `count` times.

    `kind` is what programs decide by; `mechanism`, `stage` and `note` are words for people. `worst` has what
    audits need beyond noise and event. `event` is sound: relative to the sensitivity that is proved.
    `event_as_published` is what the paper says of the same noise (none: as `event`). `noise_std` and
    `sensitivity` are absolute, in the units of the released quantity, and stand here for people to read;
    `norm` is L1 or L2.
    """

    kind: MechanismKind
    mechanism: str
    stage: str
    event: Single
    event_as_published: Single | None = None
    count: int = 1
    noise_std: float | None = None
    sensitivity: float | None = None
    norm: str = "L2"
    sampling_rate: float | None = None
    note: str = ""
    worst: WorstCase = WorstCase()

    def __repr__(self) -> str:
        """All fields but those that have their defaults."""
        given = [(item.name, getattr(self, item.name)) for item in fields(self)]
        defaults = {item.name: item.default for item in fields(self)}
        told = ", ".join(f"{name}={value!r}" for name, value in given if value != defaults[name])
        return f"LedgerEntry({told})"

    def __post_init__(self) -> None:
        if not isinstance(self.kind, MechanismKind):
            raise ValueError(f"LedgerEntry.kind must be a MechanismKind (got {self.kind!r})")
        if not whole(self.count):
            raise ValueError(f"LedgerEntry.count must be a whole number, and not negative (got {self.count})")


class Ledger:
    """An append-only list of entries; entries that differ in their count alone are merged by adding the
    counts."""

    def __init__(self, entries: Iterable[LedgerEntry] = ()) -> None:
        self._entries: list[LedgerEntry] = []
        for entry in entries:
            self.add(entry)

    def add(self, entry: LedgerEntry) -> None:
        for position, known in enumerate(self._entries):
            if replace(known, count=entry.count) == entry:
                self._entries[position] = replace(known, count=known.count + entry.count)
                return
        self._entries.append(entry)

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        return tuple(self._entries)

    def event(self) -> Composed:
        """All that was run, as the sound analysis sees it."""
        return Composed(tuple(_repeated(entry.event, entry.count) for entry in self._entries) or (Nothing(),))

    def event_as_published(self) -> Composed:
        """All that was run, as the paper's analysis sees it."""
        return Composed(
            tuple(_repeated(entry.event_as_published or entry.event, entry.count) for entry in self._entries)
            or (Nothing(),)
        )


def _repeated(event: Single, count: int) -> Single | Repeated:
    return event if count == 1 else Repeated(event=event, count=count)
