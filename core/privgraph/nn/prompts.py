"""Graph prompts on a frozen network, T of them as one computation.

- gpf: one vector, added to the features of every place (Fang et al. 2023, equation 6).
- gpf-plus: k vectors; each place adds the mixture that its own features choose (equations 7 and 8 there).
- all-in-one: k tokens, joined to each other and to the places that they resemble (Sun et al., KDD 2023,
  section 3.3.2).
- gppt: the network's embeddings stay as they are; a node's neighbourhood is of one of k kinds, and each kind
  has a vector for every class (Sun et al., KDD 2022, section 4).

The first three have a linear head, tuned with the prompt. All read ego-graphs (`nn.ego_graphs`) through a
frozen `Backbone`. What a prompt adds goes through the first layer by itself, since that layer's products are
linear; no product with frozen features is repeated.

Members share nothing but the arithmetic, and every shape in it is a product of T, of the number of ego-graphs
a member and of constants: on a CPU a member's numbers are a function of its own parameters and ego-graphs to
the last digit (tested).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from privgraph.nn.backbones import Backbone, Wiring
from privgraph.nn.ego_graphs import EgoGraphs

KINDS = ("gpf", "gpf-plus", "all-in-one", "gppt")
INNER, CROSS = 0.3, 0.1
"""Similarities, sigmoid of an inner product, from which two tokens are joined, and a token and a place
(All-in-one)."""
ORTHOGONALITY = 1e-3
"""Weight of GPPT's penalty, the average over kinds of |W W' - I| for a kind's vectors W (C, 2H)."""
SIZES = (4, 8, 16, 32)
"""Places in which ego-graphs of about the same size are computed together."""
ROUNDS = 20
"""Of k-means."""


@dataclass(frozen=True, kw_only=True)
class PromptRecipe:
    """A prompt and how it is tuned: Adam on the mean cross-entropy of all its nodes, one step an epoch.

    `tokens` is k: vectors of gpf-plus, tokens of all-in-one, kinds of neighbourhood of gppt.
    """

    kind: str = "gpf-plus"
    tokens: int = 10
    epochs: int = 100
    learning_rate: float = 0.01

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)} (got {self.kind})")
        if min(self.tokens, self.epochs) < 1:
            raise ValueError(f"tokens and epochs must be at least 1 (got {self.tokens} and {self.epochs})")
        if not self.learning_rate > 0:
            raise ValueError(f"learning_rate must be above 0 (got {self.learning_rate})")


@dataclass(frozen=True, eq=False, kw_only=True)
class Sight:
    """Ego-graphs as the frozen network sees them before any prompt, prepared once for all epochs.

    x: (B, G, m, F), zeros in empty places; projected: (B, G, m, P), their products with the first layer;
    adjacency (B, G, m, m) and present (B, G, m) bool. B is T where each member has ego-graphs of its own, 1
    where all have the same. wiring: what the network reads where the prompt adds no place. embedded: for
    gppt, (B, G, 2H), the centre beside the mean of its neighbours.
    """

    x: Tensor
    projected: Tensor
    adjacency: Tensor
    present: Tensor
    near: int
    wiring: Wiring | None = None
    embedded: Tensor | None = None


