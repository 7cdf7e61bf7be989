"""Which epoch's model a run hands out. No torch."""

from enum import StrEnum


class Kept(StrEnum):
    """The epoch that is kept, of each stage of a run; curves go on to the last one in any case."""

    LAST = "last"
    VALIDATED = "validated"
    """That of the highest validation accuracy, where there are validation nodes."""
