"""The gallery's runs of a setting of one's own: the same but for whose noise they have. They are more seeds
of what is reported, with attacks, and everybody can look them up, whichever seeds one's own runs have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privgraph.attacks.record import AttackRecord
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import placing
from privgraph_workbench.facts.expecting import METRIC, Reached, reached
from privgraph_workbench.facts.row_words import counted
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.reporting import of_gallery
from privgraph_workbench.reporting.own_setting import PUBLIC, SECRET, noise_of
from privgraph_workbench.words import telling
from privgraph_workbench.words.measures import measure
from privgraph_workbench.words.numbers import over_seeds, percent


@dataclass(frozen=True, kw_only=True)
class Twins:
    """Them, the attacks on them, and how far they are from the gallery's models that read no edge, seed by
    seed (None: not known)."""

    runs: Sequence[RunRecord]
    attacks: Sequence[AttackRecord] = ()
    blind: telling.Difference | None = None

    @property
    def mean(self) -> Reached:
        return reached(self.runs)

    @property
    def apart(self) -> str:
        """`11 points (95% interval 9 to 13) below MLP (ignores edges)`; "" where it is not known."""
        return "" if self.blind is None else telling.apart(self.blind, METHODS[BLIND].title)

    @property
    def accuracy(self) -> str:
        """`63.2% (61.9% to 64.5%; 10 seeds), 11 points (95% interval 9 to 13) below MLP (ignores edges)`."""
        own = over_seeds(self.mean.mean, self.mean.low, self.mean.high, self.mean.seeds)
        return ", ".join(filter(None, (own, self.apart)))

    @property
    def words(self) -> str:
        """The same in a sentence."""
        score, own = measure(self.runs[0].spec.method), percent(self.mean.mean)
        came = f"The gallery's {counted(self.mean.seeds, 'run')} of this setting, with {PUBLIC}, have a mean {score} of"
        return f"{', '.join(filter(None, (f'{came} {own}', self.apart)))}."


def of(record: RunRecord, blind: Reached | None) -> Twins | None:
    """Those of a run with secret noise; None where there are none. `blind`: what models that read no edge
    reached there, by which the gallery's are found."""
    if noise_of(record) != SECRET:
        return None
    runs, attacks = of_gallery.shipped([record])
    measured = [one for one in runs if METRIC in one.metrics]
    if not measured:
        return None
    level = [one for one in of_gallery.shipped(blind.records)[0] if METRIC in one.metrics] if blind else []
    apart = placing.apart(measured, reached(level)) if level else None
    return Twins(runs=measured, attacks=attacks, blind=apart)
