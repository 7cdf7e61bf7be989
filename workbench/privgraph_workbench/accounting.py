"""What a method's noise costs, from public sizes alone: epsilon at any noise, and along what moves it. No Streamlit, no torch.

A plan says which noise keeps a wanted epsilon. This room asks the other way round, of every method alike: an
`Account` says which options enter the price, what the noise is, and what the method states of a run with another noise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from scipy.optimize import brentq

from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.entries import aggregation_entry
from privgraph.methods.gap.options import AggregationOptions
from privgraph.methods.plan import EPSILON
from privgraph.options import OptionError, Scalar, build, parameters
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import Gaussian, NonPrivate, Nothing
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, method

PRIVACY = ("unit", "epsilon", "delta", "accounting")
"""The options that every method has, and every price."""
SPREAD = 8.0
_MANTISSAS = (1.0, 1.6, 2.5, 4.0, 6.3)

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
    entries = list(first.entries(facts, scale))
    for place, entry in enumerate(entries):
        if entry.mechanism == "aggregation perturbation":
            std = first.aggregation_std(scale)
            entries[place] = aggregation_entry(first.unit, facts.undirected, changed.max_degree, std, entry.stage)
    return changed.statement(facts, Ledger(entries))


def _gradients_at(config: Config, facts: PublicFacts, multiplier: float) -> PrivacyStatement:
    steps = config.steps(facts.train_nodes)
    found: PrivacyStatement = config.statement(facts, (config.entry(facts, multiplier, steps),))
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
        noise="noise scale s (sums: s √D; gradients: s times the clip)",
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
    options=("epochs", "batch_size"),
    noise=_GRADIENT_NOISE,
    own=lambda config, facts: float(config.noise_multiplier(facts, config.plan(facts).statement.delta)),
    at=_gradients_at,
    levers=(_EPOCHS, _BATCH),
    fixed=_ONE,
)

ACCOUNTS: Mapping[tuple[str, str], Account] = {
    **{(name, unit): _aggregation(unit) for name in ("progap", "gap") for unit in ("edge", "node")},
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
        noise="noise scale 1/λ (votes, or chances of a class)",
        own=lambda config, facts: float(config.noise_scale(facts)),
        at=lambda config, facts, scale: config.statement(facts, scale),
        levers=(
            _QUERIES,
            Lever(
                option="rate",
                axis="sampling rate γ",
                about="A node that is seldom drawn for an answer is seldom read.",
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


def private_units(name: str) -> tuple[str, ...]:
    """The units that the method protects, in the order of its table; empty where it protects none."""
    return tuple(unit for unit in METHODS[name].units if (name, unit) in ACCOUNTS)


def private_methods() -> list[str]:
    """The methods that protect something."""
    return [name for name in METHODS if private_units(name)]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A method with its options on a graph of known sizes. Built by `setting`, which checks the options."""

    name: str
    config: Config
    facts: PublicFacts

    @property
    def account(self) -> Account:
        return ACCOUNTS[self.name, self.config.unit]

    @property
    def reads(self) -> bool:
        """Whether the method reads anything that it protects."""
        return bool(self.account.noise)

    def noise(self) -> float:
        """The noise that keeps the wanted epsilon. Raises `OptionError` where none does."""
        return _own(self)

    def at(self, noise: float) -> PrivacyStatement:
        """The statement of a run with that noise. Raises `OptionError` where the options or the noise do not fit."""
        return _at(self, noise)

    def changed(self, option: str, value: float) -> Setting:
        """The same with another value of one option, whole where the option is."""
        kind = type(getattr(self.config, option))
        return replace(self, config=replace(self.config, **{option: kind(round(value) if kind is int else value)}))


def setting(name: str, options: Mapping[str, Scalar], facts: PublicFacts) -> Setting:
    """Raises `OptionError` where the options do not go together."""
    return Setting(name=name, config=build(method(name).load_config(), options), facts=facts)


@lru_cache(maxsize=512)
def _own(found: Setting) -> float:
    return found.account.own(found.config, found.facts)


@lru_cache(maxsize=4096)
def _at(found: Setting, noise: float) -> PrivacyStatement:
    if not 0 < noise < math.inf and found.reads:
        raise OptionError(f"noise must be positive and finite (got {noise:g})")
    if noise > found.account.highest:
        raise OptionError(f"noise must be at most {found.account.highest:g} (got {noise:g})")
    return found.account.at(found.config, found.facts, noise)


