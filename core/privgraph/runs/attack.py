"""One attack on one run. `python -m privgraph.runs.attack RUN [--attack NAME]`.

What it comes to is kept in the store, beside the run; how far it is stands in a folder of its own
(`examining`), and what the trained models said in a file of the run's folder, for the next attack.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from privgraph.attacks.audited import as_audit
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.registry import ATTACKS
from privgraph.registry import attack as attack_spec
from privgraph.runs.attacking import EXAMINER, subject
from privgraph.runs.conducting import Steps, conduct, with_data
from privgraph.runs.machine import choose_device
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

if TYPE_CHECKING:
    from privgraph.data.graph import Graph


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack a run; exit code 0 where the store has the record, 1 otherwise."""
    return conduct(EXAMINER, AttackOptions, ATTACKS, _attack, _keep, arguments)


def _attack(store: RunStore, run: str, name: str, options: AttackOptions) -> Steps:
    record = store.get(run)
    attacked = replace(
        subject(record, lambda: _graph(record.spec)),
        device=str(choose_device(record.spec.device)),
        folder=store.folder(run) / "signals",
    )
    spec = attack_spec(name)
    refusal = spec.refuses(attacked) or spec.unanswered(attacked, options)
    if refusal:
        raise OptionError(refusal)
    attacked = with_data(attacked)
    if spec.implies(attacked):
        attacked = replace(attacked, turn=store.begin_audit(run))
    yield from spec.load_entry()(attacked, options)


def _keep(store: RunStore, record: AttackRecord) -> None:
    """Store the record, unless a try whose answer was lost has done so; its bound goes to the run as an
    audit's does."""
    if record not in store.attacks(record.run):
        store.add_attack(record.run, record)
    if record.turn and record.bound is not None:
        statement = store.get(record.run).statement
        assert statement is not None
        audit = as_audit(record, statement.epsilon_as_published)
        if audit not in store.audits(record.run):
            store.add_audit(record.run, audit)


def _graph(spec: RunSpec) -> Graph:
    """With all edges: an inductive split has the masks of a random one, and cuts edges for each model."""
    from privgraph.data.load import load

    split = "public" if spec.split == "public" else "random"
    return load(spec.dataset, split=split, split_seed=spec.seed, data_options=spec.data_options)


if __name__ == "__main__":
    sys.exit(main())
