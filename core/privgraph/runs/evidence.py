"""What audits and attacks of runs have shown, in the run store: their queries, and the half of the store that
keeps them. No torch."""

import json
from contextlib import suppress
from typing import Any, NamedTuple

import sqlalchemy as sa

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary
from privgraph.registry import ATTACKS, AUDITS
from privgraph.runs.database import Database
from privgraph.runs.records import RunIsFixed, StoreError, UnknownRun, Unreadable, parsed, reading
from privgraph.runs.tables import attacks, audit_turns, audits, runs


class Evidence:
    """The half of the store that keeps audits and attacks: a run itself stays as it was, but for its audited
    number."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def evidence_mark(self) -> tuple[float | None, ...]:
        """Another one whenever an audit or an attack was added, or left with its run: until then what was
        read of them holds."""
        with self._database.read() as connection:
            return tuple(
                value
                for table in (audits, attacks)
                for value in connection.execute(
                    sa.select(sa.func.count(), sa.func.max(table.c.number), sa.func.max(table.c.created))
                ).one()
            )

    def done_mark(self) -> tuple[float | None, ...]:
        """Another one whenever a run is done, or one that was done has left; read from an index alone."""
        number = sa.cast(runs.c.number, sa.BigInteger)
        columns = (sa.func.count(), sa.func.sum(number), sa.func.sum(number * (number % 1009)))
        with self._database.read() as connection:
            return tuple(connection.execute(sa.select(*columns).where(runs.c.state == "done")).one())

    # Audits

    def begin_audit(self, run: str) -> int:
        """The turn of an audit of a run that is about to begin: one more than that of the one before it.

        It is taken once the data are read and before anything is played, and is spent even where the audit
        comes to nothing: audits of a run share one confidence by their turns
        (`audits.bounds.shared_confidence`). Raises `RunIsFixed` where the run is not done.
        """
        with self._database.write() as connection:
            row = self._audited_row(connection, run)
            turn = next_turn(connection, row.number)
            connection.execute(audit_turns.insert().values(run=row.number, turn=turn))
            return turn

    def next_turn(self, run: str) -> int:
        """The turn that an audit of a run would take if it began now; see `begin_audit`."""
        with self._database.read() as connection:
            return next_turn(connection, number_of(connection, run))

    def _audited_row(self, connection: sa.Connection, run: str) -> Any:
        row = self._database.row(connection, run)
        if row.state != "done" or row.statement is None:
            raise RunIsFixed(f"only a run that is done can be audited, and {run} is {row.state}")
        return row

    def add_audit(self, run: str, audit: AuditRecord) -> None:
        """Keep what an audit of a run came to; the run itself stays as it was, but for its audited number.

        That is the largest bound of all audits that cover the whole run and took turns: a later one that
        shows less changes nothing. Of audits without a turn the first alone counts, and none beside audits
        with turns. Raises `RunIsFixed` where the run is not done, and `StoreError` where the audit is of
        another run, or of a turn that nobody has begun or that has ended.
        """
        if audit.run != run:
            raise StoreError(f"this audit is of {audit.run}, not of {run}")
        with self._database.write() as connection:
            row = self._audited_row(connection, run)
            values = {
                "run": row.number,
                "created": self._database.now(connection),
                "audit": audit.audit,
                "covers": audit.covers,
                "delta": audit.delta,
                "epsilon": audit.epsilon,
                "confidence": audit.confidence,
                "record": json.dumps(audit.to_json(), allow_nan=False),
            }
            number = connection.execute(audits.insert().values(**values).returning(audits.c.number)).scalar_one()
            if audit.turn:
                open_ = (
                    audit_turns.c.run == row.number,
                    audit_turns.c.turn == audit.turn,
                    audit_turns.c.audit.is_(None),
                )
                if connection.execute(audit_turns.update().where(*open_).values(audit=number)).rowcount != 1:
                    raise StoreError(f"no audit of {run} with turn {audit.turn} is on its way")
            largest = largest_audited(connection, row.number)
            connection.execute(runs.update().where(runs.c.number == row.number).values(audited_epsilon=largest))

    def audits(self, run: str) -> list[AuditRecord]:
        """All audits of a run, the oldest first."""
        with self._database.read() as connection:
            return find_audits(connection, number_of(connection, run))

    def all_audits(self, limit: int = 2000) -> list[AuditRecord]:
        """The newest audits of all runs, the newest first; those that cannot be read are left out."""
        with self._database.read() as connection:
            return all_audits(connection, limit)

    # Attacks

    def add_attack(self, run: str, attack: AttackRecord) -> None:
        """Keep what an attack on a run came to; the run itself stays as it was.

        Raises `RunIsFixed` where the run is not done, and `StoreError` where the attack is on another run.
        """
        if attack.run != run:
            raise StoreError(f"this attack is on {attack.run}, not on {run}")
        with self._database.write() as connection:
            row = self._database.row(connection, run)
            if row.state != "done":
                raise RunIsFixed(f"only a run that is done can be attacked, and {run} is {row.state}")
            values = {
                "run": row.number,
                "created": self._database.now(connection),
                "attack": attack.attack,
                "record": json.dumps(attack.to_json(), allow_nan=False),
            }
            connection.execute(attacks.insert().values(**values))

    def attacks(self, run: str) -> list[AttackRecord]:
        """All attacks on a run, the oldest first."""
        with self._database.read() as connection:
            return find_attacks(connection, number_of(connection, run))

    def all_attacks(self, limit: int = 2000) -> list[AttackRecord]:
        """The newest attacks on all runs, the newest first."""
        with self._database.read() as connection:
            return all_attacks(connection, limit)


def number_of(connection: sa.Connection, run: str) -> int:
    """The number of the run of that id. Raises `UnknownRun`."""
    number = connection.scalar(sa.select(runs.c.number).where(runs.c.id == run))
    if number is None:
        raise UnknownRun(f"there is no run {run}")
    return int(number)


class Shown(NamedTuple):
    """A bound on a run's epsilon, its confidence, and the name of the audit that showed it."""

    epsilon: float
    confidence: float
    audit: str


