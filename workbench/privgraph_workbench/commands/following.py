"""Watching an audit or attack from a terminal until it ends, and stopping it where people interrupt."""

from __future__ import annotations

import signal
import sys
import time
from typing import Never

from tqdm import tqdm

from privgraph.runs.examining import Examination, Examiner, OptionsT, RecordT
from privgraph.runs.records import StoreError
from privgraph.runs.store import RunStore
from privgraph_workbench.commands.run import interrupt

_LOOK_SECONDS = 0.1


def follow(
    examiner: Examiner[OptionsT, RecordT], store: RunStore, run: str, token: str
) -> tuple[Examination[OptionsT], bool]:
    """Watch it until it ends, and stop it where this process is interrupted; a second time, leave it alone.

    How it ended, and whether this process was interrupted.
    """

    def look() -> Examination[OptionsT]:
        found = examiner.state(store, run, token)
        if found is None:
            raise StoreError(f"the {examiner.noun} of {run} was deleted while it went on")
        return found

    def watch(bar: tqdm[Never]) -> Examination[OptionsT]:
        while True:
            found = look()
            bar.set_description_str(found.stage, refresh=False)
            bar.update(max(0.0, found.progress - bar.n))
            if found.done:
                return found
            time.sleep(_LOOK_SECONDS)

    signal.signal(signal.SIGTERM, interrupt)
    pause = 0.1 if sys.stderr.isatty() else 10.0
    layout = "{desc} |{bar}| {percentage:3.0f}% [{elapsed}]"
    with tqdm(total=1.0, file=sys.stderr, mininterval=pause, bar_format=layout, leave=False) as bar:
        try:
            return watch(bar), False
        except KeyboardInterrupt:
            examiner.stop(store, run, token)
            bar.write(f"stopping the {examiner.noun}; interrupt again to leave it alone", file=sys.stderr)
        try:
            return watch(bar), True
        except KeyboardInterrupt:
            return look(), True
