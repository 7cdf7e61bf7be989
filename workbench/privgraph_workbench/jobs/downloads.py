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


_downloads: dict[str, Download] = {}
_lock = threading.Lock()


def possible(spec: DatasetSpec) -> bool:
    """Whether every missing file of the set has an address."""
    return bool(spec.urls) and set(absent(spec)) <= {path for path, _ in spec.urls}


def start(spec: DatasetSpec) -> Download:
    """Fetch the missing files of a set, unless that is under way already."""
    with _lock:
        known = _downloads.get(spec.name)
        if known is not None and not known.over:
            return known
        download = _downloads[spec.name] = Download()
    threading.Thread(target=_fetch, args=(spec, download), daemon=True, name=f"fetch {spec.name}").start()
    return download


def state(spec: DatasetSpec) -> Download | None:
    """The latest download of the set in this process, or None."""
    return _downloads.get(spec.name)


def _fetch(spec: DatasetSpec, download: Download) -> None:
    def told(progress: Progress) -> None:
        download.done, download.total, download.stage = progress.step, progress.total, progress.stage

    try:
        fetch_files(spec, told)
    except DataError as error:
        download.error, download.connected = str(error), not isinstance(error, NoConnection)
    finally:
        download.over = True
