"""Options and plan of ProGAP. No torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.methods.aggregation.options import AGGREGATE, TRAIN, AggregationConfig
from privgraph.options import Option


@dataclass(frozen=True, kw_only=True)
class Config(AggregationConfig):
    """ProGAP: K + 1 stages, each trained on the noisy aggregates of the one before (Algorithm 2)."""

    layers: Annotated[int, Option("layers of each stage's base network", low=1, high=4)] = 1
    jumping: Annotated[
        str,
        Option(
            "what a stage's head reads: the embeddings of all stages so far, side by side, or only the newest",
            choices=("concat", "newest"),
            advanced=True,
        ),
    ] = "concat"

    @property
    def covers_own_rows(self) -> bool:
        return False

    def schedule(self) -> tuple[tuple[str, str], ...]:
        """Stage 0 trains on features; stage s aggregates the embeddings of stage s-1, once, and trains."""
        steps = [(TRAIN, "stage 0")]
        for stage in range(1, self.depth + 1):
            steps += [(AGGREGATE, f"stage {stage}"), (TRAIN, f"stage {stage}")]
        return tuple(steps)

    def node_level_options(self) -> tuple[str, ...]:
        return ()

    def released(self) -> str:
        return f"weights of all stages, and {self.released_rows()}"

    def stack_key(self) -> tuple[object, ...]:
        return ("progap", self.layers, self.jumping, *self.common_key())
