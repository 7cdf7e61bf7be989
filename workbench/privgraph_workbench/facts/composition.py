"""What several runs on the data of the same people have shown together."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import method_costs
from privgraph_workbench.words.numbers import number, stated

MOST = 100
"""How many runs are priced together: more of them take too long."""


def together(records: Sequence[RunRecord]) -> str:
    """The composed epsilon of the private runs that read the same people, as Markdown, for the data of which
    there are most; nothing where there is no such number to give: for fewer than two runs, for too many, and
    for several units."""
    people: dict[object, list[PrivacyStatement]] = {}
    for record in records:
        if record.statement is not None and record.statement.unit != "none":
            people.setdefault(GraphId.of(record.spec).people, []).append(record.statement)
    most = max(people.values(), key=len, default=[])
    if not 2 <= len(most) <= MOST or len({one.unit for one in most}) > 1:
        return ""
    others = sum(len(one) for one in people.values()) - len(most)
    rest = f" {others} more private run{'s' * (others != 1)} read other data, and add nothing to it." if others else ""
    plain, chosen = [one for one in most if not one.tuned], [one for one in most if one.tuned]
    price, delta = (sum(getattr(one, name) for one in chosen) for name in ("epsilon", "delta"))
    if plain:
        own = max(one.delta for one in plain)
        price += method_costs.cost(tuple(entry for one in plain for entry in one.ledger), own)
        delta += own
    return (
        f"**All together.** {len(most)} private runs here read the same data. Whoever sees all of them has "
        f"been shown ε = {stated('sound', price)} at δ = {number(delta)}, and not the ε of one run. Runs "
        f"without noise are not in this number: they protect nobody.{rest}"
    )
