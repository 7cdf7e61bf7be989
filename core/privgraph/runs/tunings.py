"""Tunings in the run store: what was asked for, which runs they try, how these did, and which is released. No
torch."""

import json
import secrets
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from privgraph.runs.records import RunIsFixed, StoreError
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import trials, tunings
from privgraph.runs.trials import Terms

OPEN, DONE = "open", "done"


@dataclass(frozen=True, kw_only=True)
class StoredTrial:
    """A trial: its place in the tuning, its run, and its score (None before it has one)."""

    place: int
    run: str
    spec: RunSpec
    score: float | None


@dataclass(frozen=True, kw_only=True)
class StoredTuning:
    """A tuning: its id, its terms, whether it is done, and the run that is released ("" where there is
    none)."""

    number: int
    id: str
    terms: Terms
    done: bool
    released: str


class Tunings:
    """The tunings of a store. Several processes may work on one: what is there is never written again."""

    def __init__(self, store: RunStore) -> None:
        self._database = store.database

    def asked(self, request: str) -> StoredTuning | None:
        """The newest tuning of that request, or None."""
        chosen = sa.select(tunings).where(tunings.c.request == request).order_by(tunings.c.number.desc()).limit(1)
        with self._database.read() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else _tuning(row)

    def get(self, tuning: str) -> StoredTuning:
        """The tuning of that id. Raises `StoreError`."""
        with self._database.read() as connection:
            row = connection.execute(sa.select(tunings).where(tunings.c.id == tuning)).first()
        if row is None:
            raise StoreError(f"there is no tuning {tuning}")
        return _tuning(row)

    def begin(self, request: str, terms: Terms, name: str) -> StoredTuning:
        """Store a tuning whose terms are fixed from here on; its id begins with `name`. One of the same
        request that is open already is given instead."""
        made = f"tune-{name}-{secrets.token_hex(6)}"
        with self._database.submitting() as connection:
            open_ = sa.select(tunings).where(tunings.c.request == request, tunings.c.state == OPEN)
            row = connection.execute(open_).first()
            if row is None:
                values: dict[str, Any] = {
                    "id": made,
                    "request": request,
                    "terms": terms.to_json(),
                    "state": OPEN,
                    "released": "",
                }
                values |= {"epsilon": terms.epsilon, "composed": terms.composed}
                connection.execute(tunings.insert().values(created=self._database.now(connection), **values))
                row = connection.execute(sa.select(tunings).where(tunings.c.id == made)).one()
            return _tuning(row)

    def trials(self, tuning: StoredTuning) -> list[StoredTrial]:
        """Its trials, in order."""
        chosen = sa.select(trials).where(trials.c.tuning == tuning.number).order_by(trials.c.place)
        with self._database.read() as connection:
            rows = connection.execute(chosen).all()
        return [
            StoredTrial(place=row.place, run=row.run, spec=RunSpec.from_json(json.loads(row.spec)), score=row.score)
            for row in rows
        ]

    def add(self, tuning: StoredTuning, place: int, spec: RunSpec) -> None:
        """Fix what is tried at that place, unless it is fixed already."""
        with self._database.submitting() as connection:
            self._open(connection, tuning)
            there = sa.select(trials.c.run).where(trials.c.tuning == tuning.number, trials.c.place == place)
            if connection.execute(there).first() is None:
                values = {"tuning": tuning.number, "place": place, "run": spec.id, "spec": spec.text}
                connection.execute(trials.insert().values(**values))

    def judge(self, tuning: StoredTuning, place: int, score: float) -> None:
        """Fix the score of a trial, unless it has one."""
        with self._database.submitting() as connection:
            self._open(connection, tuning)
            here = (trials.c.tuning == tuning.number, trials.c.place == place, trials.c.score.is_(None))
            connection.execute(trials.update().where(*here).values(score=score))

    def release(self, tuning: StoredTuning, run: str) -> StoredTuning:
        """End a tuning with the run that is released ("" for none); one that is done stays as it is."""
        with self._database.submitting() as connection:
            here = (tunings.c.number == tuning.number, tunings.c.state == OPEN)
            connection.execute(tunings.update().where(*here).values(state=DONE, released=run))
        return self.get(tuning.id)

    @staticmethod
    def _open(connection: sa.Connection, tuning: StoredTuning) -> None:
        state = connection.scalar(sa.select(tunings.c.state).where(tunings.c.number == tuning.number))
        if state != OPEN:
            raise RunIsFixed(f"{tuning.id} is done, and nothing can be added to it")


def _tuning(row: Any) -> StoredTuning:
    return StoredTuning(
        number=row.number,
        id=row.id,
        terms=Terms.from_json(row.terms),
        done=row.state == DONE,
        released=row.released,
    )
