"""Waiting in a terminal: a bar there, elsewhere a line now and then; an interrupt asks the work to stop."""

import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Never

from tqdm import tqdm

from privgraph.runs.records import FINISHED

STOPPED = 130
"""The exit code of what was stopped by Ctrl-C."""
LINE_SECONDS = 10.0
"""Between two lines where there is no terminal: a log of a batch system wants one now and then."""


def progress_bar(total: float | None = 1.0, over: float = 0.0, far: str = "{percentage:3.0f}%") -> "tqdm[Never]":
    """A bar of which `over` was over before; `far` says how far it is."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pause = 0.1 if sys.stderr.isatty() else LINE_SECONDS
    layout = f"{{desc}} |{{bar}}| {far} [{{elapsed}}{{postfix}}]"
    return tqdm(total=total, initial=over, file=sys.stderr, mininterval=pause, bar_format=layout, leave=False)


def draw(bar: "tqdm[Never]", stage: str, far: float) -> None:
    """Draw how far it is."""
    bar.set_description_str(stage, refresh=False)
    bar.update(max(0.0, far - bar.n))
    if sys.stderr.isatty():
        bar.refresh()


def follow(name: str, watch: Callable[["tqdm[Never]"], object], stop: Callable[[], object]) -> bool:
    """Watch until the work ends, and say whether this process was interrupted.

    An interrupt stops the work; a second one leaves it alone, as it then stands.
    """
    with progress_bar() as bar:
        try:
            watch(bar)
            return False
        except KeyboardInterrupt:
            bar.write(f"stopping {name}; interrupt again to leave it alone", file=sys.stderr)
        with suppress(KeyboardInterrupt):
            stop()
            watch(bar)
    return True


@contextmanager
def counting(total: int, over: int = 0) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """What draws states of `total` runs; those that were `over` before are no measure of the pace."""
    with progress_bar(total, over, "{n:.0f} of {total:.0f}") as bar:
        yield lambda states: draw(bar, sentence(states), sum(one in FINISHED for one in states.values()))


def sentence(states: Mapping[str, str]) -> str:
    """How many runs are over, and how many there are of every state but done.

    >>> sentence({"a": "done", "b": "running", "c": "queued", "d": "failed"})
    '2 of 4 runs are over: 1 running, 1 queued, 1 failed'
    """
    counts = Counter(states.values())
    doing = ", ".join(f"{count:,} {state}" for state, count in counts.items() if state != "done")
    over = sum(counts[state] for state in FINISHED)
    return f"{over:,} of {len(states):,} runs are over" + (f": {doing}" if doing else "")
