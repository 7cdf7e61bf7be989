"""What figures read of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privgraph.api.run import Run
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import Answers
from privgraph.options import OptionError
from privgraph_workbench.facts.expecting import outlook
from privgraph_workbench.words.naming import setting


@dataclass(frozen=True)
class Needs:
    """What a figure needs, in words, and how that is read of runs: the first arguments of its `data`."""

    words: str
    read: Callable[[Sequence[Run]], tuple[Any, ...]]

    def also(self, words: str) -> Needs:
        return replace(self, words=words)


def _of_one(read: Callable[[Run], Any]) -> Callable[[Sequence[Run]], tuple[Any, ...]]:
    def reader(runs: Sequence[Run]) -> tuple[Any, ...]:
        if len(runs) != 1:
            raise OptionError(f"this figure is of one run (got {len(runs)})")
        return (read(runs[0]),)

    return reader


def _last(kind: str) -> Callable[[Run], Any]:
    def read(run: Run) -> Any:
        held = getattr(run, f"{kind}s")
        if not held:
            raise OptionError(f"no {kind} of {run.id} has been made: privgraph.{kind} makes one")
        return held[-1]

    return read


def _kept(kind: type[Answers] | type[Ensemble], what: str) -> Callable[[Run], Any]:
    def read(run: Run) -> Any:
        try:
            return kind.load(run.folder)
        except FileNotFoundError:
            raise OptionError(f"{run.id} has kept no {what}: a run of {run.spec.method} draws no such figure") from None

    return read


def _outlook(runs: Sequence[Run]) -> tuple[Any, ...]:
    records = [run.record for run in runs]
    return (outlook(records, records[0].spec),)


def _siblings(runs: Sequence[Run]) -> tuple[Any, ...]:
    first, *others = (run.record for run in runs)
    return (first, [first, *(one for one in others if setting(one) == setting(first))], *_outlook(runs))


def _ledger(runs: Sequence[Run]) -> tuple[Any, ...]:
    (said,) = _of_one(lambda run: run.statement)(runs)
    return ((), 0.0) if said is None else (said.ledger, said.delta)


_BESIDE = "runs on one graph: a list of privgraph.Run, the one in question first"
RUNS = Needs("runs: a list of privgraph.Run, or one", lambda runs: ([run.record for run in runs],))
RUNS_AND_EVENTS = Needs(f"{RUNS.words}, for their events", lambda runs: ([(run.record, run.events) for run in runs],))
OUTLOOK = Needs(_BESIDE, _outlook)
SIBLINGS = Needs(_BESIDE, _siblings)
EVENTS = Needs("one privgraph.Run, or its events", _of_one(lambda run: run.events))
LEDGER = Needs("one privgraph.Run, or a statement's ledger and its delta", _ledger)
ANSWERS = Needs("one privgraph.Run of privgnn, pate or dp-gpl", _of_one(_kept(Answers, "answers of teachers")))
ONE_ANSWER = ANSWERS.also(f"{ANSWERS.words}, and place: the number of a query, from 0 on")
ENSEMBLE = Needs("one privgraph.Run of dp-gpl", _of_one(_kept(Ensemble, "teachers")))
ATTACKS = Needs("a list of attacks, or one privgraph.Run, for all attacks on it", _of_one(lambda run: run.attacks))
ATTACK = Needs(
    "one attack, as privgraph.attack returns it, or a privgraph.Run, for the last attack on it",
    _of_one(_last("attack")),
)
AUDIT = Needs(
    "one audit, as privgraph.audit returns it, or a privgraph.Run, for its last audit", _of_one(_last("audit"))
)
