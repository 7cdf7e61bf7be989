"""Options and plan of a prompt without protection. No torch."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import NO_NOISE, Fixed, MethodConfig, Price, Work, refusal
from privgraph.methods.prompts.options import PromptOptions
from privgraph.options import Option
from privgraph.privacy import statements
from privgraph.privacy.events import NonPrivate
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.statement import PrivacyStatement

NOT_APPLICABLE = "not applicable: nothing is protected"
STUDY_ONLY = "epsilon and delta are not used: nothing is protected"


@dataclass(frozen=True, kw_only=True)
class FewShotConfig(PromptOptions, MethodConfig):
    """A few labelled private nodes of each class, and no protection for them."""

    unit: Annotated[
        str, Option("few-shot learning without noise protects nothing", choices=("none",), group="Privacy")
    ] = "none"
    shots: Annotated[
        int,
        Option("labelled private nodes of each class; fewer where a class has fewer", low=1, high=10**4, scale="log"),
    ] = 5

    def refuses(self, facts: PublicFacts) -> str | None:
        return refusal(lambda: self.sizes(facts.nodes))

    def delta_and_rule(self, facts: PublicFacts) -> tuple[float, str]:
        return 0.0, NOT_APPLICABLE

    def calibration(self, facts: PublicFacts) -> Fixed:
        return NO_NOISE

    def entries(self, facts: PublicFacts, scale: float) -> tuple[LedgerEntry, ...]:
        return (entry(),)

    @property
    def price(self) -> Price:
        return Price()

    def statement(self, facts: PublicFacts, scale: float, entries: Sequence[LedgerEntry]) -> PrivacyStatement:
        return statement()

    @abstractmethod
    def unread(self) -> str | None:
        """Which options have no part in the training, in a sentence, or None."""

    def work(self, facts: PublicFacts, scale: float) -> Work:
        sizes, unread = self.sizes(facts.nodes), self.unread()
        return Work(
            steps=self.pretrain_epochs + self.epochs,
            step="epochs of pre-training and tuning",
            memory_mb=memory_mb(self, facts, min(self.shots * facts.classes, sizes.private)),
            entry_bytes=entry_bytes(self),
            notes=(STUDY_ONLY,) if unread is None else (STUDY_ONLY, unread),
        )


@dataclass(frozen=True, kw_only=True)
class Config(FewShotConfig):
    """One prompt on a frozen network, tuned on k nodes of each class."""

    def stack_key(self) -> tuple[object, ...]:
        return ("prompt", self.shots, *self.prepared_key(), *self.prompt_key())

    def unread(self) -> None:
        return None


def memory_mb(options: PromptOptions, facts: PublicFacts, examples: int) -> float:
    """A rough upper estimate in megabytes, of pre-training and of `examples` ego-graphs in a pass."""
    floats = facts.nodes * (2 * facts.features + 12 * options.hidden)
    return 700 + 4 * (floats + examples * PLACES * (options.dimensions + 5 * options.hidden + 2 * PLACES)) / 2**20


def entry_bytes(options: PromptOptions) -> float:
    """What an entry of the adjacency matrix takes in pre-training."""
    return 48 * options.hidden


PLACES = 32
"""Of an ego-graph."""


def entry() -> LedgerEntry:
    """The one ledger entry of a run."""
    return LedgerEntry(
        kind=MechanismKind.UNPROTECTED,
        mechanism="tuning without protection",
        stage="training",
        event=NonPrivate(reason="what is tuned is computed from a few private nodes and their labels without noise"),
    )


def statement() -> PrivacyStatement:
    """What such a run guarantees: nothing, in words."""
    return statements.make_statement(
        unit="none",
        neighbours=Neighbours.NONE,
        relation=statements.RELATION_NONE,
        release=Release.PROMPT,
        released="what was tuned on a few labelled private nodes, and predictions for public nodes, without any noise",
        public=("everything that is released may reveal the private nodes that it was tuned on",),
        delta=0.0,
        delta_rule=NOT_APPLICABLE,
        ledger=(entry(),),
        assumptions=(
            "no guarantee is made: whether a node was among the few is known to be readable from a prompt's "
            "confidence (membership inference with AUC 0.7 to 0.9 at five shots: DP-GPL, section 3)",
        ),
    )
