"""Where noise drowns what it is added to, told from a plan alone: by the kinds of its mechanisms and public
sizes. No Streamlit, no torch."""

from __future__ import annotations

from typing import NamedTuple

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.randomised_response import asymmetric, pair_count
from privgraph.methods.base import Plan
from privgraph.privacy.events import PureDP, RandomizedResponse
from privgraph.privacy.kinds import OF_GRADIENTS, MechanismKind
from privgraph.privacy.ledger import LedgerEntry

AGGREGATIONS = (MechanismKind.AGGREGATION, MechanismKind.REPLACED_AGGREGATION)
HARDLY_ANY = 0.05
"""A share of true edges below which a randomised graph tells nothing."""
COORDINATES = 0.05
"""Noise on one of thousands of coordinates that is this share of the longest gradient sum hides it: on all
together it is many times as long."""


class Drowned(NamedTuple):
    """A mechanism whose noise is so many `times` its signal, and in words `what` is hidden."""

    times: float
    what: str
    edges: bool
    """Whether what drowns is what edges say; features may still teach."""


def drowned(plan: Plan) -> Drowned | None:
    """The mechanism of a plan that drowns most; None where none is known to.

    Sums over neighbours, of rows of norm at most 1: noise (standard deviation of each number) against the
    mean degree. Sums of clipped gradients: noise against `COORDINATES` of the longest that the sum of a
    batch can be. Randomised response: pairs that are joined by coins alone against edges that stay, where
    these are fewer than `HARDLY_ANY`. Votes are not judged: their methods say it in the plan's notes.
    """
    found = [one for entry in plan.statement.ledger if (one := _judged(entry, plan.facts)) is not None]
    return max((one for one in found if one.times > 1), default=None)


def _judged(entry: LedgerEntry, facts: PublicFacts) -> Drowned | None:
    std = entry.noise_std or 0.0
    if entry.kind in AGGREGATIONS and facts.entries:
        return Drowned(std * facts.nodes / facts.entries, "each sum over a node's neighbours", edges=True)
    if entry.kind in OF_GRADIENTS and entry.sensitivity:
        batch = max(1.0, (entry.sampling_rate or 1.0) * facts.train_nodes)
        longest = (entry.worst.clip or entry.sensitivity) * batch
        return Drowned(std / (COORDINATES * longest), "each step's gradient", edges=False)
    if entry.kind is MechanismKind.RANDOMISED_RESPONSE and facts.edges:
        pairs, answers = pair_count(facts.nodes, facts.undirected), entry.event
        if isinstance(answers, PureDP):  # its coins follow a noisy number of edges: here, for who holds them, the true
            answers = asymmetric(answers.epsilon, min(1.0, facts.edges / pairs)).event()
        assert isinstance(answers, RandomizedResponse)
        stay, made = answers.one_to_one * facts.edges, answers.zero_to_one * max(0, pairs - facts.edges)
        return Drowned(HARDLY_ANY * made / stay, "the true edges", edges=True)
    return None
