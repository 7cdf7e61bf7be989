"""Options and plan of the ordinary graph network. No torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.methods.plan import Plan, PrivacyOptions
from privgraph.methods.public import PartitionOptions, StudentOptions
from privgraph.options import Option, OptionError, check
from privgraph.privacy import statements
from privgraph.privacy.events import NonPrivate
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

CONVOLUTIONS = ("sage", "gcn", "gat", "gin")


@dataclass(frozen=True, kw_only=True)
class GraphNetworkOptions(PrivacyOptions):
    """The options of a graph network, shared by every method that trains an ordinary one."""

    conv: Annotated[
        str,
        Option(
            "how a node reads its neighbours: sage (their mean), gcn (a mean weighted by degrees), "
            "gat (learnt attention), gin (their sum)",
            choices=CONVOLUTIONS,
            label="Convolution",
        ),
    ] = "sage"
    layers: Annotated[
        int, Option("rounds of message passing: how many hops away a node can see", low=1, high=5, label="Layers")
    ] = 2
    hidden: Annotated[int, Option("width of each layer", unit="units", low=4, high=512, scale="log")] = 64
    jump: Annotated[
        bool,
        Option("read all rounds at the end, not only the last (jumping knowledge)", label="Jumping knowledge"),
    ] = True
    dropout: Annotated[
        float, Option("share of the hidden values that are dropped in training", low=0, high=0.95, group="Training")
    ] = 0.5
    learning_rate: Annotated[float, Option("step size of Adam", low=1e-5, high=1, scale="log", group="Training")] = 0.01
    weight_decay: Annotated[
        float, Option("L2 penalty on the weights", low=0, high=1, group="Training", advanced=True)
    ] = 5e-4
    epochs: Annotated[int, Option("passes over the training nodes", low=1, high=5000, group="Training")] = 200

    def __post_init__(self) -> None:
        check(self)
        if self.conv == "gat" and self.hidden % 4:
            raise OptionError(f"hidden must be a multiple of 4 for gat, which has four heads (got {self.hidden})")

    def network_key(self) -> tuple[object, ...]:
        """What must agree for two networks to have one shape and schedule."""
        return (self.conv, self.layers, self.hidden, self.jump, self.dropout, self.learning_rate,
                self.weight_decay, self.epochs)  # fmt: skip

    def memory_mb(self, nodes: int, entries: int, features: int) -> float:
        """A rough upper estimate: features, activations of every round kept for the backward pass, edges."""
        per_edge = 24 + (8 * self.hidden * self.layers if self.conv == "gat" else 0)
        floats = nodes * (features + 8 * self.hidden * (self.layers + 1))
        return 300 + (4 * floats + per_edge * entries) / 2**20


SETTINGS = ("split", "private", "public", "joint", "noisy")
PAPER_NETWORK = (
    "{setting} takes the two-layer GraphSAGE of the PrivGNN paper, and its last epoch: convolution, layers, jumping "
    "knowledge and weight decay are not used"
)


@dataclass(frozen=True, kw_only=True)
class Config(PartitionOptions, GraphNetworkOptions):
    """An ordinary graph network, which protects nobody.

    `trained_on` says what it is trained on: the split of the run, or one of the baselines B1 to B4 of PrivGNN (section 4.1 and
    Appendices D.4 and D.5), on the parts that `privgnn` and `pate` have with the same options at the same seed.
    """

    unit: Annotated[str, Option("an ordinary graph network protects nothing", choices=("none",), group="Privacy")] = (
        "none"
    )
    trained_on: Annotated[
        str,
        Option(
            "what it learns from: split (the training nodes of the run), private (all private nodes, judged on the public "
            "graph: B1), public (true labels of public training nodes: B2), joint (both graphs: B3), noisy (true labels of "
            "public queries through noise: B4)",
            choices=SETTINGS,
            group="Parts",
            label="Trained on",
        ),
    ] = "split"
    queries: Annotated[
        int,
        Option(
            "with trained_on noisy, how many public training nodes get a noisy label",
            unit="nodes",
            low=1,
            high=10**6,
            scale="log",
            group="Parts",
            advanced=True,
        ),
    ] = 1000
    lam: Annotated[
        float,
        Option(
            "with trained_on noisy, the paper's lambda: Laplace noise of scale 1/lambda on each entry of a true one-hot label",
            low=0,
            low_open=True,
            high=1000,
            group="Parts",
            label="Lambda",
            advanced=True,
        ),
    ] = 1.0

    def __post_init__(self) -> None:
        GraphNetworkOptions.__post_init__(self)

    @property
    def parted(self) -> bool:
        """Whether the graph is cut into a private and a public part."""
        return self.trained_on != "split"

    def stack_key(self) -> tuple[object, ...]:
        return ("gnn", self.trained_on, self.queries, self.lam, *self.partition_key(), *self.network_key())

    def student_options(self) -> StudentOptions:
        """The same parts, and the paper's network with this width, dropout, step size and number of epochs."""
        return StudentOptions(
            preset=self.preset,
            private=self.private,
            public_train=self.public_train,
            public_test=self.public_test,
            flip=self.flip,
            hidden=self.hidden,
            dropout=self.dropout,
            learning_rate=self.learning_rate,
            epochs=self.epochs,
        )

    def asked(self, nodes: int) -> int:
        """How many public nodes get a noisy label: as many as wanted, or all that may."""
        return min(self.queries, self.sizes(nodes).train)

    def plan(self, facts: PublicFacts) -> Plan:
        """No noise counts as protection: the statement says what the release reveals.

        Raises `OptionError` where the graph is to be cut into parts, and they do not fit.
        """
        notes = ["epsilon and delta are not used: nothing is protected"]
        if self.parted:
            self.sizes(facts.nodes)
            notes.append(PAPER_NETWORK.format(setting=self.trained_on))
        return Plan(
            noise={},
            statement=noisy_statement(self.asked(facts.nodes), self.lam) if self.trained_on == "noisy" else statement(),
            steps=self.epochs,
            memory_mb=self.memory_mb(facts.nodes, facts.entries, facts.features),
            notes=tuple(notes),
        )


