"""Attacked runs in the order of what they give away: the strongest attack on each that asks one question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from privgraph.attacks.outcome import difference
from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statements import trains_in_public
from privgraph.registry import sides
from privgraph.runs.records import RunQuery, RunRecord
from privgraph_workbench.facts import without_edges, without_privacy
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.parts import states
from privgraph_workbench.words import naming, verdicts
from privgraph_workbench.words.attacks import at_most_found, most


@dataclass(frozen=True, kw_only=True)
class Place:
    """An attacked run among those that were asked the same.

    `alike` is the same attack on a model that reads no edge, where the attack tells edges and there is one;
    `severe` the place of what was found in `verdicts.SEVERITIES`; `bare` the strongest attack with the same
    question on the run's method without privacy, where that is private and there is one; `tried` how many
    scores of attacks judged the run.
    """

    run: RunRecord
    attack: AttackRecord
    alike: AttackRecord | None
    severe: int
    bare: AttackRecord | None = None
    tried: int = 1

    @property
    def unit(self) -> str:
        """What the run promises to hide."""
        return "none" if self.run.statement is None else self.run.statement.unit

    @property
    def ranked(self) -> bool:
        """Whether what was found can be told from what is no leak; else it has no place among the others."""
        return self.severe != verdicts.UNDECIDED

    @property
    def kept(self) -> bool:
        """Whether the attack finds nothing, as far as it tells (`verdicts.kept`)."""
        return verdicts.kept(self.attack, self.severe)

    @property
    def most(self) -> tuple[float, float, float]:
        """What the strongest score finds, with its interval; of edges what the attack finds."""
        return self.attack.found if verdicts.caution(self.attack) else most(self.attack)

    @property
    def at_most(self) -> float:
        """The upper end of what any score finds."""
        return self.attack.found[2] if verdicts.caution(self.attack) else at_most_found(self.attack)

    @property
    def private(self) -> bool:
        """Whether the run promises anything."""
        return self.unit != "none" and not math.isinf(self.sound)

    @property
    def sound(self) -> float:
        """The run's sound epsilon; infinite where it promises nothing."""
        return math.inf if self.run.statement is None else self.run.statement.epsilon

    @property
    def nothing_to_keep(self) -> bool:
        """Whether the same method gives nothing away without privacy either, as far as was tried."""
        return self.bare is not None and verdicts.guessing(self.bare)

    @property
    def accuracy(self) -> float:
        """How well the run does on test nodes; of an older record how well the attacked model does."""
        return without_privacy.reached(self.attack)

    @property
    def stands_in(self) -> bool:
        """Whether the attacked models are about as accurate as the run in whose place they stand."""
        return abs(self.attack.accuracy - self.accuracy) <= verdicts.APART

    @property
    def comparable(self) -> bool:
        """Whether the same attack was made on the method without privacy."""
        return self.bare is not None and self.bare.attack == self.attack.attack

    @property
    def promised(self) -> bool:
        """Whether the run promises to hide what the attack asks about: one that hides edges says nothing of
        who was trained on, and nor does one whose contract makes no secret of who trains."""
        said = self.run.statement
        if said is None or not self.private or not verdicts.covered(self.attack, self.unit):
            return False
        return sides(self.attack.attack).unit == "edge" or not trains_in_public(said.public)

    @property
    def more_with_privacy(self) -> bool:
        """Whether clearly more is found than of the same method without privacy."""
        return self.bare is not None and difference(self.bare.found, self.attack.found)[2] < 0


def by_question(attacks: Sequence[AttackRecord]) -> dict[str, list[Place]]:
    """For each question what gives away most first, by the verdict, then by the area; what is undecided
    stands last. Of several attacks on a run that ask the same, the one counts by which the verdict on its
    page is said, too; of equals the first, the newest of the store's."""
    ids = tuple(dict.fromkeys(one.run for one in attacks))
    runs = {one.id: one for one in states.readable(queue.store().find(RunQuery(ids=ids, limit=max(1, len(ids)))))}
    asked: dict[str, dict[str, list[Place]]] = {}
    for one in attacks:
        if (run := runs.get(one.run)) is not None:
            alike = without_edges.beside(queue.store(), run, one)
            severe = verdicts.severity(one, alike, verdicts.learnt(run))
            place = Place(run=run, attack=one, alike=alike, severe=severe)
            asked.setdefault(sides(one.attack).asks, {}).setdefault(one.run, []).append(place)
    return {asks: _ordered([_counts(held) for held in of_runs.values()]) for asks, of_runs in asked.items()}


def _counts(held: Sequence[Place]) -> Place:
    """The attack of these on one run that counts, and how many were tried."""
    most = max(held, key=lambda one: (one.attack.refutes_sound, one.severe, one.most[0]))
    return replace(most, tried=sum(1 + len(one.attack.rivals) for one in held))


def _ordered(rows: Sequence[Place]) -> list[Place]:
    ordered = sorted(rows, key=lambda one: (not one.ranked, -one.severe, -one.most[0], one.run.id))
    return [replace(one, bare=_bare(one, rows)) for one in ordered]


def _bare(own: Place, rows: Sequence[Place]) -> AttackRecord | None:
    if own.run.spec.unit == "none":
        return None
    akin = [one for one in rows if one.run.spec.unit == "none" and without_privacy.akin(own.run, one.run)]
    # what is undecided is no measure of anything
    found = [one.attack for one in akin if one.ranked]
    return max(found, key=lambda one: without_privacy.nearest(own.attack, one), default=None)


def at(rows: Sequence[Place], run: str) -> int | None:
    """The place of a run, from 0; None where it is not among them."""
    return next((place for place, one in enumerate(rows) if one.run.id == run), None)


def names(rows: Sequence[Place]) -> tuple[dict[str, str], str]:
    """Of each run, by id, what tells it apart from the others, and in words what all have in common: graph
    and seed."""
    records = [one.run for one in rows]
    graphs, seeds = {one.spec.dataset for one in records}, {one.spec.seed for one in records}
    told = naming.short_names(records, graph=len(graphs) > 1)
    common = [f"on {naming.data_title(records[0].spec.dataset)}"] * (len(graphs) == 1)
    if len(seeds) == 1:
        seed = f"seed {records[0].spec.seed}"
        told = {run: name.replace(f", {seed}", "", 1) for run, name in told.items()}
        common.append(seed)
    return naming.distinct(told), ", ".join(common)
