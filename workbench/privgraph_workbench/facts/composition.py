"""What several runs on the data of the same people have shown together."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from privgraph.privacy.kinds import NEIGHBOURS, Neighbours
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId, People
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import method_costs
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import UNIT_WORDS, UPLOAD, data_title, people_of, unit_of
from privgraph_workbench.words.numbers import rounded_delta, stated

_WITH_RECORDS = (Neighbours.NODE, Neighbours.ASSIGNED_NODE, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
"""Relations in which a node, and with it its record, is there or not while the roster stays."""
_IMPLIED = (Neighbours.NODE_RECORD, Neighbours.FROZEN_ROSTER)
"""Relations whose promises hold under each of those: they freeze less, or read less."""
MOST = 40
"""How many different mechanisms are priced together, which takes seconds: of more the epsilons are added."""


def together(records: Sequence[RunRecord], behind: Sequence[RunRecord] = ()) -> str:
    """The composed epsilon of the private runs that read the same people, as Markdown: a line for each graph,
    unit and relation of neighbouring datasets, for one epsilon never speaks of two of them. Two uploads may
    hold the same people under two names: what that would cost is told as well. Nothing where no two runs may
    have read the same people. `behind`: further runs whose numbers stand here too, in means and figures."""
    own = {one.id for one in records}
    rest = {one.id: one for one in behind if one.id not in own}
    people: dict[People, list[RunRecord]] = {}
    for record in (*records, *rest.values()):
        if record.statement is not None and record.statement.unit != "none":
            people.setdefault(GraphId.of(record.spec).people, []).append(record)
    over = _over_graphs(people)
    if not over and all(len(held) < 2 for held in people.values()):
        return ""
    by_graph = [promises(held) for held in people.values()]
    names = _names([held[0] for held in people.values()])
    lines = [
        f"{markup.literal(names[people_of(runs[0])])}, {promise(runs, found)}: {_line(runs, own)}"
        for found in by_graph
        for runs in found
    ]
    if len(lines) == 1:
        return (
            f"**All together.** {lines[0]}. Whoever sees all of them has been shown that, and not the ε of one run. "
            "Runs without noise are not in this number: they protect nobody."
        )
    points = "\n".join(f"- {line}." for line in lines)
    apart = []
    if any(len(found) > 1 for found in by_graph):
        apart.append("Lines of one graph promise different things: no one ε says what all of its runs have shown.")
    if len(people) > 1:
        apart.append("Each line counts its own graph alone, which is enough if the graphs hold different people.")
    if over:
        sums = "; ".join(f"{promise(runs, over)}: {_line(runs, own)}" for runs in over)
        apart.append(f"**Where they hold the same, it is the line of all: {sums}.**")
    return (
        "**All together.** Whoever sees all runs of a line has been shown its ε, and not the ε of one run:"
        f"\n\n{points}\n\n{' '.join(apart)} Runs without noise are in no line: they protect nobody."
    )


def _names(records: Sequence[RunRecord]) -> dict[str, str]:
    """What the graphs of these are called, by `people_of`: by the title alone where no other has it."""
    titles = {people_of(one): data_title(one.spec.dataset) for one in records}
    held = list(titles.values())
    return {graph: title if held.count(title) == 1 else graph for graph, title in titles.items()}


def plain(records: Sequence[RunRecord]) -> str:
    """The same as one line of plain text, for a file, in which the number is told by its name."""
    said = " ".join(together(records).replace("**", "").replace("\n- ", " ").split())
    return markup.unescaped(said).replace("ε = ", f"composed {EPSILONS['sound'].title} = ")


def of_each(records: Sequence[RunRecord]) -> dict[str, tuple[float, float]]:
    """Of each private run by its id the epsilon and delta of all that read the same people and promise the
    same, as `together` tells them; none where nothing is promised of all of them."""
    people: dict[People, list[RunRecord]] = {}
    for one in records:
        if one.statement is not None and one.statement.unit != "none":
            people.setdefault(GraphId.of(one.spec).people, []).append(one)
    found: dict[str, tuple[float, float]] = {}
    for runs in (runs for held in people.values() for runs in promises(held)):
        price, delta = _price(runs)
        if delta < 1:
            found |= {one.id: (price, delta) for one in runs}
    return found


def _over_graphs(people: Mapping[People, Sequence[RunRecord]]) -> list[list[RunRecord]]:
    """Where an upload is among these graphs, the runs of each promise that stand on several of them: nobody
    here knows whom an upload holds, and the same file in another order has another name."""
    if not any(name.startswith(UPLOAD) for name, _ in people):
        return []
    found = promises([one for held in people.values() for one in held])
    return [runs for runs in found if len({GraphId.of(one.spec).people for one in runs}) > 1]


def promises(records: Sequence[RunRecord]) -> list[list[RunRecord]]:
    """Runs on the same people by what they promise: unit, and relation of neighbouring datasets."""
    units: dict[str, list[RunRecord]] = {}
    for one in records:
        units.setdefault(unit_of(one), []).append(one)
    found = []
    for held in units.values():
        kinds = relations([one.statement for one in held if one.statement is not None])
        found += [held] if len(kinds) < 2 else [[one for one in held if _neighbours(one) is kind] for kind in kinds]
    return found


def _neighbours(record: RunRecord) -> Neighbours:
    return record.statement.neighbours if record.statement else Neighbours.UNKNOWN


def promise(runs: Sequence[RunRecord], beside: Sequence[Sequence[RunRecord]]) -> str:
    """The unit of these runs in words; the relation as well, where runs of the same unit have another."""
    unit = unit_of(runs[0])
    several = sum(unit_of(one[0]) == unit for one in beside) > 1
    return UNIT_WORDS[unit] + (f" ({NEIGHBOURS[_neighbours(runs[0])]})" if several else "")


def _line(runs: Sequence[RunRecord], own: Collection[str]) -> str:
    """How many runs these are, and what they have shown together."""
    chosen = [one for one in runs if one.id in own]
    beside = len(runs) - len(chosen)
    said = f"{len(runs)} private run{'s' * (len(runs) > 1)}"
    if beside:
        said += f" ({len(chosen)} told here, {beside} behind means and figures)"
    fewer = f"; the {len(chosen)} alone {_stated(chosen)}" if beside and len(chosen) > 1 else ""
    return f"{said} ha{'ve' if len(runs) > 1 else 's'} shown {_stated(runs)}{fewer}"


def relations(statements: Sequence[PrivacyStatement]) -> list[Neighbours]:
    """The relations under which these statements promise, which compose under one alone.

    What hides a node that opts out of a roster hides it as well where a sample or degrees stay, too: the same
    record comes and goes.
    """
    kinds = list(dict.fromkeys(one.neighbours for one in statements))
    others: list[Neighbours] = [kind for kind in kinds if kind not in _IMPLIED]
    return others if len(others) == 1 and others[0] in _WITH_RECORDS else kinds


def _stated(records: Sequence[RunRecord]) -> str:
    price, delta = _price(records)
    if delta >= 1:
        return f"so much that no ε is proved: more than {MOST} different mechanisms are added, and their δ reach 1"
    said = f"ε = {stated('sound', price)} at δ = {rounded_delta(delta)}"
    return f"{said} (each run's added: more than {MOST} different mechanisms)" if _many(records) else said


def _many(records: Sequence[RunRecord]) -> bool:
    """Whether these have more different mechanisms than are priced together."""
    plain = (one.statement for one in records if one.statement is not None and not one.statement.tuned)
    return len({entry.event for one in plain for entry in one.ledger}) > MOST


def _price(records: Sequence[RunRecord]) -> tuple[float, float]:
    """Epsilon and delta of all of them: ledgers compose, and what was chosen by a tuning is added. Of too
    many different mechanisms every run's are added, which is sound and looser (basic composition)."""
    statements = [one.statement for one in records if one.statement is not None]
    plain = [] if _many(records) else [one for one in statements if not one.tuned]
    added = [one for one in statements if not plain or one.tuned]
    price, delta = (math.fsum(getattr(one, name) for one in added) for name in ("epsilon", "delta"))
    if plain:
        own = max(one.delta for one in plain)
        price += method_costs.cost(tuple(entry for one in plain for entry in one.ledger), own)
        delta += own
    return price, delta
