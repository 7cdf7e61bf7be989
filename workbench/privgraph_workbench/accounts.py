"""How each private method is accounted: which options enter its price, what its noise is, and what it states at another noise.

A plan says which noise keeps a wanted epsilon. An `Account` answers the other way round, of every method alike, from public sizes
alone. No Streamlit, no torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scipy.optimize import brentq

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import aggregation_entry, replaced_aggregation_entry
from privgraph.methods.gap.options import AggregationOptions
from privgraph.methods.plan import EPSILON
from privgraph.options import OptionError
from privgraph.privacy.ledger import Ledger
from privgraph.privacy.statement import PrivacyStatement

PRIVACY = ("unit", "epsilon", "delta", "accounting")
"""The options that every method has, and every price."""
HETER_POISSON = "heter-poisson"
"""Whose paper argues about the kind of noise, and about what noisy rows of nodes can tell."""
Config = Any
At = Callable[[Config, PublicFacts, float], PrivacyStatement]


@dataclass(frozen=True, kw_only=True)
class Lever:
    """An option that moves epsilon while the noise stays as it is: its name, its axis, and a plain sentence.

    `own` is its effective value where 0 stands for a choice of the method's; `held` the statement of the changed options
    with the noise of the first ones, where the scale of the noise means something else after the change; `applies`
    says whether it has a part in a configuration at all.
    """

    option: str
    axis: str
    about: str
    own: Callable[[Config], float] | None = None
    held: Callable[[Config, Config, PublicFacts, float], PrivacyStatement] | None = None
    applies: Callable[[Config], bool] = lambda config: True

    def value(self, config: Config) -> float:
        return float(self.own(config) if self.own else getattr(config, self.option))


@dataclass(frozen=True, kw_only=True)
class Split:
    """The border between the first mechanism's share of the budget and the rest, as an option of the method.

    `moved` gives the options' text for a wanted share, from the present share.
    """

    option: str
    moved: Callable[[Config, PublicFacts, float, float], float]


@dataclass(frozen=True, kw_only=True)
class Account:
    """How one method is accounted for one unit.

    `options` enter the price beside `PRIVACY`; `noise` names the scale of the noise for an axis; `own` is the scale
    that keeps the wanted epsilon; `at` is the statement at another scale. `fixed` says why the budget's split cannot be
    moved where it cannot. `highest`: no scale beyond it means anything.
    """

    options: tuple[str, ...]
    noise: str
    own: Callable[[Config, PublicFacts], float]
    at: At
    levers: tuple[Lever, ...]
    fixed: str = ""
    split: Split | None = None
    highest: float = math.inf


def _aggregation_at(config: AggregationOptions, facts: PublicFacts, scale: float) -> PrivacyStatement:
    return config.statement(facts, Ledger(config.entries(facts, scale)))


def _degree_held(
    first: AggregationOptions, changed: AggregationOptions, facts: PublicFacts, scale: float
) -> PrivacyStatement:
    """Another degree bound at the same standard deviations: the sums are more sensitive, the gradients are not."""
    entries, std = list(first.entries(facts, scale)), first.aggregation_std(scale)
    for place, entry in enumerate(entries):
        if entry.mechanism.startswith("aggregation perturbation"):
            entries[place] = (
                replaced_aggregation_entry(changed.max_degree, std, entry.stage)
                if first.covers_own_rows
                else aggregation_entry(first.unit, facts.undirected, changed.max_degree, std, entry.stage)
            )
    return changed.statement(facts, Ledger(entries))


def _gradients_at(config: Config, facts: PublicFacts, multiplier: float) -> PrivacyStatement:
    steps = config.steps(facts.train_nodes)
    found: PrivacyStatement = config.statement(facts, (config.entry(facts, multiplier, steps), *config.unpaid()))
    return found


def _prompt_at(config: Config, facts: PublicFacts, multiplier: float) -> PrivacyStatement:
    entry = config.entry(facts, multiplier, config.steps(facts))
    found: PrivacyStatement = config.statement(facts, (*config.unpaid(), entry))
    return found


def _pate_at(config: Config, facts: PublicFacts, scale: float) -> PrivacyStatement:
    found: PrivacyStatement = config.statement(facts, config.entry(config.asked(facts.nodes), scale))
    return found


def _gpl_at(config: Config, facts: PublicFacts, sigma: float) -> PrivacyStatement:
    found: PrivacyStatement = replace(config.fitted(facts.nodes), vote_sigma=sigma).statement(facts)
    return found


def _gpl_gate(config: Config, facts: PublicFacts, share: float, present: float) -> float:
    """Costs are 1/sigma^2 each: the gate's noise for another share of the same total (DP-GPL's mu^2 is a sum)."""
    return float(config.gate_sigma * math.sqrt(present / share))


def _gnn_gate(config: Config, facts: PublicFacts, share: float, present: float) -> float:
    """The gate's noise over that of the answers: the ratio of the costs goes as one over its square, or nearly so."""
    return float(config.gate_noise * math.sqrt(present / (1 - present) * (1 - share) / share))


