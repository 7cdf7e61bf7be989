"""What a method says of a run before any data are touched: its noise, its guarantee, its price, its work. No
torch.

`MethodConfig` is the interface that a method's configuration implements. Calibration, planning and their
caches stand here, once for all methods: a method says which noise there is and what it costs, never how a
scale is found.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Annotated, ClassVar, final

from privgraph.data.spec import PublicFacts
from privgraph.methods.kept import Kept
from privgraph.options import AUTO, Option, OptionError, Scalar, left
from privgraph.privacy.accountants import Accountant
from privgraph.privacy.calibration import CalibrationError, calibrate
from privgraph.privacy.events import PrivacyEvent
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.rounding import upper
from privgraph.privacy.statement import PrivacyStatement

EPSILON = Option(
    "privacy budget: smaller is more private and noisier; 1 is strong, 4 is weak",
    unit="epsilon",
    low=0.01,
    high=1000,
    scale="log",
    group="Privacy",
)
"""The option of every budget; a method may have another default."""

NODE = Option("what one guarantee protects: a node with everything that it has", choices=("node",), group="Privacy")
"""The unit of a method that protects nodes and nothing else."""


@dataclass(frozen=True, kw_only=True)
class PrivacyOptions:
    """The options that every method shares; a method's configuration derives from it and adds its own."""

    unit: Annotated[
        str,
        Option(
            "what one guarantee protects: a single edge, a node with everything that it has, or nothing",
            choices=("none", "edge", "node"),
            group="Privacy",
        ),
    ] = "edge"
    epsilon: Annotated[float, EPSILON] = 1.0
    delta: Annotated[
        float,
        Option(
            "chance that the guarantee may fail; 0 chooses a power of ten below one over the number of nodes, which "
            "is taken to the power 1.5 where edges are protected",
            low=0,
            least=1e-50,
            high=0.1,
            group="Privacy",
            advanced=True,
            zero=AUTO,
        ),
    ] = 0.0
    accounting: Annotated[
        str,
        Option(
            "which epsilon the noise is calibrated to: the sound one, or the paper's own formula",
            choices=("sound", "published"),
            group="Privacy",
            advanced=True,
        ),
    ] = "sound"


# How much noise there is


@dataclass(frozen=True)
class Fixed:
    """Noise whose scale follows from the options alone: it was given, has a closed form, or is 0 because
    there is none."""

    scale: float


@dataclass(frozen=True)
class Calibrated:
    """The smallest noise with which `event(scale)` costs at most the epsilon asked for.

    `accountant` counts it (default: the tight one). The event must cost less as the scale grows.
    """

    event: Callable[[float], PrivacyEvent]
    accountant: Accountant | None = None


NO_NOISE = Fixed(0.0)
"""Of a method, or a unit, that draws none."""


# What moves epsilon


@dataclass(frozen=True)
class GivenNoise:
    """Noise that is asked for itself: by which option, under which letter of the paper, and how much.

    `value` is 0 where it is not: then the noise is calibrated to the option epsilon, which nothing reads
    otherwise.
    """

    option: str
    symbol: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Lever:
    """An option that moves epsilon while the noise stays as it is: its name, its axis, and a plain sentence.

    `value` is what it has in this configuration, where 0 stands for a choice of the method's too. `held`,
    given a changed configuration, the graph's sizes and the scale, is the statement of the changed options
    with the noise of this configuration; it is needed only where the same scale means another noise after the
    change.
    """

    option: str
    axis: str
    about: str
    value: float
    held: Callable[[MethodConfig, PublicFacts, float], PrivacyStatement] | None = field(default=None, compare=False)


def _nothing(ledger: Sequence[LedgerEntry]) -> Mapping[str, Scalar]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Price:
    """What decides the epsilon of a configuration, beside the four privacy options that every method has.

    `options` are the method's own that enter it. `noise` names the noise's scale for an axis (empty: no noise
    is drawn, and epsilon hangs on nothing). `given` is the noise that may be given in place of a budget; None
    where it cannot. `levers` move epsilon at the same noise. No scale beyond `highest` means anything.
    `filled_in` reads from a run's ledger (empty before it is known) what options that are left to the method
    come to, whatever they are set to (`Option.zero`; delta is known from the statement).
    """

    options: tuple[str, ...] = ()
    noise: str = ""
    given: GivenNoise | None = None
    levers: tuple[Lever, ...] = ()
    highest: float = math.inf
    filled_in: Callable[[Sequence[LedgerEntry]], Mapping[str, Scalar]] = field(default=_nothing, compare=False)


