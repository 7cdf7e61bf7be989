"""Words of the field that lessons use, each with one definition: the only place where they are defined."""

from __future__ import annotations

from collections.abc import Mapping

from privgraph_workbench.theme import EPSILONS

SOUND, PUBLISHED = EPSILONS["sound"].title, EPSILONS["published"].title
ADDED = "what is added to the bound eᵋ: for any set of results, P ≤ eᵋ · P′ + δ"
"""What δ is, wherever it is said."""
GLOSSARY: Mapping[str, str] = {
    "ε (epsilon)": "The promise as a number: with or without one protected unit, any result is at most eᵋ times as "
    "likely (but for δ). A smaller ε hides better, and needs more noise.",
    "δ (delta)": f"{ADDED[:1].upper()}{ADDED[1:]}. It is 0 for Laplace noise, and should lie far below one over the "
    "number of protected units.",
    "protected unit": "Whom or what a guarantee hides: one friendship (edge level), or one person with all of their "
    "features and friendships (node level). An ε says nothing without it.",
    "neighbouring datasets": "Two datasets that differ in one protected unit: one friendship or one person is there or "
    "not. ε bounds how well anybody can tell them apart.",
    "sensitivity": "The most that one protected unit can move what is published, before noise is added. The scale of "
    "the noise is proportional to it.",
    "release": "Whatever leaves the private data: a sum, an answer, a model, or a number about these. Each release "
    "costs its own ε.",
    "composition": "What several releases of the same data cost together. Their ε and δ add up at most; an accountant "
    "may prove less.",
    "accountant": "What adds up the costs of many noisy steps, and proves an ε for all of them at a given δ. It is an "
    "upper bound, whichever accountant is taken.",
    "Laplace noise": "Noise of density exp(−|x|/b) / (2b). Of scale b = sensitivity / ε, it gives ε, with δ = 0.",
    "hint": "A private label of the invented world: it names somebody's group, rightly in 6 cases of 10.",
    "homophily": "Friends are alike: how large a share of friendships lies within one group. Graph networks learn from "
    "it, and so do attackers.",
    "hop": "One step along friendships: friends are one hop away, friends of friends two.",
    "attack": "A procedure that guesses something private from what was released: who trained (membership inference), "
    "who is connected (link stealing).",
    "teacher": "A model that was trained on its own part of the private data. It is never released: only noisy votes "
    "of all teachers are.",
    "data-dependent ε": "An ε that is computed from the private data themselves. Printed without noise of its own, it "
    "reveals something about them.",
    "degree bound": "Everybody keeps a limited number of neighbours, so that one person moves a limited number of "
    "published sums.",
    SOUND: "What the noise of a run guarantees, by a proof that fits what the program does.",
    PUBLISHED: "What the formula in the paper says of the same noise. Where its proof or its code has a gap, it "
    "may be smaller than what holds.",
    "lower bound (ε audited)": "An ε that an attack has shown at a stated confidence: the true one is not smaller. It "
    "refutes what lies below it, and proves no promise.",
    "assumption": "What a guarantee takes for granted, such as features that are public. Where it fails, so does the "
    "guarantee.",
}
"""Definitions by term, as Markdown of one or two sentences."""
