"""Records of versions up to 0.5.0, which had names and sentences alone: the kinds that they meant. For
reading old records only.

What those versions wrote will never change, so that their words may be read here, and nowhere else. A name
that stands in no table is of an unknown kind, which audits refuse.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from privgraph.privacy import rounding
from privgraph.privacy.kinds import FORM, Adversary, MechanismKind, Neighbours, Release
from privgraph.privacy.statement import PrivacyStatement

_SOUND = re.compile(r"\d[\d.]*(?= for the proved one\b| each, compose to\b)")
"""The sound epsilon of a run in the words of its gaps."""

MECHANISMS: Mapping[str, MechanismKind] = {
    "none": MechanismKind.NOTHING,
    "training": MechanismKind.UNPROTECTED,
    "training without protection": MechanismKind.UNPROTECTED,
    "tuning without protection": MechanismKind.UNPROTECTED,
    "aggregation": MechanismKind.UNPROTECTED,
    "best epoch by private labels": MechanismKind.UNPROTECTED,
    "decomposition of everybody's features": MechanismKind.UNPROTECTED,
    "data-dependent limit": MechanismKind.UNPROTECTED,
    "private gradients": MechanismKind.GRADIENTS,
    "private gradients under replacement": MechanismKind.REPLACED_GRADIENTS,
    "private gradients of subgraphs": MechanismKind.LISTED_GRADIENTS,
    "private subgraph gradients": MechanismKind.SUBGRAPH_GRADIENTS,
    "aggregation perturbation": MechanismKind.AGGREGATION,
    "aggregation perturbation, own rows covered": MechanismKind.REPLACED_AGGREGATION,
    "noisy table of class sums": MechanismKind.CLASS_SUMS,
    "noisy weighted votes": MechanismKind.WEIGHTED_VOTES,
    "noisy argmax of a posterior": MechanismKind.POSTERIOR,
    "noisy argmax of log-probabilities": MechanismKind.LOG_POSTERIOR,
    "noisy maximum of teachers' votes": MechanismKind.MAXIMUM,
    "noisy count of votes (laplace)": MechanismKind.PART_MAXIMUM,
    "noisy count of votes (gaussian)": MechanismKind.PART_MAXIMUM,
    "gate": MechanismKind.GATE,
    "test of the largest count (gaussian)": MechanismKind.GATE,
    "noisy counts of votes (gaussian)": MechanismKind.COUNTS,
    "tests and noisy counts of votes (gaussian), up to a teacher's limit": MechanismKind.LIMITED_COUNTS,
    "randomised response": MechanismKind.RANDOMISED_RESPONSE,
    "Laplace": MechanismKind.EDGE_COUNT,
    "data-dependent cost and its smooth sensitivity, noisy": MechanismKind.SANITISED_COST,
}
"""All names of mechanisms that versions 0.1.0 to 0.5.0 wrote."""

_NODE = "add or remove one private node, with its features, its label and all its edges"
RELATIONS: Mapping[str, Neighbours] = {
    "none: no two graphs are made hard to tell apart": Neighbours.NONE,
    ("add or remove one undirected edge, which is two entries of the adjacency matrix, in two different rows"): (
        Neighbours.UNDIRECTED_EDGE
    ),
    "add or remove one directed edge, which is one entry of the adjacency matrix": Neighbours.DIRECTED_EDGE,
    "add or remove one node's record; edges are not used": Neighbours.NODE_RECORD,
    (
        "one node opts out: the roster of nodes and the bounded sample of edges stay as they were drawn "
        "from the whole graph, and the node's features, label, own row and all its kept edges are removed"
    ): Neighbours.FROZEN_SAMPLE,
    (
        "one training node opts out (scenario S2 of the paper): the whole graph and with it all out-degrees "
        "stay as they are, and the node's features, label, in-edges and out-edges are read no more"
    ): Neighbours.FROZEN_DEGREES,
    (
        "one node's record is replaced by another: its features, its label and its kept edges, of which it "
        "has at most D in and D out before and after; the roster of nodes and all other kept edges stay as "
        "they are"
    ): Neighbours.REPLACED_RECORD,
    _NODE: Neighbours.NODE,
    f"{_NODE}, which may change what every teacher learns from": Neighbours.NODE,
    f"{_NODE}; the other private nodes keep their seats": Neighbours.ASSIGNED_NODE,
    f"{_NODE}; the other private nodes keep their teachers, because each node draws its own": Neighbours.ASSIGNED_NODE,
    (
        f"{_NODE}; the roster of private nodes and their seats stay as they were drawn, and the seat of a "
        "node that left stays empty"
    ): Neighbours.ASSIGNED_NODE,
}
"""All sentences on neighbours of those versions."""

RELEASES: Mapping[str, Release] = {
    "what an interrupted run ": Release.PART,
    "what a run that somebody stopped ": Release.PART,
    "the weights alone": Release.WEIGHTS,
    "the weights, ": Release.MODEL,
    "weights and predictions": Release.MODEL,
    "weights of ": Release.AGGREGATES,
    "the prompt and its head": Release.PROMPT,
    "what was tuned ": Release.PROMPT,
    "the randomised graph": Release.GRAPH,
    "the noisy table": Release.TABLE,
    "the noisy votes": Release.VOTES,
    "the noisy counts": Release.VOTES,
    "the noisy label ": Release.LABELS,
    "the labels of the queries": Release.LABELS,
}
"""How the sentences on what is released began."""

ADVERSARIES: Mapping[str, Adversary] = {"mechanism": Adversary.WORST_CASE, "white-box": Adversary.CANARIES}
"""By the names of audits."""


_LARGEST = 1e9
"""No sensitivity was larger: a damaged one tells nothing."""


def entry(record: Mapping[str, Any], options: Mapping[str, Any] | None = None, *, unit: str = "") -> dict[str, Any]:
    """A ledger entry with its kind and its worst case.

    `options` are those of its run, where these are at hand, and `unit` what its statement protects: without
    them, and where its own numbers do not tell either, the worst case stays unknown, which audits refuse.
    """
    if "kind" in record:
        raise ValueError("an entry with a kind names the version of its form")
    name = record.get("mechanism")
    kind = MECHANISMS.get(name, MechanismKind.UNKNOWN) if isinstance(name, str) else MechanismKind.UNKNOWN
    known = {name: value for name, value in _worst(kind, record, options or {}, unit).items() if value is not None}
    return {**record, "version": FORM, "kind": kind.value, "worst": known}


def statement(record: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A statement with its kinds, and with those of its ledger. `neighbours` was coarser where it was there
    at all."""
    upgraded = {**record, "version": FORM}
    relation, released, ledger = (upgraded.get(name) for name in ("relation", "released", "ledger"))
    neighbours = RELATIONS.get(relation) if isinstance(relation, str) else None
    upgraded["neighbours"] = (neighbours or Neighbours.UNKNOWN).value
    begun = (kind for start, kind in RELEASES.items() if isinstance(released, str) and released.startswith(start))
    upgraded["release"] = next(begun, Release.UNKNOWN).value
    attacked = upgraded.get("audited_by")
    known = ADVERSARIES.get(attacked, Adversary.UNKNOWN) if isinstance(attacked, str) and attacked else None
    upgraded["adversary"] = None if known is None else known.value
    if isinstance(ledger, list | tuple):
        unit = str(upgraded.get("unit"))
        upgraded["ledger"] = [entry(one, options, unit=unit) if isinstance(one, Mapping) else one for one in ledger]
    return upgraded


