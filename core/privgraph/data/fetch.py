"""Raw files: those at hand, and a small downloader for the rest. No torch.

A download goes to a temporary file beside its place and is renamed there only when it is complete and its
checksum is right. Where the catalogue pins no checksum, the first download's is written to `SHA256SUMS` in
the data folder, and a later one must equal it.
"""

import hashlib
import http.client
import os
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from privgraph.data.errors import DataError, NoConnection
from privgraph.data.files import absent, find, missing
from privgraph.data.spec import DatasetSpec
from privgraph.home import data_root
from privgraph.progress import Progress

OnProgress = Callable[[Progress], None]

CHUNK = 1 << 18
LARGEST = 8 << 30
SUMS = "SHA256SUMS"


class _Incomplete(Exception):
    """Fewer bytes came than were announced."""


def fetch_files(spec: DatasetSpec, progress: OnProgress | None = None, root: Path | None = None) -> dict[str, Path]:
    """Where each raw file of `spec` lies, fetched first if it is missing.

    Raises `DataError` with one sentence that says which files to put where, and why they could not be
    fetched.
    """
    base = root or data_root()
    lost, urls = absent(spec, base), dict(spec.urls)
    if not urls.keys() >= {*lost}:
        raise DataError(missing(spec, base))
    try:
        for url in dict.fromkeys(urls[path].partition("#")[0] for path in lost):
            members = {path: urls[path].partition("#")[2] for path in lost if urls[path].partition("#")[0] == url}
            _fetch(base, url, members, dict(spec.files), progress)
    except DataError as error:
        raise type(error)(f"{missing(spec, base)}; {error}") from None
    except OSError as error:
        raise DataError(f"{missing(spec, base)}; the folder cannot be written: {_sentence(error)}") from error
    return {path: place for path, _ in spec.files if (place := find(path, base)) is not None}


def _fetch(
    base: Path, url: str, members: Mapping[str, str], pinned: Mapping[str, str], progress: OnProgress | None
) -> None:
    """Fetch files from one address: itself, or members of the zip archive that is there."""
    base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix=".fetch-") as folder:
        archive = Path(folder) / "archive.zip"
        if any(members.values()):
            download(url, archive, progress=progress)
        for path, member in members.items():
            sha256 = pinned[path] or _sums(base).get(path, "")
            if member:
                _extract(archive, member, base / path, sha256)
            else:
                download(url, base / path, sha256, progress=progress)
            _remember(base, path)


def _sums(base: Path) -> dict[str, str]:
    file = base / SUMS
    if not file.is_file():
        return {}
    lines = (line.split("  ", 1) for line in file.read_text().splitlines())
    return {path: digest for digest, path in lines}


def _remember(base: Path, path: str) -> None:
    """Append the checksum of a file that was just fetched, in the format of sha256sum."""
    if path not in _sums(base):
        with (base / path).open("rb") as file, (base / SUMS).open("a") as sums:
            sums.write(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path}\n")


def download(
    url: str,
    target: Path,
    sha256: str = "",
    *,
    progress: OnProgress | None = None,
    attempts: int = 3,
    timeout: float = 30,
    pause: float = 0.5,
    largest: int = LARGEST,
) -> None:
    """Fetch `url` (http or https) to `target`, complete and right or not at all.

    `timeout` is the number of seconds without a byte after which an attempt is given up; `attempts` are made
    where the network or the server fails, with a growing `pause` (seconds) between them. `progress` counts
    bytes. Raises `DataError` with one sentence, `NoConnection` where the server could not be reached; a wrong
    checksum and a refusal are not tried again.
    """
    if not url.startswith(("https://", "http://")):
        raise DataError(f"{url} is not a web address")
    for attempt in range(1, attempts + 1):
        kind = DataError
        try:
            request = urllib.request.Request(url, headers={"User-Agent": "privgraph", "Accept-Encoding": "identity"})
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                _store(_chunks(answer, target.name, progress, largest), target, sha256)
            return
        except urllib.error.HTTPError as error:
            error.close()
            reason = f"the server answered {error.code}"
            if error.code < 500 and error.code not in (408, 429):
                raise DataError(f"fetching {url} failed: {reason}") from None
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError, _Incomplete) as error:
            reason = _sentence(getattr(error, "reason", None) or error)
            kind = NoConnection if isinstance(error, OSError) else DataError
        if attempt < attempts:
            time.sleep(pause * 2 ** (attempt - 1))
    raise kind(f"fetching {url} failed: {reason}")


def _chunks(answer: http.client.HTTPResponse, name: str, progress: OnProgress | None, largest: int) -> Iterable[bytes]:
    """The body piece by piece. Raises `_Incomplete` where it ends early, `DataError` where it is too long."""
    announced = answer.headers.get("Content-Length", "")
    total, received = int(announced) if announced.isdigit() else 0, 0
    while chunk := answer.read(CHUNK):
        received += len(chunk)
        if max(total, received) > largest:
            raise DataError(f"{name} is larger than {largest} bytes")
        if progress is not None:
            progress(Progress(step=received, total=max(total, received), stage=f"fetching {name}"))
        yield chunk
    if received < total:
        raise _Incomplete(f"{received} of {total} bytes came")


def _store(chunks: Iterable[bytes], target: Path, sha256: str) -> None:
    """Write `chunks` beside `target`, check them, and rename. Raises `DataError` for a wrong checksum."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        part = Path(folder) / "part"
        with part.open("wb") as file:
            for chunk in chunks:
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if sha256 and digest.hexdigest() != sha256:
            raise DataError(f"{target.name} has another checksum than it should (sha256 {digest.hexdigest()[:12]}...)")
        part.chmod(0o644)
        part.replace(target)


def _extract(archive: Path, member: str, target: Path, sha256: str) -> None:
    """One member of a zip archive to `target`; the archive's own names are never used as paths."""
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member) as file:
            _store(iter(partial(file.read, CHUNK), b""), target, sha256)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise DataError(f"the archive does not give {member}: {_sentence(error)}") from None


def _sentence(error: object) -> str:
    """An error as part of one sentence."""
    return " ".join(str(error).split()) or type(error).__name__
