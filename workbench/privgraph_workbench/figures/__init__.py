"""Figures: each module has `data(...) -> rows`, `chart(rows) -> Chart` and `plot(rows, theme) -> go.Figure`.

Rows are plain records, which tests and exports read; a chart says what is drawn; two renderers draw it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from privgraph.options import nearest
from privgraph_workbench.figures.chart import Chart, Row

FIGURES: dict[str, str] = {
    "curves": "Learning curves of a run",
    "ledger": "Noise mechanisms and their share of the budget",
    "degrees": "Degree distribution",
    "classes": "Class sizes",
    "neighbourhood": "A drawn neighbourhood",
    "tradeoff": "Accuracy against epsilon",
    "compare": "Runs side by side",
    "convergence": "Accuracy per step, over seeds",
    "depth": "Accuracy against depth",
    "price": "What noisy answers cost",
    "answers": "How clear teachers' answers were, and what noise did to them",
    "one_answer": "One answer before and after noise",
    "agreement": "Teachers' agreement with the truth",
    "chosen": "Who answered a query",
    "teacher_times": "Time of each teacher",
    "teacher_epsilons": "Epsilon of each teacher",
    "budget": "Budget used, query by query",
    "one_vote": "One vote, and its noise",
    "consensus": "Consensus of the teachers",
    "stopped": "Which teachers were stopped, and when",
    "teacher_accuracy": "Accuracy of each teacher",
    "cost": "What a setting costs",
    "entry_costs": "What each mechanism costs",
    "split": "How a budget is split",
    "noise_shapes": "Three kinds of noise",
    "terms": "The terms of Equation 3 of HeterPoisson",
    "revealed_scale": "What spherical Laplace noise reveals in all coordinates",
    "precision": "Highest precision on private embeddings",
    "audit_roc": "What an audit's attack finds, and what the claims allow",
    "audit_scores": "An attack's score in both worlds",
    "audit_bounds": "The epsilons that an audit has shown, and those that are claimed",
    "neighbours_heatmap": "Neighbours in training against neighbours in prediction",
    "influence": "One node's influence on the gradient, against its out-edges",
}
"""Every figure: the name of its module, and what it shows."""


def chart_of(figure: str, rows: Sequence[Row]) -> Chart:
    """The chart that the figure of that name makes of its rows. Raises `ValueError` for an unknown name."""
    if figure not in FIGURES:
        raise ValueError(f"there is no figure {figure}; figures are {', '.join(FIGURES)}{nearest(figure, FIGURES)}")
    return cast(Chart, import_module(f"privgraph_workbench.figures.{figure}").chart(rows))
