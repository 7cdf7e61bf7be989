"""The options of an ordinary graph network. No torch."""

from dataclasses import dataclass
from typing import Annotated

from privgraph.methods.base import PrivacyOptions
from privgraph.methods.kept import Kept
from privgraph.options import Option, OptionError, check

CONVOLUTIONS = ("sage", "gcn", "gat", "gin")


@dataclass(frozen=True, kw_only=True)
class GraphNetworkOptions(PrivacyOptions):
    """The options of a graph network, shared by every method that trains an ordinary one."""

    conv: Annotated[
        str,
        Option(
            "how a node reads its neighbours: sage (their mean), gcn (a mean weighted by degrees), "
            "gat (learnt attention), gin (their sum)",
            choices=CONVOLUTIONS,
            label="Convolution",
        ),
    ] = "sage"
    layers: Annotated[
        int, Option("rounds of message passing: how many hops away a node can see", low=1, high=5, label="Layers")
    ] = 2
    hidden: Annotated[int, Option("width of each layer", unit="units", low=4, high=512, scale="log")] = 64
    jump: Annotated[
        bool,
        Option("read all rounds at the end, not only the last (jumping knowledge)", label="Jumping knowledge"),
    ] = True
    dropout: Annotated[
        float, Option("share of the hidden values that are dropped in training", low=0, high=0.95, group="Training")
    ] = 0.5
    learning_rate: Annotated[float, Option("step size of Adam", low=1e-5, high=1, scale="log", group="Training")] = 0.01
    weight_decay: Annotated[
        float, Option("L2 penalty on the weights", low=0, high=1, group="Training", advanced=True)
    ] = 5e-4
    epochs: Annotated[int, Option("passes over the training nodes", low=1, high=5000, group="Training")] = 200

    def __post_init__(self) -> None:
        check(self)
        if self.conv == "gat" and self.hidden % 4:
            raise OptionError(f"hidden must be a multiple of 4 for gat, which has four heads (got {self.hidden})")

    @property
    def keeps(self) -> Kept:
        return Kept.VALIDATED

    def network_key(self) -> tuple[object, ...]:
        """What must agree for two networks to have one shape and schedule."""
        return (self.conv, self.layers, self.hidden, self.jump, self.dropout, self.learning_rate,
                self.weight_decay, self.epochs)  # fmt: skip

    def memory_mb(self, nodes: int, features: int) -> float:
        """A rough upper estimate: features, activations of every round kept for the backward pass."""
        return 300 + 4 * nodes * (features + 8 * self.hidden * (self.layers + 1)) / 2**20

    @property
    def entry_bytes(self) -> float:
        """What an entry of the adjacency matrix takes."""
        return 24 + (8 * self.hidden * self.layers if self.conv == "gat" else 0)
