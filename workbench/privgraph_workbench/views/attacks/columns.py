"""What each column of a table of attacks or audits means: its help text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from privgraph_workbench.theme import EPSILONS

PROTECTS: Mapping[str, str] = {"none": "nothing", "edge": "edges", "node": "nodes"}
"""What an epsilon is about."""
POINT = "a column's name, pointed at, says what it means"
WITHOUT = "taking nothing for granted"
BARE = "not private"
HELP: Mapping[str, str] = {
    "area": "Area under the curve (AUC), with its interval: how often the attack picks the right one of two, one "
    "trained on and one not; 0.5 is guessing",
    "test accuracy": "Of the run itself: what is kept by a model that has learnt nothing is no merit",
    "PREC@1": "Share of the test relations whose partner comes first: of many candidates, so that a guess has next to "
    "nothing",
    "interval": "Of the area, at the confidence of the attack",
    "ε at least": "What was shown: the run's ε cannot be below it. A dash: no bound follows from such an attack",
    EPSILONS["sound"].title: "What our own proof claims; ∞: nothing is promised",
    EPSILONS["published"].title: "What the paper's own formula claims",
    EPSILONS["audited"].title: "What the run's audits have shown together: its ε cannot be below it",
    "refuted": "Which claim is smaller than what was shown; nothing refuted is no proof",
    "attack": "Which attack; in the table of one run its number, as in the selector above",
    WITHOUT: "What was shown if nothing is assumed of the noise: it need not be Gaussian, as the ledger says",
    "takes for granted": "What the bound in the first column rests on; empty: nothing",
    "audit": "Its number, as in the selector above",
    "kind": "What it was, how it asked, and how many models were trained for it",
    "verdict": "What follows from the area and its interval, in words",
    "run": "The attacked run; choose a row to open it",
    "similarity alone": "The area that is reached without reading any edge, by a model that reads none or by the true "
    "classes of both ends: up to there nothing leaked",
    BARE: "The area on the same method and graph without privacy: by the same attack, and on a run as accurate, where "
    "there are several; ▲ where clearly more is found with privacy",
    "promised": "The run's sound ε, and what it protects; in brackets where it does not limit what is asked here",
    "protects": "What the run's ε is about",
    "test / training accuracy": "Of the run itself: a wide gap says that it has learnt its training nodes by heart",
    "models": "All models trained for the attack: those attacked in the run's place, and shadow models beside them",
    "node": "Its number in the graph",
    "class": "Its true class",
    "degree": "How many neighbours it has",
    "other attacks that list it": "How many other attacks on this run that ask the same list this node, too",
    "turn": "Each audit and each attack of a run takes a turn when it starts, and is judged more strictly than those "
    "before. One that was stopped, or an attack that shows no bound, took its turn too, and is not listed: so turns "
    "may skip numbers",
    "covers": "What the bound is about: the whole run, or one step alone, which does not change the run's number",
    "confidence": "How sure the bound is, together with all others of the run",
    "δ": "The δ at which ε is bounded",
    "trials": "How often the attack was played, or how many canaries or pairs it had",
    "seconds": "How long it took",
    "seed": "Its random numbers: the same seed gives the same result again",
}


def marked(title: str, opened: bool) -> str:
    """The run of a row, marked where it is the one that the page shows."""
    return f"▸ {title}" if opened else title


def config(names: Iterable[str], widths: Mapping[str, int] | None = None, **told: str) -> dict[str, ColumnConfig]:
    """A help text for each column of these names, and its width in pixels; `told` by name is said instead."""
    held = widths or {}
    return {name: st.column_config.Column(width=held.get(name), help=told.get(name, _help(name))) for name in names}


def _help(name: str) -> str:
    if name.endswith((" false alarms", " FPR")):
        share = name.removeprefix("found ").removeprefix("at ").removesuffix(" false alarms").removesuffix(" FPR")
        return (
            f"Share rightly named (true positive rate) by an attacker who wrongly names at most {share} of the others "
            "(false positive rate). A dash: there are too few others to tell"
        )
    if name.startswith("found before"):
        return "To how many of the others the attack gives a lower score"
    return HELP[name]
