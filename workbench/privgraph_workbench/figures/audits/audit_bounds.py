"""The lower bounds on epsilon that an audit has shown, beside the epsilons that are claimed."""

import textwrap

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Route
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Row, Rows, Series, flags
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import distinct, empty, grouped, marks, named, placed, single
from privgraph_workbench.leaks import largest_bound
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import rounded_delta, stated


def data(record: AuditRecord) -> list[Row]:
    """One row per bound and per claim.

    kind (bound or claim), which (of the three epsilons), name, epsilon (None: no such number; infinite: none
    is proved), detail, most (of a bound by counting: the largest that so many trials or canaries can show, by
    an attack that is never wrong; None elsewhere), counts (True: the route that was fixed before the audit,
    whose bound is the audit's), exceeded (True: a claim that the audit's bound exceeds), delta, confidence,
    covers.
    """
    routes = {Route.THRESHOLD: "shown by a threshold", Route.GAUSSIAN: "shown by the Gaussian trade-off"}
    routes[Route.ONE_RUN] = "shown in one run"
    shared = {"delta": record.delta, "confidence": record.confidence, "covers": record.covers}
    fixed = next((place for place, one in enumerate(record.bounds) if one.epsilon == record.epsilon), None)
    rows: list[Row] = [
        {"kind": "bound", "which": "audited", "name": routes[one.route], "epsilon": one.epsilon, "detail": one.detail}
        | {"most": largest_bound(record, one.route), "counts": place == fixed, "exceeded": False, **shared}
        for place, one in enumerate(record.bounds)
    ]
    sound = ("sound", "claimed: sound ε", record.sound, record.refutes_sound)
    published = ("published", "claimed: ε as published", record.published, record.refutes_published)
    return rows + [
        {"kind": "claim", "which": claim, "name": name, "epsilon": epsilon, "detail": "", "most": None}
        | {"counts": False, "exceeded": exceeded, **shared}
        for claim, name, epsilon, exceeded in (sound, published)
    ]


@figure("audit_bounds", "Shown by attack, and claimed", data, needs="audit", settings=True)
def chart(rows: Rows) -> Chart:
    """A bar for each bound and each claim, its number below its name, and a mark for the most that so many
    trials could have shown: a bound near its mark says little of how much there was to find. Claims that are
    much larger than all else are cut."""
    bounds = [row["epsilon"] for row in rows if row["kind"] == "bound"]
    if not bounds:
        return empty("this audit gave no bound")
    labels = []
    for row in rows:
        told = "no formula" if row["epsilon"] is None else stated(row["which"], row["epsilon"])
        sign = "" if told[0] in ">n" else "≥ " if row["kind"] == "bound" else "≤ "
        labels.append("\n".join([*textwrap.wrap(row["name"] + " (counts)" * row["counts"], 24), f"{sign}{told}"]))
    rows = [{**row, "label": label} for row, label in zip(rows, distinct(labels), strict=True)]
    most = [row for row in rows if row["most"] is not None]
    claimed = [row["epsilon"] for row in rows if row["kind"] == "claim" and placed(row["epsilon"])]
    # a claim of thousands beside one of 8 would leave nothing to see of the others
    seen = max([0.1, *bounds, *(row["most"] for row in most)])
    longest = max([seen, *(one for one in claimed if one <= 8 * max(seen, min(claimed)))])
    series: list[Series] = []
    for kind, own in grouped(rows, "which").items():
        lengths = [min(row["epsilon"] or 0.0, 2 * longest) for row in own]
        look: Look = {"epsilon": kind, "hover": "label detail"}
        series.append(marks(own, lengths, "label", kind="bars", **look))
    if most:
        look = {"name": "the most that so many could show", "slot": NEUTRAL, "hollow": True, "size": 13}
        series.append(marks(most, "most", "label", **look))
    carried = {Flag.REFUTED: any(row["exceeded"] for row in rows), Flag.ONE_STEP: rows[0]["covers"] == "step"}
    carried[Flag.CUT] = any((row["epsilon"] or 0) > longest for row in rows)
    x = Axis(title=f"ε at δ = {rounded_delta(rows[0]['delta'])}", low=0.0, high=1.15 * longest)
    return single(x, named(row["label"] for row in rows), series, flags=flags(carried))
