"""One answer under other noise than the run's: another draw, another size, and what that costs. For runs that
kept no record of weighted teachers, which have a form of their own (`vote_form`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.noisy_max import gate_chance
from privgraph.methods.base import Plan
from privgraph.methods.teachers.answers import Answers
from privgraph.options import OptionError, UnknownName
from privgraph.privacy.composition import gaussian_epsilon, gaussian_mu
from privgraph.privacy.events import Gaussian
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import datasets, noisy_labels, plans, queries_asked
from privgraph_workbench.figures.teachers.answers import size
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words.numbers import chance, number, percent, stated

Array = NDArray[np.float64]

TIMES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The noise that can be asked about, as multiples of the run's."""
WHICH_END = "← less noise, less private, more accurate · more noise, more private →"
LAWS = {"gaussian": "Gaussian", "laplace": "Laplace", "exponential": "Exponential", "gumbel": "Gumbel"}
"""What each law of noise is called."""
TITLE = "#### What if the noise had been different?"
WHY_NOT = {
    "table": "What if the noise had been different? Here that cannot be asked of one query: the noise was drawn once, "
    "on the table that answers all of them.",
    "log-posterior": "What if the noise had been different? Here no other size is offered: noise on logarithms "
    "guarantees nothing at any size.",
}


def key(record: RunRecord) -> str:
    """Of the field of the noise: what one tab asks about, the other one does as well."""
    return f"vote.times.{record.id}"


def law(record: RunRecord, found: Answers) -> str | None:
    """The law of the noise on an answer, where it can be drawn here by itself: of a table it cannot."""
    return noisy_labels.law_of(record.spec, found.kind)


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The noise with which the largest count is tested, and what it must exceed."""

    std: float
    threshold: float


def gate(record: RunRecord, found: Answers, times: float = 1.0) -> Gate | None:
    """The gate of a run of PrivGNN, in deviations of the answer's noise, which may be larger; None where
    there is none."""
    asked_for = record.spec.options
    least = float(asked_for.get("gate") or 0.0) if record.spec.method == "privgnn" else 0.0
    if least <= 0:
        return None
    std = times * found.noise_std
    return Gate(std=float(asked_for["gate_noise"]) * std, threshold=least * std)


def gate_words(before: Array, test: Gate) -> str:
    """How these votes fare at the gate."""
    passes = chance(float(gate_chance(float(before.max()), test.threshold, test.std)))
    return (
        f"A gate lets a query pass whose largest count, through noise of ± {size(test.std)}, exceeds "
        f"{size(test.threshold)}: votes like these pass with a chance of {passes}. In the run it tested other nodes, "
        "drawn for it alone and not kept, and every query here had passed; another draw tests these votes."
    )


def anew(found: Answers, place: int, known: str, count: int, test: Gate | None = None, times: float = 1.0) -> Answers:
    """The answers with other noise on that query, and at its gate: the same for the same number of draws,
    whatever the size of the noise."""
    draw = np.random.default_rng([int(found.queries[place]), count])
    std = times * found.noise_std
    after, released = found.after.copy(), found.released.copy()
    after[place] = found.before[place] + noisy_labels.drawn(known, std, found.before.shape[1], draw)
    passed = test is None or found.before[place].max() + test.std * draw.standard_normal() > test.threshold
    released[place] = after[place].argmax() if passed else -1
    return replace(found, after=after, released=released, noise_std=std)


def ask(record: RunRecord, found: Answers) -> float:
    """The noise that is looked at, as a multiple of the run's; a sentence where there is nothing to ask."""
    known = law(record, found)
    if known is None:
        st.caption(WHY_NOT.get(found.kind, WHY_NOT["log-posterior"]))
        return 1.0
    st.markdown(TITLE)
    times = st.select_slider(
        "Noise (standard deviation)",
        TIMES,
        value=1.0,
        key=key(record),
        format_func=lambda one: f"± {size(one * found.noise_std)}",
        help=f"The run had ± {size(found.noise_std)}",
    )
    st.caption(f"{WHICH_END}  \n{noise_words(known, times * found.noise_std)}")
    return float(times)


def outcome(record: RunRecord, found: Answers, place: int, known: str, times: float) -> None:
    """Chances and price with that noise, for this query and for all."""
    counts = found.before[place].astype(np.float64)
    stays = float(noisy_labels.chances(known, times * found.noise_std, counts)[counts.argmax()])
    asked, wanted = len(found.queries), int(record.spec.options.get("queries", 0))
    boxes = (
        (
            "The largest class stays",
            chance(stays),
            "Chance that the class that leads before noise still leads after it",
        ),
        (
            "Labels right, on average",
            percent(expected(found, known, times)),
            "Of the queries that the run answered, over all draws of this noise. Evaluator only: it needs the truth",
        ),
        (
            f"Cost of all {asked:,}: {EPSILONS['sound'].label}",
            cost(record, times),
            "What every private node of the run would be guaranteed with this noise",
        ),
    )
    layout.cards("other-noise", boxes)
    gated = gate(record, found) is not None  # it keeps what passed, and pays for the rest, too
    st.caption(" ".join(filter(None, (drew_once(found), "" if gated else queries_asked.fewer(wanted, asked)))))


