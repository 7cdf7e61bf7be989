"""The queue: which runs are trained together, and how one claim finds its runs among 100,000. No torch.

Who is trained with whom is decided once, when runs are submitted, and stored (`runs.stack`): a claim takes
the first stack that nobody else is taking, and looks at no other run.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from privgraph.options import OptionError
from privgraph.registry import UnknownName
from privgraph.runs.memory import estimate
from privgraph.runs.records import Unreadable, reading
from privgraph.runs.spec import RunSpec
from privgraph.runs.tables import QUEUED, events, runs

STACK_LIMIT = 10
"""How many runs one worker trains together at most."""
LOCAL = "local"
"""The engine of runs that the machine trains on which they were submitted."""
_WAITS = runs.c.state == QUEUED


@dataclass(frozen=True, kw_only=True)
class Wants:
    """What a worker can train.

    `engines`: only runs that were given to one of these; empty admits all. `devices`: only runs that ask for
    one of these; empty admits all. `memory_mb`: only runs that are not known to need more. `at_hand` says
    whether the data of that name, or what else a run needs (`RunSpec.needs`), can be loaded here; None admits
    all. `ids`: only these runs; empty admits all. `whole`: of `ids`, also the runs that are stacked with one
    of them, so that no stack is cut.
    """

    engines: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    memory_mb: float | None = None
    at_hand: Callable[[str], bool] | None = None
    ids: tuple[str, ...] = ()
    whole: bool = False


def stack_name(spec: RunSpec, batch: str) -> str:
    """A name that runs of one batch share which can be trained together; "" for one that is trained alone.

    They are of one method, data set and device, and their configurations have equal stacking keys. An
    inductive split changes the topology with the seed, so such runs are trained one by one; so is a run whose
    spec this version refuses, which its worker will say.
    """
    if not batch or spec.split == "inductive":
        return ""
    try:
        config = spec.config()
    except (OptionError, UnknownName):
        return ""
    if not config.stacks:
        return ""
    graph = [spec.method, spec.dataset, sorted(spec.data_options.items()), spec.split, spec.device]
    text = json.dumps([batch, *graph, repr(config.stack_key())])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stacks(names: Iterable[str], there: Counter[str] | None = None) -> list[str]:
    """The stack of each run, ten runs a stack at most: its name and a number, "" where it is trained alone.

    `there`: how many places of each name are taken.

    >>> stacks(["a", "", "a"]), stacks(["a"], Counter(a=10))
    (['a.0', '', 'a.0'], ['a.1'])
    """
    counts = Counter(there)
    found = []
    for name in names:
        found.append(f"{name}.{counts[name] // STACK_LIMIT}" if name else "")
        counts[name] += 1
    return found


def submitted(connection: sa.Connection, batch: str) -> Counter[str]:
    """How many places each name of the batch has taken, by the stacks that are stored: whoever comes later
    joins the last of them while all of it still waits, and else begins another."""
    if not batch:
        return Counter()
    waits = sa.func.sum(sa.case((_WAITS, 1), else_=0))
    counted = sa.select(runs.c.stack, sa.func.count(), waits).where(runs.c.batch == batch, runs.c.stack != "")
    found: Counter[str] = Counter()
    for stack, count, waiting in connection.execute(counted.group_by(runs.c.stack)):
        name, _, number = stack.partition(".")
        taken = STACK_LIMIT * int(number) + (count if count == waiting else STACK_LIMIT)
        found[name] = max(found[name], taken)
    return found


def restack(connection: sa.Connection) -> None:
    """Give the queued runs of an earlier version's store their stacks, devices and what they need."""
    chosen = sa.select(runs.c.number, runs.c.spec, runs.c.batch).where(_WAITS).order_by(runs.c.number)
    numbers, names, asked = list[int](), list[str](), list[tuple[str, str]]()
    for row in connection.execute(chosen).all():
        with suppress(Unreadable), reading("its spec"):
            spec = RunSpec.from_json(json.loads(row.spec))
            numbers.append(row.number)
            names.append(stack_name(spec, row.batch))
            asked.append((spec.device, spec.needs))
    changes = [
        {"of": number, "stack": stack, "asked": device, "needs": needs}
        for number, stack, (device, needs) in zip(numbers, stacks(names), asked, strict=True)
    ]
    if changes:
        change = runs.update().where(runs.c.number == sa.bindparam("of"))
        connection.execute(change.values({name: sa.bindparam(name) for name in ("stack", "asked", "needs")}), changes)


