"""How far many runs are: a bar in a terminal, and elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Never

from tqdm import tqdm

from privgraph.runs.records import FINISHED

LINE_SECONDS = 10.0
"""Between two lines where there is no terminal."""


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
        """Draw the runs as they stand; without a terminal say what has changed, ten seconds after the last
        line."""
        over, doing = far(states)
        if self._bar is not None:
            self._bar.set_description_str(doing, refresh=False)
            self._bar.n = over
            self._bar.refresh()
            return
        said = f"{over:,} of {self._total:,} runs are over" + (f": {doing}" if doing else "")
        ended = over == self._total
        if said != self._said and (ended or time.monotonic() - self._last >= LINE_SECONDS):
            self._said, self._last = said, time.monotonic()
            print(said, file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """A line of its own."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        else:
            print(text, file=sys.stderr)


def far(states: Mapping[str, str]) -> tuple[int, str]:
    """How many are over, and how many there are of every state but done, in words.

    >>> far({"a": "done", "b": "running", "c": "queued", "d": "failed"})
    (2, '1 running, 1 waiting, 1 failed')
    """
    counts = Counter(states.values())
    words = {"running": "running", "stopping": "stopping", "queued": "waiting"}
    words |= {state: state for state in ("failed", "lost", "stopped")}
    doing = ", ".join(f"{counts[state]:,} {word}" for state, word in words.items() if counts[state])
    return sum(counts[state] for state in FINISHED), doing
