"""A file as somebody gives it: on the disk, from a page, or out of an archive. No torch."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from privgraph.data.errors import UploadError
from privgraph.data.own.limits import shown

NO_UTF8 = "is not text in UTF-8: save it as UTF-8 (in Excel: CSV UTF-8)"
_HEAD = 4096


@dataclass(frozen=True, kw_only=True)
class Given:
    """A file: what it is called, how to open it from its beginning, its bytes, and where it lies on the disk,
    if it does."""

    name: str
    opened: Callable[[], BinaryIO]
    size: int
    path: Path | None = None

    @classmethod
    def at(cls, path: Path) -> Given:
        return cls(name=path.name, opened=lambda: path.open("rb"), size=path.stat().st_size, path=path)

    @classmethod
    def of(cls, name: str, content: bytes) -> Given:
        return cls(name=name, opened=lambda: io.BytesIO(content), size=len(content))

    def head(self) -> bytes:
        with self.opened() as file:
            return file.read(_HEAD)

    def content(self) -> bytes:
        with self.opened() as file:
            return file.read()

    def lines(self) -> list[str]:
        """The lines of a text. Raises `UploadError` for what is no UTF-8."""
        with self.refusing(UnicodeDecodeError, NO_UTF8):
            return self.content().decode("utf-8-sig").splitlines()

    def refusal(self, why: str) -> UploadError:
        """What is raised of a file that is not read: its name, and why."""
        return UploadError(f"{shown(self.name)} {why}")

    @contextmanager
    def refusing(self, errors: type[Exception] | tuple[type[Exception], ...], why: str) -> Iterator[None]:
        """Refuse the file where such an error is raised inside; `why` has room for its {kind} and {error}."""
        try:
            yield
        except UploadError:
            raise
        except errors as error:
            told = shown(" ".join(str(error).split()), 100)
            raise self.refusal(why.format(kind=type(error).__name__, error=told)) from None
