"""One query's answer by class, before and after noise."""

import math
from collections.abc import Sequence

import numpy as np

from privgraph.methods.teachers.answers import Answers
from privgraph_workbench.figures.chart import Axis, Chart, Flag, Look, Panel, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import class_name, distinct, grouped, marks, named, pairs, table
from privgraph_workbench.figures.teachers.answers import UNITS, ahead, largest
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import chance, number


def data(
    answers: Answers,
    place: int,
    class_names: Sequence[str] = (),
    chances: Sequence[float] | None = None,
    own: bool = True,
) -> list[Row]:
    """One row per class of the query at that place: class, name, before, after, largest_before,
    largest_after, chance (of being largest after noise; None: not told), released, refused, truth, query (its
    node), kind, noise_std, own (whether the noise is the run's: with other noise nothing was released),
    evaluator (True)."""
    before, after, released = answers.before[place], answers.after[place], int(answers.released[place])
    labels = np.arange(len(before))
    told: Row = {"class": labels, "name": [class_name(label, class_names) for label in labels.tolist()]}
    told |= {"before": before, "after": after, "largest_before": np.isin(labels, ahead(before))}
    told |= {"largest_after": labels == largest(after[None]), "chance": None if chances is None else list(chances)}
    told |= {"released": labels == released, "refused": released < 0, "truth": labels == answers.truth[place]}
    told |= {"query": int(answers.queries[place]), "kind": answers.kind, "noise_std": answers.noise_std}
    return table({**told, "own": own, "evaluator": True})


@figure("one_answer", "One answer, before and after noise", data, needs="one answer", always=[Flag.PRIVATE])
def chart(rows: Rows) -> Chart:
    """Panels of horizontal bars that share their classes; the largest of each stands out."""
    first, told = rows[0], {"released": "released" if rows[0]["own"] else "would be released", "truth": "truth"}
    words = (", ".join(word for column, word in told.items() if row[column]) for row in rows)
    labels = distinct(f"{row['name']}{f' ({said})' * bool(said)}" for row, said in zip(rows, words, strict=True))
    rows = [{**row, "label": label} for row, label in zip(rows, labels, strict=True)]
    spread, before = 3 * first["noise_std"], [row["before"] for row in rows]  # nearly every draw fits
    room = [one + side * spread for one in before for side in (-1, 1)] + [row["after"] for row in rows]
    axes = {"before": _axis(before, UNITS[first["kind"]]), "after": _axis(room, UNITS[first["kind"]])}
    if first["chance"] is not None:
        axes["chance"] = Axis(title="chance to be largest (percent)", percent=True, low=0.0, high=1.19)
    titles = ("before noise", f"after noise (σ = {number(first['noise_std'])})", "over all draws of that noise")
    panels, series = [], []
    for panel, (column, axis) in enumerate(axes.items()):
        panels.append(Panel(title=titles[panel], x=axis, y=named(labels, labels=panel == 0)))
        for winner, held in sorted(grouped(rows, f"largest_{'before' if panel == 0 else 'after'}").items()):
            text = tuple((chance if column == "chance" else number)(row[column]) for row in held)
            look: Look = {"slot": 0 if winner else NEUTRAL, "shape": 0 if winner else 1, "panel": panel, "text": text}
            name = "largest" if winner else "other classes"
            series.append(marks(held, column, "label", name=name, kind="bars", **look))
    look = {"columns": 3, "flags": (Flag.GIVEN_NOISE,) * (not first["own"])}
    return pairs(panels, series, title=f"One answer, before and after noise: node {first['query']}", **look)


def _axis(values: Sequence[float], title: str) -> Axis:
    """An axis that holds 0, with room for numbers at the ends of bars."""
    finite = [0.0, *filter(math.isfinite, values)]
    low, high = min(finite), max(finite)
    room = 0.35 * ((high - low) or 1.0)
    return Axis(title=title, low=low - room if low < 0 else 0.0, high=high + room)
