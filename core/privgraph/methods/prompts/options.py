"""Options that all methods of prompts share: who is private, the frozen backbone, and the prompt. No
torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.data.catalogue import DATASETS
from privgraph.methods.base import PrivacyOptions
from privgraph.methods.teachers.options import Sizes
from privgraph.options import DATA, Option, OptionError, check

OWN_PUBLIC = "public part"
BACKBONES = ("gcn", "gat", "gt")
OBJECTIVES = ("dgi", "graphmae", "edge-pred", "simgrace")
PROMPTS = ("gpf", "gpf-plus", "all-in-one", "gppt")


@dataclass(frozen=True, kw_only=True)
class PromptOptions(PrivacyOptions):
    """A frozen graph network, pre-trained on a public graph, and a small prompt tuned on private nodes."""

    private: Annotated[
        float,
        Option(
            "share of the nodes that are private; the others are public, without labels",
            low=0,
            low_open=True,
            high=0.95,
            group="Parts",
            label="Private share",
        ),
    ] = 0.5
    queries: Annotated[
        int,
        Option(
            "public nodes that are set aside for questions, drawn at random; methods that ask none leave "
            "them out of the test",
            unit="nodes",
            low=1,
            high=10**5,
            scale="log",
            group="Parts",
        ),
    ] = 50
    context: Annotated[
        str,
        Option(
            "what a node's prediction reads beside the node itself: public (its public neighbours, and "
            "theirs) or alone (nothing). Never another private node, so that each is read by one teacher "
            "only",
            choices=("public", "alone"),
            group="Backbone",
            label="Neighbourhood",
        ),
    ] = "public"
    pretrain_on: Annotated[
        str,
        Option(
            "the graph that the network is pre-trained on, without labels: the public part of this very "
            "graph, or another graph of the catalogue that is at hand",
            choices=(OWN_PUBLIC, *(spec.name for spec in DATASETS.values() if spec.kind == "real")),
            group="Backbone",
            label="Pre-trained on",
            names=DATA,
        ),
    ] = OWN_PUBLIC
    backbone: Annotated[
        str,
        Option(
            "the network: gcn (graph convolutions), gat (graph attention), gt (graph transformer); three layers",
            choices=BACKBONES,
            group="Backbone",
        ),
    ] = "gat"
    objective: Annotated[
        str,
        Option(
            "what pre-training learns: dgi (tell the graph from a shuffled one), graphmae (fill in masked "
            "features), edge-pred (which nodes are joined), simgrace (agree with a perturbed network)",
            choices=OBJECTIVES,
            group="Backbone",
            label="Pre-training",
        ),
    ] = "edge-pred"
    dimensions: Annotated[
        int,
        Option("features after singular value decomposition", low=2, high=1024, group="Backbone", advanced=True),
    ] = 100
    svd: Annotated[
        str,
        Option(
            "on whose features the decomposition is computed: public nodes alone, or everybody as in the "
            "paper. What everybody's features shape is not covered by any teacher's noise",
            choices=("public", "everybody"),
            group="Backbone",
            advanced=True,
            label="Decomposition of",
        ),
    ] = "public"
    hidden: Annotated[
        int,
        Option("width of the network", unit="units", low=8, high=512, scale="log", group="Backbone", advanced=True),
    ] = 128
    pretrain_epochs: Annotated[
        int, Option("epochs of pre-training", low=0, high=5000, group="Backbone", advanced=True)
    ] = 300
    prompt: Annotated[
        str,
        Option(
            "what is tuned: gpf (one vector added to all features), gpf-plus (a mixture of vectors, chosen "
            "by each node), all-in-one (a small graph of tokens that is joined to the neighbourhood), gppt "
            "(a token for each class and kind of neighbourhood)",
            choices=PROMPTS,
            group="Prompt",
        ),
    ] = "gpf-plus"
    tokens: Annotated[
        int,
        Option(
            "vectors of gpf-plus, tokens of all-in-one, kinds of neighbourhood of gppt",
            low=1,
            high=64,
            group="Prompt",
            advanced=True,
        ),
    ] = 10
    epochs: Annotated[int, Option("passes over the few labelled nodes", low=1, high=5000, group="Prompt")] = 100
    learning_rate: Annotated[
        float, Option("step size of Adam for prompts", low=1e-6, high=1, scale="log", group="Prompt", advanced=True)
    ] = 0.01

    def __post_init__(self) -> None:
        check(self)

    def sizes(self, nodes: int) -> Sizes:
        """Private nodes, queries (`train`) and test nodes of `nodes`: at most half of the public nodes are
        queries.

        Raises `OptionError` where the parts do not fit.
        """
        private = round(self.private * nodes)
        queries = min(self.queries, (nodes - private) // 2)
        if private < 2 or queries < 1:
            raise OptionError(
                f"{private:,} of {nodes:,} nodes would be private and {nodes - private:,} public: too few"
            )
        return Sizes(private=private, train=queries, val=0, test=nodes - private - queries)

    def prepared_key(self) -> tuple[object, ...]:
        """What must agree for two runs of one seed to stand on the same parts, features and backbone."""
        return (self.private, self.queries, self.context, self.pretrain_on, self.backbone, self.objective,
                self.dimensions, self.svd, self.hidden, self.pretrain_epochs)  # fmt: skip

    def prompt_key(self) -> tuple[object, ...]:
        return (self.prompt, self.tokens, self.epochs, self.learning_rate)
