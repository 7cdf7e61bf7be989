"""What several runs on the data of the same people have shown together."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.privacy.kinds import NEIGHBOURS, Neighbours
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import method_costs
from privgraph_workbench.words.naming import unit_of
from privgraph_workbench.words.numbers import rounded_delta, stated

_WITH_RECORDS = (Neighbours.NODE, Neighbours.ASSIGNED_NODE, Neighbours.FROZEN_SAMPLE, Neighbours.FROZEN_DEGREES)
"""Relations in which a node, and with it its record, is there or not."""
MOST = 100
"""How many runs are priced together: more of them take too long."""


def together(records: Sequence[RunRecord], behind: Sequence[RunRecord] = ()) -> str:
    """The composed epsilon of the private runs that read the same people, as Markdown, for the data of which
    there are most; nothing for fewer than two runs, and why there is no such number for too many, and for
    several units or relations of neighbouring datasets. `behind`: further runs whose numbers stand here too,
    in means and figures."""
    own = {one.id for one in records}
    rest = {one.id: one for one in behind if one.id not in own}
    people: dict[object, list[RunRecord]] = {}
    for record in (*records, *rest.values()):
        if record.statement is not None and record.statement.unit != "none":
            people.setdefault(GraphId.of(record.spec).people, []).append(record)
    most = max(people.values(), key=len, default=[])
    if len(most) < 2:
        return ""
    said = f"**All together.** {len(most)} private runs here read the same data"
    chosen = [one for one in most if one.id in own]
    beside = len(most) - len(chosen)
    said += f": {len(chosen)} that are told here, and {beside} behind means and figures." if beside else "."
    if len({unit_of(one) for one in most}) > 1:
        return f"{said} They protect different units, so that no one ε says what all of them have shown."
    kinds = relations([one.statement for one in most if one.statement is not None])
    if len(kinds) > 1:
        named = "; ".join(NEIGHBOURS[kind] for kind in kinds)
        return (
            f"{said} Their neighbouring datasets differ ({named}), so that no one ε says what all of them have shown."
        )
    if len(most) > MOST:
        return (
            f"{said} So many are not priced here: whoever sees all of them has been shown more than the ε of one run."
        )
    others = sum(len(one) for one in people.values()) - len(most)
    apart = f" {others} more private run{'s' * (others != 1)} read other data, and add nothing to it." if others else ""
    fewer = f"; of the {len(chosen)} alone, {_stated(chosen)}" if beside and len(chosen) > 1 else ""
    return (
        f"{said} Whoever sees all of them has been shown {_stated(most)}, and not the ε of one run{fewer}. Runs "
        f"without noise are not in this number: they protect nobody.{apart}"
    )


def relations(statements: Sequence[PrivacyStatement]) -> list[Neighbours]:
    """The relations under which these statements promise, which compose under one alone.

    What reads no edge and hides a node's record hides it as well where its edges come and go with it: all
    that is read changes by the same record.
    """
    kinds = list(dict.fromkeys(one.neighbours for one in statements))
    others: list[Neighbours] = [kind for kind in kinds if kind is not Neighbours.NODE_RECORD]
    return others if len(others) == 1 and others[0] in _WITH_RECORDS else kinds


def _stated(records: Sequence[RunRecord]) -> str:
    price, delta = _price([one.statement for one in records if one.statement is not None])
    return f"ε = {stated('sound', price)} at δ = {rounded_delta(delta)}"


def _price(statements: Sequence[PrivacyStatement]) -> tuple[float, float]:
    """Epsilon and delta of all of them: ledgers compose, and what was chosen by a tuning is added."""
    plain, chosen = [one for one in statements if not one.tuned], [one for one in statements if one.tuned]
    price, delta = (sum(getattr(one, name) for one in chosen) for name in ("epsilon", "delta"))
    if plain:
        own = max(one.delta for one in plain)
        price += method_costs.cost(tuple(entry for one in plain for entry in one.ledger), own)
        delta += own
    return price, delta
