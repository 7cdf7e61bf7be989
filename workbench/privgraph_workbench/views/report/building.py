"""A report that is made beside the page: it goes on whatever is changed there meanwhile. No Streamlit."""

from __future__ import annotations

import threading
from datetime import datetime

from privgraph_workbench import reporting
from privgraph_workbench.reporting.left_out import LeftOut


class _Cancelled(Exception):
    """Somebody has pressed Cancel."""


class Building:
    """The archive of what is `asked`, in a thread of its own. left: what it leaves out; done, what: how far
    it is, and what comes now; packed: the archive, empty before it is made; ended: when it was; error: why
    there will be none (None: nothing went wrong)."""

    def __init__(self, asked: reporting.Asked, left: LeftOut) -> None:
        self.asked, self.left = asked, left
        self.ended: datetime | None = None
        self.done, self.what, self.packed = 0.0, "the report is begun", b""
        self.error: Exception | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._make, args=(asked,), daemon=True, name="report")
        self._thread.start()

    @property
    def under_way(self) -> bool:
        """Whether it is still being made."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Until it is made, or so long."""
        self._thread.join(seconds)

    def cancel(self) -> None:
        """End it at its next step."""
        self._stopped.set()

    def _make(self, asked: reporting.Asked) -> None:
        try:
            self.packed = reporting.build(asked, self._step)
            self.ended = datetime.now().astimezone()
        except _Cancelled:
            pass
        except Exception as error:
            # Whatever it is: what a thread raises reaches nobody. Nothing is swallowed: the page tells an
            # `OptionError` in words, and shows all else to its visitor and in the log.
            self.error = error

    def _step(self, done: float, what: str) -> None:
        if self._stopped.is_set():
            raise _Cancelled
        self.done, self.what = done, what
