"""`privgraph attack` and `privgraph audit`: examine a stored run, and keep what this shows beside it."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Never

from tqdm import tqdm

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.privacy.statements import attacked
from privgraph.registry import ATTACKS, AUDITS, AuditSpec, attack, audit, sides
from privgraph.runs import attacking, auditing
from privgraph.runs.examining import Examination, Examiner, OptionsT, RecordT
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.output import Lines, json_line, lines_text
from privgraph_workbench.commands.values import find_run, options_of
from privgraph_workbench.commands.watching import STOPPED, follow
from privgraph_workbench.leaks import Leak, claim, outcomes
from privgraph_workbench.words.numbers import lower, number, percent, rounded_delta, upper

_LOOK_SECONDS = 0.1


def attack_command(parsed: argparse.Namespace) -> int:
    """Attack in a process of its own, and watch it; what it costs is said as it starts."""
    options = options_of(parsed, AttackOptions)
    spec = attack(parsed.attack or next(iter(ATTACKS)))
    store = RunStore.open()
    run = find_run(store, parsed.run)
    token = attacking.start(store, run.id, spec.name, options)
    print(f"{spec.title}: {spec.cost(attacking.subject(run), options)}", file=sys.stderr)
    record, code = _ended(attacking.EXAMINER, store, run.id, token)
    if record is not None:
        outcome = outcomes(store, run.id)[-1][1]
        print(json_line(record.to_json()) if parsed.json else lines_text(attack_lines(record, outcome)))
    return code


def audit_command(parsed: argparse.Namespace) -> int:
    """Audit in a process of its own, and watch it; what it costs is said before it starts."""
    options = options_of(parsed, AuditOptions)
    named = audit(parsed.audit) if parsed.audit else None
    store = RunStore.open()
    run = find_run(store, parsed.run)
    subject = auditing.subject(run)
    chosen, refusal = _chosen(named, subject)
    if refusal:
        raise StoreError(refusal)
    print(f"{chosen.title}: {chosen.cost(subject, options)}", file=sys.stderr)
    token = auditing.start(store, run.id, chosen.name, options)
    record, code = _ended(auditing.EXAMINER, store, run.id, token)
    if record is not None:
        print(json_line(record.to_json()) if parsed.json else lines_text(audit_lines(record)))
    return code


def _chosen(named: AuditSpec | None, subject: Subject) -> tuple[AuditSpec, str | None]:
    """The audit, and why it refuses the run: the one that was named, else the first that does not refuse."""
    refused = [(spec, spec.refuses(subject)) for spec in ([named] if named else AUDITS.values())]
    return next((pair for pair in refused if pair[1] is None), refused[0])


def _ended(examiner: Examiner[OptionsT, RecordT], store: RunStore, run: str, token: str) -> tuple[RecordT | None, int]:
    """Watch until it ends; what was kept, and the exit code."""

    def look() -> Examination[OptionsT]:
        found = examiner.state(store, run, token)
        if found is None:
            raise StoreError(f"the {examiner.noun} of {run} was deleted while it went on")
        return found

    def watch(bar: tqdm[Never]) -> Examination[OptionsT]:
        while not (found := look()).done:
            bar.set_description_str(found.stage, refresh=False)
            bar.update(max(0.0, found.progress - bar.n))
            time.sleep(_LOOK_SECONDS)
        return found

    ended, interrupted = follow(f"the {examiner.noun}", watch, lambda: examiner.stop(store, run, token), look)
    record = examiner.outcome(store, run, ended.token)
    if record is None:
        error = "" if interrupted else ended.error
        print(f"privgraph: {error or f'the {examiner.noun} was stopped, and nothing was kept'}", file=sys.stderr)
    return record, STOPPED if interrupted else int(record is None)


def attack_lines(record: AttackRecord, outcome: Leak | None = None) -> Lines:
    """What an attack found, and the outcome where that is decided; bounds are rounded down."""
    found, between = record.outcome, sides(record.attack)
    value, low, high = record.found
    lines: list[tuple[str, object]] = [
        ("Run", record.run),
        ("Attack", record.title),
        ("Outcome", outcome),
        ("Area under the ROC curve", f"{value:.3f} ({low:.3f} to {high:.3f})"),
        ("Attacked models", f"{len(record.areas)}, {min(record.areas):.3f} to {max(record.areas):.3f}"),
    ]
    lines += [
        (
            f"True positives at {percent(rate.false)} false positives",
            f"{percent(rate.true)} ({percent(rate.low)} to {percent(rate.high)})",
        )
        for rate in record.rates_found
        if found.measurable(rate)
    ]
    lines += [
        ("Balanced accuracy of the best threshold", percent(found.balanced_accuracy)),
        ("Targets", f"{found.members:,} {between.members}, {found.others:,} {between.others}"),
        ("Trained models", f"{record.models:,}"),
        ("Seconds", f"{record.seconds:.1f}"),
        ("Confidence", f"{record.confidence:g}"),
    ]
    if record.bound is not None:
        lines += [
            ("Epsilon at least", lower(record.bound)),
            ("Sound epsilon", upper(record.sound)),
            ("Delta", rounded_delta(record.delta)),
            ("Sound epsilon refuted", "yes" if record.refutes_sound else "no"),
        ]
    return [*lines, *(("Attacker", line) for line in record.knows), *(("Note", line) for line in record.notes)]


def audit_lines(record: AuditRecord) -> Lines:
    """What an audit shows, beside what is claimed of the same releases; bounds are rounded down."""
    lines: list[tuple[str, object]] = [
        ("Run", record.run),
        ("Audit", record.title),
        ("Epsilon audited", f"at least {lower(record.epsilon)}"),
        ("Covers", record.covers),
        ("Confidence", f"{record.confidence:g}"),
        ("Delta", f"{record.delta:g}"),
        ("Attacked", attacked(record.adversary)),
        ("Epsilon sound", f"{upper(record.sound)}, {claim(record, record.sound)}"),
    ]
    if record.published is not None:
        lines.append(("Epsilon published", f"{number(record.published, 4)}, {claim(record, record.published)}"))
    lines += [(f"By {one.route}", " ".join([f"at least {lower(one.epsilon)}", one.detail])) for one in record.bounds]
    lines += [
        ("Trials", f"{record.trials:,}"),
        ("Seconds", f"{record.seconds:.1f}"),
        ("Area under the ROC curve", f"{record.area:.3f}"),
    ]
    return [*lines, *(("Note", note) for note in record.notes)]
