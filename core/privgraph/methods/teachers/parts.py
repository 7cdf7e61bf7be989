"""The private and the public part of a graph, cut as `PartitionOptions` say."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.data.splits import partition, subgraph
from privgraph.methods.teachers.options import PartitionOptions
from privgraph.streams import stream


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """Two graphs without an edge between them.

    `private_nodes` (|V-private|,) and `public_nodes` (|V-public|,) are numbers in the whole graph, ascending:
    the roster. Who opted out keeps a place among them, and `private.learnable` says who did not and has a
    label. The masks of `public` say who may be queried (train), and whom an evaluator keeps (val, test); its
    labels are known to the evaluator alone. Those of `private` mark everybody learnable as training node.
    """

    private: Graph
    private_nodes: Tensor
    public: Graph
    public_nodes: Tensor


def split_parts(graph: Graph, options: PartitionOptions) -> Parts:
    """Cut `graph` at random, by the stream `split/private` of its own split seed (0 where it has none).

    The cut depends on the number of nodes on the roster, the options and that seed, and on nothing private.
    Edges between the parts are dropped, as are nodes of no part. Raises `OptionError` where the parts do not
    fit.
    """
    sizes = options.sizes(graph.num_nodes)
    shares = [sizes.private, sizes.train, sizes.val, sizes.test]
    private, train, val, test = partition(graph.num_nodes, shares, graph.split_seed or 0, "private")
    private_nodes = private.nonzero().squeeze(1)
    public_nodes = (train | val | test).nonzero().squeeze(1)
    val, test = (part & (graph.y >= 0) for part in (val, test))
    return Parts(
        private=_masked(subgraph(graph, private_nodes), graph.learnable[private_nodes], None, None),
        private_nodes=private_nodes,
        public=_masked(subgraph(graph, public_nodes), train[public_nodes], val[public_nodes], test[public_nodes]),
        public_nodes=public_nodes,
    )


def apart(graph: Graph, parts: Parts) -> Graph:
    """All nodes of `graph`, and the edges within its two parts alone.

    Each node has the neighbours that it has in its part; a node of no part has none. It is what an outsider
    asks a student about.
    """
    part = torch.zeros(graph.num_nodes, dtype=torch.int64)
    part[parts.private_nodes], part[parts.public_nodes] = 1, 2
    source, target = graph.edge_index
    kept = (part[source] == part[target]) & (part[source] > 0)
    return replace(graph, edge_index=graph.edge_index[:, kept].contiguous(), _cache={})


def random_queries(public: Graph, count: int, seed: int) -> Tensor:
    """(count,) int64 rows of the public graph, ascending: random ones of those that may be asked about.

    From the stream `split/queries` of `seed`, so that methods that ask at random ask the same.
    """
    askable = public.train_mask.nonzero().squeeze(1).numpy()
    return torch.from_numpy(np.sort(stream(seed, "split/queries").permutation(askable)[:count]))


def _masked(graph: Graph, train: Tensor, val: Tensor | None, test: Tensor | None) -> Graph:
    none = torch.zeros_like(train)
    return replace(
        graph,
        train_mask=train,
        val_mask=none if val is None else val,
        test_mask=none if test is None else test,
    )