# What a run will do


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a run with calibrated noise will do.

    `steps` is the total of progress steps, and `step` what they are, for people; `memory_mb` a rough upper
    estimate of the run's peak without the graph's edges, whose number is private, and `entry_bytes` what each
    entry of the adjacency matrix adds; `noise` names the noise for people (name -> standard deviation or
    multiplier), and `notes` say what they should know.
    """

    steps: int
    memory_mb: float
    entry_bytes: float = 0.0
    step: str = "epochs"
    noise: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan:
    """A configuration on a graph of known sizes: its noise, its ledger, its guarantee and its work.

    `scale` is the noise that a trainer draws, in the unit of the method's `entries`.
    """

    config: MethodConfig
    facts: PublicFacts
    scale: float
    entries: tuple[LedgerEntry, ...]
    statement: PrivacyStatement
    work: Work

    def __repr__(self) -> str:
        """The method, what is protected at which epsilon and delta, and its noise, in few digits."""
        said = self.statement
        noise = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in self.noise.items())
        guarantee = f"unit {said.unit}, sound epsilon {upper(said.epsilon)}, delta {said.delta:g}"
        return f"Plan({self.config.stack_key()[0]}: {guarantee}; noise: {noise or 'none'}; {self.steps:,} steps)"

    @property
    def noise(self) -> Mapping[str, float]:
        return self.work.noise

    @property
    def steps(self) -> int:
        return self.work.steps

    @property
    def memory_mb(self) -> float:
        """A rough upper estimate of the run's peak, in MiB, for who holds the data: it counts edges."""
        return _memory(self.work, self.facts)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.work.notes


class MethodConfig(PrivacyOptions, ABC):
    """The configuration of a method: its options, and what follows from them and a graph's public sizes.

    A method implements what is abstract, as a frozen dataclass whose fields are annotated with an `Option`.
    What is final is the same for all: nothing here is overridden. `stacks` is False for a method that has
    nothing to gain from a stack: each of its runs then has a worker, a progress and a stop of its own.
    """

    stacks: ClassVar[bool] = True

    @abstractmethod
    def stack_key(self) -> tuple[object, ...]:
        """What must be equal for two configurations to be trained as one stacked computation on the same
        graph.

        They may then differ in seed, epsilon and whatever the key leaves out.
        """

    @property
    def keeps(self) -> Kept:
        """Which epoch's model is handed out: a method that chooses among them says so."""
        return Kept.LAST

    @abstractmethod
    def refuses(self, facts: PublicFacts) -> str | None:
        """Why a graph of these sizes cannot be trained on with these options, in one sentence, or None."""

    @abstractmethod
    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        """Delta of the guarantee, and in words how it was chosen."""

    @abstractmethod
    def calibration(self, facts: PublicFacts) -> Fixed | Calibrated:
        """How the scale of the noise is found. May raise `OptionError` or `CalibrationError`."""

    @abstractmethod
    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        """The ledger of a run whose noise has this scale, in the order in which it is written."""

    @abstractmethod
    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        """The guarantee of a run with noise of this scale and this ledger."""

    @abstractmethod
    def work(self, facts: PublicFacts, scale: float) -> Work:
        """What a run with noise of this scale will do."""

    @property
    @abstractmethod
    def price(self) -> Price:
        """What decides epsilon."""

    @final
    def scale(self, facts: PublicFacts) -> float:
        """The scale of the noise: given, or the smallest that keeps epsilon. Raises `OptionError` where none
        does."""
        return _scale(self, facts, _values(self))

    @final
    def at(self, facts: PublicFacts, scale: float) -> PrivacyStatement:
        """The guarantee at another noise than the calibrated one. Raises `OptionError` where the sizes do not
        do."""
        _require(self, facts)
        return self.statement(facts, scale, self.entries(facts, scale))

    @final
    def plan(self, facts: PublicFacts) -> Plan:
        """Noise, guarantee and work, from public sizes alone; computed once for equal configurations and
        sizes.

        Raises `OptionError` where the sizes do not do, or epsilon is out of reach.
        """
        return _plan(self, facts, _values(self))


