"""What a run will do to privacy, known before any data is touched. No torch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from privgraph.data.spec import PublicFacts
from privgraph.options import AUTO, Option, Scalar, left
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

EPSILON = Option(
    "privacy budget: smaller is more private and noisier; 1 is strong, 10 is weak",
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
            "chance that the guarantee may fail; 0 chooses a power of ten below one over the number of nodes, or of entries of the adjacency matrix",
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
        ),
    ] = "sound"


@dataclass(frozen=True)
class GivenNoise:
    """Noise that is asked for itself: by which option, under which letter of the paper, and how much.

    `value` is 0 where it is not: then the noise is calibrated to the option epsilon, which nothing reads
    otherwise.
    """

    option: str
    symbol: str
    value: float


class NoiseCanBeGiven(ABC):
    """A configuration whose noise may be given in place of a budget: epsilon then follows from the noise."""

    @property
    @abstractmethod
    def given_noise(self) -> GivenNoise:
        """The noise that a run has, whichever option or preset says so."""


class FillsIn(ABC):
    """A configuration with more options than delta that may be left to its method (`Option.zero`)."""

    @abstractmethod
    def filled_in(self, ledger: Sequence[LedgerEntry]) -> Mapping[str, Scalar]:
        """What such options come to, by name, whatever they are set to; noise is read from the run's ledger, where
        there is one."""


def filled_in(config: object, statement: PrivacyStatement | None) -> dict[str, Scalar]:
    """What a run takes for the options that its configuration leaves to the method, by name, as far as it is known.

    `statement` is the run's own, else the one that its plan predicts: delta stands in it, and noise in its ledger.
    """
    found: dict[str, Scalar] = {}
    if statement is not None and statement.unit != "none":
        found["delta"] = statement.delta
    if isinstance(config, FillsIn):
        found |= config.filled_in(statement.ledger if statement is not None else ())
    return {name: found[name] for name in left(config) if name in found}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The calibrated noise (name -> standard deviation or multiplier), the predicted statement, and the work.

    `steps` is the total of progress steps; `memory_mb` a rough upper estimate of the run's peak.
    """

    noise: Mapping[str, float]
    statement: PrivacyStatement
    steps: int
    memory_mb: float = 0.0
    notes: tuple[str, ...] = field(default=())


class MethodConfig(Protocol):
    """What every method's configuration offers: the shared privacy options, a plan, and a stacking key.

    `stack_key()` is equal for two configurations that may be trained as one stacked computation on the
    same graph (they may then differ in seed, epsilon and whatever the key leaves out).
    """

    @property
    def unit(self) -> str: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def delta(self) -> float: ...
    @property
    def accounting(self) -> str: ...
    def plan(self, facts: PublicFacts) -> Plan: ...
    def stack_key(self) -> tuple[object, ...]: ...
