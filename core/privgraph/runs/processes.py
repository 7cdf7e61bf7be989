"""What became of processes on this machine, and what they said last. No torch."""

import os
import re
import signal
from pathlib import Path

import psutil

_LAST_WORDS, _LOOKED_AT = 4000, 40_000
_WARNING = re.compile(r"\S.*:\d+: \w*Warning: ")
_exits: dict[int, int] = {}


def note_exit(pid: int, code: int) -> None:
    """Keep how a child ended, for its parent alone is told: an exit code, or minus the number of a signal."""
    _exits[pid] = code


def how_it_ended(pid: int) -> str:
    """What is known of the end of a process that is no more, as the end of a sentence; "" where that is
    nothing."""
    code = _exits.get(pid)
    if code is None:
        code = _code_of_corpse(pid)
    if code == -signal.SIGKILL:
        return "was killed (signal 9), which the system does when memory runs out"
    if code is not None and code < 0:
        return f"was ended by signal {-code} ({signal.strsignal(-code) or 'unknown'})"
    return f"ended with exit code {code}" if code else ""


def _code_of_corpse(pid: int) -> int | None:
    """The same of a child of another process that has not asked after it yet, where the system shows it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = int(fields[49]) if fields[0] == "Z" else -1
    except (OSError, IndexError, ValueError):
        return None
    return None if status < 0 else os.waitstatus_to_exitcode(status)


def alive(pid: int) -> bool:
    """Whether there is such a process, and it is no corpse that nobody has buried."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def last_words(log: Path) -> str:
    """The end of a log in whole lines, "" where there is none.

    Warnings of libraries are left out, and of a crash the list of all that was loaded: they say nothing of
    the end.
    """
    try:
        with log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOOKED_AT))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    said, warned = list[str](), False
    for line in text.split("\n")[1 if size > _LOOKED_AT else 0 :]:
        source, warned = warned and line.startswith("  "), bool(_WARNING.match(line))
        if not (warned or source or line.startswith("Extension modules:")):
            said.append(line)
    words = "\n".join(said).strip()
    return words if len(words) <= _LAST_WORDS else words[-_LAST_WORDS:].partition("\n")[2]
