"""Options of pre-training and fine-tuning. No torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from privgraph.data.spec import PublicFacts
from privgraph.methods.plan import Plan
from privgraph.methods.prompt.config import FewShotOptions
from privgraph.options import Option


@dataclass(frozen=True, kw_only=True)
class Config(FewShotOptions):
    """The whole pre-trained network, with a linear head, trained on a few private nodes: what prompts are to beat."""

    learning_rate: Annotated[
        float,
        Option("step size of Adam, for all weights", low=1e-6, high=1, scale="log", group="Training", advanced=True),
    ] = 0.001

    def stack_key(self) -> tuple[object, ...]:
        return ("fine-tune", self.shots, *self.ground_key(), self.epochs, self.learning_rate)

    def plan(self, facts: PublicFacts) -> Plan:
        """No noise. Raises `OptionError` where the parts do not fit."""
        plan = FewShotOptions.plan(self, facts)
        notes = (*plan.notes, "the whole network is trained: prompt and tokens are not used")
        return replace(plan, notes=notes)
