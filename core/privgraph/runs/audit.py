"""One audit of one run. `python -m privgraph.runs.audit RUN [--audit NAME]`.

What it comes to is kept in the store, beside the run; how far it is stands in a folder of its own
(`examining`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from privgraph.audits.options import AuditOptions
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError
from privgraph.registry import AUDITS
from privgraph.registry import audit as audit_spec
from privgraph.runs.auditing import EXAMINER, subject
from privgraph.runs.conducting import Steps, conduct, with_data
from privgraph.runs.machine import choose_device
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore

if TYPE_CHECKING:
    from privgraph.data.graph import Graph


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit a run; exit code 0 where the store has the record, 1 otherwise."""
    return conduct(EXAMINER, AuditOptions, AUDITS, _audit, _keep, arguments)


def _audit(store: RunStore, run: str, name: str, options: AuditOptions) -> Steps:
    record, spec = store.get(run), audit_spec(name)
    audited = replace(subject(record, lambda: _graph(record.spec)), device=str(choose_device(record.spec.device)))
    refusal = spec.refuses(audited)
    if refusal:
        raise OptionError(refusal)
    if spec.trains:
        audited = with_data(audited)
    audited = replace(audited, turn=store.begin_audit(run))
    yield from spec.load_entry()(audited, options)


def _keep(store: RunStore, record: AuditRecord) -> None:
    """Store the record, unless a try whose answer was lost has done so."""
    if record not in store.audits(record.run):
        store.add_audit(record.run, record)


def _graph(spec: RunSpec) -> Graph:
    from privgraph.data.load import load

    return load(spec.dataset, split=spec.split, split_seed=spec.seed, data_options=spec.data_options)


if __name__ == "__main__":
    sys.exit(main())
