"""What nodes pay by the weight of their teacher's vote: for one answer, and for all."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.teachers import ensembles
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import meaning
from privgraph_workbench.words.numbers import at_most, number, proved_epsilon, upper

Floats = NDArray[np.float64]

GUESS = "a guess is right in"
EXACT = "a guess, with this noise, is right in"
FROM_EPSILON = "from ε and δ alone"
GUESSES_EXACTLY = (
    " *With this noise*: all of it is Gaussian, so that the best guess from the noisy counts is known exactly, Φ(μ/2), "
    "where a node moves all these answers together by μ standard deviations. *From ε and δ alone*: what any noise of "
    "that ε might allow."
)
GUESSES = (
    "*A guess*: somebody who knows everything else guesses, after all answers, whether a certain person's data was "
    "used. A coin is right in 50%."
)


def differ(ensemble: Ensemble) -> bool:
    """Whether nodes pay by the weight of their own teacher's vote, and weights differ."""
    return bool(ensemble.per_teacher and np.ptp(ensemble.weights) > 1e-9)


def whose(record: RunRecord, ensemble: Ensemble | None) -> str:
    """Who pays most in a run, and who least, in one line; "" of a run without a statement."""
    sound = EPSILONS["sound"].title
    if ensemble is None or not differ(ensemble):
        said = record.statement
        return "" if said is None else f"Each private node: **{sound} {proved_epsilon(said.epsilon)}**."
    _, own = ensembles.groups(ensemble, "weight")
    light, heavy = (own == place for place in (0, int(own.max())))
    most, least = (upper(float(ensemble.sound[held].max())) for held in (heavy, light))
    return (
        f"Nodes of the {heavy.sum():,} heaviest teachers (of {len(own):,}): **{sound} {most}**; of the "
        f"{light.sum():,} lightest **{least}**."
    )


def span(values: Floats) -> str:
    """The least and the largest rounded up; as one where they are alike."""
    if np.isnan(values).any():
        return "—"
    low, high = (upper(float(value)) for value in (values.min(), values.max()))
    return high if low == high else f"{low} – {high}"


def lines(ensemble: Ensemble) -> list[dict[str, str]]:
    """A line for each weight (of many weights, for groups of them, with what the heaviest of a group pays):
    teachers, sound epsilon of one answer and of all, and the chance of a right guess."""
    names, own = ensembles.groups(ensemble, "weight")
    queries, delta = len(ensemble.queries), ensemble.delta
    found = []
    for place, name in enumerate(names):
        held = own == place
        weight, whole = float(ensemble.weights[held].max()), float(ensemble.sound[held].max())
        one = ensembles.price(1, ensemble.vote_sigma, ensemble.gate_sigma, weight, delta)
        found.append(
            {
                "weight": name.removeprefix("weight "),
                f"{EPSILONS['sound'].title}, one answer": upper(one),
                **({f"{EPSILONS['sound'].title}, all {queries:,}": upper(whole)} if queries > 1 else {}),
                **guesses(whole, delta, _mu(ensemble, weight, whole)),
                "teachers": f"{held.sum():,}",
            }
        )
    return found


def guesses(epsilon: float, delta: float, mu: float | None) -> dict[str, str]:
    """How often a guess is right at most: by the noise itself where its `mu` is known, and from epsilon and
    delta alone."""
    bound = at_most(meaning.guess(epsilon, delta))
    return {GUESS: bound} if mu is None else {EXACT: at_most(meaning.guess_at(mu)), FROM_EPSILON: bound}


def _mu(ensemble: Ensemble, weight: float, sound: float) -> float | None:
    """By how many deviations a node of that weight moves all answers; None where the guarantee is another one
    than that of all of them, as under a limit, and where a gate chooses what goes out."""
    if ensemble.gate_sigma:
        return None
    queries, sigmas = len(ensemble.queries), (ensemble.vote_sigma, ensemble.gate_sigma)
    whole = ensembles.price(queries, *sigmas, weight, ensemble.delta)
    return ensembles.moved(queries, *sigmas, weight) if math.isclose(whole, sound, rel_tol=1e-6) else None


def exactly(ensemble: Ensemble) -> str:
    """What the two bounds on a guess are, where both are shown."""
    return GUESSES_EXACTLY if any(EXACT in line for line in lines(ensemble)) else ""


def table(ensemble: Ensemble) -> None:
    """What nodes pay, by weight."""
    st.table(
        lines(ensemble),
        hide_index=True,
        alt="Sound epsilon of one answer and of all, by the weight of a vote",
    )


def kinds(sound: str, published: float | None, dependent: str) -> None:
    """The three epsilons, a line each: what it is called, its value, and whether it may be published."""
    told = [
        (EPSILONS["sound"].title, sound, "yes: it holds, whatever the votes are"),
        (EPSILONS["published"].title, number(published, 4), "to compare with the paper's Theorem 1; it is no promise"),
        ("data-dependent ε", dependent, "no: it was read from private votes, and tells something about them"),
    ]
    st.table(
        [
            {"": name, "value": value, "may it be published?": may}
            for name, value, may in told
            if value not in ("—", number(None))
        ],
        hide_index=True,
        alt="Three kinds of epsilon, and which may be published",
    )


def add_up(queries: int) -> str:
    """Why so many answers cost less than so many times one: squared mu is a sum, and goes with 1 / sigma^2.

    >>> add_up(100)
    '100 answers cost less than 100 times one: each has noise of its own. Together they tell as much as one \
answer whose noise is √100 = 10 times smaller.'
    """
    root = math.sqrt(queries)
    return (
        f"{queries:,} answers cost less than {queries:,} times one: each has noise of its own. Together they tell as "
        f"much as one answer whose noise is √{queries:,} {'=' if root.is_integer() else '≈'} {number(root, 3)} times "
        "smaller."
    )
