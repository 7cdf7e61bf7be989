"""How large a graph of one's own may be, and how values from outside stand in messages. No torch."""

from dataclasses import dataclass

from privgraph.data.errors import UploadError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """`file_bytes` a file as it comes, `unpacked_bytes` what is packed in one, `cells` the entries of the
    feature table, `text_letters` the letters of a text."""

    file_bytes: int = 200_000_000
    unpacked_bytes: int = 1_000_000_000
    nodes: int = 1_000_000
    edges: int = 20_000_000
    features: int = 20_000
    cells: int = 200_000_000
    classes: int = 1_000
    text_letters: int = 20_000
    domains: int = 100

    def check_unpacked(self, size: int, name: str) -> None:
        """Raise `UploadError` where what is packed in a file has more bytes than are taken."""
        if size > self.unpacked_bytes:
            raise UploadError(f"Unpacked, {shown(name)} has more than {self.unpacked_bytes / 1e6:,.0f} MB")


LARGE = Limits(
    file_bytes=1 << 42, unpacked_bytes=1 << 42, nodes=200_000_000, edges=10_000_000_000, cells=20_000_000_000
)
"""What is read piece by piece, from paths: features of all nodes are in memory when something is trained."""
SMALLEST = 10
"""Fewer nodes than this leave nobody to validate or test on."""
CATEGORIES = 50
"""Categories of a column that are coded; a column of more is rather a name or a text."""


def shown(value: object, length: int = 40) -> str:
    """A value from outside as it may stand in a message: printable (no mark of direction is), and short."""
    text = "".join(letter if letter.isprintable() else "?" for letter in str(value)[: length + 1])
    return text if len(text) <= length else text[:length] + "..."


def clean_name(value: str) -> str:
    """A class or feature name as it is kept: printable, at most 60 characters."""
    cut = value[:60]
    return cut if cut.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in cut)
