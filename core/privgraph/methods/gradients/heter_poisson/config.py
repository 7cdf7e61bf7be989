"""Options, accounting and plan of HeterPoisson. No torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Self

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.subgraph_entries import GAUSSIAN, NOISES, SPHERICAL_LAPLACE, subgraph_entry
from privgraph.methods.base import EPSILON, NO_NOISE, Calibrated, Fixed, Lever, MethodConfig, Price, Work
from privgraph.methods.levers import BATCH, EPOCHS, GRADIENT_NOISE
from privgraph.options import AUTO, Option, check
from privgraph.papers import heter_poisson as published
from privgraph.papers import heter_poisson_gaps as gaps
from privgraph.privacy import statements
from privgraph.privacy.composition import UnsupportedEvent
from privgraph.privacy.delta import delta_rule
from privgraph.privacy.events import PrivacyEvent, Repeated, SampledSubgraphs
from privgraph.privacy.kinds import Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import Gap, PrivacyStatement

NETWORKS = ("gcn", "gin", "sage")
PRESETS = {"as-published": 9, "as-published-reddit": 4}
"""The settings of Appendix A.2, and their passes over the graph: T = ceil(passes/q_b)."""
OWN = ("preset", ("own",))  # when those options are read that a preset decides
PUBLISHED_BATCH = 4096
PUBLISHED_CLIP = 0.5
"""The clip for which Theorem 2 is written; for another, noise counts in proportion."""
LEARNING_RATES = {"adam": 0.03, "sgd": 10.0}

RELATION = (
    "one training node opts out (scenario S2 of the paper): the whole graph and with it all out-degrees "
    "stay as they are, and the node's features, label, in-edges and out-edges are read no more"
)
ASSUME_FROZEN_DEGREES = (
    "out-degrees are those of the whole graph and do not change when somebody leaves; were they counted "
    "anew, the neighbours of who left would be drawn with other chances"
)
ASSUME_SAMPLES = (
    "each training node is central in a step independently with the stated rate, and each of its "
    "neighbours is drawn independently with min(1, M/out-degree)"
)


@dataclass(frozen=True, kw_only=True)
class Config(MethodConfig):
    """Private gradients of subgraphs, in which a node takes part the less often the more neighbours read
    it."""

    unit: Annotated[
        str,
        Option(
            "what one guarantee protects: a training node with everything that it has, or nothing",
            choices=("none", "node"),
            group="Privacy",
        ),
    ] = "node"
    epsilon: Annotated[float, EPSILON] = 8.0
    preset: Annotated[
        str,
        Option(
            "as-published takes the paper's settings (its noise and accounting, the rule, plain SGD, 4,096 "
            "nodes a step, 9 passes, or 4 as for Reddit, delta |V|^-1.1, clip 0.5, width 128, 13 neighbours "
            "in predictions); own takes the options below",
            choices=("own", *PRESETS),
        ),
    ] = "own"
    network: Annotated[str, Option("how a node sums up its neighbours", choices=NETWORKS)] = "gcn"
    layers: Annotated[
        int, Option("rounds of messages inside a subgraph, which holds direct neighbours alone", low=1, high=2)
    ] = 1
    hidden: Annotated[
        int,
        Option(
            "width of each layer",
            unit="units",
            low=1,
            high=1024,
            scale="log",
            where=OWN,
        ),
    ] = 128
    neighbours: Annotated[
        int,
        Option(
            "the paper's M: into how many subgraphs a node is drawn, were all its out-neighbours central; "
            "more see more, and cost more noise. 0: training reads no neighbours",
            low=0,
            high=10,
            label="Neighbours M",
            group="Sampling",
        ),
    ] = 1
    test_neighbours: Annotated[
        int,
        Option(
            "the paper's N_test: how many neighbours a prediction reads at most; none of them trains, so "
            "that it is free",
            low=0,
            high=1000,
            label="Neighbours in predictions",
            group="Sampling",
            where=OWN,
        ),
    ] = 13
    smoothing: Annotated[
        int,
        Option(
            "rounds in which predictions are averaged with those of neighbours, over edges among nodes that do not "
            "train; it costs no epsilon, and reads these edges without noise",
            unit="rounds",
            low=0,
            high=10,
            zero="none",
            group="Sampling",
            advanced=True,
            late=True,
        ),
    ] = 0
    exclusive: Annotated[
        bool,
        Option(
            "the paper's rule that no central node is in another's subgraph (lines 13 to 22 of Algorithm "
            "2); it hides neighbours, and what is proved without it is cheaper",
            label="Central/peripheral rule",
            group="Sampling",
            where=OWN,
        ),
    ] = False
    batch_size: Annotated[
        int,
        Option(
            "expected number of central nodes in a step",
            unit="nodes",
            low=1,
            high=10**6,
            group="Training",
            where=OWN,
        ),
    ] = PUBLISHED_BATCH
    epochs: Annotated[
        int,
        Option("expected passes over the training nodes", low=1, high=1000, group="Training", where=OWN),
    ] = 30
    noise: Annotated[
        str,
        Option(
            "gaussian, or spherical-laplace as published, of which nothing is proved in two dimensions and more",
            choices=NOISES,
            group="Privacy",
        ),
    ] = GAUSSIAN
    clip: Annotated[
        float,
        Option(
            "largest norm of one subgraph's gradient",
            low=1e-6,
            high=100,
            group="Training",
            advanced=True,
            where=OWN,
        ),
    ] = PUBLISHED_CLIP
    optimiser: Annotated[
        str,
        Option(
            "plain steps along the noisy gradient, or Adam on it",
            choices=("adam", "sgd"),
            group="Training",
            where=OWN,
        ),
    ] = "adam"
    learning_rate: Annotated[
        float,
        Option(
            f"step size; 0 is {LEARNING_RATES['adam']:g} for adam and {LEARNING_RATES['sgd']:g} for sgd, "
            "whose gradients are divided by the expected number of central nodes",
            low=0,
            high=1000,
            group="Training",
            zero=AUTO,
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        check(self)

    def resolved(self) -> Self:
        """The same options with those that the preset decides filled in; all but `preset` is read from
        these."""
        if self.preset == "own":
            return self
        return replace(
            self,
            noise=SPHERICAL_LAPLACE,
            accounting="published",
            exclusive=True,
            optimiser="sgd",
            epochs=PRESETS[self.preset],
            clip=PUBLISHED_CLIP,
            hidden=128,
            test_neighbours=13,
        )

    def stack_key(self) -> tuple[object, ...]:
        own = self.resolved()
        sampled = (
            own.preset,
            own.neighbours,
            own.test_neighbours,
            own.smoothing,
            own.exclusive,
            own.batch_size,
            own.epochs,
        )
        return ("heter-poisson", own.unit, own.network, own.layers, own.hidden, own.optimiser, *sampled)

    @property
    def step_size(self) -> float:
        """The learning rate, the default filled in."""
        return self.learning_rate or LEARNING_RATES[self.resolved().optimiser]

    def rate(self, facts: PublicFacts) -> float:
        """The paper's q_b: the probability with which a training node is central in a step."""
        if self.preset != "own":
            return min(1.0, PUBLISHED_BATCH / facts.nodes)
        return min(1.0, self.batch_size / facts.train_nodes)

    def steps(self, facts: PublicFacts) -> int:
        """Steps of the whole run: ceil(epochs/q_b)."""
        return math.ceil(self.resolved().epochs / self.rate(facts))

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        if self.preset != "own" and self.delta == 0 and facts.nodes > 1:
            return facts.nodes**-1.1, f"|V|^-1.1 for {facts.nodes:,} nodes, as the paper has it"
        return delta_rule(facts.nodes, self.delta)

    def refuses(self, facts: PublicFacts) -> str | None:
        if facts.train_nodes < 1:
            return "heter-poisson needs at least one labelled training node (got 0)"
        return None

    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """Of the noise multiplier: noise over clip."""
        if self.unit == "none":
            return NO_NOISE
        own, steps = self.resolved(), self.steps(facts)
        # spherical Laplace noise has no sound epsilon: only the published one can be kept
        as_published = own.accounting == "published" or own.noise == SPHERICAL_LAPLACE
        return Calibrated(
            lambda scale: Repeated(event=self.event(facts, scale), count=steps),
            Published(own, facts) if as_published else None,
        )

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (self.entry(facts, scale, self.steps(facts)),)

    @property
    def price(self) -> Price:
        own = (Lever(**EPOCHS, value=self.epochs), Lever(**BATCH, value=self.batch_size))
        neighbours = Lever(
            option="neighbours",
            axis="neighbours M (subgraphs that a node is drawn into, were all its out-neighbours central)",
            about="A node moves its own gradient, and that of every subgraph that it was drawn into.",
            value=self.neighbours,
        )
        return Price(
            options=("preset", "neighbours", "exclusive", "noise", "epochs", "batch_size"),
            noise=GRADIENT_NOISE,
            levers=(*(own if self.preset == "own" else ()), neighbours),
            filled_in=lambda ledger: {"learning_rate": self.step_size},
        )

    def event(self, facts: PublicFacts, noise_multiplier: float) -> SampledSubgraphs:
        """One step with Gaussian noise of that size, whatever noise there is: what both accountings start
        from."""
        own = self.resolved()
        return SampledSubgraphs(
            rate=self.rate(facts),
            neighbours=own.neighbours,
            noise_multiplier=noise_multiplier,
            largest_degree=facts.nodes - 1,
            exclusive=own.exclusive,
        )

    def entry(self, facts: PublicFacts, noise_multiplier: float, count: int) -> LedgerEntry:
        """`count` steps; the sensitivity is proved in `mechanisms.subgraph_gradients.SubgraphGradients`."""
        own = self.resolved()
        return subgraph_entry(
            clip=own.clip,
            noise=own.noise,
            noise_multiplier=noise_multiplier,
            rate=self.rate(facts),
            neighbours=own.neighbours,
            largest_degree=facts.nodes - 1,
            exclusive=own.exclusive,
            stage="training",
            count=count,
        )

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        (entry,) = entries
        released = (
            "the weights, and predictions for nodes that do not train; a training node's own prediction is "
            "a part of its record, and is not covered when others see it"
        )
        if self.smoothing:
            released += "; predictions are averaged over edges among nodes that do not train, and tell of these edges"
        if self.unit == "none":
            return statements.make_statement(
                unit="none",
                neighbours=Neighbours.NONE,
                relation=statements.RELATION_NONE,
                release=Release.MODEL,
                released=released,
                public=(),
                delta=0.0,
                delta_rule="nothing is protected",
                ledger=(entry,),
            )
        delta, rule = self.delta_and_rule(facts)
        claimed = Published(self.resolved(), facts)
        return statements.make_statement(
            unit="node",
            neighbours=Neighbours.FROZEN_DEGREES,
            relation=RELATION,
            release=Release.MODEL,
            released=released,
            public=(
                statements.PUBLIC_SIZES,
                f"{statements.WHO_TRAINS}, and the out-degrees of all nodes in the whole graph",
                "features of nodes that do not train, and the edges among them: predictions read both",
            ),
            delta=delta,
            delta_rule=rule,
            ledger=(entry,),
            published=claimed.of(scale, entry.count, delta),
            accountant_as_published=claimed.name,
            assumptions=(
                statements.ASSUME_GRADIENTS,
                ASSUME_FROZEN_DEGREES,
                ASSUME_SAMPLES,
                statements.ASSUME_LAST_EPOCH,
                statements.ASSUME_ONE_RUN,
            ),
            gaps=(*self._gaps(facts, scale, delta), statements.GAP_TUNING),
        )

    def _gaps(self, facts: PublicFacts, multiplier: float, delta: float) -> tuple[Gap, ...]:
        """Those that concern this run, the first with its size at this run's noise."""
        own, steps = self.resolved(), self.steps(facts)
        common = (gaps.GAP_FROZEN_DEGREES, gaps.GAP_NULL_NODES, gaps.GAP_STANDARDISED, gaps.GAP_STEPS)
        if own.noise == SPHERICAL_LAPLACE:
            projection = gaps.projection_gap(
                rate=self.rate(facts),
                neighbours=own.neighbours,
                steps=steps,
                sigma=multiplier * PUBLISHED_CLIP,
                delta=delta,
                out_degree=facts.nodes - 1,
                exclusive=own.exclusive,
            )
            return (projection, gaps.GAP_PRINTED, *common)
        hopeless = gaps.gaussian_gap(self.event(facts, multiplier), steps=steps, delta=delta)
        return (hopeless, *((gaps.GAP_RULE,) if own.exclusive else ()), *common)

    def work(self, facts: PublicFacts, scale: float) -> Work:
        own, expected = self.resolved(), self.rate(facts) * facts.train_nodes
        noise, notes = {}, []
        if self.unit != "none":
            noise = {"gradient": scale * own.clip, "gradient_multiplier": scale}
            notes.append(
                f"the sum of a step's {expected:,.0f} clipped gradients has norm at most "
                f"{expected * own.clip:,.3g}, and its noise a standard deviation of {noise['gradient']:.3g} "
                "in every coordinate"
            )
            if own.noise == SPHERICAL_LAPLACE:
                notes.append("no sound epsilon is known for this noise: none proved")
        return Work(steps=own.epochs, memory_mb=self.memory_mb(facts), entry_bytes=80, noise=noise, notes=tuple(notes))

    def memory_mb(self, facts: PublicFacts) -> float:
        """A rough upper estimate of a peak, the features included; rows are worked on in parts of 64 MB."""
        own = self.resolved()
        readers = facts.nodes if own.layers == 1 else facts.nodes * (1 + min(own.test_neighbours, 4))
        worked_on = min(readers * max(facts.features, own.hidden), 2**24) * 6
        return 400 + (facts.nodes * facts.features * 8 + worked_on * 4) / 2**20