def _lost(config: Config, facts: PublicFacts) -> float:
    """The share of the true edges that a randomised response denies."""
    return 1 - float(config.probabilities(facts.edges, facts.nodes, facts.undirected).one_to_one)


def _response_at(config: Config, facts: PublicFacts, lost: float) -> PrivacyStatement:
    """The epsilon at which that share of the edges is denied: it falls as epsilon grows."""
    low, high = math.log(float(EPSILON.low or 0)), math.log(60.0)

    def off(log_epsilon: float) -> float:
        return math.log(_lost(replace(config, epsilon=math.exp(log_epsilon)), facts) / lost)

    if off(low) <= 0:
        raise OptionError(
            f"noise: at most {_lost(replace(config, epsilon=math.exp(low)), facts):.4g} of the edges can be denied"
        )
    if off(high) >= 0:
        raise OptionError(f"noise: so few denied edges as {lost:.3g} protect nothing")
    found = replace(config, epsilon=math.exp(float(brentq(off, low, high, xtol=1e-12))))
    return found.statement(facts, found.entries(facts))  # type: ignore[no-any-return]


def _subgraphs_at(config: Config, facts: PublicFacts, multiplier: float) -> PrivacyStatement:
    entry = config.entry(facts, multiplier, config.steps(facts))
    found: PrivacyStatement = config.statement(facts, entry)
    return found


def _own_options(config: Config) -> bool:
    """Whether the options themselves are read, and not those of a preset."""
    return bool(config.preset == "own")


def _asks(config: Config) -> bool:
    """Whether private nodes are asked query by query, and not summed once."""
    return bool(config.release != "table")


def _unread(config: Config, facts: PublicFacts, noise: float) -> PrivacyStatement:
    found: PrivacyStatement = config.statement(facts)
    return found


_DEPTH = Lever(
    option="depth", axis="depth K (noisy sums over neighbours)", about="Every sum over neighbours is one more release."
)
_GAP_EPOCHS = Lever(
    option="epochs",
    axis="epochs of each stage",
    about="More passes read each node's gradient more often.",
    own=lambda config: config.effective_epochs,
)
_EPOCHS = Lever(option="epochs", axis="epochs", about="More passes read each node's gradient more often.")
_BATCH = Lever(
    option="batch_size",
    axis="expected nodes in a batch",
    about="A larger batch hides a node less well among those that were not drawn, in fewer steps.",
)
_QUERIES = Lever(option="queries", axis="queries", about="Every answer costs a little, and the costs add up.")
_PARTS = ("private", "public_train", "public_test", "flip", "preset")
_ONE_SCALE = (
    "Here the method fixes the split: one noise scale serves all releases, and their numbers and sampling rates decide who "
    "takes how much."
)
_ONE = "There is one mechanism, and it takes everything."
_GRADIENT_NOISE = "noise multiplier (standard deviation of the noise over the clip)"


def _aggregation(unit: str) -> Account:
    if unit == "edge":
        return Account(
            options=("depth",),
            noise="noise (standard deviation on each number of a sum over neighbours)",
            own=lambda config, facts: float(config.noise_scale(facts)),
            at=_aggregation_at,
            levers=(_DEPTH,),
            fixed=_ONE_SCALE,
        )
    return Account(
        options=("depth", "epochs", "batch_size", "max_degree", "selection"),
        noise="noise scale s (sums: s times their sensitivity, √D; gradients: s times the clip)",
        own=lambda config, facts: float(config.noise_scale(facts)),
        at=_aggregation_at,
        levers=(
            _DEPTH,
            _GAP_EPOCHS,
            _BATCH,
            Lever(
                option="max_degree",
                axis="maximum degree D",
                about="The more sums a node may enter, the more it moves them, through noise that stays as it is.",
                held=_degree_held,
            ),
        ),
        fixed=_ONE_SCALE,
    )


_DP_SGD = Account(
    options=("epochs", "batch_size", "selection"),
    noise=_GRADIENT_NOISE,
    own=lambda config, facts: float(config.noise_multiplier(facts, config.plan(facts).statement.delta)),
    at=_gradients_at,
    levers=(_EPOCHS, _BATCH),
    fixed=_ONE,
)

