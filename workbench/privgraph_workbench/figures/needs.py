"""How figures read runs: the first arguments of their `data`. text/figures.toml says it in words."""

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


def _refused(reason: str, **slots: object) -> OptionError:
    return OptionError(fill(texts("figures")["refused"][reason], **slots))


def _one(runs: Sequence[Run]) -> Run:
    if len(runs) != 1:
        raise _refused("several", count=len(runs))
    return runs[0]


def _last(runs: Sequence[Run], kind: str) -> tuple[Any]:
    held = getattr(run := _one(runs), f"{kind}s")
    if not held:
        raise _refused("none", kind=kind, run=run.id)
    return (held[-1],)


def _kept(runs: Sequence[Run], kind: type[Answers] | type[Ensemble], what: str) -> tuple[Any]:
    run = _one(runs)
    try:
        return (kind.load(run.folder),)
    except FileNotFoundError:
        raise _refused("unkept", run=run.id, what=what, method=run.spec.method) from None


def _outlook(runs: Sequence[Run]) -> tuple[Any, ...]:
    records = [run.record for run in runs]
    return (outlook(setting_rows(records), records[0].spec),)


def _siblings(runs: Sequence[Run]) -> tuple[Any, ...]:
    first, *others = (run.record for run in runs)
    return (first, [first, *(one for one in others if setting(one.spec) == setting(first.spec))], *_outlook(runs))


def _ledger(runs: Sequence[Run]) -> tuple[Any, ...]:
    said = _one(runs).statement
    return ((), 0.0) if said is None else (said.ledger, said.delta)


NEEDS: Mapping[str, Callable[[Sequence[Run]], tuple[Any, ...]]] = {
    "runs": lambda runs: ([run.record for run in runs],),
    "runs and events": lambda runs: ([(run.record, run.events) for run in runs],),
    "events": lambda runs: (_one(runs).events,),
    "ledger": _ledger,
    "outlook": _outlook,
    "siblings": _siblings,
    **dict.fromkeys(("answers", "one answer"), lambda runs: _kept(runs, Answers, "answers of teachers")),
    "ensemble": lambda runs: _kept(runs, Ensemble, "teachers"),
    "attacks": lambda runs: (_one(runs).attacks,),
    "attack": lambda runs: _last(runs, "attack"),
    "audit": lambda runs: _last(runs, "audit"),
}
