"""The outline of a print, from which a reader opens its chapters: matplotlib writes none, so that it is added
behind what it wrote, as PDF provides for updates."""

from __future__ import annotations

import re
from collections.abc import Sequence

_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*$")
_ROOT = re.compile(rb"/Root (\d+) 0 R")
_SIZE = re.compile(rb"/Size (\d+)")
_INFO = re.compile(rb"/Info (\d+) 0 R")
_KIDS = re.compile(rb"/Kids \[([^\]]*)\]")


def outlined(made: bytes, entries: Sequence[tuple[str, int]]) -> bytes:
    """The file with an outline of titles, each with the page on which it begins, from 1 on; as it is without
    any. Raises `ValueError` where the file is not written as matplotlib writes one."""
    start, root, size, info = (_found(form, made) for form in (_START, _ROOT, _SIZE, _INFO))
    kids = _KIDS.search(made)
    catalog = re.search(rb"\n%d 0 obj\n<<(.*?)>>\nendobj" % root, made, re.DOTALL)
    if kids is None or catalog is None:
        raise ValueError("this PDF has no list of pages, or no catalogue")
    pages = [int(one) for one in re.findall(rb"(\d+) 0 R", kids[1])]
    if not entries:
        return made
    first, last = size + 1, size + len(entries)
    objects = {root: b"<<%s /Outlines %d 0 R >>" % (catalog[1].rstrip(), size)}
    objects[size] = b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (first, last, len(entries))
    for place, (title, page) in enumerate(entries):
        beside = [b"/Prev %d 0 R" % (first + place - 1)] * (place > 0)
        beside += [b"/Next %d 0 R" % (first + place + 1)] * (first + place < last)
        said = ("\ufeff" + title).encode("utf-16-be").hex().encode()
        objects[first + place] = b"<< /Title <%s> /Parent %d 0 R /Dest [%d 0 R /Fit] %s >>" % (
            *(said, size, pages[page - 1]),
            b" ".join(beside),
        )
    written, table = made if made.endswith(b"\n") else made + b"\n", b""
    for name, content in objects.items():
        table += b"%d 1\n%010d 00000 n \n" % (name, len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (name, content)
    trailer = b"<< /Size %d /Root %d 0 R /Info %d 0 R /Prev %d >>" % (last + 1, root, info, start)
    return written + b"xref\n%s" % table + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer, len(written))


def _found(form: re.Pattern[bytes], made: bytes) -> int:
    """The number that stands there last."""
    found = form.findall(made)
    if not found:
        raise ValueError("this PDF has no trailer that can be read")
    return int(found[-1])
