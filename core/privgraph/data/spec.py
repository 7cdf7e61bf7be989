"""What is known of a data set before it is loaded: facts, no tensors. No torch."""

from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import Any

LARGEST_FEATURE = 1e6
"""Features are cut off there; one that is no number is 0. A public rule, for each number by itself, for
records that no network could read: it decides what becomes of them, and not an overflow somewhere inside."""


@dataclass(frozen=True, kw_only=True)
class PublicFacts:
    """Sizes that plans are computed from; statements list them as public.

    Not `edges`, `entries` and `relations`: these are private, for estimates of memory that the holder of the
    data sees, and for options that name a paper's rule. No noise, rate, step, delta or refusal follows them.

    Args:
        nodes: |V|, 1 or more.
        edges: Unique undirected pairs, or directed edges where not `undirected`. Private.
        entries: Ones of the adjacency matrix: twice `edges` where `undirected`. Private.
        features: F, 1 or more.
        classes: C, 1 or more.
        train_nodes: Training nodes of the roster, 0 to |V|; who opts out is still counted.
        undirected: Whether edges have no direction.
        domains: Names of the domains that texts belong to; empty where there are none.
        entities: Texts of each domain.
        relations: Unordered related pairs inside each domain, each counted once. Private where they train.

    Raises:
        ValueError: A number is out of its range.
    """

    nodes: int
    edges: int
    entries: int
    features: int
    classes: int
    train_nodes: int
    undirected: bool = True
    domains: tuple[str, ...] = ()
    entities: tuple[int, ...] = ()
    relations: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.domains) == len(self.entities) == len(self.relations):
            raise ValueError("PublicFacts.entities and relations must have a number for each of PublicFacts.domains")
        if min((*self.entities, *self.relations), default=0) < 0:
            raise ValueError("PublicFacts.entities and relations must not be negative")
        for name in ("nodes", "features", "classes"):
            if getattr(self, name) < 1:
                raise ValueError(f"PublicFacts.{name} must be at least 1")
        if not 0 <= self.train_nodes <= self.nodes:
            raise ValueError("PublicFacts.train_nodes must lie between 0 and the number of nodes")
        if min(self.edges, self.entries) < 0:
            raise ValueError("PublicFacts.edges and entries must not be negative")


def in_two_domains(facts: PublicFacts) -> PublicFacts:
    """The same sizes, half of nodes and edges in each of two domains: what prices of relations between texts
    are computed from where only nodes and edges are known."""
    return replace(
        facts,
        domains=("one half", "other half"),
        entities=(facts.nodes - facts.nodes // 2, facts.nodes // 2),
        relations=(facts.edges - facts.edges // 2, facts.edges // 2),
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class DatasetSpec:
    """A data set of the catalogue: where it is from, and what will be found in it.

    `nodes`, `edges` (unique undirected pairs), `features`, `classes` and `homophily` (the share of edges
    within a class, to two decimals) are None where they depend on options, are known only after loading, or
    were not measured. `files` are the raw files below the data folder, with sha256 where the bytes are pinned
    ("" elsewhere); `urls` says for a file where it can be fetched (a fragment names the member of a zip
    archive), and `by_hand` what those without an address are made
    from. `options` is "module:attribute" of the frozen
    configuration of an embedded set that has one. `public_split` tells whether the data comes with a
    split of its own. `kind` is embedded, real or upload. `domains` are those that texts belong to.
    """

    name: str
    title: str
    about: str
    kind: str
    source: str
    licence: str
    nodes: int | None = None
    edges: int | None = None
    features: int | None = None
    classes: int | None = None
    homophily: float | None = None
    undirected: bool = True
    task: str = "node classification"
    files: tuple[tuple[str, str], ...] = ()
    urls: tuple[tuple[str, str], ...] = ()
    by_hand: str = ""
    options: str = ""
    public_split: bool = False
    caution: str = ""
    extra: str = ""
    domains: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sizes = [
            f"{size:,} {name}"
            for name in ("nodes", "edges", "features", "classes")
            if (size := getattr(self, name)) is not None
        ]
        return f"DatasetSpec({self.name}: {', '.join([self.title, *sizes])})"

    def load_options(self) -> type[Any] | None:
        """The configuration of an embedded set that has options of its own, None for others."""
        found: type[Any] | None = resolve_name(self.options) if self.options else None
        return found
