"""Options of pre-training and fine-tuning. No torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.methods.prompts.prompt.config import FewShotConfig
from privgraph.options import Option


@dataclass(frozen=True, kw_only=True)
class Config(FewShotConfig):
    """The whole pre-trained network, with a linear head, trained on a few private nodes: what prompts are to
    beat."""

    learning_rate: Annotated[
        float,
        Option("step size of Adam, for all weights", low=1e-6, high=1, scale="log", group="Training", advanced=True),
    ] = 0.001

    def stack_key(self) -> tuple[object, ...]:
        return ("fine-tune", self.shots, *self.prepared_key(), self.epochs, self.learning_rate)

    def unread(self) -> str:
        return "the whole network is trained: prompt and tokens are not used"
