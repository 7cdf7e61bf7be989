"""Raw files fetched in the background, once for all sessions of the app. No Streamlit, no torch."""

import threading
from dataclasses import dataclass

from privgraph.data.errors import DataError, NoConnection
from privgraph.data.fetch import fetch_files
from privgraph.data.files import absent
from privgraph.data.spec import DatasetSpec
from privgraph.progress import Progress

_CONNECTING = Progress(step=0, total=0, stage="connecting")


@dataclass
class Download:
    """How far a download is, in bytes of the file that is its stage; `error` is one sentence, and `connected`
    False where no server could be reached."""

    progress: Progress = _CONNECTING
    over: bool = False
    error: str = ""
    connected: bool = True

    def fetch(self, spec: DatasetSpec) -> None:
        """Fetch the missing files of a set."""

        def tell(progress: Progress) -> None:
            self.progress = progress

        try:
            fetch_files(spec, tell)
        except DataError as error:
            self.error, self.connected = str(error), not isinstance(error, NoConnection)
        finally:
            self.over = True


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
