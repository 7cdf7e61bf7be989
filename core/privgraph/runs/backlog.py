"""What a run has told and the store does not have yet: in memory, and in a file while the store is away. No
torch.

The file lies in this machine's temporary folder, has no name, and goes with the process: two workers that
both take a run for theirs share none.
"""

import json
import tempfile
from collections.abc import Callable
from typing import IO

from privgraph.progress import Event, from_record, to_record
from privgraph.runs.records import plain, unplain

BATCH = 1000
"""How many events are stored in one step."""
MOST_BYTES = 64 * 2**20
"""How much is put aside on disk at most."""


class BacklogLost(Exception):
    """What was put aside cannot be read; the backlog is empty by then."""


class Backlog:
    """The events of one run that wait to be stored, in order. Each is stored once, also where an answer was
    lost."""

    def __init__(self) -> None:
        self._memory: list[Event] = []
        self._file: IO[bytes] | None = None
        self._aside = 0
        self._offset = 0
        self.after = 0
        """The sequence number of the last event that is known to be stored."""

    def __len__(self) -> int:
        return self._aside + len(self._memory)

    @property
    def in_memory(self) -> int:
        return len(self._memory)

    def add(self, event: Event) -> None:
        self._memory.append(event)

    def rest(self) -> list[Event]:
        """All of it, for a step that stores the last of it and says so; no more than `leave` after
        `store`. Raises `BacklogLost`."""
        aside = self._read()[0] if self._aside else []
        return [*aside, *self._memory]

    def store(self, append: Callable[[list[Event], int], int], leave: int = 0) -> None:
        """Hand the events to `append` batch by batch, oldest first, until at most `leave` are left.

        `append` is given a batch and `after`, and gives the last sequence number. What it did not take stays.
        Raises `BacklogLost`.
        """
        while len(self) > leave:
            batch, end = self._read() if self._aside else (self._memory[:BATCH], 0)
            self.after = append(batch, self.after)
            if not self._aside:
                del self._memory[: len(batch)]
                continue
            self._aside -= len(batch)
            self._offset = end
            if not self._aside:
                self._forget_file()

    def put_aside(self) -> bool:
        """Write what is in memory to the file; False where there is no room for it, and it stays in
        memory."""
        if not self._memory:
            return True
        lines = [json.dumps([kind, plain(payload)]) for kind, payload in map(to_record, self._memory)]
        text = ("\n".join(lines) + "\n").encode()
        try:
            end = self._file.seek(0, 2) if self._file else 0
            if end + len(text) > MOST_BYTES:
                return False
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed in _forget_file
            try:
                if self._file.write(text) < len(text):
                    raise OSError("the disk took a part of it")
            except OSError:
                self._file.truncate(end)
                raise
        except OSError:
            return False
        self._aside += len(lines)
        self._memory.clear()
        return True

    def clear(self) -> None:
        self._memory.clear()
        self._aside = 0
        self._forget_file()

    def _forget_file(self) -> None:
        self._offset = 0
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self) -> tuple[list[Event], int]:
        """The oldest batch of the file, and where the next begins."""
        assert self._file is not None
        try:
            with open(self._file.fileno(), "rb", closefd=False) as file:
                file.seek(self._offset)
                found = [json.loads(file.readline()) for _ in range(min(BATCH, self._aside))]
                end = file.tell()
        except (OSError, ValueError) as error:
            self.clear()
            raise BacklogLost(f"what was told while the store was away cannot be read ({error})") from error
        return [from_record(kind, unplain(kind, payload)) for kind, payload in found], end
