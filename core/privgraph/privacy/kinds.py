"""What generic code decides by: kinds of mechanisms, of neighbouring datasets, of releases, of adversaries.
No torch.

Sentences stand beside these in entries, statements and records, for people alone: whatever a sentence says,
nothing else happens. The values are what is stored, and what other people's programs read: a kind that is
there keeps its value.
"""

from collections.abc import Mapping
from enum import StrEnum

FORM = 2
"""Version of the form in which entries of a ledger, statements and audits are stored: the first that has
kinds."""


class MechanismKind(StrEnum):
    """What an entry of a ledger is: which worst case it has, and so which game plays it and which canary it
    admits."""

    UNKNOWN = "unknown"
    NOTHING = "nothing"
    UNPROTECTED = "unprotected"
    GRADIENTS = "gradients"
    REPLACED_GRADIENTS = "replaced gradients"
    LISTED_GRADIENTS = "listed gradients"
    SUBGRAPH_GRADIENTS = "subgraph gradients"
    AGGREGATION = "aggregation"
    REPLACED_AGGREGATION = "replaced aggregation"
    CLASS_SUMS = "class sums"
    WEIGHTED_VOTES = "weighted votes"
    POSTERIOR = "posterior"
    LOG_POSTERIOR = "log-posterior"
    MAXIMUM = "maximum"
    PART_MAXIMUM = "maximum by counts"
    GATE = "gate"
    COUNTS = "counts"
    LIMITED_COUNTS = "counts up to a limit"
    RANDOMISED_RESPONSE = "randomised response"
    EDGE_COUNT = "edge count"
    SANITISED_COST = "sanitised cost"
    ADDITIVE = "additive"


MECHANISMS: Mapping[MechanismKind, str] = {
    MechanismKind.UNKNOWN: "a mechanism that an earlier version named, and this one does not know",
    MechanismKind.NOTHING: "nothing that is protected is read",
    MechanismKind.UNPROTECTED: "something protected is read without noise",
    MechanismKind.GRADIENTS: "noisy sum of clipped gradients of a Poisson sample; a unit has one gradient, "
    "there or not there",
    MechanismKind.REPLACED_GRADIENTS: "the same, where a unit's gradient becomes another",
    MechanismKind.LISTED_GRADIENTS: "the same, where a unit also stands in the lists of a bounded number of others",
    MechanismKind.SUBGRAPH_GRADIENTS: "noisy sum of clipped gradients of sampled subgraphs, into which a "
    "unit may be drawn",
    MechanismKind.AGGREGATION: "noisy sum over neighbours of rows of bounded norm; an edge, or a node that opts out",
    MechanismKind.REPLACED_AGGREGATION: "the same, where a node's record becomes another and its own row is covered",
    MechanismKind.CLASS_SUMS: "noisy sums, by class, of vectors of bounded norm, released once",
    MechanismKind.WEIGHTED_VOTES: "noisy votes of the nodes of a sample, each of bounded weight, released whole",
    MechanismKind.POSTERIOR: "the class of a noisy maximum of probabilities, any of which one unit may turn",
    MechanismKind.LOG_POSTERIOR: "the same with logarithms of probabilities, which have no bound",
    MechanismKind.MAXIMUM: "the class of a noisy maximum of teachers' votes, of which one unit moves one; "
    "counted by answers",
    MechanismKind.PART_MAXIMUM: "the same, counted by the two counts of an answer that one vote moves",
    MechanismKind.GATE: "whether the largest count of votes passes a threshold, with noise",
    MechanismKind.COUNTS: "noisy counts of teachers' votes, of which one unit moves one, released whole",
    MechanismKind.LIMITED_COUNTS: "tests and noisy counts, until a teacher's limit is reached",
    MechanismKind.RANDOMISED_RESPONSE: "every pair of nodes answers by coins of its own whether it is joined",
    MechanismKind.EDGE_COUNT: "noisy number of edges, by which the coins of a randomised response are set",
    MechanismKind.SANITISED_COST: "noisy data-dependent cost, with noise that follows its smooth sensitivity",
    MechanismKind.ADDITIVE: "independent noise on numbers that one unit moves by no more than the stated sensitivity",
}
"""Every kind in words."""

