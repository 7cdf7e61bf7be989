"""What a report leaves out of what was kept for it, in names and in number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph_workbench.facts.row_words import counted

RUN_CAME = "a run that came with the program, of a setting that has runs of your own: the gallery tells its seed"
"""Why a run is left out, in words that follow its setting."""


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """The figures and the runs that it leaves out, each by its name and why, in words that follow that; and
    how many figures it shows (`shown`)."""

    figures: Sequence[tuple[str, str]] = ()
    runs: Sequence[tuple[str, str]] = ()
    shown: int = 0

    @property
    def counted(self) -> str:
        """
        >>> LeftOut(figures=[("A", "why"), ("B", "why")], runs=[("C", "why")]).counted, LeftOut().counted
        ('2 figures and 1 run left out', '')
        """
        kinds = ((self.figures, "figure"), (self.runs, "run"))
        told = " and ".join(counted(len(held), what) for held, what in kinds if held)
        return f"{told} left out" if told else ""
