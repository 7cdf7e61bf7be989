"""One audit of one run. `python -m privgraph.runs.audit RUN [--audit NAME]`.

What it comes to is kept in the store, beside the run; how far it is stands in a folder of its own
(`auditing`).
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from privgraph.audits.options import AuditOptions
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError, build, parameters
from privgraph.progress import Progress
from privgraph.registry import AUDITS, AuditSpec, UnknownName
from privgraph.registry import audit as audit_spec
from privgraph.runs.auditing import Diary, subject
from privgraph.runs.machine import choose_device, share_cores
from privgraph.runs.records import StoreError
from privgraph.runs.reporting import say
from privgraph.runs.retrying import patiently
from privgraph.runs.spec import RunSpec
from privgraph.runs.store import RunStore
from privgraph.runs.worker import one_sentence

if TYPE_CHECKING:
    from privgraph.data.graph import Graph

FLUSH_SECONDS = 0.25


class _Stopped(Exception):
    """The audit was asked to end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit a run; exit code 0 where the store has the record, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m privgraph.runs.audit", description="Audit a run that is done.")
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument("--audit", choices=tuple(AUDITS), default=next(iter(AUDITS)), help="which audit")
    parser.add_argument("--token", default="", help="under which the one who started this looks for it")
    for parameter in parameters(AuditOptions):
        parser.add_argument(f"--{parameter.name}", default=parameter.default, help=parameter.option.help)
    parsed = parser.parse_args(arguments)
    try:
        store = RunStore.open()
        diary = Diary(store, parsed.run, parsed.token or secrets.token_hex(8))
    except StoreError as error:
        say(error)
        return 1
    try:
        options = build(AuditOptions, {one.name: getattr(parsed, one.name) for one in parameters(AuditOptions)})
        diary.write(0.0, "loading")
        share_cores(store)
        record = _audit(store, parsed.run, audit_spec(parsed.audit), options, diary)
        patiently(lambda: _keep(store, record), say=say)
        diary.keep(record)
    except _Stopped:
        diary.write(0.0, "stopped", done=True, stopped=True)
        return 1
    except (StoreError, OptionError, UnknownName) as error:
        say(error)
        diary.write(0.0, "failed", error=str(error), done=True)
        return 1
    except Exception as error:  # the last line of defence: whatever it is, whoever waits must hear it
        say(traceback.format_exc())
        diary.write(0.0, "failed", error=one_sentence(error), done=True)
        return 1
    diary.write(1.0, "done", done=True)
    return 0


def _audit(store: RunStore, run: str, spec: AuditSpec, options: AuditOptions, diary: Diary) -> AuditRecord:
    record = store.get(run)
    audited = replace(subject(record, lambda: _graph(record.spec)), device=str(choose_device(record.spec.device)))
    refusal = spec.refuses(audited)
    if refusal:
        raise OptionError(refusal)
    audited = replace(audited, turn=store.begin_audit(run))
    steps, flushed = spec.load_entry()(audited, options), 0.0
    try:
        for event in steps:
            if isinstance(event, AuditRecord):
                return event
            if diary.told_to_stop:
                raise _Stopped
            if isinstance(event, Progress) and time.monotonic() - flushed > FLUSH_SECONDS:
                diary.write(event.step / event.total if event.total else 0.0, event.stage)
                flushed = time.monotonic()
    finally:
        steps.close()
    raise RuntimeError("the audit ended without a record")


def _keep(store: RunStore, record: AuditRecord) -> None:
    """Store the record, unless a try whose answer was lost has done so."""
    if record not in store.audits(record.run):
        store.add_audit(record.run, record)


def _graph(spec: RunSpec) -> Graph:
    from privgraph.data.load import load

    return load(spec.dataset, split=spec.split, split_seed=spec.seed, data_options=spec.data_options)


if __name__ == "__main__":
    sys.exit(main())