@dataclass(frozen=True, kw_only=True)
class Point:
    """Both epsilons at one place of a curve; published None where no paper has a formula."""

    x: float
    epsilon: float
    published: float | None
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The points that are there, ascending; `complete` unless time ran out; why the missing ones cannot be had."""

    points: tuple[Point, ...]
    complete: bool
    refused: str = ""


def round_numbers(low: float, high: float) -> list[float]:
    """Numbers of one or two digits from `low` to `high`: the same whatever the bounds, so that they are priced once.

    >>> round_numbers(0.9, 4)
    [1.0, 1.6, 2.5, 4.0]
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [value for one in exponents for lead in _MANTISSAS if low <= (value := float(f"{lead}e{one}")) <= high]


def along_noise(found: Setting, noise: float, until: float = math.inf) -> Curve:
    """Epsilon against the noise, from an eighth of `noise` to eight times as much.

    Computed from `noise` outwards, until `time.monotonic()` passes `until`: what is known is kept for the next time.
    """
    places = {noise, *round_numbers(noise / SPREAD, min(SPREAD * noise, found.account.highest))}
    return _curve(places, noise, found.at, until)


def along(found: Setting, lever: Lever, noise: float, until: float = math.inf) -> Curve:
    """Epsilon against an option of the method, while the noise stays what it is."""
    own, places = lever.value(found.config), _places(found, lever)

    def price(value: float) -> PrivacyStatement:
        return found.at(noise) if value == own else _held(found, lever, value, noise)

    return _curve({own, *places}, own, price, until)


@lru_cache(maxsize=4096)
def _held(found: Setting, lever: Lever, value: float, noise: float) -> PrivacyStatement:
    other = found.changed(lever.option, value)
    if lever.held is not None:
        return lever.held(found.config, other.config, found.facts, noise)
    return other.at(noise)


def _places(found: Setting, lever: Lever) -> list[float]:
    """Values of an option around its own, within its bounds and those of the graph."""
    option = next(one for one in parameters(type(found.config)) if one.name == lever.option)
    own = lever.value(found.config)
    low = max(float(option.option.low or 0), own / SPREAD)
    high = min(float(option.option.high or math.inf), max(SPREAD * own, 4.0))
    if lever.option == "batch_size":
        high = min(high, max(1, found.facts.train_nodes))
    if option.type is int:
        high = max(high, low)
        if high - low <= 12:
            return [float(value) for value in range(math.ceil(low), math.floor(high) + 1)]
        low = max(low, 1.0)
    if not 0 < low < high:
        return []
    found_places = round_numbers(low, high)
    return sorted({float(round(value)) for value in found_places}) if option.type is int else found_places


def _curve(places: Iterable[float], own: float, price: Callable[[float], PrivacyStatement], until: float) -> Curve:
    points: list[Point] = []
    refused, complete = "", True
    for place in sorted(places, key=lambda value: abs(math.log(value / own)) if value > 0 < own else abs(value - own)):
        if points and time.monotonic() > until:
            complete = False
            break
        try:
            said = price(place)
        except OptionError as error:
            refused = refused or str(error)
            continue
        points.append(Point(x=place, epsilon=said.epsilon, published=said.epsilon_as_published, chosen=place == own))
    return Curve(points=tuple(sorted(points, key=lambda point: point.x)), complete=complete, refused=refused)


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one entry of a ledger costs by itself, and what everything else costs without it, at the same delta."""

    entry: LedgerEntry
    alone: float
    without: float


def parts(entries: Sequence[LedgerEntry], delta: float) -> list[Part]:
    """Epsilons do not add up, hence both: what an entry costs alone, and what would be left without it."""
    return [
        Part(
            entry=entry,
            alone=_cost((entry,), delta),
            without=_cost((*entries[:place], *entries[place + 1 :]), delta),
        )
        for place, entry in enumerate(entries)
    ]


@lru_cache(maxsize=1024)
def _cost(entries: tuple[LedgerEntry, ...], delta: float) -> float:
    return tight().epsilon(Ledger(entries).event(), delta)


def all_gaussian(entries: Sequence[LedgerEntry]) -> bool:
    """Whether squared mu, which adds up exactly, measures every entry."""
    return all(isinstance(entry.event, Gaussian | Nothing) for entry in entries)


def unprotected(entries: Sequence[LedgerEntry]) -> list[str]:
    """Why nothing can be proved, where that is so."""
    return [entry.event.reason for entry in entries if isinstance(entry.event, NonPrivate)]
