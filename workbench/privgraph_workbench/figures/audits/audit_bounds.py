"""The lower bound on epsilon that an audit has shown, by each of its routes, beside the epsilons that are
claimed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Mapping, Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Route
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import AUDIT
from privgraph_workbench.leaks import largest_bound
from privgraph_workbench.theme import EPSILONS, NEUTRAL, Epsilon
from privgraph_workbench.words.numbers import lower, rounded_delta, stated

TITLE = "Shown by attack, and claimed"
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


def by_counting(routes: Collection[Route]) -> str:
    """By which routes no more can be shown: the Gaussian trade-off, which counts nothing, may show more."""
    return "by the threshold alone" if set(routes) == {Route.THRESHOLD} else "by counting alone"


@figure("audit_bounds", "Shown by attack, and claimed", data, needs=AUDIT, settings=True)
def chart(rows: Sequence[Row]) -> Chart:
    """A bar for each bound and each claim, its number below its name, and a mark for the most that so many
    trials could have shown. A bound that reaches beyond a claim refutes it; one near its mark says little of
    how much there was to find. Claims that are much larger than all else are cut."""
    if not any(row["kind"] == "bound" for row in rows):
        return empty("this audit gave no bound")
    named = [f"{row['name']}{' (counts)' if row['counts'] else ''}" for row in rows]
    labels = ["\n".join([*textwrap.wrap(name, LINE), _value(row)]) for name, row in zip(named, rows, strict=True)]
    categories = distinct(labels)
    claimed = sorted(row["epsilon"] for row in rows if row["kind"] == "claim" and row["epsilon"] is not None)
    claimed = [one for one in claimed if math.isfinite(one)]
    routes = {
        route for route, name in ROUTES.items() for row in rows if row["name"] == name and row["most"] is not None
    }
    most = [(row["most"], place) for place, row in enumerate(rows) if row["most"] is not None]
    # a claim of thousands beside one of 8 would leave nothing to see of the others
    seen = max([0.1, *(row["epsilon"] for row in rows if row["kind"] == "bound"), *(one for one, _ in most)])
    longest = max([seen, *(one for one in claimed if one <= CUT * max(seen, claimed[0]))])
    cut = [categories[place] for place, row in enumerate(rows) if (row["epsilon"] or 0) > longest]
    series: list[Series] = []
    for kind, mark in EPSILONS.items():
        own = [(place, row) for place, row in enumerate(rows) if _kind(row) == kind]
        breaks = tuple(f"{BREAK} {_told(row)}" if categories[place] in cut else "" for place, row in own)
        series.append(
            Series(
                name=f"{mark.title} ({'at least' if kind == 'audited' else 'claimed'})",
                kind="bars",
                x=tuple(_length(row["epsilon"], longest) for _, row in own),
                y=tuple(categories[place] for place, _ in own),
                epsilon=kind,
                hover=tuple(_hover(row, categories[place]) for place, row in own),
                text=breaks if any(breaks) else (),
            )
        )
    if most:
        series.append(
            Series(
                name=f"the most that so many trials could show {by_counting(routes)}",
                kind="points",
                x=tuple(one for one, _ in most),
                y=tuple(categories[place] for _, place in most),
                slot=NEUTRAL,
                hollow=True,
                size=13,
                hover=tuple(f"an attack that is never wrong would show {lower(one)} with so many" for one, _ in most),
            )
        )
    first = rows[0]
    held = {Flag.REFUTED: any(row["exceeded"] for row in rows), Flag.ONE_STEP: first["covers"] == "step"}
    rules = tuple(
        Rule(x=row["epsilon"], label="", side="left")
        for row in rows
        if row["kind"] == "claim" and row["epsilon"] is not None and row["epsilon"] <= longest
    )
    return Chart(
        panels=(
            Panel(
                x=Axis(
                    title=f"ε at δ = {rounded_delta(first['delta'])}", low=0.0, high=(ROOM if cut else 1.15) * longest
                ),
                y=Axis(title="", scale="category", categories=categories),
                rules=rules,
            ),
        ),
        series=tuple(series),
        flags=tuple(flag for flag, there in held.items() if there),
        height=150 + sum(18 * (1 + label.count("\n")) + 12 for label in categories),
    )


plot = plotted(chart)


def _kind(row: Row) -> Epsilon:
    which: Epsilon = row["which"]
    return which


def _length(epsilon: float | None, longest: float) -> float:
    """A claim that is cut reaches a little beyond all else; one that does not exist has no length."""
    return 0.0 if epsilon is None else min(epsilon, CUT_AT * longest)


def _told(row: Row) -> str:
    return "∞" if math.isinf(row["epsilon"]) else stated(_kind(row), row["epsilon"])


def _value(row: Row) -> str:
    epsilon = row["epsilon"]
    if epsilon is None:
        return "no formula"
    if math.isinf(epsilon):
        return "∞, none proved"
    told = _told(row)
    if told.startswith(">"):
        return f"more than {told[1:]}"
    return f"at {'least' if row['kind'] == 'bound' else 'most'} {told}"


def _hover(row: Row, name: str) -> str:
    return "\n".join(filter(None, (name, row["detail"])))
