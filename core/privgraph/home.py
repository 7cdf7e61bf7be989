"""Where things lie: `PRIVGRAPH_HOME` holds the run store and artifacts, `PRIVGRAPH_DATA` the raw data sets.

What lies in the home is private: it is its owner's alone, or a group's where its owner lets that group write.
"""

import os
import stat
from pathlib import Path

_MARKS = ("noise.key", "runs.sqlite")
"""A folder with one of these is a home, and not another folder that `PRIVGRAPH_HOME` happens to name."""
_KEYS = ("PRIVGRAPH_PROXY_SECRET", "PRIVGRAPH_TOKEN")
"""Variables that let people into the app."""


def home() -> Path:
    """The application's own folder, made if missing; `~/.privgraph` unless `PRIVGRAPH_HOME` names another.

    A home that others may enter, as versions before 0.5 left it, is closed to them.
    """
    path = Path(os.environ.get("PRIVGRAPH_HOME") or Path.home() / ".privgraph").expanduser()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.stat()
    extra = found.st_mode & _denied(found.st_mode)
    ours = found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX
    if extra and ours and any((path / name).exists() for name in _MARKS):
        path.chmod(stat.S_IMODE(found.st_mode) & ~extra)
    return path


def umask() -> int:
    """The umask of processes that write into the home."""
    return _denied(home().stat().st_mode)


def environment() -> dict[str, str]:
    """The environment of a process that works for the app: the same home, and nothing that lets people in."""
    found = {name: value for name, value in os.environ.items() if name not in _KEYS}
    return found | {"PRIVGRAPH_HOME": str(home().resolve())}


def open_to_others() -> bool:
    """Whether people of this machine other than the owner (and its group, where it shares) may enter the
    home."""
    mode = home().stat().st_mode
    return bool(mode & _denied(mode))


def _denied(mode: int) -> int:
    return 0o007 if mode & stat.S_IWGRP else 0o077


def data_root() -> Path:
    """The folder of raw data sets; `data` inside `home()` unless `PRIVGRAPH_DATA` names another."""
    named = os.environ.get("PRIVGRAPH_DATA")
    return Path(named).expanduser() if named else home() / "data"
