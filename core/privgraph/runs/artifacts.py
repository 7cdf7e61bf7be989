"""Where the files of runs lie: in a folder, or elsewhere with copies in a folder of this machine. No torch.

A store's URL may name the place: `postgresql+psycopg://ada@db/runs?artifacts=/shared/privgraph`, or
`?artifacts=s3://bucket/privgraph` (extra `remote`, and what fsspec wants for such an address).

A worker writes into a folder of its own (`desk`), under its token. Only whoever finishes the run has its
files published: a worker that was taken for lost may train on, with other noise than the one that came after
it.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa

from privgraph.options import short
from privgraph.runs.records import ArtifactsAway, StoreError

QUERY = "artifacts"
COMPLETE = ".complete"
"""A file that says whose files the copy in this folder is, when it is whole, and which: it holds the worker's
token, and a line for each file."""
DESK = ".desk-"
"""How the folder of a worker at work begins."""
_REFUSED = (
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
    NotImplementedError,
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    TypeError,
    ValueError,
)
"""What a file system raises where another try would change nothing. Whatever else it raises may pass: drivers
have many names for a network that is down."""
_PASSWORD = re.compile(r"((?:^|://)[^:@/]*):(?!//)(.*)@")
"""Up to the last @, which a password may hold as well: rather too much is hidden."""
_BEFORE_HOST = re.compile(r"://[^:@/]*:([^/]*)@")
"""The password of an address in whose path there is another @."""
_IN_QUERY = re.compile(r"([?&][^=&]*(?:password|token|secret|key|signature|sig)[^=&]*=)([^&]+)", re.IGNORECASE)


class Artifacts:
    """The folders of all runs: `folder` holds them, or copies of what lies at `remote`."""

    def __init__(self, folder: Path, remote: str = "") -> None:
        self.folder = folder
        self.remote = remote.rstrip("/")
        if remote:
            _driver(remote)

    def desk(self, run: str, worker: str) -> Path:
        """Where that worker puts the run's files until they are published."""
        return self.folder / run / f"{DESK}{worker}"

    def clear_desks(self, run: str, at_work: Iterable[str] = ()) -> None:
        """Remove what workers have not published, but for those that are at work."""
        kept = {self.desk(run, worker) for worker in at_work}
        for desk in set((self.folder / run).glob(f"{DESK}*")) - kept:
            shutil.rmtree(desk, ignore_errors=True)

    def clear_desk(self, run: str, worker: str) -> None:
        """Remove what that worker has not published."""
        shutil.rmtree(self.desk(run, worker), ignore_errors=True)

    def get(self, run: str, worker: str) -> None:
        """Fetch the files of a run that this worker finished, unless all are here or none is there."""
        here = self.folder / run
        whose, *before = _copied(here)
        if not self.remote or whose == worker:
            return
        with _reaching(self.remote) as (files, root):
            there, depth = f"{root}/{run}/{worker}", None
            if not _exists(files, there):
                # versions before 0.6 had the run's files themselves there, and no folder for each worker
                there, depth = f"{root}/{run}", 1
            found = files.find(there, maxdepth=depth) if _exists(files, there) else []
            if not found:
                return
            here.mkdir(parents=True, exist_ok=True)
            names = {str(path).removeprefix(there).lstrip("/"): path for path in found}
            for name in set(before) - set(names):  # of an earlier attempt; all else here is this machine's own
                (here / name).unlink(missing_ok=True)
            _say_copied(here, "", names)
            for name, path in names.items():
                target = here / name
                target.parent.mkdir(parents=True, exist_ok=True)
                files.get_file(path, str(target))
        _say_copied(here, worker, names)

    def put(self, run: str, worker: str) -> None:
        """Copy the files from the worker's desk there, where nobody looks for them before it has finished."""
        if not self.remote:
            return
        desk = self.desk(run, worker)
        with _reaching(self.remote) as (files, root):
            there = f"{root}/{run}/{worker}"
            for path in sorted(desk.rglob("*")):
                if path.is_file():
                    target = f"{there}/{path.relative_to(desk).as_posix()}"
                    files.makedirs(target.rpartition("/")[0], exist_ok=True)
                    files.put_file(str(path), target)

    def publish(self, run: str, worker: str) -> None:
        """Move the files from the worker's desk into the run's folder; once more does nothing more."""
        here, desk = self.folder / run, self.desk(run, worker)
        if not desk.is_dir():
            return
        files = [path for path in sorted(desk.rglob("*")) if path.is_file()]
        for path in files:
            target = here / path.relative_to(desk)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
        if self.remote:
            _say_copied(here, worker, [path.relative_to(desk).as_posix() for path in files])
        shutil.rmtree(desk)

    def remove(self, run: str, worker: str = "") -> None:
        """Remove what lies there of a run, or what that worker has put there of it."""
        if self.remote:
            with _reaching(self.remote) as (files, root):
                there = f"{root}/{run}/{worker}".rstrip("/")
                if _exists(files, there):
                    files.rm(there, recursive=True)


