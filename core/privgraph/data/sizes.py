"""The sizes of a data set before anything is loaded, where the catalogue or its options tell them. No torch.

>>> from privgraph.data.catalogue import dataset
>>> known_facts(dataset("cora"), {}).train_nodes
2031
"""

from collections.abc import Mapping
from typing import Any

from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.options import Scalar, build

VALIDATION, TEST = 0.10, 0.15
"""Shares of a random split."""


def known_facts(spec: DatasetSpec, options: Mapping[str, Scalar]) -> PublicFacts | None:
    """The sizes of a random split, or None where only the graph itself tells: of texts, it has to be counted.
    Raises `OptionError`."""
    if spec.domains:
        return None
    kind = spec.load_options()
    config: Any = build(kind, options) if kind else spec
    nodes, edges = config.nodes, round(config.nodes * config.degree / 2) if kind else config.edges
    if None in (nodes, edges, config.features, config.classes):
        return None
    return PublicFacts(
        nodes=nodes,
        edges=edges,
        entries=2 * edges if spec.undirected else edges,
        features=config.features,
        classes=config.classes,
        train_nodes=nodes - round(nodes * VALIDATION) - round(nodes * TEST),
        undirected=spec.undirected,
    )
