"""Figures: each module has `data(...) -> rows`, `chart(rows) -> Chart` and `plot(rows, theme) -> go.Figure`.

Rows are plain records, which tests and exports read; a chart says what is drawn; two renderers draw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import cast

from privgraph.options import nearest
from privgraph_workbench.figures.chart import Chart, Row

SUBJECTS: Mapping[str, Mapping[str, str]] = {
    "runs": {
        "curves": "Learning curves of a run",
        "tradeoff": "Accuracy against epsilon",
        "expected": "Accuracy to expect, from finished runs",
        "standing": "A run's accuracy between guessing and no privacy",
        "compare": "Runs side by side",
        "convergence": "Accuracy per step, over seeds",
        "depth": "Accuracy against depth",
        "teachers_compared": "Methods with teachers, compared by accuracy and sound epsilon",
        "neighbours_heatmap": "Neighbours in training against neighbours in prediction",
    },
    "costs": {
        "ledger": "Noise mechanisms and their share of the budget",
        "price": "What noisy answers cost",
        "cost": "What a setting costs",
        "entry_costs": "What each mechanism costs",
        "split": "How a budget is split",
    },
    "noise": {
        "noise_shapes": "Three kinds of noise",
        "terms": "The terms of Equation 3 of HeterPoisson",
        "revealed_scale": "What spherical Laplace noise reveals in all coordinates",
        "precision": "Highest precision on private embeddings",
        "influence": "One node's influence on the gradient, against its out-edges",
    },
    "graphs": {
        "degrees": "Degree distribution",
        "classes": "Class sizes",
        "neighbourhood": "A drawn neighbourhood",
        "predicted": "What a run predicts on a piece of the graph",
    },
    "teachers": {
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
    },
    "audits": {
        "audit_roc": "What an audit's attack finds, and what the claims allow",
        "audit_scores": "An attack's score on both neighbouring datasets",
        "audit_bounds": "The epsilons that an audit has shown, and those that are claimed",
    },
    "attacks": {
        "attack_roc": "What attacks find of who was trained on, and what the sound epsilon allows",
        "attack_kept": "Which methods keep who was trained on, by budget, beside their accuracy",
        "attack_areas": "What attacks find of who was trained on, run by run, by the sound epsilon",
        "attack_scores": "An attack's scores of nodes trained on and of others",
        "attack_exposure": "Whom an attack exposes, by degree and class",
        "attack_map": "The nodes that an attack exposes most, among their neighbours",
    },
    "play": {
        "evidence": "What somebody who knows two neighbouring worlds learns of which is the true one",
        "told_numbers": "Published numbers around a person, and the counts behind them with and without",
        "told_without_noise": "Published numbers around a person, without noise or with some",
        "friends_tell": "How often a group is guessed from friends, against how alike friends are",
        "one_number": "One published count with noise, with a person and without",
        "one_release": "How often the best guesser is right after one release, against epsilon",
        "many_releases": "How often the best guesser is right after several releases",
        "edges_or_people": "What one epsilon leaves where it protects a friendship, and where a person",
        "many_teachers": "How often a noisy vote names the right class, against the number of teachers",
        "claims_played": "Published claims beside what an attack has shown of the same noise",
    },
    "relations": {
        "moved": "Places of the nearest texts under several encoders",
        "relation_ranking": "How well relations are predicted",
    },
}
"""Every figure by its subject: the name of its module, and what it shows."""

FIGURES: Mapping[str, str] = {name: title for figures in SUBJECTS.values() for name, title in figures.items()}
"""Every figure: its name, and what it shows."""

OF_SETTINGS = frozenset(
    {
        *("tradeoff", "expected", "depth", "teachers_compared", "neighbours_heatmap"),
        *("ledger", "cost", "entry_costs", "split"),
        *("noise_shapes", "terms", "revealed_scale", "precision"),
        "relation_ranking",
        *("audit_roc", "audit_scores", "audit_bounds"),
        *("attack_roc", "attack_kept", "attack_areas"),
        *SUBJECTS["play"],
    }
)
"""The figures of settings, which a report may hold: all others show single runs, nodes or private data."""

EXAMINATIONS = frozenset({*SUBJECTS["audits"], *SUBJECTS["attacks"]})
"""The figures of what attacks and audits found, which an evaluator alone sees."""

_ROOMS = {name: room for room, figures in SUBJECTS.items() for name in figures}


def chart_of(figure: str, rows: Sequence[Row]) -> Chart:
    """The chart that the figure of that name makes of its rows. Raises `ValueError` for an unknown name."""
    if figure not in FIGURES:
        raise ValueError(f"there is no figure {figure}; figures are {', '.join(FIGURES)}{nearest(figure, FIGURES)}")
    return cast(Chart, module_of(figure).chart(rows))


def module_of(figure: str) -> ModuleType:
    """The module of the figure of that name."""
    return import_module(f"privgraph_workbench.figures.{_ROOMS[figure]}.{figure}")
