"""The options of DP-GPL and DP-GPL+W. No torch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Self

from privgraph.methods.base import EPSILON, NODE, MethodConfig
from privgraph.methods.prompts.options import BACKBONES, PromptOptions
from privgraph.options import AUTO, Option, OptionError

TABLE_4: Mapping[str, tuple[str, float, float, float]] = {
    "gat-cora": ("gat", 170, 5, 100),
    "gat-citeseer": ("gat", 170, 5, 50),
    "gat-pubmed": ("gat", 170, 1, 20),
    "gcn-cora": ("gcn", 150, 1, 20),
    "gcn-citeseer": ("gcn", 180, 1, 20),
    "gcn-pubmed": ("gcn", 170, 1, 20),
    "gt-cora": ("gt", 150, 10, 100),
    "gt-citeseer": ("gt", 150, 5, 50),
    "gt-pubmed": ("gt", 170, 5, 100),
}
"""Backbone, threshold T, and the noise sigma1 of the threshold and sigma2 of the votes, for each graph of the
paper."""

WEIGHTINGS = ("uniform", "private-centrality", "centrality")
OWN = ("preset", ("own",))
"""When the options are read that a preset decides."""
WEIGHTED = WEIGHTINGS[1:]
"""Those under which votes have weights."""


@dataclass(frozen=True, kw_only=True)
class DpGplOptions(PromptOptions, MethodConfig):
    """Teachers, each a prompt tuned on its own few private nodes, vote on public nodes; a student prompt is
    released."""

    unit: Annotated[str, NODE] = "node"
    epsilon: Annotated[float, EPSILON] = 2.0
    preset: Annotated[
        str,
        Option(
            "the paper's setting for one of its networks and graphs (Table 4): 200 teachers of 5 nodes, 50 "
            "queries, its gate and noise, labels alone; own takes the options below",
            choices=("own", *TABLE_4),
            group="Teachers",
        ),
    ] = "own"
    teachers: Annotated[
        int,
        Option(
            "how many teachers vote: more outvote more noise, and each learns from fewer nodes",
            low=1,
            high=1000,
            scale="log",
            group="Teachers",
            where=OWN,
        ),
    ] = 200
    shots: Annotated[
        int,
        Option(
            "labelled private nodes of one teacher; 0 shares all private nodes out",
            low=0,
            high=1000,
            group="Teachers",
            zero="all shared out",
            where=OWN,
        ),
    ] = 0
    weighting: Annotated[
        str,
        Option(
            "who is taught together, and how much a vote weighs: uniform (at random; all votes alike: "
            "DP-GPL), private-centrality (by the number of public neighbours, so that a node decides about "
            "itself alone), centrality (sorted by degree in the private graph, as DP-GPL+W is published: "
            "one node's leaving moves others to other teachers, so that no teacher's guarantee holds)",
            choices=WEIGHTINGS,
            group="Teachers",
        ),
    ] = "uniform"
    ranks: Annotated[
        int,
        Option(
            "groups of rising centrality that private-centrality tells apart",
            low=2,
            high=50,
            group="Teachers",
            advanced=True,
            where=("weighting", ("private-centrality",)),
        ),
    ] = 4
    w_min: Annotated[
        float,
        Option(
            "smallest weight, before weights are scaled to average 1",
            low=0.01,
            high=1,
            group="Teachers",
            where=("weighting", WEIGHTED),
        ),
    ] = 0.5
    w_max: Annotated[
        float,
        Option(
            "largest weight, before weights are scaled to average 1",
            low=1,
            high=100,
            group="Teachers",
            where=("weighting", WEIGHTED),
        ),
    ] = 2.0
    scores: Annotated[
        str,
        Option(
            "centrality's scores in Algorithm 2: stretched (so that the least is 0 and the largest 1: all "
            "of the range of weights is used, as the printed results need) or printed (as the algorithm has "
            "them: almost equal weights)",
            choices=("stretched", "printed"),
            group="Teachers",
            advanced=True,
            where=("weighting", ("centrality",)),
        ),
    ] = "stretched"
    vote_sigma: Annotated[
        float,
        Option(
            "the paper's sigma2: standard deviation of the noise on a count of votes; 0 chooses the least "
            "that keeps epsilon",
            low=0,
            high=1e9,
            group="Votes",
            label="Noise on votes",
            zero=AUTO,
            where=OWN,
        ),
    ] = 0.0
    gate_sigma: Annotated[
        float,
        Option(
            "the paper's sigma1: noise on the largest count before it is held against the threshold; each "
            "test costs, answered or not. 0: no gate, every query is answered",
            low=0,
            high=1e6,
            group="Votes",
            label="Noise of the gate",
            zero="no gate",
            where=OWN,
        ),
    ] = 0.0
    threshold: Annotated[
        float,
        Option(
            "the paper's T: votes that the largest count needs for an answer",
            low=0,
            high=1000,
            group="Votes",
            where=OWN,
        ),
    ] = 0.0
    answers: Annotated[
        int,
        Option(
            "queries that are answered at most; fewer cost less. 0: all that pass",
            low=0,
            high=10**5,
            group="Votes",
            advanced=True,
            zero="all that pass",
            where=OWN,
        ),
    ] = 0
    limit: Annotated[
        float,
        Option(
            "epsilon that no teacher's nodes may pass; counted as accounting says. 0: no limit",
            unit="epsilon",
            low=0,
            high=1000,
            group="Privacy",
            zero="no limit",
        ),
    ] = 0.0
    at_limit: Annotated[
        str,
        Option(
            "what happens when a teacher's next vote would pass the limit: stop (all querying ends, as in "
            "the paper) or drop (that teacher votes no more)",
            choices=("stop", "drop"),
            group="Privacy",
            advanced=True,
            label="At the limit",
        ),
    ] = "stop"
    backbone: Annotated[
        str,
        Option(
            "the network: gcn (graph convolutions), gat (graph attention), gt (graph transformer); three layers",
            choices=BACKBONES,
            group="Backbone",
        ),
    ] = "gcn"
    queries: Annotated[
        int,
        Option(
            "public nodes that the teachers label, drawn at random; each costs privacy",
            unit="nodes",
            low=1,
            high=10**5,
            scale="log",
            group="Parts",
        ),
    ] = 100
    epochs: Annotated[
        int, Option("passes of a teacher over its few labelled nodes", low=1, high=5000, group="Prompt")
    ] = 10
    student_epochs: Annotated[
        int, Option("passes of the student over what it learns from", low=1, high=5000, group="Student")
    ] = 50
    student_labels: Annotated[
        str,
        Option(
            "what the student learns from: hard (the class with the most noisy votes) or pooled (chances of "
            "each class, from the noisy counts of all queries together: the same noise and the same price)",
            choices=("hard", "pooled"),
            group="Student",
            where=OWN,
        ),
    ] = "pooled"
    report: Annotated[
        str,
        Option(
            "the paper's data-dependent epsilon: none, private (computed from the votes and shown to an "
            "evaluator: no guarantee, and not for release), sanitised (a noisy upper bound that may be "
            "shown, and is paid for)",
            choices=("none", "private", "sanitised"),
            group="Privacy",
            advanced=True,
            label="Data-dependent epsilon",
        ),
    ] = "private"
    report_epsilon: Annotated[
        float,
        Option(
            "what a sanitised data-dependent epsilon may cost; noise on votes is chosen for the rest",
            unit="epsilon",
            low=0.001,
            high=100,
            scale="log",
            group="Privacy",
            advanced=True,
            label="Price of the report",
            where=("report", ("sanitised",)),
        ),
    ] = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at_limit == "drop" and self.accounting == "published" and self.limit:
            raise OptionError("at_limit must be stop with accounting published: the paper ends all querying")
        if self.report == "sanitised" and (self.limit or not self.per_teacher):
            raise OptionError(
                "report sanitised needs all teachers in all queries, and one vote a node: take limit 0, "
                "another weighting than centrality, and svd public"
            )

    def resolved(self) -> Self:
        """The same options with those that the preset decides filled in; nothing else reads `preset`."""
        if self.preset == "own":
            return self
        backbone, threshold, gate_sigma, vote_sigma = TABLE_4[self.preset]
        return replace(
            self,
            preset="own",
            backbone=backbone,
            teachers=200,
            shots=5,
            queries=50,
            answers=0,
            threshold=threshold,
            gate_sigma=gate_sigma,
            vote_sigma=vote_sigma,
            delta=1.5e-4,
            accounting="published",
            limit=0.0,
            student_labels="hard",
        )

    @property
    def per_teacher(self) -> bool:
        """Whether a private node's leaving changes the votes of one teacher alone."""
        return self.weighting != "centrality" and self.svd == "public"
