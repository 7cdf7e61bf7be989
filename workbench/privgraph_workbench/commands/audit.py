"""`privgraph audit`: attack a stored run, and keep the lower bound on epsilon that this shows."""

from __future__ import annotations

import argparse
import sys

from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.options import build
from privgraph.privacy.statements import attacked
from privgraph.registry import AUDITS, AuditSpec, audit
from privgraph.runs import auditing
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.following import follow
from privgraph_workbench.commands.output import json_line
from privgraph_workbench.commands.run import STOPPED
from privgraph_workbench.commands.values import find_run
from privgraph_workbench.leaks import claim
from privgraph_workbench.words.numbers import lower, number, upper

_OPTIONS = ("trials", "canaries", "confidence", "delta", "seed")


def audit_command(parsed: argparse.Namespace) -> int:
    """Audit in a process of its own, and watch it; what it costs is said before it starts."""
    given = {name: getattr(parsed, name) for name in _OPTIONS if getattr(parsed, name) is not None}
    options = build(AuditOptions, given)
    named = audit(parsed.audit) if parsed.audit else None
    try:
        store = RunStore.open()
        run = find_run(store, parsed.run)
        subject = auditing.subject(run)
        chosen, refusal = _chosen(named, subject)
        if refusal:
            print(f"privgraph: {refusal}", file=sys.stderr)
            return 1
        print(f"{chosen.title}: {chosen.cost(subject, options)}", file=sys.stderr)
        ended, interrupted = follow(
            auditing.EXAMINER, store, run.id, auditing.start(store, run.id, chosen.name, options)
        )
        record = auditing.outcome(store, run.id, ended.token)
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    if record is None:
        if interrupted:
            print("privgraph: the audit was stopped, and nothing was kept", file=sys.stderr)
            return STOPPED
        print(f"privgraph: {ended.error or 'the audit was stopped'}", file=sys.stderr)
        return 1
    print(json_line(record.to_json()) if parsed.json else describe(record))
    return STOPPED if interrupted else 0


def _chosen(named: AuditSpec | None, subject: Subject) -> tuple[AuditSpec, str | None]:
    """The audit, and why it refuses the run: the one that was named, else the first that does not refuse."""
    refused = [(spec, spec.refuses(subject)) for spec in ([named] if named else AUDITS.values())]
    return next((pair for pair in refused if pair[1] is None), refused[0])


def describe(record: AuditRecord) -> str:
    """An audit in plain lines: what it shows, beside what is claimed of the same releases."""
    what = "the whole run" if record.covers == "run" else "one release of the run"
    sure = f"with confidence {record.confidence:g}, at delta {record.delta:g}"
    claims = [("sound", claim(record, record.sound), upper(record.sound))]
    if record.published is not None:
        claims.append(("published", claim(record, record.published), number(record.published, 4)))
    lines = [
        f"{record.title}: {record.run}",
        f"Epsilon audited: at least {lower(record.epsilon)} for {what}, {sure}",
        f"Attacked: {attacked(record.adversary)}",
        *(f"Epsilon {name}: {value}, {outcome}" for name, outcome, value in claims),
        *(f"By {bound.route}: at least {lower(bound.epsilon)}{_aside(bound.detail)}" for bound in record.bounds),
        f"Trials: {record.trials:,}, in {record.seconds:.1f} s; area under the ROC curve {record.area:.3f}",
        *(f"Note: {note}" for note in record.notes),
    ]
    return "\n".join(lines)


def _aside(detail: str) -> str:
    return f" ({detail})" if detail else ""
