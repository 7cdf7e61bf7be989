"""Files that a page offers, made when they are asked for. No Streamlit.

Streamlit's own button gets another address with each redraw, and forgets the old one before the browser has
heard of the new. Here a file has one address for as long as its session lives.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote
from weakref import WeakValueDictionary

ROOT = "files"
MOST = 500


@dataclass(frozen=True, kw_only=True)
class File:
    """A file that can be had: the name and media type that it leaves with, and what makes it. `shown`: the
    browser shows it in place of keeping it; for pages of our own alone, which forbid scripts."""

    name: str
    mime: str
    make: Callable[[], bytes | str]
    shown: bool = False


class Shelf:
    """The files that one session offers: nobody else can guess their addresses, and they go with it."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(16)
        self._files: dict[str, File] = {}
        _shelves[self.token] = self

    def offer(self, file: File, place: str = "") -> str:
        """The address of a file, relative to a page's; one for each `place` (none: the file's name)."""
        place = place or file.name
        kept = [one for one in self._files.items() if one[0] != place][1 - MOST :]
        self._files = dict([*kept, (place, file)])  # at once: the server asks from other threads
        return f"{ROOT}/{self.token}/{quote(place)}"

    def get(self, place: str) -> File | None:
        return self._files.get(place)


_shelves: WeakValueDictionary[str, Shelf] = WeakValueDictionary()


def find(token: str, place: str) -> File | None:
    """The file at that address, if its session lives and offers it."""
    shelf = _shelves.get(token)
    return None if shelf is None else shelf.get(place)