AUDITS = 1
"""The version that audits named before they had an adversary."""


def audit(record: Mapping[str, Any]) -> dict[str, Any]:
    """An audit with the kind of its adversary."""
    if "adversary" in record:
        raise ValueError("an audit with an adversary is of a later version")
    name = record.get("audit")
    kind = ADVERSARIES.get(name, Adversary.UNKNOWN) if isinstance(name, str) else Adversary.UNKNOWN
    return {**record, "version": FORM, "adversary": kind.value}


def _worst(kind: MechanismKind, record: Mapping[str, Any], options: Mapping[str, Any], unit: str) -> dict[str, Any]:
    """From what the entry says itself, else from the options of its run; None where neither tells."""
    event = record.get("event")
    event = event if isinstance(event, Mapping) else {}
    moved = record.get("sensitivity")
    moved = float(moved) if isinstance(moved, int | float) and 0 < moved < _LARGEST else None
    match kind:
        case MechanismKind.GRADIENTS:
            return {"clip": moved}
        case MechanismKind.REPLACED_GRADIENTS:
            return {"clip": None if moved is None else moved / 2}
        case MechanismKind.LISTED_GRADIENTS:
            degree = event.get("absent", options.get("max_degree"))
            clip = moved / (2 * degree + 1) if moved is not None and isinstance(degree, int) else None
            return {"clip": clip, "max_degree": degree}
        case MechanismKind.SUBGRAPH_GRADIENTS if event.get("kind") == "SampledSubgraphs":
            own = {name: event.get(name) for name in ("neighbours", "largest_degree", "exclusive")}
            return {"clip": moved, "noise": "gaussian", **own}
        case MechanismKind.SUBGRAPH_GRADIENTS:
            # noise of which nothing is proved has no event; every preset had the rule
            held, preset = options.get("neighbours"), options.get("preset")
            exclusive = options.get("exclusive") if preset == "own" else None if preset is None else True
            own = {"neighbours": held, "largest_degree": held, "exclusive": exclusive}
            return {"clip": moved, "noise": "spherical-laplace", **own}
        case MechanismKind.AGGREGATION:
            return {"max_degree": round(moved**2) if unit == "node" and moved is not None else None}
        case MechanismKind.REPLACED_AGGREGATION:
            # the sensitivity was 2 sqrt(D (D + 1))
            return {"max_degree": None if moved is None else round((math.sqrt(1 + moved**2) - 1) / 2)}
        case MechanismKind.LIMITED_COUNTS:
            return {"gate_std": options.get("gate_sigma")}
    return {}


def rounded_up(said: PrivacyStatement) -> PrivacyStatement:
    """The statement, with its sound epsilon in words rounded up: versions that rounded it to the nearest
    wrote 1.999 of 1.99912, which is less than what holds."""
    nearest, upper = f"{said.epsilon:.4g}", rounding.upper(said.epsilon)
    if nearest == upper or not said.gaps:
        return said
    gaps = [
        replace(one, size=_SOUND.sub(lambda found: upper if found[0] == nearest else found[0], one.size))
        for one in said.gaps
    ]
    return replace(said, gaps=tuple(gaps))
