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
    if kind is not None:
        config: Any = build(kind, options)
        return _facts(config.nodes, round(config.nodes * config.degree / 2), config.features, config.classes, True)
    if spec.nodes is None or spec.edges is None or spec.features is None or spec.classes is None:
        return None
    return _facts(spec.nodes, spec.edges, spec.features, spec.classes, spec.undirected)


def _facts(nodes: int, edges: int, features: int, classes: int, undirected: bool) -> PublicFacts:
    held_out = round(nodes * VALIDATION) + round(nodes * TEST)
    return PublicFacts(
        nodes=nodes,
        edges=edges,
        entries=2 * edges if undirected else edges,
        features=features,
        classes=classes,
        train_nodes=nodes - held_out,
        undirected=undirected,
    )