def _copied(here: Path) -> list[str]:
    """Whose files the copy in this folder is ("" where it is not whole), and their names."""
    done = here / COMPLETE
    return done.read_text().split("\n") if done.is_file() else [""]


def _say_copied(here: Path, worker: str, names: Iterable[str]) -> None:
    (here / COMPLETE).write_text("\n".join([worker, *names]))


def shown(place: str) -> str:
    """The place of artifacts without a password.

    >>> shown("ftp://ada:sesame@host:21/runs"), shown("s3://bucket/runs?token=sesame")
    ('ftp://ada:***@host:21/runs', 's3://bucket/runs?token=***')
    """
    return _IN_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1:***@", place))


def _without_password(place: str, text: str) -> str:
    """What a driver says, where it repeats the password of the place."""
    found = [one[one.re.groups] for kind in (_PASSWORD, _BEFORE_HOST, _IN_QUERY) for one in kind.finditer(place)]
    for secret in filter(None, {way for one in found for way in (one, unquote(one))}):
        text = text.replace(secret, "***")
    return text


def parted(url: str) -> tuple[str, str]:
    """A store's URL without the place of its artifacts, and that place, "" where none is named. Raises
    `StoreError` for one that is neither an absolute folder nor a URL."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        return url, ""  # whoever opens it says what is wrong
    if QUERY not in parsed.query:
        return url, ""
    named = parsed.query[QUERY]
    place = named if isinstance(named, str) else ""
    if not place.startswith("/") and "://" not in place:
        raise StoreError(
            "the artifacts of a store must be one absolute folder, or a URL such as s3://bucket/folder "
            f"(got {short(shown(place or str(named)))})"
        )
    return parsed.difference_update_query([QUERY]).render_as_string(hide_password=False), place


def opened(place: str, folder: Path) -> Artifacts:
    """The artifacts at the place that a store's URL names; "" is `folder`, which holds the copies of a URL.
    Raises `StoreError` where the place cannot be used."""
    if not place:
        return Artifacts(folder)
    if "://" in place:
        return Artifacts(folder, place)
    shared = Path(place)
    try:
        shared.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of the store's artifacts cannot be used ({error.strerror}: {place})") from None
    return Artifacts(shared)


def clear(folder: Path) -> None:
    """Remove a folder with all that is in it, if it is there."""
    if folder.exists():
        shutil.rmtree(folder)


def _driver(remote: str) -> None:
    """Raises `StoreError` where fsspec has no driver for such an address; nobody is asked yet."""
    protocol = remote.partition("://")[0]
    try:
        import fsspec

        fsspec.get_filesystem_class(protocol)
    except (ImportError, ValueError) as error:
        raise StoreError(
            f"artifacts at {protocol}:// need a package that is not here: install privgraph[remote] and what fsspec "
            f"wants for it ({short(' '.join(str(error).split()))})"
        ) from None


@contextmanager
def _reaching(remote: str) -> Iterator[tuple[Any, str]]:
    """The file system of an address, with its user, host and port, and the address as it writes it.

    Connected each time: a server ends what is silent while a run is trained. Whatever a file system raises
    leaves as one sentence, which shows no password.
    """
    try:
        import fsspec

        files, root = fsspec.url_to_fs(remote, skip_instance_cache=True)
        yield files, str(root).rstrip("/")
    except Exception as error:  # of any driver
        kind = StoreError if isinstance(error, _REFUSED) else ArtifactsAway
        said = short(_without_password(remote, " ".join(str(error).split()) or type(error).__name__))
        raise kind(f"the artifacts of the store, at {shown(remote)}, cannot be reached ({said})") from None


def _exists(files: Any, path: str) -> bool:
    """Asked by `info`: `exists` takes a network that is down for an answer."""
    try:
        files.info(path)
    except FileNotFoundError:
        return False
    return True
