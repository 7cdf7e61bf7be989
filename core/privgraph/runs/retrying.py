"""Waiting for a run store that is away: a server that is started anew, a network that is down. No torch."""

import time
from collections.abc import Callable
from typing import TypeVar

from privgraph.runs.records import StoreAway

RETRY_SECONDS = 1.0
"""Between two tries."""
PATIENCE = 24 * 3600.0
"""Seconds after which a worker gives up a store that stays away."""

Given = TypeVar("Given")


def patiently(
    act: Callable[[], Given],
    *,
    say: Callable[[StoreAway], None] = lambda _error: None,
    enough: Callable[[float], bool] = lambda waited: waited > PATIENCE,
) -> Given:
    """What `act` gives, tried again and again while the store is away; `act` must be fit to be tried twice.

    `say` is told at the first failure. Raises the `StoreAway` of the last try once `enough` holds for the
    seconds waited.
    """
    began, told = time.monotonic(), False
    while True:
        try:
            return act()
        except StoreAway as error:
            if not told:
                say(error)
            told = True
            if enough(time.monotonic() - began):
                raise
        time.sleep(RETRY_SECONDS)
