"""What the run store gives back: frozen records, queries and the sentences that it raises. No torch."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from privgraph.options import Scalar, short
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement, audited_of
from privgraph.progress import Event, from_record
from privgraph.runs.final_statement import NOISE_IS_PUBLIC, in_accord
from privgraph.runs.known_faults import known_faults, voided
from privgraph.runs.spec import RunSpec
from privgraph.runs.trials import Mark, priced

EXAMPLE = "example/"
"""What the id of a run begins with that ships with the program (`runs.examples`)."""
STATES = ("queued", "running", "stopping", "done", "stopped", "failed", "lost")
LIVE = ("running", "stopping")
PENDING = ("queued", *LIVE)
"""Of runs that still change by themselves: they wait, or a worker has them."""
UNDONE = ("stopped", "failed", "lost")
"""Of runs that ended without a result, and can be tried again."""
FINISHED = ("done", *UNDONE)
ORDERS = (
    "created",
    "finished",
    "method",
    "dataset",
    "state",
    "unit",
    "epsilon",
    "seed",
    "test_accuracy",
    "sound_epsilon",
    "audited_epsilon",
    "seconds",
)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Whatever goes wrong inside leaves as one `Unreadable`: what a newer version, or damage, may have left
    has any form."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Unreadable(f"{what} has a form that is not known here ({short(' '.join(str(error).split()))})") from error


def parsed(text: str) -> Any:
    """Stored JSON. Raises `ValueError`, also for half a letter: JSON can hold one, and nothing can print or
    export it."""
    value = json.loads(text)
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


@lru_cache(maxsize=4096)
def _promise(text: str, options: tuple[tuple[str, Scalar], ...]) -> PrivacyStatement:
    """The statement of that JSON; the runs of a setting share one. Raises `Unreadable`."""
    from privgraph.privacy.serialisation import statement_from_json

    with reading("its privacy statement"):
        return in_accord(statement_from_json(parsed(text), dict(options)))


LATEST = 253_402_300_799.0
"""The last second of the year 9999, in seconds since the epoch: no calendar goes beyond it."""


def is_time(value: object) -> bool:
    """Whether a stored value is a point in time; a damaged row may hold anything.

    >>> is_time(1.7e9), is_time(float("inf")), is_time(float("nan")), is_time("now"), is_time(None)
    (True, False, False, False, False)
    """
    return isinstance(value, int | float) and 0 <= value <= LATEST


class StoreError(Exception):
    """The store cannot do what was asked; the message is one sentence."""


class OtherKey(StoreError):
    """The noise key of this home is not that of the store's other workers."""


class UnknownRun(StoreError):
    """There is no run of that id."""


class RunIsFixed(StoreError):
    """The run's state does not allow the change: a finished run never changes, a live one is not deleted."""


class Unreadable(StoreError):
    """What is stored has a form that this version does not know: a newer one wrote it, or it is damaged."""


class StoreAway(StoreError):
    """The database does not answer for now: its server is down or started anew, the network is, or others
    keep it busy."""


class ArtifactsAway(StoreError):
    """The place of the artifacts does not answer for now; the database does."""


class StoreIsFull(StoreError):
    """The disk, or the database's own limit, has no room left; what was stored before is unharmed."""


