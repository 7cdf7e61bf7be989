"""Options and plan of the ordinary graph network. No torch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import NO_NOISE, Fixed, MethodConfig, Price, Work, refusal
from privgraph.methods.baselines.options import GraphNetworkOptions
from privgraph.methods.kept import Kept
from privgraph.methods.teachers.options import PartitionOptions, StudentOptions
from privgraph.options import Option
from privgraph.privacy import statements
from privgraph.privacy.events import NonPrivate
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

NOT_APPLICABLE = "not applicable: nothing is protected"
SETTINGS = ("split", "private", "public", "joint", "noisy")
PAPER_NETWORK = (
    "{setting} takes the two-layer GraphSAGE of the PrivGNN paper, and its last epoch: convolution, "
    "layers, jumping knowledge and weight decay are not used"
)


@dataclass(frozen=True, kw_only=True)
class Config(PartitionOptions, GraphNetworkOptions, MethodConfig):
    """An ordinary graph network, which protects nobody.

    `trained_on` says what it is trained on: the split of the run, or one of the baselines B1 to B4 of PrivGNN
    (section 4.1 and Appendices D.4 and D.5), on the parts that `privgnn` and `pate` have with the same
    options at the same seed.
    """

    unit: Annotated[str, Option("an ordinary graph network protects nothing", choices=("none",), group="Privacy")] = (
        "none"
    )
    trained_on: Annotated[
        str,
        Option(
            "what it learns from: split (the training nodes of the run), private (all private nodes, judged "
            "on the public graph: B1), public (true labels of public training nodes: B2), joint (both "
            "graphs: B3), noisy (true labels of public queries through noise: B4)",
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
            "with trained_on noisy, the paper's lambda: Laplace noise of scale 1/lambda on each entry of a "
            "true one-hot label",
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

    @property
    def keeps(self) -> Kept:
        return Kept.VALIDATED if self.trained_on == "split" else Kept.LAST

    def stack_key(self) -> tuple[object, ...]:
        return ("gnn", self.trained_on, self.queries, self.lam, *self.partition_key(), *self.network_key())

    def student_options(self) -> StudentOptions:
        """The same parts, and the paper's network with this width, dropout, step size and number of
        epochs."""
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

    def refuses(self, facts: PublicFacts) -> str | None:
        return refusal(lambda: self.sizes(facts.nodes)) if self.parted else None

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return 0.0, NOT_APPLICABLE

    def calibration(self, facts: PublicFacts) -> Fixed:
        """No noise counts as protection: the statement says what the release reveals."""
        return NO_NOISE

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (entry(),)

    @property
    def price(self) -> Price:
        return Price()

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        return noisy_statement(self.asked(facts.nodes), self.lam) if self.trained_on == "noisy" else statement()

    def work(self, facts: PublicFacts, scale: float) -> Work:
        notes = ["epsilon and delta are not used: nothing is protected"]
        if self.parted:
            notes.append(PAPER_NETWORK.format(setting=self.trained_on))
        return Work(
            steps=self.epochs,
            memory_mb=self.memory_mb(facts.nodes, facts.features),
            entry_bytes=self.entry_bytes,
            notes=tuple(notes),
        )


def entry() -> LedgerEntry:
    """The ledger entry of an unprotected training run."""
    return LedgerEntry(
        kind=MechanismKind.UNPROTECTED,
        mechanism="training without protection",
        stage="training",
        event=NonPrivate(reason="weights and predictions are computed from edges, features and labels without noise"),
    )


def statement() -> PrivacyStatement:
    """What an ordinary run guarantees: nothing, in words."""
    return statements.make_statement(
        unit="none",
        neighbours=Neighbours.NONE,
        relation=statements.RELATION_NONE,
        release=Release.MODEL,
        released="weights and predictions, computed from edges, features and labels without any noise",
        public=("everything that is released may reveal edges, features and labels",),
        delta=0.0,
        delta_rule=NOT_APPLICABLE,
        ledger=(entry(),),
        assumptions=(
            "no guarantee is made: link stealing, membership and attribute inference attacks on such "
            "weights or predictions are known to succeed",
        ),
    )


GAP_NOISY_ORACLE = Gap(
    title="The price of noisy true labels",
    claim="noise of scale 1/lambda on each query's true label costs epsilon 100 to 500",
    fails="the printed numbers are |Q| lambda at lambda 0.1 and 0.2 alone (100 and 200 with 1000 queries); "
    "at 0.4, 0.8 and 1 that would be 400, 800 and 1000, and 300, 400 and 500 are printed. Nor does it "
    "follow: a one-hot label that becomes another changes by 2, and each node's label is used once",
    holds="nothing here, since nobody has these labels. Were they private, one node's label would be "
    "protected by 2 lambda, whatever the number of queries; its features and edges by nothing",
    size="500 printed, 1000 by the paper's own product and 2 by a count for each label, at lambda 1 with 1000 queries",
    evidence="proved",
    source="PrivGNN, Appendix D.5 and Table 9",
)


def noisy_statement(queries: int, lam: float) -> PrivacyStatement:
    """B4: no guarantee either; the paper's epsilon, |Q| lambda, stands beside it."""
    return replace(
        statement(),
        released="weights and predictions, computed from the true labels of public nodes through noise, and "
        "from public features and edges",
        public=("the public graph: its features and edges", "nobody has the true labels of public nodes"),
        epsilon_as_published=queries * lam,
        accountant_as_published="|Q| lambda (PrivGNN, Appendix D.5)",
        gaps=(GAP_NOISY_ORACLE,),
    )
