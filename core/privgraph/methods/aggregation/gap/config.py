"""Options and plan of GAP. No torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.methods.aggregation.options import AGGREGATE, TRAIN, AggregationConfig
from privgraph.options import Option


@dataclass(frozen=True, kw_only=True)
class Config(AggregationConfig):
    """GAP: an encoder trained without edges, K noisy hops over its embeddings, a classifier over all hops."""

    encoder_layers: Annotated[int, Option("layers of the encoder", low=1, high=4)] = 2
    own_rows: Annotated[
        bool,
        Option(
            "cover what is released of a node itself too, when its record is replaced by another: the noise "
            "that the authors of HeterPoisson find missing, about 2 times the root of D as much (node-level "
            "privacy only)",
            group="Node level",
            advanced=True,
        ),
    ] = False

    @property
    def covers_own_rows(self) -> bool:
        return self.own_rows and self.unit == "node"

    def schedule(self) -> tuple[tuple[str, str], ...]:
        """Encoder, K aggregations, classifier."""
        hops = [(AGGREGATE, f"hop {hop}") for hop in range(1, self.depth + 1)]
        return ((TRAIN, "encoder"), *hops, (TRAIN, "classifier"))

    def node_level_options(self) -> tuple[str, ...]:
        return ("own_rows",)

    def released(self) -> str:
        return f"weights of encoder and classifier, and {self.released_rows()}"

    def stack_key(self) -> tuple[object, ...]:
        return ("gap", self.encoder_layers, self.covers_own_rows, *self.common_key())