@dataclass(frozen=True, kw_only=True)
class AtHand:
    """Of what queued runs ask for, what a worker has: `data`, and `needs` beside them."""

    data: Sequence[str]
    needs: Sequence[str]


def at_hand(connection: sa.Connection, has: Callable[[str], bool]) -> AtHand:
    """What of all that queued runs ask for is there; each name is asked about once."""
    data, needs = (_waiting_for(connection, column) for column in (runs.c.dataset, runs.c.needs))
    return AtHand(
        data=[name for name in data if has(name)],
        needs=[name for name in needs if all(has(one) for one in name.splitlines())],
    )


def _waiting_for(connection: sa.Connection, column: sa.Column[str]) -> list[str]:
    """What queued runs have in that column. It jumps from name to name, and never reads a run."""
    least = sa.select(sa.func.min(column).label("name")).where(_WAITS)
    names = least.cte("names", recursive=True)
    another = least.where(column > names.c.name).correlate(names).scalar_subquery()
    names = names.union_all(sa.select(another).where(names.c.name.is_not(None)))
    return list(connection.scalars(sa.select(names.c.name).where(names.c.name.is_not(None))))


def first_stack(connection: sa.Connection, wants: Wants, there: AtHand | None = None) -> list[str]:
    """The ids of the first queued run that the worker can train, and of those that are trained together with
    it; all are locked until the transaction ends, and none is waited for.

    `there`: only runs that need nothing else; None admits all. Of each stack and engine the first run alone
    can be found, and whoever has it locked has the stack: claims that run beside one another take different
    stacks, and each takes a whole one.
    """
    if connection.dialect.name == "postgresql":
        # What it knows of a table is as old as its last look, and a queue taken for short would be sorted.
        connection.execute(sa.text("SET LOCAL enable_sort = off"))
        connection.execute(sa.text("SET LOCAL enable_bitmapscan = off"))
    other = runs.alias()
    of_stack = [other.c.stack == runs.c.stack, other.c.engine == runs.c.engine, other.c.state == QUEUED]
    if wants.ids and not wants.whole:  # who asks for these alone need not have the first of the stack among them
        of_stack.append(other.c.id.in_(wants.ids))
    begins = runs.c.number == sa.select(sa.func.min(other.c.number)).where(*of_stack).scalar_subquery()
    chosen = sa.select(runs.c.number, runs.c.id, runs.c.stack, runs.c.engine, runs.c.spec)
    chosen = chosen.where(_WAITS, *_admitted(wants, there), sa.or_(runs.c.stack == "", begins))
    chosen = chosen.order_by(runs.c.number)
    after = 0
    while True:
        locked = chosen.where(runs.c.number > after).limit(1).with_for_update(skip_locked=True, of=runs)
        found = connection.execute(locked).first()
        if found is None:
            return []
        if _readable(found.spec):
            return _members(connection, found, _admitted(wants, there)) if found.stack else [found.id]
        # Runs of another version may be many: the next that can be read is looked for without a lock on any.
        later = connection.execute(chosen.where(runs.c.number > found.number))
        after = next((row.number - 1 for row in later if _readable(row.spec)), 0)
        if not after:
            return []


def _readable(text: str) -> bool:
    """Whether this version can read the spec; another may have written it, and it is left to that one."""
    try:
        with reading("its spec"):
            RunSpec.from_json(json.loads(text))
    except Unreadable:
        return False
    return True


