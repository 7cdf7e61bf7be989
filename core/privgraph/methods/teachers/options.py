"""Private and public parts of one graph, and the student that is trained on the public part. Options only: no
torch."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from privgraph.methods.base import PrivacyOptions
from privgraph.options import Option, OptionError, check

PRESETS: Mapping[str, tuple[float, float, float]] = {
    "amazon": (2500, 3000, 3000),
    "amazon2m": (1_000_000, 724_514, 724_515),
    "reddit": (12_300, 15_000, 15_000),
    "facebook": (0.5, 0.4, 0.1),
    "arxiv": (90_941, 48_603, 29_799),
    "credit": (10_000, 7_500, 7_500),
}
"""Private, public training and public test nodes as PrivGNN's Appendix F and Table 11 have them; below 1 a
share.

The nodes are drawn at random: the paper draws Reddit's private nodes 300 a class (a choice by labels, which
would itself be private) and ArXiv's by year.
"""

VALIDATION = 0.1
"""The share of the public training nodes that is kept for an evaluator, and never queried."""


@dataclass(frozen=True)
class Sizes:
    """Nodes of each part. `train` may be queried; `val` and `test` are for an evaluator alone."""

    private: int
    train: int
    val: int
    test: int

    @property
    def public(self) -> int:
        return self.train + self.val + self.test


@dataclass(frozen=True, kw_only=True)
class PartitionOptions(PrivacyOptions):
    """Who is private: a random part of the nodes. The public part keeps its own edges, and loses its
    labels."""

    preset: Annotated[
        str,
        Option(
            "the sizes that the PrivGNN paper took for a graph; own takes the three numbers below",
            choices=("own", *PRESETS),
            group="Parts",
        ),
    ] = "own"
    private: Annotated[
        float,
        Option(
            "private nodes, with labels and edges: up to 1 a share of all nodes, above 1 a number of nodes",
            low=0,
            low_open=True,
            high=10**8,
            group="Parts",
            label="Private nodes",
        ),
    ] = 0.5
    public_train: Annotated[
        float,
        Option(
            "public nodes that may be asked about: up to 1 a share of all nodes, above 1 a number of nodes",
            low=0,
            low_open=True,
            high=10**8,
            group="Parts",
            label="Public training nodes",
        ),
    ] = 0.3
    public_test: Annotated[
        float,
        Option(
            "public nodes that the student is judged on: up to 1 a share of all nodes, above 1 a number of nodes",
            low=0,
            low_open=True,
            high=10**8,
            group="Parts",
            label="Public test nodes",
        ),
    ] = 0.2
    flip: Annotated[
        bool,
        Option(
            "exchange the private part with the whole public part (Appendix D.2)",
            group="Parts",
            advanced=True,
            label="Exchange private and public",
        ),
    ] = False

    def __post_init__(self) -> None:
        check(self)

    def sizes(self, nodes: int) -> Sizes:
        """The parts of a graph of `nodes` nodes. Raises `OptionError` where they do not fit into it."""
        shares = (self.private, self.public_train, self.public_test) if self.preset == "own" else PRESETS[self.preset]
        private, train, test = (_count(share, nodes) for share in shares)
        if private + train + test > nodes:
            raise OptionError(
                f"private, public_train and public_test ask for {private + train + test:,} nodes; this graph "
                f"has {nodes:,}"
            )
        if self.flip:
            share = test / (train + test) if train + test else 0.5
            private, public = train + test, private
            test = round(public * share)
            train = public - test
        if min(private, test) < 2 or train < 4:
            raise OptionError(
                f"private, public_train and public_test leave {private}, {train} and {test} of {nodes:,} nodes: too few"
            )
        val = max(1, round(VALIDATION * train))
        return Sizes(private=private, train=train - val, val=val, test=test)

    def partition_key(self) -> tuple[object, ...]:
        """What must agree for two runs to have the same parts at the same seed."""
        return (self.preset, self.private, self.public_train, self.public_test, self.flip)


def _count(share: float, nodes: int) -> int:
    # without the small number, 0.7 of 10 would be 6
    return math.floor(share * nodes + 1e-9) if share <= 1 else int(share)


@dataclass(frozen=True, kw_only=True)
class StudentOptions(PartitionOptions):
    """The student: a two-layer GraphSAGE on the public graph, trained on what was released."""

    hidden: Annotated[
        int, Option("width of the hidden layer of teachers and student", unit="units", low=4, high=512, scale="log")
    ] = 64
    dropout: Annotated[
        float, Option("share of hidden values dropped in training", low=0, high=0.95, group="Training", advanced=True)
    ] = 0.5
    learning_rate: Annotated[
        float, Option("step size of Adam", low=1e-5, high=1, scale="log", group="Training", advanced=True)
    ] = 0.01
    epochs: Annotated[
        int,
        Option(
            "passes over the training nodes, of each teacher and of the student", low=1, high=5000, group="Training"
        ),
    ] = 200
    pretrain: Annotated[
        int,
        Option(
            "epochs of unsupervised training of the student on the public graph before it sees labels: "
            "connected nodes get similar embeddings (Appendix D.7); costs no privacy",
            low=0,
            high=5000,
            group="Training",
            label="Pre-training epochs",
        ),
    ] = 0

    def student_key(self) -> tuple[object, ...]:
        return (*self.partition_key(), self.hidden, self.dropout, self.learning_rate, self.epochs, self.pretrain)
