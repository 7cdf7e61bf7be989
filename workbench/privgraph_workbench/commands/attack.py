"""`privgraph attack`: ask what an outsider can tell of who trained in a stored run, or of its edges."""

from __future__ import annotations

import argparse
import math
import sys

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import FEW, AttackRecord
from privgraph.options import build, parameters
from privgraph.registry import ATTACKS, attack, sides
from privgraph.runs import attacking
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.following import follow
from privgraph_workbench.commands.output import json_line
from privgraph_workbench.commands.run import STOPPED
from privgraph_workbench.commands.values import find_run
from privgraph_workbench.leaks import Leak, outcomes
from privgraph_workbench.words.numbers import lower, percent, rounded_delta, upper


def attack_command(parsed: argparse.Namespace) -> int:
    """Attack in a process of its own, and watch it; what it costs is said as it starts."""
    names = [one.name for one in parameters(AttackOptions)]
    given = {name: getattr(parsed, name) for name in names if getattr(parsed, name) is not None}
    options = build(AttackOptions, given)
    spec = attack(parsed.attack or next(iter(ATTACKS)))
    try:
        store = RunStore.open()
        run = find_run(store, parsed.run)
        token = attacking.start(store, run.id, spec.name, options)
        print(f"{spec.title}: {spec.cost(attacking.subject(run), options)}", file=sys.stderr)
        ended, interrupted = follow(attacking.EXAMINER, store, run.id, token)
        record = attacking.outcome(store, run.id, ended.token)
    except StoreError as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 1
    if record is None:
        if interrupted:
            print("privgraph: the attack was stopped, and nothing was kept", file=sys.stderr)
            return STOPPED
        print(f"privgraph: {ended.error or 'the attack was stopped'}", file=sys.stderr)
        return 1
    print(json_line(record.to_json()) if parsed.json else describe(record, outcomes(store, run.id)[-1][1]))
    return STOPPED if interrupted else 0


def describe(record: AttackRecord, outcome: Leak | None = None) -> str:
    """An attack in plain lines: what it found, and the outcome where that is decided."""
    found, sure, apart = record.outcome, f"{100 * record.confidence:g}% confidence", sides(record.attack)
    value, low, high = record.found
    mean = f", mean of {len(record.areas)} models" if len(record.areas) >= FEW else ""
    lines = [
        f"{record.title}: {record.run}",
        *([] if outcome is None else [f"Outcome: {outcome}"]),
        f"Area under the ROC curve: {value:.3f} (0.5 is chance; {low:.3f} to {high:.3f} at {sure}{mean})",
        *(
            f"True positives at {percent(rate.false)} false positives: {percent(rate.true)} ({percent(rate.low)} to "
            f"{percent(rate.high)})"
            for rate in record.rates_found
            if found.measurable(rate)
        ),
        f"Balanced accuracy of the best threshold: {percent(found.balanced_accuracy)}",
        f"Targets: {found.members:,} {apart.members}, {found.others:,} {apart.others}; {record.models:,} models, in "
        f"{record.seconds:.1f} s",
    ]
    if len(record.areas) > 1:
        lines.append(
            f"Area over {len(record.areas)} attacked models: {min(record.areas):.3f} to {max(record.areas):.3f}; on "
            f"{apart.again} {found.area:.3f} ({found.area_low:.3f} to {found.area_high:.3f} at {sure})"
        )
    if record.bound is not None:
        claim = "infinite" if math.isinf(record.sound) else upper(record.sound)
        refuted = " - REFUTED by this attack" if record.refutes_sound else ""
        lines.append(
            f"Epsilon: at least {lower(record.bound)} with {sure}, at delta {rounded_delta(record.delta)}; the run's "
            f"sound epsilon is {claim}{refuted}"
        )
    lines += [f"Attacker: {line}" for line in record.knows]
    lines += [f"Note: {line}" for line in record.notes]
    return "\n".join(lines)
