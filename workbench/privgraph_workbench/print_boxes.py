"""What a print says of letters that no font of the computer has on which it is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from privgraph_workbench.blocks import Remark, Section, Small, Table, Warned
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.print_lines import MISSING, lacking

BOXES = (
    "No font on the computer that made this print has {letters} of it ({codes}): {box} stands for each. The HTML page "
    "has them all."
)
MOST_CODES = 6
"""Letters that are named so at most."""


def told(texts: Sequence[str]) -> str:
    """How many letters of these words are boxes, and which; "" where all are there."""
    letters = lacking("".join(texts))
    codes = ", ".join(f"U+{ord(one):04X}" for one in letters[:MOST_CODES]) + ", …" * (len(letters) > MOST_CODES)
    return BOXES.format(letters=counted(len(letters), "letter"), codes=codes, box=MISSING) if letters else ""


def texts(section: Section) -> Iterator[str]:
    """The words of a section in which an author's own may stand: title, remarks, captions, cells."""
    yield section.title
    for block in section.blocks:
        if isinstance(block, str):
            yield block
        elif isinstance(block, Remark | Small | Warned):
            yield block.text
        elif isinstance(block, Table):
            yield from (cell for row in (block.head, *block.rows) for cell in row)
