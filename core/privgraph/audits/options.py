"""What every audit is told: how much to try, how sure to be, and which run is audited. No torch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from privgraph.options import Option, check
from privgraph.privacy.statement import PrivacyStatement


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Options that all audits share; an audit reads those that concern it."""

    trials: Annotated[
        int,
        Option(
            "how often the mechanism is played, half of it with the protected unit and half without: more "
            "show more, and take longer",
            unit="trials",
            low=100,
            high=10**7,
            scale="log",
            group="Audit",
        ),
    ] = 4000
    canaries: Annotated[
        int,
        Option(
            "gradients that a white-box audit adds to a training of its own, each one for the whole run or not at all",
            low=10,
            high=10**6,
            scale="log",
            group="Audit",
        ),
    ] = 2000
    confidence: Annotated[
        float,
        Option(
            "chance that the lower bounds of all audits of the run are right, whatever the mechanism does",
            low=0.5,
            high=0.9999,
            group="Audit",
        ),
    ] = 0.95
    delta: Annotated[
        float,
        Option(
            "delta at which epsilon is bounded; 0 takes the run's own",
            low=0,
            least=1e-50,
            high=0.1,
            group="Audit",
            zero="the run's own",
        ),
    ] = 0.0
    seed: Annotated[int, Option("seed of the audit's own coins", low=0, high=2**31 - 1, group="Audit")] = 0

    def __post_init__(self) -> None:
        check(self)

    def at(self, statement: PrivacyStatement) -> float:
        """The delta of the audit of a run with this statement."""
        return self.delta or statement.delta


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The run that is audited: its id, its method's name and configuration, and the statement that it ended
    with.

    `graph` loads its data, for audits that train on them (`data.graph.Graph` as its trainer saw it).
    `seconds` is how long the run took, where that is known. `device` is a name that torch knows. `turn`: the
    how-manieth audit of this run it is, from 1 on, with which it shares one confidence
    (`bounds.shared_confidence`); 0 where the audit stands alone.
    """

    run: str
    method: str
    config: Any
    statement: PrivacyStatement
    graph: Callable[[], Any]
    seed: int = 0
    seconds: float | None = None
    device: str = "cpu"
    turn: int = 0