ACCOUNTS: Mapping[tuple[str, str], Account] = {
    **{(name, unit): _aggregation(unit) for name in ("progap", "gap") for unit in ("edge", "node")},
    ("gap", "node"): replace(_aggregation("node"), options=(*_aggregation("node").options, "own_rows")),
    ("mlp", "edge"): Account(
        options=(), noise="", own=lambda config, facts: math.nan, at=_unread, levers=(), fixed="Edges are never read."
    ),
    ("dp-mlp", "node"): _DP_SGD,
    ("dp-gnn", "node"): replace(
        _DP_SGD,
        options=("max_degree", *_DP_SGD.options),
        levers=(
            *_DP_SGD.levers,
            Lever(
                option="max_degree",
                axis="largest degree (neighbours read, and lists a node may be in)",
                about="A node moves its own gradient, and that of every list that holds it.",
            ),
        ),
    ),
    (HETER_POISSON, "node"): Account(
        options=("preset", "neighbours", "exclusive", "noise", "epochs", "batch_size"),
        noise=_GRADIENT_NOISE,
        own=lambda config, facts: float(config.noise_multiplier(facts)),
        at=_subgraphs_at,
        levers=(
            replace(_EPOCHS, applies=_own_options),
            replace(_BATCH, applies=_own_options),
            Lever(
                option="neighbours",
                axis="neighbours M (subgraphs that a node is drawn into, were all its out-neighbours central)",
                about="A node moves its own gradient, and that of every subgraph that it was drawn into.",
            ),
        ),
        fixed=_ONE,
    ),
    ("edge-rand", "edge"): Account(
        options=("response", "density"),
        noise="share of the true edges that are denied",
        own=_lost,
        at=_response_at,
        levers=(),
        fixed="Here the method fixes the split: every pair is answered for once, and a private number of edges takes a "
        "set share of epsilon.",
        highest=1.0,
    ),
    ("privgnn", "node"): Account(
        options=("release", "queries", "rate", "sampling", "maximum", "gate", "gate_noise", "answers", *_PARTS),
        noise="noise scale 1/λ (votes, sums of a table, or chances of a class)",
        own=lambda config, facts: float(config.noise_scale(facts)),
        at=lambda config, facts, scale: config.statement(facts, scale),
        levers=(
            replace(_QUERIES, applies=_asks),
            Lever(
                option="rate",
                axis="sampling rate γ",
                about="A node that is seldom drawn for an answer is seldom read.",
                applies=_asks,
            ),
        ),
        fixed="Without a gate there is one mechanism, and it takes everything. Give the option Gate a value, and it shares.",
        split=Split(option="gate_noise", moved=_gnn_gate),
    ),
    ("pate", "node"): Account(
        options=("queries", "noise", *_PARTS),
        noise="noise scale on a count of votes (votes)",
        own=lambda config, facts: float(config.noise_scale(facts.nodes)),
        at=_pate_at,
        levers=(_QUERIES,),
        fixed=_ONE,
    ),
    ("prompt-dpsgd", "node"): Account(
        options=("shots", "epochs", "batch_size", "svd", "private"),
        noise=_GRADIENT_NOISE,
        own=lambda config, facts: float(config.noise_multiplier(facts)),
        at=_prompt_at,
        levers=(
            _EPOCHS,
            _BATCH,
            Lever(
                option="shots",
                axis="shots (private nodes tuned on, for each class)",
                about="Among more nodes, each is drawn less often.",
            ),
        ),
        fixed=_ONE,
    ),
    ("dp-gpl", "node"): Account(
        options=("queries", "answers", "gate_sigma", "teachers", "weighting", "w_min", "w_max", "ranks", "limit", "svd",
                 "report", "report_epsilon", "private"),
        noise="noise σ₂ on a count of votes (votes)",
        own=lambda config, facts: float(config.fitted(facts.nodes).asked(facts.nodes).vote_sigma),
        at=_gpl_at,
        levers=(
            _QUERIES,
            Lever(
                option="w_max",
                axis="largest weight of a vote, before scaling",
                about="A heavier vote moves a count farther.",
                applies=lambda config: config.weighting == "private-centrality",
            ),
        ),
        fixed="Without a gate there is one mechanism, and it takes everything. Give the option Noise of the gate a value, and "
        "it shares.",
        split=Split(option="gate_sigma", moved=_gpl_gate),
    ),
}  # fmt: skip
"""Every private method of the registry, by name and unit."""