OF_GRADIENTS = frozenset(
    {
        MechanismKind.GRADIENTS,
        MechanismKind.REPLACED_GRADIENTS,
        MechanismKind.LISTED_GRADIENTS,
        MechanismKind.SUBGRAPH_GRADIENTS,
    }
)
"""Kinds whose releases are noisy gradients, among which canaries can stand."""


class Neighbours(StrEnum):
    """What two neighbouring datasets are: the relation under which an epsilon holds."""

    UNKNOWN = "unknown"
    NONE = "none"
    UNDIRECTED_EDGE = "undirected edge"
    DIRECTED_EDGE = "directed edge"
    NODE_RECORD = "node record"
    NODE = "node"
    ASSIGNED_NODE = "assigned node"
    FROZEN_ROSTER = "frozen roster"
    FROZEN_SAMPLE = "frozen sample"
    FROZEN_DEGREES = "frozen degrees"
    REPLACED_RECORD = "replaced record"


NEIGHBOURS: Mapping[Neighbours, str] = {
    Neighbours.UNKNOWN: "a relation that an earlier version described, and this one does not know",
    Neighbours.NONE: "no two datasets are made hard to tell apart",
    Neighbours.UNDIRECTED_EDGE: "an undirected edge, which is two entries, is there or not",
    Neighbours.DIRECTED_EDGE: "a directed edge, which is one entry, is there or not",
    Neighbours.NODE_RECORD: "a node's record is there or was never there; edges are not read",
    Neighbours.NODE: "a node with all its edges is there or was never there",
    Neighbours.ASSIGNED_NODE: "a node with all its edges is there or not, and all others keep the slots "
    "that were drawn",
    Neighbours.FROZEN_ROSTER: "a node takes part or opts out of a roster whose roles and seats stay as they "
    "were drawn with it",
    Neighbours.FROZEN_SAMPLE: "a node takes part or opts out of a graph whose sample of edges stays as it "
    "was drawn with it",
    Neighbours.FROZEN_DEGREES: "a node takes part or opts out of a graph whose degrees stay as they were "
    "counted with it",
    Neighbours.REPLACED_RECORD: "a node's record becomes another, with the sample of all others' edges as it is",
}
"""Every kind of relation in words."""


class Release(StrEnum):
    """What is handed out."""

    UNKNOWN = "unknown"
    WEIGHTS = "weights"
    MODEL = "model"
    AGGREGATES = "aggregates"
    PROMPT = "prompt"
    GRAPH = "graph"
    TABLE = "table"
    VOTES = "votes"
    LABELS = "labels"
    PART = "part"


RELEASES: Mapping[Release, str] = {
    Release.UNKNOWN: "something that an earlier version described, and this one does not know",
    Release.WEIGHTS: "a network's weights, and no predictions",
    Release.MODEL: "a network's weights, and predictions",
    Release.AGGREGATES: "noisy aggregates, and with them weights and predictions",
    Release.PROMPT: "a prompt and its head, and predictions",
    Release.GRAPH: "a randomised graph, and all that is computed from it",
    Release.TABLE: "a noisy table of classes, and all that is computed from it",
    Release.VOTES: "noisy votes or counts for each query, and a student",
    Release.LABELS: "one noisy label for each query, and a student",
    Release.PART: "what an interrupted run had computed",
}
"""Every kind of release in words."""


class Adversary(StrEnum):
    """What the adversary of a lower bound sees and chooses."""

    UNKNOWN = "unknown"
    WORST_CASE = "worst case"
    CANARIES = "canaries"
    OUTSIDER = "outsider"


ADVERSARIES: Mapping[Adversary, str] = {
    Adversary.UNKNOWN: "what it was, is not known",
    Adversary.WORST_CASE: "the run's mechanisms, played on a worst case made for them; no data of the run were read",
    Adversary.CANARIES: "one more training like the run, with canaries among its gradients",
    Adversary.OUTSIDER: "one more training like the run, by somebody outside who asks its model about nodes",
}
"""What each attacks, in words: never the very run, whose noise is drawn and stays secret."""


class Route(StrEnum):
    """How a lower bound follows from scores."""

    THRESHOLD = "threshold"
    GAUSSIAN = "gaussian"
    ONE_RUN = "one run"