@dataclass(frozen=True)
class Published:
    """Theorem 2 as an accountant of steps of one configuration: what the paper says of this noise, right or
    not."""

    config: Config
    facts: PublicFacts

    @property
    def name(self) -> str:
        rule = "" if self.config.exclusive else ", without the rule (B.3)"
        return f"HeterPoisson, Theorem 2 with {self.config.noise} noise{rule}, by Renyi divergences up to order 10"

    def supports(self, event: PrivacyEvent) -> bool:
        return isinstance(event, Repeated) and isinstance(event.event, SampledSubgraphs)

    def epsilon(self, event: PrivacyEvent, delta: float) -> float:
        if not (isinstance(event, Repeated) and isinstance(event.event, SampledSubgraphs)):
            raise UnsupportedEvent("Theorem 2 of HeterPoisson knows sampled subgraphs only")
        return self.of(event.event.noise_multiplier, event.count, delta)

    def of(self, noise_multiplier: float, steps: int, delta: float) -> float:
        return published.epsilon(
            central_rate=self.config.rate(self.facts),
            neighbours=self.config.neighbours,
            out_degree=self.facts.nodes - 1,
            steps=steps,
            sigma=noise_multiplier * PUBLISHED_CLIP,
            delta=delta,
            noise=self.config.noise,
            exclusive=self.config.exclusive,
        )