class StoreIsReadOnly(StoreError):
    """The store can be read, and not written: the disk or the folder does not admit it."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RunRecord:
    """A run as it stands in the store.

    Times are seconds since the epoch (UTC). `progress` lies in [0, 1]; `eta_seconds` is the estimated time
    that remains, None while nothing is known or the run is not live. `device` is the device that was used (""
    before). `error` is one sentence, "" where nothing went wrong. `statement_text` is the stored JSON of
    `statement` without audits, parsed when it is first asked for. `epsilon_audited` is the largest bound that
    an audit has shown on the whole run, at `audit_confidence`, `audited_by` the name of that audit and
    `adversary` its kind. `version` is the program that made the last attempt (`program.program`): "" for
    versions before 0.5.0, which did not say, and before a worker has begun. `damage` says what of the row
    cannot be read: see `unreadable`. `tuning`: which tuning tried it, and what became of
    it; None of a run that stands alone.
    """

    id: str
    stored_spec: RunSpec | None
    state: str
    created: float
    started: float | None
    finished: float | None
    heartbeat: float | None
    attempt: int
    progress: float
    stage: str
    eta_seconds: float | None
    metrics: Mapping[str, float]
    statement_text: str | None
    seconds: float | None
    peak_memory_mb: float | None
    device: str
    error: str
    tags: tuple[str, ...]
    note: str
    batch: str
    epsilon_audited: float | None = None
    audit_confidence: float | None = None
    version: str = ""
    audited_by: str = ""
    adversary: Adversary | None = None
    damage: str = ""
    tuning: Mark | None = None

    def __repr__(self) -> str:
        accuracy = self.metrics.get("test_accuracy")
        reached = "" if accuracy is None else f", test accuracy {accuracy:.3f}"
        return f"RunRecord({self.id}: {self.state}{reached}{self.error and f', {short(self.error)}'})"

    @property
    def spec(self) -> RunSpec:
        """What was run. Raises `Unreadable` where this version cannot read it."""
        if self.stored_spec is None:
            raise Unreadable(self.unreadable)
        return self.stored_spec

    @cached_property
    def unreadable(self) -> str:
        """Why this version cannot read the run, in one sentence; "" where it can."""
        try:
            reason = self.damage or (self.own_statement and "")
        except Unreadable as error:
            reason = str(error)
        if not reason:
            return ""
        return (
            f"the run {self.id} cannot be read by this version of privgraph, because {reason}: "
            "a newer version wrote it, or it is damaged; it can be deleted, and other runs are not concerned"
        )

    @cached_property
    def example(self) -> bool:
        """Whether its noise key ships with the program: it came along (`runs.examples`), or was made under
        that key."""
        said = None if self.unreadable else self.own_statement
        return self.id.startswith(EXAMPLE) or (said is not None and NOISE_IS_PUBLIC in said.assumptions)

    @property
    def live(self) -> bool:
        """A worker has it."""
        return self.state in LIVE

    @property
    def pending(self) -> bool:
        """It will still change by itself: it waits, or a worker has it."""
        return self.state not in FINISHED

    @cached_property
    def statement(self) -> PrivacyStatement | None:
        """The final privacy statement, None before the run is done; audited number and known faults are of
        today.

        Raises `Unreadable` where this version cannot read it.
        """
        if self.damage:
            raise Unreadable(self.unreadable)
        try:
            final = self.own_statement
        except Unreadable:
            raise Unreadable(self.unreadable) from None
        if final is None:
            return None
        known = known_faults(self.spec, self.version)
        faults = () if self.example else known  # nobody is protected, fault or not
        if faults != final.known_faults:
            final = replace(final, known_faults=faults)
        if self.tuning is not None:
            final = priced(final, self.tuning)
        if known and voided(self.spec, self.version):
            final = replace(final, epsilon=math.inf)
        return final if self.epsilon_audited is None else replace(final, **audited_of(self))

    @cached_property
    def own_statement(self) -> PrivacyStatement | None:
        """What the run alone promised when it was done, before audits, known faults and tunings count. Raises
        `Unreadable`."""
        if not self.statement_text:
            return None
        return _promise(self.statement_text, tuple(self.spec.options.items()))


@dataclass(frozen=True, kw_only=True, repr=False)
class StoredEvent:
    """An event of a run: `sequence` counts from 1 along the run over all attempts; `time` in seconds since
    the epoch."""

    sequence: int
    attempt: int
    time: float
    kind: str
    payload: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"StoredEvent({self.sequence}, {self.kind}: {short(dict(self.payload))})"

    @property
    def event(self) -> Event:
        """Raises `Unreadable` where this version does not know the event."""
        with reading(f"event {self.sequence} of the run"):
            return from_record(self.kind, self.payload)


PROTECTED = {"edge": "edges", "node": "people (node)", "none": "nothing"}
"""What each unit is called in a list of runs, and is found by."""


@dataclass(frozen=True, kw_only=True)
class RunQuery:
    """Which runs, in which order. An empty tuple or text does not restrict.

    `tags` must all be present; the other tuples list what is admitted. `text` is looked for in the id, the
    options, the titles of method and graph, what is protected (`PROTECTED`), the note, the error and the
    tags, whatever the case, and is compared with the state; every one of its words must be found. A word such
    as `epsilon=2` finds the runs with that value of that option, however the number is written. `order` is
    one of `ORDERS`; `created` with `descending` puts the newest first.
    """

    ids: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    accountings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    batch: str = ""
    text: str = ""
    order: str = "created"
    descending: bool = True
    limit: int | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"RunQuery.order must be one of {', '.join(ORDERS)} (got {self.order})")
        if self.offset < 0 or (self.limit is not None and self.limit < 0):
            raise ValueError("RunQuery.limit and offset must not be negative")


def plain(value: Any) -> Any:
    """`value` with every float that JSON has no token for written as the text inf, -inf or nan.

    >>> plain({"epsilon": float("inf"), "steps": [1, 2.5]})
    {'epsilon': 'inf', 'steps': [1, 2.5]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def unplain(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload of an event with the numbers that `plain` wrote as text restored."""
    if kind == "metric":
        payload["value"] = float(payload["value"])
    elif kind == "result":
        payload["metrics"] = {name: float(value) for name, value in payload["metrics"].items()}
    return payload
