"""Runs of the gallery that one's own are trained in the place of: they stay until these are done. No torch.

Equal specs have equal ids. Where somebody submits the spec of a run of the gallery, that run steps aside
under an id of its own: what is drawn from finished runs keeps it. Once the own run is done it goes; where the
own run is deleted before, it takes its id back.
"""

from __future__ import annotations

import sqlalchemy as sa

from privgraph.runs.tables import attacks, audit_turns, audits, events, gallery, origins, runs, tags


def name(run: str) -> str:
    """The id of the gallery's run while one's own has its id.

    >>> name("gap-1a2b")
    'gap-1a2b.gallery'
    """
    return f"{run}.gallery"


def put(connection: sa.Connection, number: int, run: str) -> None:
    """Let the gallery's run of that number step aside from the id `run`."""
    connection.execute(runs.update().where(runs.c.number == number).values(id=name(run)))


def drop(connection: sa.Connection, run: str) -> None:
    """Forget what stepped aside for `run`, which is done."""
    number = _number(connection, run)
    if number is not None:
        forget(connection, number)


def back(connection: sa.Connection, run: str) -> bool:
    """Give its id back to what stepped aside for `run`, which is there no more; whether there was any."""
    number = _number(connection, run)
    if number is not None:
        connection.execute(runs.update().where(runs.c.number == number).values(id=run))
    return number is not None


def forget(connection: sa.Connection, number: int) -> None:
    """Delete a run with all that tables hold of it."""
    for table in (events, audit_turns, audits, attacks, origins, tags, gallery):
        connection.execute(table.delete().where(table.c.run == number))
    connection.execute(runs.delete().where(runs.c.number == number))


def _number(connection: sa.Connection, run: str) -> int | None:
    return connection.scalar(sa.select(runs.c.number).where(runs.c.id == name(run)))