def audited(connection: sa.Connection, numbers: list[int]) -> dict[int, Shown]:
    """What audits have shown of the whole runs of those numbers.

    Audits that took turns share one confidence, and the largest bound holds at it (`shared_confidence`).
    Audits without a turn share nothing: of these the first alone is shown, which was not picked for what it
    says, and none where there are audits with turns. Epsilon falls with delta: what an audit has shown at a
    larger delta than the run's holds at the run's too.
    """
    if not numbers:
        return {}
    columns = (audits.c.run, audits.c.epsilon, audits.c.confidence, audits.c.audit, audit_turns.c.turn)
    statement = (
        sa.select(*columns)
        .join(runs, runs.c.number == audits.c.run)
        .outerjoin(audit_turns, sa.and_(audit_turns.c.run == audits.c.run, audit_turns.c.audit == audits.c.number))
        .where(audits.c.covers == "run", audits.c.delta >= runs.c.delta)
        .order_by(audits.c.number)
    )
    if len(numbers) <= 500:
        statement = statement.where(audits.c.run.in_(numbers))
    found: dict[int, list[Any]] = {}
    for row in connection.execute(statement):
        found.setdefault(row.run, []).append(row)
    return {run: _together(rows) for run, rows in found.items()}


def _together(rows: list[Any]) -> Shown:
    shared = [row for row in rows if row.turn is not None]
    best = max(shared, key=lambda row: float(row.epsilon), default=rows[0])
    return Shown(best.epsilon, min((row.confidence for row in shared), default=best.confidence), best.audit)


def adversary_of(audit: str) -> Adversary:
    """The kind of attack of the audit of that name; unknown where a newer version made it."""
    if audit in ATTACKS:
        return Adversary.OUTSIDER
    return AUDITS[audit].adversary if audit in AUDITS else Adversary.UNKNOWN


def largest_audited(connection: sa.Connection, number: int) -> float | None:
    """What audits have shown of the whole run's epsilon, None before one."""
    shown = audited(connection, [number]).get(number)
    return None if shown is None else shown.epsilon


def next_turn(connection: sa.Connection, number: int) -> int:
    """One more than the last turn that an audit or an attack of a run has taken."""
    last = connection.scalar(sa.select(sa.func.max(audit_turns.c.turn)).where(audit_turns.c.run == number))
    return 1 + (last or 0)


def find_audits(connection: sa.Connection, number: int) -> list[AuditRecord]:
    """All audits of a run, the oldest first."""
    statement = sa.select(audits.c.record).where(audits.c.run == number).order_by(audits.c.number)
    with reading("an audit of this run"):
        return [AuditRecord.from_json(parsed(record)) for record in connection.scalars(statement)]


def find_attacks(connection: sa.Connection, number: int) -> list[AttackRecord]:
    """All attacks on a run, the oldest first."""
    statement = sa.select(attacks.c.record).where(attacks.c.run == number).order_by(attacks.c.number)
    with reading("an attack on this run"):
        return [AttackRecord.from_json(parsed(record)) for record in connection.scalars(statement)]


def all_attacks(connection: sa.Connection, limit: int) -> list[AttackRecord]:
    """The newest attacks, the newest first; those that cannot be read are left out."""
    found = []
    statement = sa.select(attacks.c.record).order_by(attacks.c.number.desc()).limit(limit)
    for record in connection.scalars(statement):
        with suppress(Unreadable), reading("an attack"):
            found.append(AttackRecord.from_json(parsed(record)))
    return found


def all_audits(connection: sa.Connection, limit: int) -> list[AuditRecord]:
    """The newest audits, the newest first; those that cannot be read are left out."""
    found = []
    for record in connection.scalars(sa.select(audits.c.record).order_by(audits.c.number.desc()).limit(limit)):
        with suppress(Unreadable), reading("an audit"):
            found.append(AuditRecord.from_json(parsed(record)))
    return found