@lru_cache(maxsize=256)
def expected(found: Answers, known: str, times: float) -> float:
    """The share of labels that are right with that noise, on average over it: of the queries that the run
    answered, which are those of *before noise* (of all, where it answered none)."""
    held = found.released >= 0 if (found.released >= 0).any() else np.ones(len(found.queries), dtype=np.bool_)
    right = noisy_labels.right(known, times * found.noise_std, found.before[held].astype(np.float64), found.truth[held])
    return float(right.mean())


def came(found: Answers) -> float | None:
    """The share of the run's answered queries whose largest class after noise was right."""
    answered = found.released >= 0
    return float((found.after.argmax(axis=1) == found.truth)[answered].mean()) if answered.any() else None


def drew_once(found: Answers) -> str:
    """How an average over the noise stands to what the run drew; "" where nothing was answered."""
    share = came(found)
    if share is None:
        return ""
    return (
        f"*Labels right, on average*: of the {int((found.released >= 0).sum()):,} queries that the run answered, over "
        "all draws of the noise. The run drew once: "
        f"{percent(share)} of its labels came out right."
    )


def cost(record: RunRecord, times: float) -> str:
    """Sound epsilon of the run's queries with that noise, for people."""
    found = epsilon(record, times)
    return "—" if found is None else stated("sound", found)


def epsilon(record: RunRecord, times: float = 1.0, queries: int | None = None) -> float | None:
    """Sound epsilon of so many queries (else the run's) with that noise; None where it is not to be had, as
    while the graph is counted."""
    own = record.statement.epsilon if record.statement is not None else None
    if times == 1.0 and queries is None:
        return own
    plan = priced(record, times, queries)
    return None if plan is None else plan.statement.epsilon


def priced(record: RunRecord, times: float = 1.0, queries: int | None = None) -> Plan | None:
    """The run's plan with that noise and so many queries (else its own); None where it is not to be had.
    Other queries keep the run's noise, which a budget would choose anew for them."""
    try:
        facts = facts_of(record)
        if facts is None:
            return None
        own = plans.plan(record.spec.method, record.spec.options, facts)
        if times == 1.0 and queries is None:
            return own
        noise = record.spec.noise
        if noise is None or record.spec.options.get("preset", "own") != "own":
            return None
        options = {**record.spec.options, noise.option: given(noise.option, times * scale(own.noise))}
        return plans.plan(record.spec.method, options if queries is None else {**options, "queries": queries}, facts)
    except (OptionError, DataError, UnknownName):
        return None


def moved(record: RunRecord, queries: int | None = None) -> float | None:
    """By how many standard deviations of the run's noise one private node moves so many answers (else the
    run's): the mu of the plain Gaussians that they are; None where that is not known, or no such mu is."""
    plan = priced(record, queries=queries)
    return None if plan is None else moved_in(plan)


def moved_in(plan: Plan) -> float | None:
    """By how many standard deviations of all noise of a plan one private node moves what is read: the mu of
    the plain Gaussians that it is. None where noise is of another kind or drawn on a sample, and where a gate
    chooses what is paid for: what goes out is no such Gaussian then."""
    gaussian = [(one.event, one.count) for one in plan.entries if isinstance(one.event, Gaussian)]
    if len(gaussian) != 1 or len(plan.entries) > 1:
        return None
    mu = gaussian_mu(tuple(gaussian))
    held = math.isclose(gaussian_epsilon(mu, plan.statement.delta), plan.statement.epsilon, rel_tol=1e-4)
    return mu if held else None


def scale(noise: Mapping[str, float]) -> float:
    """The scale of the noise of a plan."""
    return next(noise[name] for name in ("scale", "noise_scale", "votes") if name in noise)


def facts_of(record: RunRecord) -> PublicFacts | None:
    """The sizes of the run's graph; None while it is counted. Raises `DataError`, `OptionError` or
    `UnknownName` where they are not to be had."""
    return datasets.public_facts(dataset(record.spec.dataset), record.spec.data_options, record.spec.split)


def asked(record: RunRecord) -> int | None:
    """How many queries the run asked; None where that is not known, as while the graph is counted."""
    try:
        facts = facts_of(record)
        if facts is None:
            return None
        return queries_asked.asked(plans.plan(record.spec.method, record.spec.options, facts))
    except (OptionError, DataError, UnknownName):
        return None


def law_words(law: str, std: float) -> str:
    """Which noise it is, and its standard deviation.

    >>> law_words("gaussian", 9.5876), law_words("gumbel", 1.5)
    ('Gaussian, σ = 9.59', 'Gumbel, σ = 1.5')
    """
    return f"{LAWS[law]}, σ = {size(std)}"


def noise_words(law: str, std: float) -> str:
    """Which noise it is; with lambda, as the papers call the size of Laplace noise, and of no other.

    >>> noise_words("gaussian", 9.5876)
    'Noise: Gaussian, σ = 9.59.'
    >>> noise_words("laplace", 2**0.5 / 0.330268)
    'Noise: Laplace, σ = 4.28; λ (lambda), one over the scale of this noise: 0.3303.'
    """
    lam = f"; λ (lambda), one over the scale of this noise: {number(noisy_labels.SPREAD[law] / std, 4)}"
    return f"Noise: {law_words(law, std)}{lam if law == 'laplace' else ''}."


def given(option: str, scale: float) -> float:
    """What that option holds for noise of this scale."""
    return float(f"{1 / scale if option == 'lam' else scale:.6g}")
