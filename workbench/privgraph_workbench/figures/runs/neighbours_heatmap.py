"""Neighbours kept in training against neighbours read afterwards (Figure 7 of the HeterPoisson paper)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Chart, Look, Panel, Row, empty, named
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.marks import marks
from privgraph_workbench.figures.needs import RUNS
from privgraph_workbench.words.naming import asked, graph_of, network_of, nodes_of, setting, variants
from privgraph_workbench.words.numbers import percent

METHOD = "heter-poisson"
METRIC = "test_accuracy"
NUMBERS = ("neighbours", "test_neighbours")


def data(records: Iterable[RunRecord]) -> list[Row]:
    """One row per graph, budget, variant, M and N_test, from runs of HeterPoisson that are done; only where
    at least two values of both numbers have been tried.

    dataset, graph (in words), nodes (of the graph; None: not known), network, budget (in words: what the
    noise was chosen by), asked (the epsilon asked for;
    None: nothing is protected), variant (other options in which the runs differ), neighbours (M),
    test_neighbours (N_test), mean (over seeds), seeds (their number), epsilon (the largest sound one; None
    where nothing is protected), metric, evaluator (True), composed (how many of all these runs read the same
    people), runs (ids).
    """
    done = [one for one in records if one.spec.method == METHOD and one.state == "done" and METRIC in one.metrics]
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
            "mean": fmean(one.metrics[METRIC] for one in members),
            "seeds": len(members),
            "epsilon": max(
                (one.statement.epsilon for one in members if one.statement and one.spec.unit != "none"), default=None
            ),
            "metric": METRIC,
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
    needs=RUNS,
    settings=True,
)
def chart(rows: Sequence[Row]) -> Chart:
    """A panel for each graph and budget; a cell for each pair of numbers."""
    if not rows:
        return empty("too few values of both have been tried")
    held: dict[str, list[Row]] = {}
    order = ("graph", "asked", "budget", "variant")
    for row in sorted(rows, key=lambda row: [row[key] or (key == "asked" and math.inf) or "" for key in order]):
        network = "" if "network" in row["variant"] else row["network"]  # said once
        told = (row["graph"], network and f"network {network}", row["budget"], row["variant"])
        cell = {**row, "trained": str(row["neighbours"]), "read": str(row["test_neighbours"])}
        held.setdefault(", ".join(filter(None, told)), []).append(cell)
    x = named((str(one) for one in sorted({row["neighbours"] for row in rows})), "neighbours M (in training)")
    along = sorted({row["test_neighbours"] for row in rows}, reverse=True)
    y = named(map(str, along), "N_test (in prediction)")
    series = []
    for place, (name, members) in enumerate(held.items()):
        look: Look = {"low": tuple(row["mean"] for row in members), "panel": place, "legend": False}
        text, hover = tuple(percent(row["mean"]) for row in members), ("mean", "seeds", "epsilon")
        series.append(marks(members, "trained", "read", name=name, kind="cells", text=text, hover=hover, **look))
    return Chart(
        panels=tuple(Panel(title=name, x=x, y=y) for name in held),
        series=tuple(series),
        columns=2,
        height=60 + (90 + 46 * len(along)) * ((len(held) + 1) // 2),
    )
