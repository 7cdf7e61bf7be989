"""Who keeps it: of each method and budget how often an attack is right, beside how well the model does."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privgraph.attacks.record import AttackRecord
from privgraph.registry import sides
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.leaks import CLOSE, keeps, strongest
from privgraph_workbench.words.numbers import number, percent, stated

TITLE = "Which methods keep it"
BARE = "not private"
BUDGETS = ((1.0, "ε up to 1"), (2.0, "up to 2"), (4.0, "up to 4"), (8.0, "up to 8"), (math.inf, "above 8"))
"""The largest sound epsilon of each colour, and what the legend calls it."""


def data(
    records: Sequence[AttackRecord],
    names: Sequence[str] = (),
    kept: Sequence[bool] = (),
    measure: str = "test accuracy",
    more: Sequence[Row] = (),
) -> list[Row]:
    """One row per attack, in the order given.

    method (its line: of `names`, else the attack's title), run, epsilon (sound; infinite without privacy),
    area, area_low, area_high (of the strongest score: `leaks.strongest`), accuracy (the run's on test
    nodes, or where it tells none the attacked model's; `measure` says of what), measure, kept (of `kept`,
    else whether the attack is no better than guessing and its interval leaves no room for more; an `unclear`
    of `more` says that neither can be told), asks (its question in words), evaluator (True: an evaluator
    alone knows the answers), and what else is said of each (`more`).
    """
    return [
        {
            "method": name,
            "run": record.run,
            "epsilon": record.sound,
            "area": found[0],
            "area_low": found[1],
            "area_high": found[2],
            "accuracy": record.accuracy if record.said is None else record.said,
            "measure": measure,
            "kept": bool(holds),
            "asks": sides(record.attack).asks,
            "evaluator": True,
            **further,
        }
        for name, record, found, holds, further in zip(
            names or [one.title for one in records],
            records,
            list(map(strongest, records)),
            kept or list(map(keeps, records)),
            more or [{}] * len(records),
            strict=True,
        )
    ]


def chart(rows: Sequence[Row]) -> Chart:
    """Two panels of one line a method: what is found, and what the model is good for. A colour a budget; what
    is kept is hollow."""
    if not rows:
        return empty(TITLE, "no run was attacked")
    lines = tuple(dict.fromkeys(row["method"] for row in rows))
    series: list[Series] = []
    for slot, name in enumerate((*(name for _, name in BUDGETS), BARE)):
        held = [row for row in rows if _budget(row) == name]
        for kept, unclear in ((False, False), (False, True), (True, False)):
            some = [row for row in held if (row["kept"], row.get("unclear", False)) == (kept, unclear)]
            if some:
                series.append(
                    Series(
                        name=name,
                        kind="links",
                        x=tuple(end for row in some for end in (row["area_low"], row["area_high"])),
                        y=tuple(row["method"] for row in some for _ in range(2)),
                        slot=slot,
                        legend=False,
                        group=name,
                        faint=unclear,
                    )
                )
            for panel, value in enumerate(("area", "accuracy")) if some else ():
                series.append(
                    Series(
                        name=name,
                        kind="points",
                        size=11,
                        x=tuple(row[value] for row in some),
                        y=tuple(row["method"] for row in some),
                        slot=slot,
                        hollow=kept,
                        faint=unclear,
                        panel=panel,
                        legend=not panel and not any(one.name == name and one.legend for one in series),
                        group=name,
                        hover=tuple(_hover(row) for row in some),
                    )
                )
    asks, faint = rows[0]["asks"], any(row.get("unclear") for row in rows)
    private = [row for row in rows if not math.isinf(row["epsilon"])]
    held = sorted((row for row in private if row["kept"]), key=lambda row: -row["accuracy"])
    ends = [end for row in rows for end in (row["area_low"], row["area_high"])]
    told = "; ".join(f"{_named(row)}: area {_area(row)}, {row['measure']} {percent(row['accuracy'])}" for row in held)
    return Chart(
        title=f"{TITLE}: {asks}{_where(rows)}",
        panels=(
            Panel(
                x=Axis(
                    title="area under the curve (0.5: a guess by chance)",
                    low=max(0.0, min(0.45, *ends) - 0.01),
                    high=min(1.01, max(0.6, *ends) + 0.01),
                ),
                y=Axis(title="", scale="category", categories=lines),
                title="found (hollow: kept; faint: cannot be told)" if faint else "found (hollow: kept)",
                rules=(Rule(x=0.5, label="chance"), Rule(x=CLOSE, label=f"{CLOSE:.0%}")),
            ),
            Panel(
                x=Axis(title=f"{rows[0]['measure']} (%)", percent=True, low=0.0, high=1.0),
                y=Axis(title="", scale="category", categories=lines, labels=False),
                title="accuracy",
            ),
        ),
        series=tuple(series),
        summary=f"{len(held)} of {len(private)} private runs keep {asks}, as far as these attacks tell.",
        notes=(
            f"Kept: no better than guessing, and the interval lies below {number(CLOSE)}; of edges, no more than "
            f"similarity. That is no proof{_effort(rows)}. Lines are 95% intervals.",
        ),
        beside=(f"Kept, the most accurate first: {told}.",) if held else (),
        badges=(f"evaluator only: nobody outside knows {asks}",),
        columns=2,
        height=190 + 24 * len(lines),
        legend=True,
    )


plot = plotted(chart)


def _effort(rows: Sequence[Row]) -> str:
    """How many attacks were tried on each run, where the rows tell."""
    counts = sorted({row["attacks_tried"] for row in rows if row.get("attacks_tried")})
    if not counts:
        return ""
    many = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    return f" (attacks tried on each run, of one seed: {many})"


def _where(rows: Sequence[Row]) -> str:
    """On which graph, where the rows tell and all agree."""
    graphs = {row.get("graph") for row in rows} - {None, ""}
    return f", {graphs.pop()}" if len(graphs) == 1 else ""


def _budget(row: Row) -> str:
    return BARE if math.isinf(row["epsilon"]) else next(name for most, name in BUDGETS if row["epsilon"] <= most)


def _named(row: Row) -> str:
    return row["method"] if math.isinf(row["epsilon"]) else f"{row['method']}, ε {stated('sound', row['epsilon'])}"


def _area(row: Row) -> str:
    return f"{number(row['area'])} ({number(row['area_low'])} to {number(row['area_high'])})"


def _hover(row: Row) -> str:
    kept = "\nkept" * row["kept"]
    return f"{_named(row)}\narea {_area(row)}\n{row['measure']} {percent(row['accuracy'])}{kept}"
