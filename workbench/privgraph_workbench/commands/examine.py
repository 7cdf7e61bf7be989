"""`privgraph attack` and `privgraph audit`: examine a stored run, and keep what this shows beside it."""

import argparse
import sys
from typing import Any

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.registry import ATTACKS, AUDITS, attack, audit
from privgraph.runs import attacking, auditing
from privgraph.runs.examining import Examiner
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench import leaks
from privgraph_workbench.commands.output import say
from privgraph_workbench.commands.values import find_run, options_of
from privgraph_workbench.commands.watching import STOPPED, draw, follow


def attack_command(parsed: argparse.Namespace) -> int:
    """Attack in a process of its own, and watch it; what it costs is said as it starts."""
    options, spec = options_of(parsed, AttackOptions), attack(parsed.attack or next(iter(ATTACKS)))
    run = find_run(store := RunStore.open(), parsed.run)
    token = attacking.start(store, run.id, spec.name, options)
    print(f"{spec.title}: {spec.cost(attacking.subject(run), options)}", file=sys.stderr)
    return _followed(parsed, attacking.EXAMINER, store, run.id, token)


def audit_command(parsed: argparse.Namespace) -> int:
    """The same of an audit; without a name, of the first that does not refuse the run."""
    options = options_of(parsed, AuditOptions)
    offered = [audit(parsed.audit)] if parsed.audit else list(AUDITS.values())
    run = find_run(store := RunStore.open(), parsed.run)
    subject = auditing.subject(run)
    chosen = next((one for one in offered if one.refuses(subject) is None), offered[0])
    if refusal := chosen.refuses(subject):
        raise StoreError(refusal)
    print(f"{chosen.title}: {chosen.cost(subject, options)}", file=sys.stderr)
    token = auditing.start(store, run.id, chosen.name, options)
    return _followed(parsed, auditing.EXAMINER, store, run.id, token)


def _followed(parsed: argparse.Namespace, examiner: Examiner[Any, Any], store: RunStore, run: str, token: str) -> int:
    """Watch until it ends, print what was kept, and give the exit code."""
    interrupted = follow(
        f"the {examiner.noun}",
        lambda bar: examiner.wait(store, run, token, lambda found: draw(bar, found.stage, found.progress)),
        lambda: examiner.stop(store, run, token),
    )
    ended, record = examiner.state(store, run, token), examiner.outcome(store, run, token)
    if record is None:
        error = ended.error if ended and not interrupted else ""
        print(f"privgraph: {error or f'the {examiner.noun} was stopped, and nothing was kept'}", file=sys.stderr)
    else:
        say(parsed.json, record.to_json(), told(store, run, examiner.noun)[-1])
    return STOPPED if interrupted else int(record is None)


def told(store: RunStore, run: str, noun: str) -> list[dict[str, Any]]:
    """What is told of each attack or audit of a run, by column, the oldest first."""
    if not (store.attacks(run) if noun == "attack" else store.audits(run)):
        return []
    frame = leaks.table(store).drop(columns="asks") if noun == "attack" else leaks.audits(store)
    own = frame[frame.run == run][::-1]
    rows: Any = own.drop(columns="record").astype(object).to_dict("records")
    return [
        {**row, "attacker": getattr(one, "knows", ()), "notes": one.notes}
        for row, one in zip(rows, own.record, strict=True)
    ]
