"""The process that makes a report, and its files. They lie in the home by a digest of what was asked."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

from privgraph.home import home
from privgraph_workbench.parts import links
from privgraph_workbench.report.archive import HTML, PDF
from privgraph_workbench.report.asked import Asked
from privgraph_workbench.serving.offered_files import File

ARCHIVE = "report.zip"
_AT_WORK: dict[str, subprocess.Popen[bytes]] = {}
"""By digest: a tab that was closed leaves its process to the next."""


def _folder(asked: Asked) -> Path:
    return home() / "reports" / hashlib.sha256(asked.json().encode()).hexdigest()[:16]


def start(asked: Asked) -> None:
    """Start the process, unless it is at work; what was made before goes."""
    folder = _folder(asked)
    if share(asked) is not None:
        return
    for old in folder.parent.glob("*"):
        if old.name not in _AT_WORK or _AT_WORK[old.name].poll() is not None:
            shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True)
    given = folder / "asked.json"
    given.write_text(asked.json(), encoding="utf-8")
    command = [sys.executable, "-m", "privgraph_workbench.report.make", str(given), str(folder / ARCHIVE)]
    with (folder / "progress").open("wb") as told, (folder / "log").open("wb") as log:
        _AT_WORK[folder.name] = subprocess.Popen(command, stdout=told, stderr=log, stdin=subprocess.DEVNULL)


def share(asked: Asked) -> float | None:
    """Which share is done; None where no process is at work."""
    folder = _folder(asked)
    process = _AT_WORK.get(folder.name)
    if process is None or process.poll() is not None:
        return None
    told = (folder / "progress").read_text().split()
    return float(told[-1]) if told else 0.0


def failed(asked: Asked) -> bool:
    """Whether a process has ended without an archive."""
    folder = _folder(asked)
    return folder.is_dir() and share(asked) is None and not (folder / ARCHIVE).is_file()


def made(asked: Asked) -> dict[str, bytes] | None:
    """The page, the PDF and the archive; None where they are not there."""
    try:
        packed = (_folder(asked) / ARCHIVE).read_bytes()
    except FileNotFoundError:
        return None
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {HTML: archive.read(HTML), PDF: archive.read(PDF), ARCHIVE: packed}


def offer(files: dict[str, bytes]) -> None:
    """Links to the files."""
    kinds = {"Archive": (ARCHIVE, "application/zip"), "PDF": (PDF, "application/pdf"), "Page": (HTML, "text/html")}
    links.offer(
        {
            label: File(name=name, mime=mime, make=partial(files.__getitem__, name), shown=name == HTML)
            for label, (name, mime) in kinds.items()
        },
        folder="report/",
        primary=True,
    )
