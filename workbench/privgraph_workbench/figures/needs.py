"""How figures read runs: the first arguments of their `data`. text/figures.toml says it in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from privgraph.api.run import Run
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import Answers
from privgraph.options import OptionError
from privgraph_workbench.facts.expecting import outlook
from privgraph_workbench.figures.settings import setting_rows
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words.naming import setting

Needs = Callable[[Sequence[Run]], tuple[Any, ...]]


def _refused(reason: str, **slots: object) -> OptionError:
    return OptionError(fill(texts("figures")["refused"][reason], **slots))


def _of_one(read: Callable[[Run], Any]) -> Needs:
    def reader(runs: Sequence[Run]) -> tuple[Any, ...]:
        if len(runs) != 1:
            raise _refused("several", count=len(runs))
        return (read(runs[0]),)

    return reader


def _last(kind: str) -> Needs:
    def read(run: Run) -> Any:
        held = getattr(run, f"{kind}s")
        if not held:
            raise _refused("none", kind=kind, run=run.id)
        return held[-1]

    return _of_one(read)


def _kept(kind: type[Answers] | type[Ensemble], what: str) -> Needs:
    def read(run: Run) -> Any:
        try:
            return kind.load(run.folder)
        except FileNotFoundError:
            raise _refused("unkept", run=run.id, what=what, method=run.spec.method) from None

    return _of_one(read)


def _outlook(runs: Sequence[Run]) -> tuple[Any, ...]:
    records = [run.record for run in runs]
    return (outlook(setting_rows(records), records[0].spec),)


def _siblings(runs: Sequence[Run]) -> tuple[Any, ...]:
    first, *others = (run.record for run in runs)
    return (first, [first, *(one for one in others if setting(one) == setting(first))], *_outlook(runs))


def _ledger(runs: Sequence[Run]) -> tuple[Any, ...]:
    (said,) = _of_one(lambda run: run.statement)(runs)
    return ((), 0.0) if said is None else (said.ledger, said.delta)


NEEDS: Mapping[str, Needs] = {
    "runs": lambda runs: ([run.record for run in runs],),
    "runs and events": lambda runs: ([(run.record, run.events) for run in runs],),
    "events": _of_one(lambda run: run.events),
    "ledger": _ledger,
    "outlook": _outlook,
    "siblings": _siblings,
    "answers": _kept(Answers, "answers of teachers"),
    "one answer": _kept(Answers, "answers of teachers"),
    "ensemble": _kept(Ensemble, "teachers"),
    "attacks": _of_one(lambda run: run.attacks),
    "attack": _last("attack"),
    "audit": _last("audit"),
}
