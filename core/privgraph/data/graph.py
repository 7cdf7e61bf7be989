"""The one graph that everything works on."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from privgraph.data.spec import LARGEST_FEATURE, PublicFacts


def without_edges(nodes: int) -> Tensor:
    """The (nodes, nodes) sparse CSR adjacency of a graph that has no edge."""
    return torch.sparse_csr_tensor(
        torch.zeros(nodes + 1, dtype=torch.int64),
        torch.zeros(0, dtype=torch.int64),
        torch.zeros(0),
        size=(nodes, nodes),
        check_invariants=False,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Graph:
    """An attributed graph for node classification, or texts and their relations, on the CPU.

    Args:
        name: The name of its data set.
        x: (|V|, F) float32 features; those beyond a million in size are cut off there.
        y: (|V|,) int64 labels in [0, C), and -1 for a node without one, which is in no part of a split.
        edge_index: (2, |E|) int64 rows (source, target), unique, without self-loops, sorted by target then
            source; an undirected graph holds both directions of each pair. Of a large graph it is mapped from
            a file (`data.own`).
        train_mask: (|V|,) bool, the training nodes; the three masks are disjoint.
        val_mask: (|V|,) bool, the validation nodes.
        test_mask: (|V|,) bool, the test nodes.
        undirected: Whether edges have no direction.
        class_names: Names of the C classes; empty where there are none.
        feature_names: Names of the F features; empty where there are none.
        split: `random`, `public` or `inductive`.
        split_seed: Seed of the split; None where it came with the data.
        texts: A text for each node; empty where nodes have none.
        domains: (|V|,) int64, the number of each node's domain in `domain_names`; (0,) where there are none.
        domain_names: Names of the domains.
        absent: Numbers of the nodes that opted out. They keep their place on the roster, and have no record:
            no features, label, edge or part in training, validation and test.
        absent_training: Those of them that the split had made training nodes.
    """

    name: str
    x: Tensor
    y: Tensor
    edge_index: Tensor
    train_mask: Tensor
    val_mask: Tensor
    test_mask: Tensor
    undirected: bool = True
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    split: str = "random"
    split_seed: int | None = None
    texts: tuple[str, ...] = ()
    domains: Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.int64))
    domain_names: tuple[str, ...] = ()
    absent: tuple[int, ...] = ()
    absent_training: tuple[int, ...] = ()
    _cache: dict[str, Tensor] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.x.numel():
            low, high = self.x.aminmax()
            if not (float(low) >= -LARGEST_FEATURE and float(high) <= LARGEST_FEATURE):  # not a number is neither
                within = self.x.nan_to_num(0.0, LARGEST_FEATURE, -LARGEST_FEATURE)
                object.__setattr__(self, "x", within.clamp(-LARGEST_FEATURE, LARGEST_FEATURE))

    def __repr__(self) -> str:
        """Its name, sizes and split, and none of its tensors."""
        entries = int(self.edge_index.shape[1])
        edges = f"{entries // 2:,} edges" if self.undirected else f"{entries:,} directed edges"
        classes = self.num_classes if self.y.numel() else len(self.class_names)
        sizes = f"{self.num_nodes:,} nodes, {edges}, {int(self.x.shape[1]):,} features, {classes:,} classes"
        seed = "" if self.split_seed is None else f" of seed {self.split_seed}"
        parts = ", ".join(
            f"{int(mask.sum()):,} {part}"
            for part, mask in (("training", self.train_mask), ("validation", self.val_mask), ("test", self.test_mask))
        )
        return f"Graph({self.name}: {sizes}; {self.split} split{seed}: {parts})"

    @property
    def num_nodes(self) -> int:
        return int(self.x.shape[0])

    @property
    def num_classes(self) -> int:
        return max(len(self.class_names), int(self.y.max()) + 1)

    @property
    def present(self) -> Tensor:
        """(|V|,) bool: who has a record."""
        mask = torch.ones(self.num_nodes, dtype=torch.bool)
        mask[list(self.absent)] = False
        return mask

    @property
    def learnable(self) -> Tensor:
        """(|V|,) bool: who has a record with a label; of texts, whose relations are learnt, who has a
        record."""
        return self.present if self.texts else self.present & (self.y >= 0)

    @property
    def training_roster(self) -> Tensor:
        """(|V|,) bool: who trains, or would if they had not opted out; coins are tossed for all of them."""
        mask = self.train_mask.clone()
        mask[list(self.absent_training)] = True
        return mask

    def relations(self, domain: int) -> Tensor:
        """(2, m) int64: the pairs u < v of nodes of a domain that are related, by u, then v.

        A relation that is listed in both directions, or twice, is one pair: one unit of protection.

        Args:
            domain: The domain's number.
        """
        own = self.domains == domain
        source, target = self.edge_index
        inside = own[source] & own[target] if own.numel() else torch.zeros(source.numel(), dtype=torch.bool)
        pairs = self.edge_index[:, inside].sort(0).values
        return torch.unique(pairs, dim=1) if pairs.numel() else pairs

    @property
    def facts(self) -> PublicFacts:
        entries = int(self.edge_index.shape[1])
        numbers = range(len(self.domain_names))
        return PublicFacts(
            nodes=self.num_nodes,
            edges=entries // 2 if self.undirected else entries,
            entries=entries,
            features=int(self.x.shape[1]),
            classes=self.num_classes,
            train_nodes=int(self.train_mask.sum()) + len(self.absent_training),
            undirected=self.undirected,
            domains=self.domain_names,
            entities=tuple(int((self.domains == number).sum()) for number in numbers),
            relations=tuple(self._related()),
        )

    def _related(self) -> list[int]:
        """How many relations each domain has, counted once."""
        if "related" not in self._cache:
            counts = [self.relations(number).shape[1] for number in range(len(self.domain_names))]
            self._cache["related"] = torch.tensor(counts, dtype=torch.int64)
        return [int(count) for count in self._cache["related"]]

    def adjacency(self) -> Tensor:
        """(|V|, |V|) sparse CSR float32; row i has a one for each j with an edge j -> i. Cached."""
        if "adjacency" not in self._cache:
            source, target = self.edge_index
            if "pointers" not in self._cache:
                counts = torch.bincount(target, minlength=self.num_nodes)
                self._cache["pointers"] = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
            self._cache["adjacency"] = torch.sparse_csr_tensor(
                self._cache["pointers"],
                source,
                torch.ones(source.numel()),
                size=(self.num_nodes, self.num_nodes),
                check_invariants=False,
            )
        return self._cache["adjacency"]