def entry() -> LedgerEntry:
    """The ledger entry of an unprotected training run."""
    return LedgerEntry(
        mechanism="training without protection",
        stage="training",
        event=NonPrivate(reason="weights and predictions are computed from edges, features and labels without noise"),
    )


def statement() -> PrivacyStatement:
    """What an ordinary run guarantees: nothing, in words."""
    return statements.make_statement(
        unit="none",
        relation=statements.RELATION_NONE,
        released="weights and predictions, computed from edges, features and labels without any noise",
        public=("everything that is released may reveal edges, features and labels",),
        delta=0.0,
        delta_rule="not applicable: nothing is protected",
        ledger=(entry(),),
        assumptions=(
            "no guarantee is made: link stealing, membership and attribute inference attacks on such weights or "
            "predictions are known to succeed",
        ),
    )


GAP_NOISY_ORACLE = Gap(
    title="The price of noisy true labels",
    claim="noise of scale 1/lambda on each query's true label costs epsilon 100 to 500",
    fails="the printed numbers are |Q| lambda at lambda 0.1 and 0.2 alone (100 and 200 with 1000 queries); at 0.4, 0.8 and 1 "
    "that would be 400, 800 and 1000, and 300, 400 and 500 are printed. Nor does it follow: a one-hot label that becomes "
    "another changes by 2, and each node's label is used once",
    holds="nothing here, since nobody has these labels. Were they private, one node's label would be protected by 2 lambda, "
    "whatever the number of queries; its features and edges by nothing",
    size="500 printed, 1000 by the paper's own product and 2 by a count for each label, at lambda 1 with 1000 queries",
    evidence="proved",
    source="PrivGNN, Appendix D.5 and Table 9",
)


def noisy_statement(queries: int, lam: float) -> PrivacyStatement:
    """B4: no guarantee either; the paper's epsilon, |Q| lambda, stands beside it."""
    return replace(
        statement(),
        released="weights and predictions, computed from the true labels of public nodes through noise, and from public "
        "features and edges",
        public=("the public graph: its features and edges", "nobody has the true labels of public nodes"),
        epsilon_as_published=queries * lam,
        accountant_as_published="|Q| lambda (PrivGNN, Appendix D.5)",
        gaps=(GAP_NOISY_ORACLE,),
    )
