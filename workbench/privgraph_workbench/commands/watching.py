"""Waiting in a terminal: a bar there, elsewhere a line now and then; an interrupt asks the work to stop."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Never, TypeVar

from tqdm import tqdm

from privgraph.runs.records import FINISHED

STOPPED = 130
"""The exit code of what was stopped by Ctrl-C."""
LINE_SECONDS = 10.0
"""Between two lines where there is no terminal."""
ResultT = TypeVar("ResultT")


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Take a request to end as Ctrl-C."""
    raise KeyboardInterrupt


def follow(
    name: str,
    watch: Callable[[tqdm[Never]], ResultT],
    stop: Callable[[], object],
    leave: Callable[[], ResultT],
) -> tuple[ResultT, bool]:
    """Watch until the work ends; an interrupt stops it, and a second one leaves it alone.

    Args:
        name: What is watched.
        watch: Draws on the bar, and returns when the work has ended.
        stop: Asks the work to stop.
        leave: How the work stands now.

    Returns:
        What `watch` or `leave` returned, and whether this process was interrupted.
    """
    signal.signal(signal.SIGTERM, interrupt)
    pause = 0.1 if sys.stderr.isatty() else LINE_SECONDS  # a log of a batch system wants a line now and then
    layout = "{desc} |{bar}| {percentage:3.0f}% [{elapsed}{postfix}]"
    with tqdm(total=1.0, file=sys.stderr, mininterval=pause, bar_format=layout, leave=False) as bar:
        try:
            return watch(bar), False
        except KeyboardInterrupt:
            bar.write(f"stopping {name}; interrupt again to leave it alone", file=sys.stderr)
        try:
            stop()
            return watch(bar), True
        except KeyboardInterrupt:
            return leave(), True


class Counting:
    """Says on standard error how many runs are over, and what the others do."""

    def __init__(self, total: int, over: int = 0) -> None:
        """Of `total` runs, `over` were over before this command: they are no measure of its pace."""
        self._total, self._said, self._last = total, "", -LINE_SECONDS
        self._bar: tqdm[Never] | None = None
        if sys.stderr.isatty():
            layout = "{desc} |{bar}| {n:.0f} of {total:.0f} [{elapsed}{postfix}]"
            self._bar = tqdm(total=total, initial=over, file=sys.stderr, bar_format=layout, leave=False)

    def __enter__(self) -> Counting:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def look(self, states: Mapping[str, str]) -> None:
        """Draw the runs as they stand; without a terminal say what has changed since the last line."""
        over, doing = count(states)
        if self._bar is not None:
            self._bar.set_description_str(doing, refresh=False)
            self._bar.n = over
            self._bar.refresh()
            return
        said = sentence(states, self._total)
        if said != self._said and (over == self._total or time.monotonic() - self._last >= LINE_SECONDS):
            self._said, self._last = said, time.monotonic()
            print(said, file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """Print a line of its own."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        else:
            print(text, file=sys.stderr)


def count(states: Mapping[str, str]) -> tuple[int, str]:
    """How many are over, and how many there are of every state but done.

    >>> count({"a": "done", "b": "running", "c": "queued", "d": "failed"})
    (2, '1 running, 1 waiting, 1 failed')
    """
    counts = Counter(states.values())
    words = {"running": "running", "stopping": "stopping", "queued": "waiting"}
    words |= {state: state for state in ("failed", "lost", "stopped")}
    doing = ", ".join(f"{counts[state]:,} {word}" for state, word in words.items() if counts[state])
    return sum(counts[state] for state in FINISHED), doing


def sentence(states: Mapping[str, str], total: int) -> str:
    """How many of `total` runs are over, and what the others do."""
    over, doing = count(states)
    return f"{over:,} of {total:,} runs are over" + (f": {doing}" if doing else "")
