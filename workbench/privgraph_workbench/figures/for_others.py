"""What may leave with a report for others, which must tell neither a seed nor a private value before noise.

Whoever has the graph draws the split of one seed after another, and knows the right one by any number that
follows from split and labels alone, or from training without noise. So a figure or a metric leaves only
where it is named here: what nobody has thought about stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from privgraph_workbench.figures.chart import Row

METRICS = frozenset(
    {
        *("test_accuracy", "test_precision", "test_micro_f1", "test_macro_f1", "test_mrr"),
        *("test_few_shot_accuracy", "test_few_shot_mrr"),
        *("test_nodes", "test_relations", "guessing_accuracy"),
    }
)
"""The results that leave: how good the finished model is on test nodes, which whoever shares a report
publishes, and how many these are (guessing a relation's partner follows from their number). What else needs
no training (the largest class, a base encoder) is a function of split and labels; what was measured in
training, on teachers or on their votes before noise is private."""

LEAVE = frozenset(
    {
        *("tradeoff", "expected", "standing", "compare", "depth", "teachers_compared", "neighbours_heatmap"),
        *("ledger", "cost", "entry_costs", "split"),
        *("noise_shapes", "terms", "revealed_scale", "precision"),
        *("audit_roc", "audit_scores", "audit_bounds"),
        *("attack_roc", "attack_kept", "attack_areas"),
        # of invented people
        *("evidence", "told_numbers", "told_without_noise", "friends_tell", "one_number", "one_release"),
        *("many_releases", "edges_or_people", "many_teachers", "claims_played"),
    }
)
"""The figures whose files leave."""

FLAGGED = frozenset({"teacher_epsilons"})
"""The figures whose files leave where each of their rows says that it is neither data-dependent nor private.
A teacher's sound ε under public weights follows from options and public sizes alone (`guarantees` of DP-GPL's
config): it is what every node was promised before any vote was read."""

_NODES = "they name single nodes or texts"
_GROUPS = "they count members in small groups"
_BEFORE = "they show votes, or what follows from them, before noise"
_TEACHERS = "they show what follows from private nodes without noise: data-dependent ε, or teachers as they are"
_GRAPH = "they show private data of the graph without noise"
_STEPS = "they follow training step by step, also where it adds no noise, and can be repeated for each seed"
_RELATIONS = "they show what needs no training on the same relations, which tells the seed"
_NOT_ASKED = "nobody has made sure of them"
WHY_NOT: Mapping[str, str] = {
    **dict.fromkeys(("attack_map", "answers", "one_answer", "chosen", "teacher_times", "moved"), _NODES),
    **dict.fromkeys(("attack_exposure", "attack_scores"), _GROUPS),
    **dict.fromkeys(("agreement", "one_vote", "consensus", "budget", "stopped", "price"), _BEFORE),
    **dict.fromkeys(("teacher_accuracy",), _BEFORE),
    **dict.fromkeys(FLAGGED, _TEACHERS),
    **dict.fromkeys(("degrees", "classes", "neighbourhood", "predicted", "influence"), _GRAPH),
    **dict.fromkeys(("curves", "convergence"), _STEPS),
    **dict.fromkeys(("relation_ranking", "relation_options"), _RELATIONS),
}
"""Why any other figure stays, in words that follow its name."""

_KINDS: Mapping[str, frozenset[str]] = {
    "standing": frozenset({"majority", "base"}),
    "expected": frozenset({"majority"}),
}
"""Rows of figures that stay, by their kind: what takes no learning is a function of split and labels."""
_DROPPED: Mapping[str, frozenset[str]] = {
    "tradeoff": frozenset({"guess"}),
    "teachers_compared": frozenset({"guess"}),
    "attack_kept": frozenset({"area_not_private", "not_private_run"}),
    "teacher_epsilons": frozenset({"teacher", "size", "centrality"}),
}
"""Columns of figures that are left out: for the same, the share of the largest class; what an attack found on
one run without noise; and which teacher is which."""
_EMPTIED: Mapping[str, frozenset[str]] = {
    "compare": frozenset({"train_accuracy", "val_accuracy", "seconds", "peak_memory_mb"}),
}
"""Columns of figures that are emptied: what happened in training, and what a run took, which hangs on what it
drew."""
_TOLD: Mapping[str, frozenset[str]] = {"tradeoff": frozenset({"advised"})}
"""Columns of figures that hold advice, which leaves without the guess."""
_GUESS = re.compile(r"(?P<words>\ba guess) \([\d.]+%\)| ?\bA guess: [\d.]+%\.")
"""How often naming the largest class is right, as advice tells it."""
NO_TEST = "what it measures is not a result on test nodes"
"""Why a figure stays of which nothing would be left."""
NOT_TOLD = "its share is left out"
"""What stands in its place, so that nobody looks for the number."""


def leaves(figure: str, given: Sequence[Row]) -> bool:
    """Whether a figure with these rows may leave with a report for others.

    >>> leaves("tradeoff", []), leaves("answers", []), leaves("a figure of tomorrow", [])
    (True, False, False)
    """
    if figure in FLAGGED:
        return bool(given) and all(row.get("data_dependent") is False and row.get("private") is False for row in given)
    return figure in LEAVE


def why_not(figure: str) -> str:
    """Why a figure stays."""
    return WHY_NOT.get(figure, _NOT_ASKED)


def stays(figure: str, given: Sequence[Row]) -> str:
    """Why a report for others leaves out a figure with these rows, in words that follow its name; "" where
    it does not.

    >>> stays("chosen", []), stays("tradeoff", [{"metric": "test_accuracy"}])
    ('they name single nodes or texts', '')
    >>> stays("tradeoff", [{"metric": "val_accuracy"}])
    'what it measures is not a result on test nodes'
    """
    if not leaves(figure, given):
        return why_not(figure)
    return "" if rows(figure, given) else NO_TEST


def told(named: Iterable[tuple[str, str]]) -> str:
    """Which figures stay, each by its title and why ("": it leaves); "" where all leave.

    >>> told([("Ours", ""), ("Who", why_not("chosen")), ("Votes", why_not("answers"))])
    'Left out are Who, Votes (they name single nodes or texts).'
    """
    by_reason: dict[str, list[str]] = {}
    for title, why in named:
        if why:
            by_reason.setdefault(why, []).append(title)
    said = [f"{', '.join(dict.fromkeys(titles))} ({reason})" for reason, titles in by_reason.items()]
    return f"Left out are {'; '.join(said)}." if said else ""


def rows(figure: str, given: Sequence[Row]) -> list[Row]:
    """The rows of a figure that leaves, without what tells the split."""
    kinds, dropped, emptied, told = (held.get(figure, frozenset()) for held in (_KINDS, _DROPPED, _EMPTIED, _TOLD))
    return [
        {
            name: None if name in emptied else advice(str(value)) if name in told else value
            for name, value in row.items()
            if name not in dropped
        }
        for row in given
        if row.get("kind") not in kinds and row.get("metric", "test_accuracy") in METRICS
    ]


def metrics(given: Mapping[str, float]) -> dict[str, float]:
    """The results that leave.

    >>> metrics({"test_accuracy": 0.7, "majority_class_accuracy": 0.3, "epsilon_data_dependent": 6.7})
    {'test_accuracy': 0.7}
    """
    return {name: value for name, value in given.items() if name in METRICS}


def advice(said: str) -> str:
    """Advice without how often a guess is right.

    >>> advice("None is clearly better than a guess (31.9%): none. A guess: 31.9%.")
    'None is clearly better than a guess (its share is left out): none.'
    """
    return _GUESS.sub(lambda found: f"{found['words']} ({NOT_TOLD})" if found["words"] else "", said)
