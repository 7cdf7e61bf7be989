"""The lower bound on epsilon that an audit has shown, by each of its routes, beside the epsilons that are
claimed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Route
from privgraph_workbench.figures.chart import Axis, Chart, Look, Row, Rule, Series, distinct, empty, named, single
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import AUDIT
from privgraph_workbench.leaks import largest_bound
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon
from privgraph_workbench.words.numbers import rounded_delta, stated

ROUTES = {
    Route.THRESHOLD: "shown by a threshold",
    Route.GAUSSIAN: "shown by the Gaussian trade-off",
    Route.ONE_RUN: "shown in one run",
}
LINE = 24
"""The longest line of a name beside its bar."""
CUT, CUT_AT, ROOM = 8, 1.12, 1.4
"""Claims that exceed what was shown, and could be shown, by so many times are cut, so far beyond all else; so
far the axis reaches then, with room for the mark of the break and the number."""
BREAK = "//"
CLAIMS: Mapping[Epsilon, str] = {"sound": "claimed: sound ε", "published": "claimed: ε as published"}


def data(record: AuditRecord) -> list[Row]:
    """One row per bound and per claim.

    kind (bound or claim), most (of a bound by counting: the largest that so many trials or canaries can show,
    by an attack that is never wrong; None elsewhere), which (of the three epsilons), name, epsilon (None: no
    such number; infinite: none is proved), detail, counts (True: the route that was fixed before the audit,
    whose bound is the audit's), exceeded (True: a claim that the audit's bound exceeds), delta, confidence,
    covers.
    """
    shared = {"delta": record.delta, "confidence": record.confidence, "covers": record.covers}
    fixed = next((place for place, one in enumerate(record.bounds) if one.epsilon == record.epsilon), None)
    rows = [
        {
            "kind": "bound",
            "which": "audited",
            "name": ROUTES[one.route],
            "epsilon": one.epsilon,
            "detail": one.detail,
            "most": largest_bound(record, one.route),
            "counts": place == fixed,
            "exceeded": False,
            **shared,
        }
        for place, one in enumerate(record.bounds)
    ]
    claims: dict[Epsilon, tuple[float | None, bool]] = {
        "sound": (record.sound, record.refutes_sound),
        "published": (record.published, record.refutes_published),
    }
    return rows + [
        {
            "kind": "claim",
            "which": claim,
            "name": CLAIMS[claim],
            "epsilon": epsilon,
            "detail": "",
            "most": None,
            "counts": False,
            "exceeded": exceeded,
            **shared,
        }
        for claim, (epsilon, exceeded) in claims.items()
    ]


@figure("audit_bounds", "Shown by attack, and claimed", data, needs=AUDIT, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """A bar for each bound and each claim, its number below its name, and a mark for the most that so many
    trials could have shown. A bound that reaches beyond a claim refutes it; one near its mark says little of
    how much there was to find. Claims that are much larger than all else are cut."""
    if not any(row["kind"] == "bound" for row in rows):
        return empty("this audit gave no bound")
    told = ["no formula" if row["epsilon"] is None else stated(row["which"], row["epsilon"]) for row in rows]
    rows = [{**row, "told": one} for row, one in zip(rows, told, strict=True)]
    signs = ["" if row["told"][0] in ">n" else "≥ " if row["kind"] == "bound" else "≤ " for row in rows]
    names = [textwrap.wrap(f"{row['name']}{' (counts)' * row['counts']}", LINE) for row in rows]
    parts = zip(names, signs, rows, strict=True)
    labels = distinct("\n".join([*name, f"{sign}{row['told']}"]) for name, sign, row in parts)
    rows = [{**row, "label": label} for row, label in zip(rows, labels, strict=True)]
    claimed = [row["epsilon"] for row in rows if row["kind"] == "claim" and row["epsilon"] is not None]
    claimed = sorted(one for one in claimed if math.isfinite(one))
    most = [row for row in rows if row["most"] is not None]
    # a claim of thousands beside one of 8 would leave nothing to see of the others
    bounds = [row["epsilon"] for row in rows if row["kind"] == "bound"]
    seen = max([0.1, *bounds, *(row["most"] for row in most)])
    longest = max([seen, *(one for one in claimed if one <= CUT * max(seen, claimed[0]))])
    cut = any((row["epsilon"] or 0) > longest for row in rows)
    series: list[Series] = []
    for kind, mark in EPSILONS.items():
        own = [row for row in rows if row["which"] == kind]
        lengths = [min(row["epsilon"] or 0.0, CUT_AT * longest) for row in own]
        text = tuple(f"{BREAK} {row['told']}" if (row["epsilon"] or 0) > longest else "" for row in own)
        look: Look = {"epsilon": kind, "text": text if any(text) else (), "hover": ("label", "detail")}
        series.append(marks(own, lengths, "label", name=mark.title, kind="bars", **look))
    if most:
        name = "the most that so many could show"
        series.append(marks(most, "most", "label", name=name, slot=NEUTRAL, hollow=True, size=13))
    flags = {
        Flag.REFUTED: any(row["exceeded"] for row in rows),
        Flag.ONE_STEP: rows[0]["covers"] == "step",
        Flag.CUT: cut,
    }
    high = (ROOM if cut else 1.15) * longest
    return single(
        Axis(title=f"ε at δ = {rounded_delta(rows[0]['delta'])}", low=0.0, high=high),
        named(labels),
        series,
        rules=(Rule(x=one, label="", side="left") for one in claimed if one <= longest),
        flags=tuple(flag for flag, there in flags.items() if there),
        height=150 + sum(18 * (1 + label.count("\n")) + 12 for label in labels),
    )
