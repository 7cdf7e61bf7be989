"""What the epsilon of a method of teachers counts as its paper publishes it, or misses, and why it is another
one than the sound epsilon, in words. No Streamlit, no torch.

Each sentence says what the method's own module proves: `papers.privgnn`, `papers.privgnn_gaps`,
`papers.dp_gpl`, `papers.dp_gpl_gaps` and the accountants of `methods.teachers.pate`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from privgraph.options import Scalar

NO_FORMULA = "The paper answers query by query, and has no formula for one table that answers all."
PATE = {
    "laplace": (
        "The formula (Papernot et al. 2017) bounds moments up to order 8 and looks at no vote. It holds, and counts "
        "more than the exact sum behind the sound ε"
    ),
    "gaussian": (
        "The formula (Papernot et al. 2018) adds up Rényi divergences and converts them into ε. It holds, and counts "
        "more than the exact sum behind the sound ε"
    ),
}
ONE_VOTE = (
    "The paper's Theorem 1 counts a vote that moves once, by its weight, where it leaves one count and joins another: "
    "the square root of 2 times as much. That counts too little, and its conversion of Rényi divergences into ε too "
    "much"
)
ALL_VOTES = (
    "The paper's Theorem 1 charges a node the vote of its own teacher alone, where in this run one node's leaving may "
    "move every vote"
)
FEATURES = (
    "The paper's Theorem 1 counts the votes alone, where in this run the features that the student reads were made "
    "from private nodes too, without noise"
)
POSTERIOR = (
    "The paper counts as if the whole noisy vector of chances went out, with a sensitivity of 1 where it is 2. What "
    "goes out is the label alone, which tells far less"
)
LOGARITHMS = (
    "The paper's formula is for noise on chances, which lie between 0 and 1. Here it is on their logarithms, which "
    "have no bound"
)
OWN_NOISE = (
    "The paper has no formula for this release: its way of counting (whole Rényi orders, which count too much, at ten "
    "times the δ that is stated, which counts too little) is applied to this noise"
)
ONE_SAMPLE = "It takes a fresh sample for each query, where this run draws one for all of them"


def why(method: str, options: Mapping[str, Scalar], sound: float, published: float | None) -> str:
    """What the published formula counts or misses about a run with these options (all of them, defaults too),
    and on which side of the sound epsilon that puts it here; "" of another method."""
    told = _counts(method, options)
    if published is None or not told:
        return told
    return f"{told}. Here it is {_side(sound, published)}."


def _counts(method: str, options: Mapping[str, Scalar]) -> str:
    if method == "pate":
        return PATE.get(str(options.get("noise")), "")
    if method == "dp-gpl":
        if options.get("svd") == "everybody":
            return FEATURES
        return ALL_VOTES if options.get("weighting") == "centrality" else ONE_VOTE
    release = str(options.get("release")) if method == "privgnn" else ""
    if release == "table":
        return NO_FORMULA
    told = {"posterior": POSTERIOR, "log-posterior": LOGARITHMS, "votes": OWN_NOISE, "ensemble": OWN_NOISE}
    once = f". {ONE_SAMPLE}" if options.get("sampling") == "once" else ""
    return told[release] + once if release in told else ""


def _side(sound: float, published: float) -> str:
    if math.isclose(published, sound, rel_tol=1e-3):
        return "as large as the sound ε"
    return "larger than the sound ε" if published > sound else "smaller than the sound ε, and no guarantee"
