"""How queries and rows of the run store become SQL and records. No torch."""

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from privgraph.data.catalogue import DATASETS
from privgraph.options import short
from privgraph.progress import check_record
from privgraph.registry import METHODS
from privgraph.runs.evidence import Shown, adversary_of, audited
from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.graph_id import GraphId
from privgraph.runs.known_faults import CHOSE_BY_LABELS
from privgraph.runs.records import (
    EXAMPLE,
    LIVE,
    PROTECTED,
    STATES,
    RunQuery,
    RunRecord,
    StoredEvent,
    Unreadable,
    is_time,
    parsed,
    reading,
    unplain,
)
from privgraph.runs.spec import RunSpec
from privgraph.runs.tables import events, origins, runs, tags, trials, tunings
from privgraph.runs.trials import Mark, Terms, Trial

_VOIDED = sa.and_(
    runs.c.unit == "node",
    runs.c.method.in_(CHOSE_BY_LABELS),
    runs.c.spec.contains('"selection": "validation"', autoescape=True),
    runs.c.sound_epsilon.is_not(None),
    ~sa.exists().where(origins.c.run == runs.c.number),
)
"""Runs of versions before 0.5.0, which did not say who made them, whose epsilon `known_faults.voided`
withdraws."""

_TUNED = sa.select(tunings.c.number).join(trials, trials.c.tuning == tunings.c.number).where(trials.c.run == runs.c.id)
_PAID = _TUNED.with_only_columns(tunings.c.epsilon).where(sa.or_(tunings.c.composed, tunings.c.released == runs.c.id))
"""The price of a trial's tuning, where it covers the trial."""

_OF_A_TUNING = sa.or_(sa.exists(_TUNED.correlate(runs)), runs.c.spec.contains('"trial": "', autoescape=True))

LIGHT = (
    *(
        runs.c.id,
        runs.c.method,
        runs.c.dataset,
        runs.c.split,
        runs.c.unit,
        runs.c.epsilon,
        runs.c.accounting,
        runs.c.seed,
    ),
    *(runs.c.state, runs.c.created, runs.c.started, runs.c.finished, runs.c.attempt, runs.c.progress, runs.c.stage),
    *(runs.c.batch, runs.c.note, runs.c.error, runs.c.seconds, runs.c.peak_memory_mb, runs.c.device),
    *(runs.c.test_accuracy, runs.c.val_accuracy, runs.c.train_accuracy, runs.c.delta),
    sa.case(
        (_VOIDED, sa.literal(math.inf, sa.Double)),
        (runs.c.sound_epsilon.is_(None), runs.c.sound_epsilon),
        (
            _OF_A_TUNING,
            sa.func.coalesce(_PAID.correlate(runs).scalar_subquery(), sa.literal(math.inf, sa.Double)),
        ),
        else_=runs.c.sound_epsilon,
    ).label("sound_epsilon"),
    *(runs.c.published_epsilon, runs.c.audited_epsilon),
    sa.or_(
        runs.c.id.startswith(EXAMPLE, autoescape=True),
        sa.func.coalesce(runs.c.statement, "").contains(NOISE_IS_PUBLIC.partition(":")[0], autoescape=True),
    ).label("example"),
)
"""The columns of a light row: all but the long texts."""

TIMES = ("created", "started", "finished", "heartbeat", "progress_time", "training_since")

_LIVE_COLUMNS = (runs.c.heartbeat, runs.c.progress_time, runs.c.training_since, runs.c.training_from)
_RECORD = (runs.c.number, *LIGHT, *_LIVE_COLUMNS, runs.c.spec, runs.c.metrics, runs.c.statement)


def conditions(query: RunQuery) -> list[sa.ColumnElement[bool]]:
    """The query's restrictions as SQL."""
    clauses: list[sa.ColumnElement[bool]] = []
    for column, admitted in (
        (runs.c.id, query.ids),
        (runs.c.method, query.methods),
        (runs.c.dataset, query.datasets),
        (runs.c.state, query.states),
        (runs.c.unit, query.units),
        (runs.c.accounting, query.accountings),
    ):
        if admitted:
            clauses.append(column.in_(admitted))
    if query.batch:
        clauses.append(runs.c.batch == query.batch)
    clauses.extend(_tagged(tags.c.tag == tag) for tag in query.tags)
    for word in re.sub(r"\s*=\s*", "=", query.text).split():
        inside = [
            column.icontains(word, autoescape=True) for column in (runs.c.id, runs.c.spec, runs.c.note, runs.c.error)
        ]
        inside += [runs.c.spec.icontains(text, autoescape=True) for text in _setting(word)]
        inside += [column.in_(names) for column, names in _titled(word) if names]
        inside.append(runs.c.state == word.casefold())
        clauses.append(sa.or_(*inside, _tagged(tags.c.tag.icontains(word, autoescape=True))))
    return clauses


