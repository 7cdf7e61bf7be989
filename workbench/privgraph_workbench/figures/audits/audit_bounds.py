"""The lower bound on epsilon that an audit has shown, by each of its routes, beside the epsilons that are
claimed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Route
from privgraph_workbench.figures.audits.audit_roc import STEP_BADGE
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words.numbers import exact_percent, number, stated

TITLE = "Shown by attack, and claimed"
ROUTES = {
    Route.THRESHOLD: "shown by a threshold",
    Route.GAUSSIAN: "shown by the Gaussian trade-off",
    Route.ONE_RUN: "shown in one run",
}
CLAIMS: Mapping[Epsilon, str] = {"sound": "claimed: sound ε", "published": "claimed: ε as published"}


def data(record: AuditRecord) -> list[Row]:
    """One row per bound and per claim.

    kind (bound or claim), which (of the three epsilons), name, epsilon (None: no such number; infinite: none
    is proved), detail, counts (True: the route that was fixed before the audit, whose bound is the audit's),
    exceeded (True: a claim that the audit's bound exceeds), delta, confidence, covers.
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
            "counts": False,
            "exceeded": exceeded,
            **shared,
        }
        for claim, (epsilon, exceeded) in claims.items()
    ]


def chart(rows: Sequence[Row]) -> Chart:
    """A bar for each bound and each claim. A bound that reaches beyond a claim refutes it."""
    if not any(row["kind"] == "bound" for row in rows):
        return empty(TITLE, "this audit gave no bound")
    named = [f"{row['name']}{' (counts)' if row['counts'] else ''}" for row in rows]
    categories = distinct(named)
    finite = [row["epsilon"] for row in rows if row["epsilon"] is not None and math.isfinite(row["epsilon"])]
    longest = max([*finite, 0.1])
    endless = any(row["epsilon"] == math.inf for row in rows)
    series = []
    for kind, mark in EPSILONS.items():
        held = [(place, row) for place, row in enumerate(rows) if _kind(row) == kind]
        series.append(
            Series(
                name=f"{mark.title} ({'at least' if kind == 'audited' else 'claimed'})",
                kind="bars",
                x=tuple(_length(row["epsilon"], longest) for _, row in held),
                y=tuple(categories[place] for place, _ in held),
                epsilon=kind,
                text=tuple(_value(row) for _, row in held),
                hover=tuple(_hover(row, categories[place]) for place, row in held),
            )
        )
    exceeded = [row["name"].removeprefix("claimed: ") for row in rows if row["exceeded"]]
    badges = [f"the attack has shown more than the {name} that is claimed" for name in exceeded]
    first = rows[0]
    rules = tuple(
        Rule(x=row["epsilon"], label="", side="left")
        for row in rows
        if row["kind"] == "claim" and row["epsilon"] is not None and math.isfinite(row["epsilon"])
    )
    return Chart(
        title=TITLE,
        panels=(
            Panel(
                x=Axis(title=f"ε at δ = {number(first['delta'])}", low=0.0, high=(1.9 if endless else 1.6) * longest),
                y=Axis(title="", scale="category", categories=categories),
                rules=rules,
            ),
        ),
        series=tuple(series),
        summary="; ".join(f"{name}: {_value(row)}" for name, row in zip(categories, rows, strict=True))
        + f". Bounds hold at {exact_percent(first['confidence'])} confidence each.",
        badges=(*badges, *([STEP_BADGE] if first["covers"] == "step" else [])),
        height=150 + 34 * len(rows),
    )


plot = plotted(chart)


def _kind(row: Row) -> Epsilon:
    which: Epsilon = row["which"]
    return which


def _length(epsilon: float | None, longest: float) -> float:
    """An infinite claim is longer than all others; one that does not exist has no length."""
    return 0.0 if epsilon is None else min(epsilon, 1.1 * longest)


def _value(row: Row) -> str:
    epsilon = row["epsilon"]
    if epsilon is None:
        return "no formula"
    if math.isinf(epsilon):
        return "∞, none proved"
    return f"at {'least' if row['kind'] == 'bound' else 'most'} {stated(_kind(row), epsilon)}"


def _hover(row: Row, name: str) -> str:
    return "\n".join(filter(None, (name, _value(row), row["detail"])))
