"""One query's votes, and what noise makes of them: the chance of each label, of passing the gate, and what it
costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privgraph.mechanisms.noisy_max import gate_chance, label_chances
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph_workbench.facts import noisy_labels
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Rule, Series, distinct, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.flags import Flag
from privgraph_workbench.figures.needs import ENSEMBLE
from privgraph_workbench.figures.teachers.answers import class_name, size
from privgraph_workbench.figures.teachers.ensembles import heaviest, price
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.numbers import chance, number

TITLE = "One vote, and its noise"
WINNER, OTHERS, REACH, DRAWN = 0, NEUTRAL, 1, 2
ROOM = 0.06
"""Share of the axis that is free before the smallest mark: no mark lies on the names of the classes."""
SPREAD = 3.0
"""Standard deviations of the noise that an axis has room for: of 400 counts with noise one lies beyond."""

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Standard deviations of the noise on votes and on the gate's test (0: no gate), and the gate's
    threshold, in votes."""

    vote_sigma: float
    gate_sigma: float = 0.0
    threshold: float = 0.0

    @staticmethod
    def of(ensemble: Ensemble) -> Noise:
        """The noise that the run had."""
        return Noise(vote_sigma=ensemble.vote_sigma, gate_sigma=ensemble.gate_sigma, threshold=ensemble.threshold)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Sound epsilon for the nodes of the largest weight: of one query, and of all where each is answered."""

    query: float
    run: float


def cost(ensemble: Ensemble, noise: Noise) -> Cost:
    """What queries of the run would cost with that noise."""
    weight, delta = heaviest(ensemble), ensemble.delta
    one, whole = (
        price(count, noise.vote_sigma, noise.gate_sigma, weight, delta) for count in (1, len(ensemble.queries))
    )
    return Cost(query=one, run=whole)


def expected(ensemble: Ensemble, noise: Noise) -> tuple[float, float | None]:
    """With that noise, over all queries: the share that the gate lets pass, and the share of the labels of
    these that are right, both on average. None where none passes."""
    counts = ensemble.counts()
    if noise.vote_sigma > 0:
        right = noisy_labels.right("gaussian", noise.vote_sigma, counts, ensemble.truth)
    else:
        right = (counts.argmax(axis=1) == ensemble.truth).astype(np.float64)
    if noise.gate_sigma <= 0:
        return 1.0, float(right.mean())
    passes = gate_chance(counts.max(axis=1), noise.threshold, noise.gate_sigma)
    whole = float(passes.sum())
    return whole / len(counts), float(right @ passes) / whole if whole > 0 else None


def _chances(votes: Array, noise: Noise) -> Array:
    if noise.vote_sigma > 0:
        return label_chances(votes, noise.vote_sigma)
    certain: Array = np.eye(len(votes))[votes.argmax()]
    return certain


def _passes(votes: Array, noise: Noise) -> float | None:
    return float(gate_chance(float(votes.max()), noise.threshold, noise.gate_sigma)) if noise.gate_sigma > 0 else None


def data(
    ensemble: Ensemble,
    place: int,
    given: Noise | None = None,
    class_names: Sequence[str] = (),
    drawn: Sequence[float] | None = None,
    out: int | None = None,
    details: bool = True,
    own: bool = True,
) -> list[Row]:
    """One row per class of the query at that place: class, name, votes (by weight), heads (teachers), chance
    (of being the label that goes out, where the gate lets one), largest, released, truth, query (its node),
    passes (the chance that the gate lets it pass; None without one), vote_sigma, gate_sigma, threshold,
    teachers (the weight of all), epsilon_query and epsilon_run (sound, for the largest weight, where all are
    answered), delta, drawn (the votes with one draw of the noise; None: none is shown), refused (whether
    nothing goes out), details (whether the reach of the noise is drawn), own (whether this is what the run
    drew: else nothing of it was released), evaluator (True).
    Without other noise: that of the run. `out` is the label that goes out with this noise (-1: none); without
    it, the one that the run released."""
    label_out = int(ensemble.released[place]) if out is None else out
    noise = Noise.of(ensemble) if given is None else given
    votes, heads = (ensemble.counts(weighted=weighted)[place] for weighted in (True, False))
    chances, passes = _chances(votes, noise), _passes(votes, noise)
    paid = cost(ensemble, noise)
    return [
        {
            "class": label,
            "name": class_name(label, class_names),
            "votes": round(float(votes[label]), 9),
            "heads": int(heads[label]),
            "chance": float(chances[label]),
            "largest": label == int(votes.argmax()),
            "released": label == label_out,
            "truth": label == int(ensemble.truth[place]),
            "query": int(ensemble.queries[place]),
            "passes": passes,
            "vote_sigma": noise.vote_sigma,
            "gate_sigma": noise.gate_sigma,
            "threshold": noise.threshold if noise.gate_sigma > 0 else None,
            "teachers": float(ensemble.weights.sum()),
            "epsilon_query": paid.query,
            "epsilon_run": paid.run,
            "delta": ensemble.delta,
            "drawn": None if drawn is None or label_out < 0 else float(drawn[label]),
            "refused": label_out < 0,
            "details": details,
            "own": own,
            "evaluator": True,
        }
        for label in range(ensemble.classes)
    ]


@figure(
    "one_vote",
    "One vote, and its noise",
    data,
    needs=ENSEMBLE.also("one privgraph.Run of dp-gpl, and place: the number of a query, from 0 on"),
    flags=(Flag.PRIVATE,),
)
def chart(rows: Sequence[Row]) -> Chart:
    """Votes, where a draw of the noise took them, and the threshold on the left, with the reach of the noise
    where details are asked for; the chance of each label on the right."""
    if not rows:
        return empty("there is no query to draw")
    first = rows[0]
    names = distinct(_label(row) for row in rows)
    threshold, reach = first["threshold"], first["vote_sigma"]
    drawn = [row["drawn"] for row in rows if row["drawn"] is not None]
    low, high = _span(rows, drawn)
    near = threshold is not None and 0 <= threshold <= high
    came = "refused" if first["refused"] else "passed"
    gate = "" if first["passes"] is None else f"; gate: {came} (chance to pass {chance(first['passes'])})"
    series: list[Series] = []
    for panel, column in enumerate(("votes", "chance")):
        for winner in (True, False):
            held = [(row, name) for row, name in zip(rows, names, strict=True) if row["largest"] == winner]
            series.append(
                Series(
                    name="largest before noise" if winner else "other classes",
                    kind="bars",
                    x=tuple(row[column] for row, _ in held),
                    y=tuple(name for _, name in held),
                    slot=WINNER if winner else OTHERS,
                    shape=0 if winner else 1,
                    panel=panel,
                    text=tuple(chance(row["chance"]) for row, _ in held) if panel else (),
                    hover=tuple(_hover(row, name) for row, name in held),
                )
            )
    if first["details"]:
        ends = [(max(low, row["votes"] - reach), min(high, row["votes"] + reach)) for row in rows]
        series.append(
            Series(
                name="one standard deviation of the noise",
                kind="links",
                x=tuple(end for pair in ends for end in pair),
                y=tuple(name for name in names for _ in range(2)),
                slot=REACH,
            )
        )
    if drawn:
        series.append(
            Series(
                name="with the noise that was drawn",
                kind="points",
                x=tuple(drawn),
                y=names,
                slot=DRAWN,
                size=11,
                hover=tuple(f"{row['name']}\n{number(row['drawn'], 4)} votes with noise" for row in rows),
            )
        )
    rules = (Rule(x=threshold, label=f"threshold {size(threshold)}", handle="threshold"),) if near else ()
    told = "before noise (marks: this draw)" if drawn else "before noise"
    away = threshold is not None and not near
    return Chart(
        title=f"{TITLE}: node {first['query']}",
        panels=(
            Panel(
                title=f"{told}{gate}" + (f" ({size(threshold)} votes)" if away else ""),
                x=Axis(
                    title=f"votes, by weight (of {number(first['teachers'], 4)}, the sum of weights)",
                    low=low,
                    high=high,
                ),
                y=Axis(title="", scale="category", categories=names),
                rules=rules,
            ),
            Panel(
                title=f"over all draws of noise ± {size(reach)}",
                x=Axis(
                    title=f"chance of being the label{', had it passed' * first['refused']} (percent)",
                    percent=True,
                    low=0.0,
                    high=1.19,
                ),
                y=Axis(title="", scale="category", categories=names, labels=False),
            ),
        ),
        series=tuple(series),
        flags=(Flag.GIVEN_NOISE,) * (not first["own"]),
        columns=2,
        height=190 + 26 * len(rows),
    )


plot = plotted(chart)


def _span(rows: Sequence[Row], drawn: Sequence[float]) -> tuple[float, float]:
    """From where to where the axis of votes reaches: the same for nearly every draw of that noise, with room
    to drag the threshold, and of all votes no more than that needs."""
    first = rows[0]
    threshold = first["threshold"] if first["threshold"] is not None else 0.0
    reach = SPREAD * first["vote_sigma"] if drawn or first["refused"] else 0.0
    beyond = first["vote_sigma"] if first["details"] else 0.0
    most = max(row["votes"] for row in rows)
    needed = [most + beyond] + ([threshold] if threshold <= first["teachers"] else [])
    high = max(min(1.05 * first["teachers"], 1.35 * max(needed)), most + reach, 1.05 * max(drawn, default=0.0))
    least = min(0.0, min(row["votes"] for row in rows) - reach, *drawn)
    return (least - ROOM * (high - least) if least < 0 else 0.0), high


def _label(row: Row) -> str:
    words = {"released": "released" if row["own"] else "would be released", "truth": "truth"}
    marks = [word for column, word in words.items() if row[column]]
    return f"{row['name']} ({', '.join(marks)})" if marks else str(row["name"])


def _hover(row: Row, name: str) -> str:
    return (
        f"{name}\n"
        f"{number(row['votes'], 4)} votes of {row['heads']:,} teachers\n"
        f"the label with a chance of {chance(row['chance'])}"
    )
