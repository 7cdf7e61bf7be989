"""What an attack is told: which run, how many models to train, and how to ask them. No torch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from privgraph.options import Option, check
from privgraph.privacy.statement import PrivacyStatement

QUERIES = ("linked", "alone", "both")
DISTANCES = ("cosine", "euclidean", "correlation", "chebyshev", "braycurtis", "canberra", "cityblock", "sqeuclidean")
"""Distances of posteriors that `attacks.links` computes."""


@dataclass(frozen=True, kw_only=True)
class AttackOptions:
    """Options of all attacks; an attack reads those that its row in `ATTACKS` names."""

    shadows: Annotated[
        int,
        Option(
            "shadow models: trained as the run was, each on other nodes of the same graph; more make a stronger attack",
            low=4,
            high=512,
            scale="log",
            group="Attack",
            label="Shadow models",
        ),
    ] = 24
    targets: Annotated[
        int,
        Option(
            "models that are attacked: the first trains on the run's own training nodes, each of the others on "
            "nodes drawn anew; the band of the curve is over all of them",
            low=1,
            high=64,
            group="Attack",
            label="Attacked models",
        ),
    ] = 4
    query: Annotated[
        str,
        Option(
            "how the model is asked about a node: linked (with its edges in the graph), alone (its features and "
            "no edge), or both; the two leak differently",
            choices=QUERIES,
            group="Attack",
            label="How the model is asked",
        ),
    ] = "linked"
    shots: Annotated[
        int,
        Option(
            "labelled nodes of each class that the attacked prompts are tuned on: fewer are easier to find; 0 takes as "
            "many as the run",
            unit="nodes of each class",
            low=0,
            high=50,
            group="Attack",
        ),
    ] = 0
    online: Annotated[
        bool,
        Option(
            "compare with shadow models that trained on the node, too; otherwise only with those that did not",
            group="Attack",
            label="Shadow models with the node, too",
            advanced=True,
        ),
    ] = True
    scaled: Annotated[
        bool,
        Option(
            "measure each model's answers by their own mean and spread over all nodes: models that stopped at "
            "different epochs differ in how sure they are of everybody, which says nothing of who trained",
            group="Attack",
            label="Normalise each model's answers",
            advanced=True,
        ),
    ] = True
    setting: Annotated[
        str,
        Option(
            "attack-1 tells private nodes from public ones; attack-2 those public nodes that the student learnt from "
            "from the other public ones",
            choices=("attack-1", "attack-2"),
            group="Attack",
        ),
    ] = "attack-1"
    ordered: Annotated[
        bool,
        Option(
            "read each node's probabilities in descending order: how sure the model is, and not of what",
            group="Attack",
            label="Sorted posteriors",
            advanced=True,
        ),
    ] = False
    by: Annotated[
        str,
        Option(
            "how an edge is told: distance (what the model says of both ends lies close together), or influence "
            "(it says something else of one end as soon as the features of the other are changed)",
            choices=("distance", "influence"),
            group="Attack",
            label="Told by",
        ),
    ] = "distance"
    distance: Annotated[
        str,
        Option(
            "between the probabilities of both ends of a pair; the attack draws the curve of this one, and states "
            "the areas of all of them",
            choices=DISTANCES,
            group="Attack",
            where=("by", ("distance",)),
        ),
    ] = "correlation"
    pairs: Annotated[
        int,
        Option(
            "edges that are judged, beside as many pairs without an edge; all edges where there are fewer",
            unit="edges",
            low=10,
            high=10**6,
            scale="log",
            group="Attack",
            label="Edges",
        ),
    ] = 5000
    unlinked: Annotated[
        str,
        Option(
            "pairs without an edge: any (uniform over all of them), or alike (of the same classes and degrees as the "
            "edges, which is harder: people of one kind are close without any edge)",
            choices=("any", "alike"),
            group="Attack",
            label="Pairs without an edge",
        ),
    ] = "any"
    candidates: Annotated[
        int,
        Option(
            "relations that are left out of the attacked training, beside as many that stay and are judged with them; "
            "half of all where there are fewer than twice as many",
            unit="relations",
            low=10,
            high=10**6,
            scale="log",
            group="Attack",
            label="Relations left out",
        ),
    ] = 500
    signal: Annotated[
        str,
        Option(
            "how a relation is told: gain (by how much its texts are more alike than to the encoder before it was "
            "adapted), or likeness (how alike they are, as the paper has it)",
            choices=("gain", "likeness"),
            group="Attack",
            label="Told by",
        ),
    ] = "gain"
    variance: Annotated[
        str,
        Option(
            "each: a variance over shadow models for every node, which needs many of them; pooled: one for all nodes",
            choices=("each", "pooled"),
            group="Attack",
            advanced=True,
        ),
    ] = "pooled"
    confidence: Annotated[
        float,
        Option("chance that an interval covers what it is for", low=0.5, high=0.9999, group="Attack", advanced=True),
    ] = 0.95
    seed: Annotated[
        int,
        Option(
            "seed that draws the shadow models' training nodes", low=0, high=2**31 - 1, group="Attack", advanced=True
        ),
    ] = 0

    def __post_init__(self) -> None:
        check(self)

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways of asking, as `methods.outsider.WAYS` names them."""
        return ("linked", "alone") if self.query == "both" else (self.query,)


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """The run that is attacked: its id, its method's name and configuration, and the statement it ended with.

    `graph` loads its data with all edges (`data.graph.Graph`), with the run's training, validation and test
    nodes. `split` is that of the run, `seed` its seed; `accuracy` its test accuracy, where it has one.
    `seconds` is how long it took, where that is known; `device` a name that torch knows. `folder` is where
    the answers of trained models are kept for the next attack, or None. `turn`: the attack's among the audits
    of the run, where a bound on epsilon may follow (`audits.bounds.shared_confidence`); 0 where it stands
    alone.
    """

    run: str
    method: str
    config: Any
    statement: PrivacyStatement
    graph: Callable[[], Any]
    split: str = "random"
    seed: int = 0
    accuracy: float | None = None
    seconds: float | None = None
    device: str = "cpu"
    folder: Path | None = None
    turn: int = 0
