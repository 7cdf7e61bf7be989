"""The process of an audit or attack: conducts one of one run, says how far it is, and keeps what it comes
to."""

import argparse
import secrets
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from privgraph.attacks.options import Attacked
from privgraph.audits.options import Subject
from privgraph.options import OptionError, UnknownName, build, parameters
from privgraph.progress import Progress
from privgraph.runs.ending import one_sentence
from privgraph.runs.examining import Diary, Examiner, OptionsT, RecordT
from privgraph.runs.machine import share_cores
from privgraph.runs.records import StoreError
from privgraph.runs.reporting import say
from privgraph.runs.retrying import patiently
from privgraph.runs.store import RunStore

FLUSH_SECONDS = 0.25

Steps = Generator[Any, None, None]
"""Yields `Progress`, and the record last."""


SubjectT = TypeVar("SubjectT", Subject, Attacked)


def with_data(subject: SubjectT) -> SubjectT:
    """The subject with its data read. Whoever takes a turn reads them before: data that are not at hand show
    nothing, and a turn that was taken is spent, whatever comes."""
    graph = subject.graph()
    return replace(subject, graph=lambda: graph)


class _Stopped(Exception):
    """It was asked to end, when it was so far."""

    def __init__(self, progress: float) -> None:
        self.progress = progress


def conduct(
    examiner: Examiner[OptionsT, RecordT],
    options: type[OptionsT],
    names: Iterable[str],
    begin: Callable[[RunStore, str, str, OptionsT], Steps],
    keep: Callable[[RunStore, RecordT], None],
    arguments: Sequence[str] | None,
) -> int:
    """The main function of `python -m privgraph.runs.<noun> RUN`; exit code 0 where the store has the record,
    else 1.

    Args:
        examiner: Where its folder is, and what it is called.
        options: The class of its options; each is a flag.
        names: What can be asked for, the default first.
        begin: Given the store, the run's id, a name and options, conducts it step by step. A stop is obeyed
            between two steps.
        keep: Stores the record, unless an earlier try has done so.
        arguments: The command line, or None for that of the process.
    """
    noun, choices = examiner.noun, tuple(names)
    parser = argparse.ArgumentParser(
        prog=f"python -m privgraph.runs.{noun}", description=f"{noun.capitalize()} a run that is done."
    )
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument(f"--{noun}", dest="name", choices=choices, default=choices[0], help=f"which {noun}")
    parser.add_argument("--token", default="", help="under which the one who started this looks for it")
    for parameter in parameters(options):
        parser.add_argument(f"--{parameter.name}", default=parameter.default, help=parameter.option.help)
    parsed = parser.parse_args(arguments)
    try:
        store = RunStore.open()
        diary = examiner.diary(store, parsed.run, parsed.token or secrets.token_hex(8))
    except StoreError as error:
        say(error)
        return 1
    try:
        chosen = build(options, {one.name: getattr(parsed, one.name) for one in parameters(options)})
        diary.write(0.0, "loading")
        share_cores(store)
        record = _record(begin(store, parsed.run, parsed.name, chosen), diary, noun)
        patiently(lambda: keep(store, record), say=say)
        diary.keep(record)
    except _Stopped as stop:
        diary.write(stop.progress, "stopped", done=True, stopped=True)
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


def _record(steps: Steps, diary: Diary, noun: str) -> Any:
    flushed = 0.0
    try:
        for event in steps:
            if not isinstance(event, Progress):
                return event
            progress = event.step / event.total if event.total else 0.0
            if diary.told_to_stop:
                raise _Stopped(progress)
            if time.monotonic() - flushed > FLUSH_SECONDS:
                diary.write(progress, event.stage)
                flushed = time.monotonic()
    finally:
        steps.close()
    raise RuntimeError(f"the {noun} ended without a record")