def _admitted(wants: Wants, there: AtHand | None = None) -> list[sa.ColumnElement[bool]]:
    clauses: list[sa.ColumnElement[bool]] = []
    if wants.engines:
        clauses.append(runs.c.engine.in_(wants.engines))
    if wants.devices:
        clauses.append(runs.c.asked.in_(wants.devices))
    if wants.memory_mb is not None:
        clauses.append(runs.c.memory_mb <= wants.memory_mb)
    if wants.ids:
        own: sa.ColumnElement[bool] = runs.c.id.in_(wants.ids)
        if wants.whole:
            asked = runs.alias()
            stacks_of = sa.select(asked.c.stack).where(asked.c.id.in_(wants.ids), asked.c.state == QUEUED)
            own = sa.or_(own, sa.and_(runs.c.stack != "", runs.c.stack.in_(stacks_of)))
        clauses.append(own)
    if there is not None:
        clauses += [runs.c.dataset.in_(there.data), runs.c.needs.in_(there.needs)]
    return clauses


def _members(connection: sa.Connection, first: Any, admitted: Sequence[sa.ColumnElement[bool]]) -> list[str]:
    """The runs of its stack that were given to the same engine, and that the worker can train."""
    chosen = sa.select(runs.c.id, runs.c.spec).where(runs.c.stack == first.stack, _WAITS)
    chosen = chosen.where(runs.c.engine == first.engine, *admitted).order_by(runs.c.number).limit(STACK_LIMIT)
    found = connection.execute(chosen.with_for_update(skip_locked=True))
    return [row.id for row in found if _readable(row.spec)]


def row_of(spec: RunSpec) -> dict[str, Any]:
    """What the columns of a run hold when it is submitted, but for batch and stack."""
    unit = spec.unit
    return {
        "id": spec.id,
        "spec": json.dumps(spec.to_json(), allow_nan=False),
        "method": spec.method,
        "dataset": spec.dataset,
        "split": spec.split,
        "unit": unit,
        "epsilon": spec.asked_epsilon,
        "accounting": "" if unit == "none" else str(spec.options.get("accounting", "")),
        "seed": spec.seed,
        "asked": spec.device,
        "needs": spec.needs,
        "memory_mb": estimate(spec),
        "state": "queued",
    }


def next_attempt(row: Any) -> dict[str, Any]:
    """What the columns of a run hold when it is queued again as its next attempt."""
    fresh: dict[str, Any] = {column.name: None for column in runs.c if column.nullable and column.name != "epsilon"}
    fresh |= {"state": "queued", "attempt": row.attempt + 1, "again": row.again + 1, "progress": 0.0, "metrics": "{}"}
    return fresh | {"stage": "", "error": "", "device": "", "worker": "", "host": ""}


def stopped_in_queue(time: float) -> dict[str, Any]:
    """What the columns of a queued run hold once it is stopped."""
    return {"state": "stopped", "finished": time, "error": "stopped before it started"}


def withdraw(connection: sa.Connection, row: Any) -> None:
    """Forget what the run has told so far, but for how earlier attempts ended.

    The next attempt's noise may be another: so it is on another machine, with other runs beside it, or with
    another number of threads. Had both told something, their epsilons would compose. What was never released
    costs nothing, and so nothing of an attempt stays that is made again.
    """
    told = sa.or_(events.c.attempt == row.attempt, events.c.kind != "log")
    connection.execute(events.delete().where(events.c.run == row.number, told))


def known(connection: sa.Connection, ids: Sequence[str]) -> dict[str, int]:
    """The numbers of those of the runs that the store has."""
    found: dict[str, int] = {}
    for start in range(0, len(ids), 500):
        chosen = sa.select(runs.c.id, runs.c.number).where(runs.c.id.in_(ids[start : start + 500]))
        found |= {row.id: row.number for row in connection.execute(chosen)}
    return found


def give(connection: sa.Connection, numbers: Sequence[int], engine: str) -> None:
    """Give those of the runs that are still queued to the engine."""
    for start in range(0, len(numbers), 500):
        chosen = (runs.c.number.in_(numbers[start : start + 500]), runs.c.state == "queued", runs.c.engine != engine)
        connection.execute(runs.update().where(*chosen).values(engine=engine))