@dataclass(frozen=True, eq=False)
class Prompts:
    """T prompts of one kind: parameters by name, each (T, ...).

    gpf: shift (T, 1, F). gpf-plus: vectors and keys (T, k, F). all-in-one: tokens (T, k, F). These three:
    weight (T, H, C) and bias (T, 1, C) of the head. gppt: kinds (T, k, H), which are not tuned, and classes
    (T, k, C, 2H).
    """

    kind: str
    parameters: Mapping[str, Tensor]

    @staticmethod
    def initial(
        recipe: PromptRecipe,
        backbone: Backbone,
        classes: int,
        generators: Sequence[torch.Generator],
        structure: Tensor | None = None,
    ) -> Prompts:
        """A fresh prompt from each of `generators`.

        structure: (n, H), embeddings of public nodes: gppt's kinds of neighbourhood begin as the centres of
        their clusters (k-means, as in its section 4.2). Raises `ValueError` where gppt gets none.
        """
        features, hidden, k = backbone.features, backbone.hidden, recipe.tokens

        def drawn(bound: float, *shape: int) -> Tensor:
            return torch.stack(
                [
                    torch.empty(shape, device=generator.device).uniform_(-bound, bound, generator=generator)
                    for generator in generators
                ]
            )

        parameters: dict[str, Tensor] = {}
        if recipe.kind == "gppt":
            if structure is None:
                raise ValueError("gppt needs embeddings of public nodes, whose clusters are its kinds of neighbourhood")
            parameters["kinds"] = torch.stack([_centres(structure, k, generator) for generator in generators])
            parameters["classes"] = drawn(_glorot(classes, 2 * hidden), k, classes, 2 * hidden)
            return Prompts(recipe.kind, parameters)
        if recipe.kind == "gpf":
            parameters["shift"] = drawn(_glorot(1, features), 1, features)
        elif recipe.kind == "gpf-plus":
            parameters["vectors"] = drawn(_glorot(k, features), k, features)
            parameters["keys"] = drawn(1 / math.sqrt(features), k, features)
        else:
            parameters["tokens"] = drawn(math.sqrt(6 / features), k, features)
        parameters["weight"] = drawn(1 / math.sqrt(hidden), hidden, classes)
        parameters["bias"] = drawn(1 / math.sqrt(hidden), 1, classes)
        return Prompts(recipe.kind, parameters)

    @property
    def members(self) -> int:
        return int(next(iter(self.parameters.values())).shape[0])

    @property
    def tuned(self) -> tuple[str, ...]:
        """The names of the parameters that learn."""
        return tuple(name for name in self.parameters if name != "kinds")

    def take(self, members: slice | Tensor) -> Prompts:
        """Those of `members`, as copies."""
        return Prompts(self.kind, {name: value[members].clone() for name, value in self.parameters.items()})

    def repeated(self, copies: int) -> Prompts:
        """`copies` of a single prompt. Raises `ValueError` where there are several."""
        if self.members != 1:
            raise ValueError(f"only one prompt can be repeated (got {self.members})")
        return Prompts(
            self.kind, {name: value.expand(copies, *value.shape[1:]).clone() for name, value in self.parameters.items()}
        )

    def to(self, device: torch.device) -> Prompts:
        return Prompts(self.kind, {name: value.to(device) for name, value in self.parameters.items()})

    @staticmethod
    def joined(parts: Sequence[Prompts]) -> Prompts:
        """The members of all parts, in order."""
        names = parts[0].parameters
        return Prompts(parts[0].kind, {name: torch.cat([part.parameters[name] for part in parts]) for name in names})

    def logits(self, backbone: Backbone, table: Tensor, egos: EgoGraphs) -> Tensor:
        """(T, S, C): every member on its own S of the T S ego-graphs. table: (|V|, F)."""
        return self.forward(backbone, self.see(backbone, table, egos, self.members))

    def answers(self, backbone: Backbone, table: Tensor, egos: EgoGraphs) -> Tensor:
        """(T, G, C): every member on all G ego-graphs, those of about the same size together."""
        parts = by_size(egos)
        said = torch.cat([self.forward(backbone, self.see(backbone, table, own, 1)) for _, own in parts], 1)
        return said[:, torch.cat([rows for rows, _ in parts]).argsort()]

    @torch.no_grad()
    def see(self, backbone: Backbone, table: Tensor, egos: EgoGraphs, shares: int) -> Sight:
        """Prepare ego-graphs, of which each of `shares` members has as many, or (1) all members the same."""
        places = egos.nodes.shape[1]
        present = egos.present.view(shares, -1, places)
        x = table[egos.nodes.clamp(min=0)].view(shares, -1, places, table.shape[1]) * present.unsqueeze(-1)
        adjacency = egos.adjacency.view(shares, -1, places, places)
        wired = self.kind != "all-in-one"  # there the links depend on the tokens, which learn
        return Sight(
            x=x,
            projected=backbone.project(x),
            adjacency=adjacency,
            present=present,
            near=egos.near,
            wiring=backbone.wiring(adjacency, present, egos.near) if wired else None,
            embedded=_embedded(backbone, x, adjacency, present, egos.near) if self.kind == "gppt" else None,
        )

    def forward(self, backbone: Backbone, sight: Sight) -> Tensor:
        """(T, G, C) logits on what `see` prepared."""
        if self.kind == "gppt":
            assert sight.embedded is not None
            return self._by_kind(sight.embedded)
        h = self._with_tokens(backbone, sight) if self.kind == "all-in-one" else self._shifted(backbone, sight)
        return torch.baddbmm(self.parameters["bias"], h, self.parameters["weight"])

    def penalty(self) -> Tensor | None:
        """(T,): what is added to a member's loss, or None."""
        if self.kind != "gppt":
            return None
        task = self.parameters["classes"]
        away = task @ task.transpose(-1, -2) - torch.eye(task.shape[2], dtype=task.dtype, device=task.device)
        size: Tensor = torch.linalg.matrix_norm(away)
        return ORTHOGONALITY * size.mean(1)

    def _shifted(self, backbone: Backbone, sight: Sight) -> Tensor:
        """(T, G, H): the centre's embedding where vectors are added to the features."""
        assert sight.wiring is not None
        if self.kind == "gpf":
            added = backbone.project(self.parameters["shift"]).unsqueeze(1)
            return backbone.read(sight.projected + added, sight.wiring)
        shares, graphs, places, _ = sight.x.shape
        keys, vectors = self.parameters["keys"], self.parameters["vectors"]
        # (T, G m, k): which mixture each place chooses
        choice = (sight.x.view(shares, graphs * places, -1) @ keys.transpose(1, 2)).softmax(-1)
        frozen = sight.projected.view(shares, graphs * places, -1)
        shifted = torch.baddbmm(frozen, choice, backbone.project(vectors))
        return backbone.read(shifted.view(self.members, graphs, places, -1), sight.wiring)

    def _with_tokens(self, backbone: Backbone, sight: Sight) -> Tensor:
        """(T, G, H): the centre's embedding where k tokens stand in as many further places."""
        tokens = self.parameters["tokens"]
        members, k, _ = tokens.shape
        graphs = sight.x.shape[1]
        links, present = self._links(sight)
        own = sight.projected.expand(members, -1, -1, -1)
        theirs = backbone.project(tokens).unsqueeze(1).expand(-1, graphs, -1, -1)
        return backbone.read(torch.cat([own, theirs], 2), backbone.wiring(links, present, sight.near, extra=k))

    @torch.no_grad()
    def _links(self, sight: Sight) -> tuple[Tensor, Tensor]:
        """(T, G, m + k, m + k) bool and (T, G, m + k) bool. No gradient passes through a threshold."""
        tokens = self.parameters["tokens"]
        members, k, _ = tokens.shape
        shares, graphs, places, features = sight.x.shape
        alike = sight.x.view(shares, graphs * places, features) @ tokens.transpose(1, 2)
        cross = (alike.sigmoid() >= CROSS).view(members, graphs, places, k)
        inner = (tokens @ tokens.transpose(1, 2)).sigmoid() >= INNER
        inner &= ~torch.eye(k, dtype=torch.bool, device=tokens.device)
        links = torch.zeros(members, graphs, places + k, places + k, dtype=torch.bool, device=tokens.device)
        links[:, :, :places, :places] = sight.adjacency
        links[:, :, :places, places:] = cross
        links[:, :, places:, :places] = cross.transpose(-1, -2)
        links[:, :, places:, places:] = inner.unsqueeze(1)
        present = torch.ones(members, graphs, places + k, dtype=torch.bool, device=tokens.device)
        present[:, :, :places] = sight.present
        return links, present

    def _by_kind(self, embedded: Tensor) -> Tensor:
        """(T, G, C): the classes' vectors of the kind that the neighbourhood resembles most."""
        kinds, task = self.parameters["kinds"], self.parameters["classes"]
        members, k, classes, width = task.shape
        alike = embedded[..., width // 2 :] @ kinds.transpose(1, 2)
        kind = alike.argmax(-1)
        said = embedded @ task.view(members, k * classes, width).transpose(1, 2)
        said = said.view(members, -1, k, classes)
        return said.gather(2, kind.view(members, -1, 1, 1).expand(-1, -1, 1, classes)).squeeze(2)


def packed(egos: EgoGraphs, places: int) -> EgoGraphs:
    """The same ego-graphs in at most `places` places: empty ones go first, then what is two hops away, the
    last first."""
    order = (egos.nodes < 0).int().argsort(dim=1, stable=True)[:, :places]
    across = order.unsqueeze(1).expand(-1, egos.nodes.shape[1], -1)
    down = order.unsqueeze(2).expand(-1, -1, order.shape[1])
    return EgoGraphs(
        nodes=egos.nodes.gather(1, order),
        adjacency=egos.adjacency.gather(2, across).gather(1, down),
        near=min(egos.near, order.shape[1] - 1),
    )


def by_size(egos: EgoGraphs) -> list[tuple[Tensor, EgoGraphs]]:
    """Rows (g,) of ego-graphs of about the same size, and these without most of their empty places.

    Only for what may shape a computation: public nodes, or slots that nobody else's numbers stand beside.
    """
    sizes, places = egos.present.sum(1), egos.nodes.shape[1]
    bounds = [*(size for size in SIZES if size < places), places]
    group = torch.bucketize(sizes, torch.tensor(bounds, device=sizes.device))
    groups = []
    for number, bound in enumerate(bounds):
        rows = (group == number).nonzero().squeeze(1)
        if rows.numel():
            groups.append((rows, packed(egos.take(rows), bound)))
    return groups or [(group, egos)]


def _glorot(rows: int, columns: int) -> float:
    """The bound of uniform numbers by Glorot and Bengio 2010, as gpf's and gpf-plus's code has it."""
    return math.sqrt(6 / (rows + columns))


def _embedded(backbone: Backbone, x: Tensor, adjacency: Tensor, present: Tensor, near: int) -> Tensor:
    """(B, G, 2H): the centre's embedding beside the mean of its neighbours', each read inside the same
    ego-graph.

    A node without neighbours is its own neighbour. To read a neighbour, it and the centre change places.
    """
    places = x.shape[2]
    centre = backbone.embed(x, adjacency, present, near)
    total, count = torch.zeros_like(centre), present.new_zeros((*centre.shape[:2], 1), dtype=x.dtype)
    for place in range(1, 1 + near):
        order = torch.arange(places, device=x.device)
        order[0], order[place] = place, 0
        there = adjacency[:, :, 0, place].unsqueeze(-1)
        read = backbone.embed(x[:, :, order], adjacency[:, :, order][..., order], present[:, :, order], places - 1)
        total, count = total + read * there, count + there
    mean = torch.where(count > 0, total / count.clamp(min=1), centre)
    return torch.cat([centre, mean], -1)


@torch.no_grad()
def _centres(rows: Tensor, k: int, generator: torch.Generator) -> Tensor:
    """(k, H): centres of clusters of rows (n, H), by k-means from random rows; one without members stays
    where it was.

    Fewer rows than k stand in several places.
    """
    order = torch.randperm(rows.shape[0], generator=generator, device=generator.device).to(rows.device)
    centres = rows[order.repeat(-(-k // rows.shape[0]))[:k]].clone()
    for _ in range(ROUNDS):
        nearest = torch.cdist(rows, centres).argmin(1)
        count = torch.bincount(nearest, minlength=k).unsqueeze(1)
        total = torch.zeros_like(centres).index_add_(0, nearest, rows)
        centres = torch.where(count > 0, total / count.clamp(min=1), centres)
    return centres