def _titled(word: str) -> list[tuple[sa.Column[Any], list[str]]]:
    """The methods, graphs and units in whose titles the word stands: a title is not stored."""
    titles: tuple[tuple[sa.Column[Any], Mapping[str, str]], ...] = (
        (runs.c.method, {name: method.title for name, method in METHODS.items()}),
        (runs.c.dataset, {name: spec.title for name, spec in DATASETS.items()}),
        (runs.c.unit, PROTECTED),
    )
    return [
        (column, [name for name, title in known.items() if word.casefold() in title.casefold()])
        for column, known in titles
    ]


def _setting(word: str) -> list[str]:
    """What a stored spec holds where `word` is one of its settings, as name=value; a number in whichever way
    it is written."""
    name, equals, value = word.partition("=")
    if not (name and equals and value):
        return []
    written = {json.dumps(value), value.lower()}
    try:
        number = float(value)
    except ValueError:
        pass
    else:
        written |= {json.dumps(number), f"{number:.0f}"} if number.is_integer() else {json.dumps(number)}
    return [f"{json.dumps(name)}: {text}{end}" for text in sorted(written) for end in ",}"]


def _tagged(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    return sa.exists().where(tags.c.run == runs.c.number, condition)


def _ordered(query: RunQuery, columns: tuple[Any, ...]) -> sa.Select[Any]:
    column = runs.c[query.order]
    order = column.desc() if query.descending else column.asc()
    if column.nullable:  # runs without a value come last, whichever way the list is turned
        order = order.nulls_last()
    number = runs.c.number.desc() if query.descending else runs.c.number.asc()
    statement = sa.select(*columns).where(*conditions(query)).order_by(order, number)
    if query.limit is not None or query.offset:
        statement = statement.limit(query.limit if query.limit is not None else 2**31 - 1).offset(query.offset)
    return statement


def find_records(connection: sa.Connection, query: RunQuery, time: float) -> list[RunRecord]:
    rows = connection.execute(_ordered(query, _RECORD)).mappings().all()
    numbers = [row["number"] for row in rows]
    labels, shown, made = _tags(connection, numbers), audited(connection, numbers), _versions(connection, numbers)
    tried = find_marks(connection, [row["id"] for row in rows])
    return [
        _record(
            row,
            labels.get(row["number"], ()),
            shown.get(row["number"]),
            made.get(row["number"], ""),
            tried.get(row["id"]),
            time,
        )
        for row in rows
    ]


def find_light(connection: sa.Connection, query: RunQuery, graphs: bool) -> list[dict[str, Any]]:
    columns = (runs.c.number, *LIGHT, runs.c.spec) if graphs else (runs.c.number, *LIGHT)
    found, known = connection.execute(_ordered(query, columns)), dict[Any, Any]()
    names = tuple(found.keys())
    rows = [dict(zip(names, row, strict=True)) for row in found]
    numbers, tried = [row["number"] for row in rows], find_marks(connection, [row["id"] for row in rows])
    labels, shown, made = _tags(connection, numbers), audited(connection, numbers), _versions(connection, numbers)
    for row in rows:
        number = row.pop("number")
        row |= {name: row[name] if is_time(row[name]) else None for name in TIMES if name in row}
        row["version"] = made.get(number, "")
        row["tags"] = labels.get(number, ())
        row["audited_epsilon"] = shown[number].epsilon if number in shown else None
        row["tuning"] = str(tried.get(row["id"], ""))
        if graphs:
            row["spec"], graph = _readable(row["spec"]) or (None, row["dataset"])
            known[graph] = known.get(graph) or _told(graph)
            row |= known[graph]
    return rows


def _told(graph: GraphId | str) -> dict[str, Any]:
    """The graph of a run in words, its nodes where they are known, and whose data these are: by its name
    alone where the spec cannot be read, which must not hide the others."""
    if isinstance(graph, str):
        return {"graph": graph, "nodes": None, "people": (graph, ())}
    return {"graph": graph.words(), "nodes": graph.nodes, "people": graph.people}


def _tags(connection: sa.Connection, numbers: list[int]) -> dict[int, tuple[str, ...]]:
    """The tags of the runs of those numbers, in order."""
    if not numbers:
        return {}
    statement = sa.select(tags.c.run, tags.c.tag).order_by(tags.c.tag)
    if len(numbers) <= 500:
        statement = statement.where(tags.c.run.in_(numbers))
    found: dict[int, tuple[str, ...]] = {}
    for number, tag in connection.execute(statement):
        found[number] = (*found.get(number, ()), tag)
    return found


def _versions(connection: sa.Connection, numbers: list[int]) -> dict[int, str]:
    """Which program made the last attempt of the runs of those numbers, where it has said so."""
    if not numbers:
        return {}
    statement = sa.select(origins.c.run, origins.c.version).join(
        runs, sa.and_(runs.c.number == origins.c.run, runs.c.attempt == origins.c.attempt)
    )
    if len(numbers) <= 500:
        statement = statement.where(origins.c.run.in_(numbers))
    return {row.run: row.version for row in connection.execute(statement)}


def find_marks(connection: sa.Connection, ids: list[str]) -> dict[str, Mark]:
    """Of those runs that a tuning tries: which, and what became of each."""
    if not ids:
        return {}
    columns = (trials.c.run, tunings.c.id, tunings.c.terms, tunings.c.state, tunings.c.released)
    statement = sa.select(*columns).join(tunings, tunings.c.number == trials.c.tuning)
    if len(ids) <= 500:
        statement = statement.where(trials.c.run.in_(ids))
    found = {}
    for row in connection.execute(statement):
        trial = Trial.RELEASED if row.released == row.run else Trial.TRIED if row.state == "done" else Trial.GOING_ON
        with suppress(Unreadable), reading("the terms of its tuning"):
            found[row.run] = Mark(tuning=row.id, trial=trial, terms=Terms.from_json(row.terms))
    return found


@lru_cache(maxsize=16384)
def _spec(text: str) -> RunSpec:
    """Specs never change, and pages read them at each drawing."""
    return RunSpec.from_json(parsed(text))


@lru_cache(maxsize=16384)
def _readable(text: str) -> tuple[RunSpec, GraphId] | None:
    with suppress(Unreadable), reading("the spec"):
        spec = _spec(text)
        return spec, GraphId.of(spec)
    return None


def _record(
    row: Mapping[Any, Any], labels: tuple[str, ...], shown: Shown | None, version: str, tried: Mark | None, time: float
) -> RunRecord:
    damage, spec, metrics = "", None, {}
    try:
        with reading("its spec"):
            spec = _spec(row["spec"])
        with reading("its result"):
            metrics = {name: float(value) for name, value in parsed(row["metrics"]).items()}
        if row["state"] not in STATES:
            raise Unreadable(f"its state is {short(row['state'])}, which is not known here")
        for name in TIMES:
            if row[name] is not None and not is_time(row[name]):
                raise Unreadable(f"it was {_HAPPENED[name]} at {short(row[name])}, which is no time")
    except Unreadable as error:
        damage = str(error)
    if tried is None and spec is not None and spec.trial:  # it came from another store, which knows the tuning
        tried = Mark(tuning="", trial=Trial.TRIED, terms=None)
    return RunRecord(
        id=row["id"],
        stored_spec=spec,
        damage=damage,
        state=row["state"],
        version=version,
        created=row["created"],
        started=row["started"],
        finished=row["finished"],
        heartbeat=row["heartbeat"],
        attempt=row["attempt"],
        progress=row["progress"],
        stage=row["stage"],
        eta_seconds=remaining(row, time),
        metrics=metrics,
        statement_text=row["statement"],
        epsilon_audited=shown.epsilon if shown else None,
        audit_confidence=shown.confidence if shown else None,
        audited_by=shown.audit if shown else "",
        adversary=adversary_of(shown.audit) if shown else None,
        seconds=row["seconds"],
        peak_memory_mb=row["peak_memory_mb"],
        device=row["device"],
        error=row["error"],
        tags=labels,
        note=row["note"],
        batch=row["batch"],
        tuning=tried,
    )


_HAPPENED = {
    "created": "submitted",
    "started": "started",
    "finished": "finished",
    "heartbeat": "heard of",
    "progress_time": "farther",
    "training_since": "training",
}


def remaining(row: Mapping[Any, Any], time: float) -> float | None:
    """Seconds that remain of a live run, if it goes on at the pace since training began; None if unknown.

    The pace is that between the attempt's first progress event, when the data were loaded, and its last.
    """
    if row["state"] not in LIVE or not (is_time(row["progress_time"]) and is_time(row["training_since"])):
        return None
    done, took = row["progress"] - row["training_from"], row["progress_time"] - row["training_since"]
    if done <= 0 or took <= 0:
        return None
    left: float = (1 - row["progress"]) * took / done - (time - row["progress_time"])
    return max(0.0, left)


def find_events(
    connection: sa.Connection, run: int, after: int, kinds: tuple[str, ...] | None, limit: int | None
) -> list[StoredEvent]:
    statement = sa.select(events).where(events.c.run == run, events.c.sequence > after).order_by(events.c.sequence)
    if kinds is not None:
        statement = statement.where(events.c.kind.in_(kinds))
    if limit is not None:
        statement = statement.limit(limit)
    return [_event(row) for row in connection.execute(statement)]


def _event(row: Any) -> StoredEvent:
    with reading(f"event {row.sequence} of the run"):
        payload = unplain(row.kind, parsed(row.payload))
        check_record(row.kind, payload)
        if not is_time(row.time):
            raise ValueError("its time is none")
    return StoredEvent(sequence=row.sequence, attempt=row.attempt, time=row.time, kind=row.kind, payload=payload)
