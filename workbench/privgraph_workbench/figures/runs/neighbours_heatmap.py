"""Neighbours kept in training against neighbours read afterwards (Figure 7 of the HeterPoisson paper)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.figures.places import place_words
from privgraph_workbench.words.naming import asked, graph_of, network_of, nodes_of, setting, variants
from privgraph_workbench.words.numbers import percent, upper

TITLE = "Neighbours in training against neighbours in prediction"
METHOD = "heter-poisson"
NUMBERS = ("neighbours", "test_neighbours")


def data(records: Iterable[RunRecord], metric: str = "test_accuracy") -> list[Row]:
    """One row per graph, budget, variant, M and N_test, from runs of HeterPoisson that are done; only where
    at least two values of both numbers have been tried.

    dataset, graph (in words), nodes (of the graph; None: not known), network, budget (in words: what the
    noise was chosen by), asked (the epsilon asked for;
    None: nothing is protected), variant (other options in which the runs differ), neighbours (M),
    test_neighbours (N_test), mean (over seeds), seeds (their number), epsilon (the largest sound one; None
    where nothing is protected), metric, evaluator (True), composed (how many of all these runs read the same
    people), runs (ids).
    """
    done = [one for one in records if one.spec.method == METHOD and one.state == "done" and metric in one.metrics]
    words, together = variants(done, leave_out=NUMBERS), composed(done)
    groups: dict[tuple[str, str, str], dict[tuple[int, int], list[RunRecord]]] = {}
    for record in done:
        table = groups.setdefault((graph_of(record), asked(record), words[setting(record)]), {})
        trained, read = (int(record.spec.options[name]) for name in NUMBERS)
        table.setdefault((trained, read), []).append(record)
    return [
        {
            "dataset": members[0].spec.dataset,
            "graph": graph,
            "nodes": nodes_of(members[0]),
            "network": network_of(members[0]),
            "budget": budget,
            "asked": members[0].spec.asked_epsilon,
            "variant": variant,
            "neighbours": neighbours,
            "test_neighbours": test_neighbours,
            "mean": fmean(one.metrics[metric] for one in members),
            "seeds": len(members),
            "epsilon": max(
                (one.statement.epsilon for one in members if one.statement and one.spec.unit != "none"), default=None
            ),
            "metric": metric,
            "evaluator": True,
            "composed": together[members[0].id],
            "runs": " ".join(one.id for one in members),
        }
        for (graph, budget, variant), table in groups.items()
        if all(len({counts[place] for counts in table}) > 1 for place in (0, 1))
        for (neighbours, test_neighbours), members in table.items()
    ]


@figure(
    "neighbours_heatmap",
    "Neighbours in training against neighbours in prediction",
    data,
    needs=RUNS.also("runs of heter-poisson: a list of privgraph.Run"),
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """A panel for each graph and budget; a cell for each pair of numbers."""
    if not rows:
        return empty("it needs finished runs with at least two values of both")
    held = _panels(rows)
    across = sorted({row["neighbours"] for row in rows})
    along = sorted({row["test_neighbours"] for row in rows}, reverse=True)
    columns, lines = tuple(str(value) for value in across), tuple(str(value) for value in along)
    metric = rows[0]["metric"].replace("_", " ")
    return Chart(
        title=f"{TITLE}: {metric}",
        panels=tuple(
            Panel(
                title=name,
                x=Axis(title="neighbours M (in training)", scale="category", categories=columns),
                y=Axis(title="N_test (in prediction)", scale="category", categories=lines),
            )
            for name in held
        ),
        series=tuple(
            Series(
                name=name,
                kind="cells",
                x=tuple(str(row["neighbours"]) for row in members),
                y=tuple(str(row["test_neighbours"]) for row in members),
                low=tuple(row["mean"] for row in members),
                text=tuple(percent(row["mean"]) for row in members),
                hover=tuple(_hover(row) for row in members),
                panel=place,
                legend=False,
            )
            for place, (name, members) in enumerate(held.items())
        ),
        columns=2,
        height=60 + (90 + 46 * len(lines)) * ((len(held) + 1) // 2),
    )


plot = plotted(chart)


def _panels(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows by graph, budget and variant; small budgets first and no protection last."""
    ordered = sorted(
        rows, key=lambda row: (row["graph"], row["asked"] is None, row["asked"] or 0.0, row["budget"], row["variant"])
    )
    found: dict[str, list[Row]] = {}
    for row in ordered:
        found.setdefault(_name(row), []).append(row)
    return found


def _name(row: Row) -> str:
    network = "" if "network" in row["variant"] else row["network"]  # said once
    return ", ".join(filter(None, (place_words([{**row, "network": network}]), row["budget"], row["variant"])))


def _hover(row: Row) -> str:
    sound = "nothing is guaranteed" if row["epsilon"] is None else f"sound ε {upper(row['epsilon'])}"
    seeds = "1 seed" if row["seeds"] == 1 else f"{row['seeds']} seeds"
    return f"M = {row['neighbours']}, N_test = {row['test_neighbours']}\n{percent(row['mean'])} ({seeds})\n{sound}"
