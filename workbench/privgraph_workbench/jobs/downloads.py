"""Raw files fetched in the background, once for all sessions of the app. No Streamlit, no torch."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from privgraph.data.errors import DataError, NoConnection
from privgraph.data.fetch import fetch_files
from privgraph.data.files import absent
from privgraph.data.spec import DatasetSpec
from privgraph.progress import Progress


@dataclass
class Download:
    """How far a download is: `done` of `total` bytes of the file that `stage` names; `error` is one
    sentence, and `connected` False where no server could be reached."""

    done: int = 0
    total: int = 0
    stage: str = "connecting"
    over: bool = False
    error: str = ""
    connected: bool = True

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0

    def fetch(self, spec: DatasetSpec) -> None:
        """Fetch the missing files of a set."""
        try:
            fetch_files(spec, self._tell)
        except DataError as error:
            self.error, self.connected = str(error), not isinstance(error, NoConnection)
        finally:
            self.over = True

    def _tell(self, progress: Progress) -> None:
        self.done, self.total, self.stage = progress.step, progress.total, progress.stage


_downloads: dict[str, Download] = {}
_lock = threading.Lock()


def possible(spec: DatasetSpec) -> bool:
    """Whether every missing file of the set has an address."""
    return bool(spec.urls) and set(absent(spec)) <= {path for path, _ in spec.urls}


def start(spec: DatasetSpec) -> Download:
    """Fetch the missing files of a set, unless that is under way already."""
    with _lock:
        known = _downloads.get(spec.name)
        if known is None or known.over:
            known = _downloads[spec.name] = Download()
            threading.Thread(target=known.fetch, args=(spec,), daemon=True).start()
        return known


def state(spec: DatasetSpec) -> Download | None:
    """The latest download of the set in this process, or None."""
    return _downloads.get(spec.name)