def _values(config: MethodConfig) -> tuple[object, ...]:
    """All that a configuration holds: two that compare equal without being so never share a plan."""
    return (type(config), *(getattr(config, item.name) for item in fields(config)))


def refusal(act: Callable[[], object]) -> str | None:
    """The sentence of the `OptionError` that `act` raises, for `MethodConfig.refuses`; None where it raises
    none."""
    try:
        act()
    except OptionError as error:
        return str(error)
    return None


def _require(config: MethodConfig, facts: PublicFacts) -> None:
    reason = config.refuses(facts)
    if reason is not None:
        raise OptionError(reason)


@lru_cache(maxsize=512)
def _scale(config: MethodConfig, facts: PublicFacts, values: tuple[object, ...]) -> float:
    _require(config, facts)
    try:
        noise = config.calibration(facts)
        if isinstance(noise, Fixed):
            return noise.scale
        delta, _ = config.delta_and_rule(facts)
        return calibrate(noise.event, config.epsilon, delta, noise.accountant)
    except CalibrationError as error:
        raise OptionError(f"epsilon {config.epsilon:g} is out of reach with these options: {error}") from None


@lru_cache(maxsize=512)
def _plan(config: MethodConfig, facts: PublicFacts, values: tuple[object, ...]) -> Plan:
    scale = config.scale(facts)
    entries = config.entries(facts, scale)
    statement = config.statement(facts, scale, entries)
    _check(config, facts, entries, statement)
    work, given = config.work(facts, scale), config.price.given
    if given is not None and given.value > 0 and config.unit != "none":
        note = f"epsilon is not used: {given.option} gives the noise, and the statement says what that costs"
        work = replace(work, notes=(*work.notes, note))
    return Plan(config=config, facts=facts, scale=scale, entries=entries, statement=statement, work=work)


def _check(
    config: MethodConfig, facts: PublicFacts, entries: Sequence[LedgerEntry], statement: PrivacyStatement
) -> None:
    """Raises `TypeError` for a statement that is not that of these options and entries: a fault of the
    method, which no user can mend."""
    where = f"{type(config).__module__}.{type(config).__qualname__}"
    if statement.unit != config.unit:
        raise TypeError(f"{where}.statement: it says unit {statement.unit}, and the options say {config.unit}")
    if Ledger(statement.ledger).entries != Ledger(entries).entries:
        raise TypeError(f"{where}.statement: its ledger must hold the entries that it is given, and no others")
    if config.unit == "none":
        return
    delta, _ = config.delta_and_rule(facts)
    if statement.delta != delta:
        raise TypeError(f"{where}.statement: it says delta {statement.delta:g}, and delta_and_rule {delta:g}")
    sound = config.accounting == "sound" and isinstance(config.calibration(facts), Calibrated)
    if sound and config.epsilon < statement.epsilon < math.inf:  # infinite: the ledger says aloud what is unprotected
        raise TypeError(
            f"{where}.calibration: asked for epsilon {config.epsilon:g}, it gives noise at which all entries "
            f"together cost {statement.epsilon:g}"
        )


def memory_estimate(config: MethodConfig, facts: PublicFacts) -> float:
    """The memory that a plan says, in MiB, without the search for its noise, which may take seconds: how much
    a trainer holds never hangs on a scale that is calibrated. Raises `OptionError` where the sizes do not
    do."""
    _require(config, facts)
    try:
        noise = config.calibration(facts)
    except CalibrationError as error:
        raise OptionError(str(error)) from None
    return _memory(config.work(facts, noise.scale if isinstance(noise, Fixed) else 1.0), facts)


def _memory(work: Work, facts: PublicFacts) -> float:
    return work.memory_mb + work.entry_bytes * facts.entries / 2**20


def filled_in(config: MethodConfig, statement: PrivacyStatement | None) -> dict[str, Scalar]:
    """What a run takes for the options that its configuration leaves to the method, by name, as far as it is
    known.

    `statement` is the run's own, else the one that its plan predicts: delta stands in it, and noise in its
    ledger.
    """
    found: dict[str, Scalar] = {}
    if statement is not None and statement.unit != "none":
        found["delta"] = statement.delta
    found |= config.price.filled_in(statement.ledger if statement is not None else ())
    return {name: found[name] for name in left(config) if name in found}
