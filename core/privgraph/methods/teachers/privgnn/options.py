"""The options of PrivGNN. No torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.methods.base import EPSILON, MethodConfig
from privgraph.methods.teachers.options import StudentOptions
from privgraph.options import AUTO, Option, OptionError, check
from privgraph.papers.privgnn_releases import MAXIMA, RELEASES

TEACHERS = ("ensemble", "posterior", "log-posterior")
"""The releases that train teachers."""
GATED = ("votes", "ensemble")
POSTERIORS = ("posterior", "log-posterior")
"""Those with one teacher, whose noise is on its posterior, as the paper has it."""
SAMPLED = (*GATED, *POSTERIORS)
"""Those that are asked query by query, each of a sample of its own."""
TAUGHT = ("ensemble", *POSTERIORS)
"""Those that train teachers."""
VOTED = ("ensemble",)
"""Those with several teachers a query."""
MOST_NODES = 2**23
"""Private nodes whose table is an exact sum in double precision: its terms are multiples of 2^-30, and at
most 1."""
STRATEGIES = ("random", "degree", "pagerank", "clustering", "coverage")


@dataclass(frozen=True, kw_only=True)
class PrivGnnOptions(StudentOptions, MethodConfig):
    """What is asked, of whom, what answers, and what of the answer goes out."""

    unit: Annotated[
        str,
        Option(
            "what one guarantee protects: a private node with its features, its label and its edges",
            choices=("node",),
            group="Privacy",
        ),
    ] = "node"
    epsilon: Annotated[float, EPSILON] = 4.0
    lam: Annotated[
        float,
        Option(
            "the noise is given and epsilon follows: lambda is one over the scale of the noise (the paper "
            "takes 0.1 to 1); 0 calibrates the noise to epsilon",
            low=0,
            least=1e-9,
            high=1000,
            group="Privacy",
            label="Noise lambda",
            zero=AUTO,
        ),
    ] = 0.0
    release: Annotated[
        str,
        Option(
            "what goes out: table (once and for all queries, what the private nodes of each class look like "
            "together, with noise), or for each query: votes (private nodes like it vote for their own "
            "label; the noisy votes), ensemble (several teachers vote; the noisy winner), posterior (the "
            "paper's Algorithm 1: one teacher's noisy argmax), log-posterior (the official code: noise on "
            "log-probabilities, which protects nobody)",
            choices=RELEASES,
            group="Queries",
        ),
    ] = "table"
    queries: Annotated[
        int,
        Option(
            "public nodes that are asked about (|Q|): each costs privacy, but for a table, which answers "
            "all of them for one price; at most the public training nodes are used",
            low=1,
            high=10**6,
            scale="log",
            group="Queries",
            label="Queries |Q|",
        ),
    ] = 1000
    rate: Annotated[
        float,
        Option(
            "chance of each private node to be in the sample that answers a query (gamma); a table reads "
            "everybody, once",
            low=0,
            low_open=True,
            high=1,
            group="Queries",
            label="Sampling rate gamma",
            where=("release", SAMPLED),
        ),
    ] = 0.3
    sampling: Annotated[
        str,
        Option(
            "a fresh sample for each query, or one for all (the ablation SINGLEGNN, which costs far more privacy)",
            choices=("query", "once"),
            group="Queries",
            advanced=True,
            where=("release", SAMPLED),
        ),
    ] = "query"
    strategy: Annotated[
        str,
        Option(
            "which public nodes are asked about, chosen by the public graph alone: random, those of highest "
            "degree or PageRank, one a cluster of features, or those that cover the graph best",
            choices=STRATEGIES,
            group="Queries",
        ),
    ] = "random"
    neighbours: Annotated[
        int,
        Option(
            "how many of the sampled private nodes nearest to the query train a teacher (K); 0 takes all of "
            "them (the ablation KNNREM); votes and tables have no use for it",
            unit="nodes",
            low=0,
            high=10**6,
            group="Teachers",
            label="Nearest neighbours K",
            zero="all",
            where=("release", TAUGHT),
        ),
    ] = 300
    distance: Annotated[
        str,
        Option(
            "how far a private node's features are from the query's",
            choices=("euclidean", "cosine"),
            group="Teachers",
            where=("release", TAUGHT),
        ),
    ] = "euclidean"
    teachers: Annotated[
        int,
        Option(
            "teachers that vote on a query, each on its own random part of the sample (ensemble only)",
            low=2,
            high=1000,
            group="Teachers",
            label="Teachers a query",
            where=("release", VOTED),
        ),
    ] = 10
    maximum: Annotated[
        str,
        Option(
            "the noise on the teachers' counts (ensemble only): gaussian, laplace, exponential "
            "(permute-and-flip) or gumbel (the exponential mechanism)",
            choices=MAXIMA,
            group="Teachers",
            label="Noisy maximum",
            where=("release", VOTED),
        ),
    ] = "gaussian"
    gate: Annotated[
        float,
        Option(
            "answer only where the largest count, with noise, exceeds this many standard deviations of the "
            "answer's own noise; every test is paid for. 0 answers all (votes and ensemble only)",
            unit="standard deviations",
            low=0,
            high=1000,
            group="Gate",
            label="Gate",
            zero="no gate",
            where=("release", GATED),
        ),
    ] = 0.0
    gate_noise: Annotated[
        float,
        Option(
            "noise of the gate, as a multiple of the answer's noise",
            low=0,
            low_open=True,
            high=1000,
            group="Gate",
            advanced=True,
            where=("release", GATED),
        ),
    ] = 1.0
    answers: Annotated[
        int,
        Option(
            "with a gate, the most queries that are answered; all of them are paid for",
            low=1,
            high=10**6,
            group="Gate",
            advanced=True,
            where=("release", GATED),
        ),
    ] = 500
    encoder: Annotated[
        int,
        Option(
            "dimensions in which nodes are compared for votes and tables: learnt from the public graph alone",
            low=1,
            high=512,
            group="Votes",
            label="Encoder dimensions",
        ),
    ] = 24
    pooling: Annotated[
        bool,
        Option(
            "let all noisy votes (or the whole noisy table) say what class each direction means, instead of "
            "each query by itself: costs nothing, since it reads what was released",
            group="Votes",
            label="Pool the votes",
        ),
    ] = True
    labelled: Annotated[
        str,
        Option(
            "with pooled votes, whom the student learns from: the queries, or all public training nodes",
            choices=("all", "queries"),
            group="Votes",
            advanced=True,
            label="Labelled nodes",
        ),
    ] = "all"
    soft: Annotated[
        bool,
        Option(
            "with pooled votes, tell the student how sure each label is, instead of the likeliest class alone",
            group="Votes",
            advanced=True,
            label="Soft labels",
        ),
    ] = True

    common: Annotated[
        bool,
        Option(
            "read the same samples as the other runs of this seed that do: runs that differ in their noise "
            "alone then share their teachers, and are compared on equal terms. Only one of them may ever be "
            "released",
            group="Training",
            advanced=True,
            label="Common samples",
        ),
    ] = False

    def __post_init__(self) -> None:
        check(self)
        if self.gate and self.release not in GATED:
            raise OptionError(f"gate must be 0 with release {self.release}: there are no counts of a query to test")
        if self.gate and self.sampling == "once":
            raise OptionError("gate must be 0 with sampling once: it needs a sample of its own")
        if self.release == "table" and self.sampling == "once":
            raise OptionError("sampling must be query with release table: nobody is sampled")

    @property
    def trains_teachers(self) -> bool:
        return self.release in TEACHERS

    @property
    def same_teachers(self) -> bool:
        """One sample and no nearest neighbours: the teachers are the same for every query, and are trained
        once."""
        return self.trains_teachers and self.sampling == "once" and self.neighbours == 0
