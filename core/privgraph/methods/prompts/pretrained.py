"""What every method of prompts stands on: the parts of a graph, its features in few dimensions, a frozen
backbone.

Unit: a private node with its features, label and edges; relation: it leaves, its number stays (the number of
nodes and who is public are public). With `svd` public and the network pre-trained on public nodes or another
graph, its leaving changes its own row of the table, its own ego-graph, its label, its own two degrees and
`private_degree` of its private neighbours, and nothing else. Proof: the parts and the priority are drawn from
node numbers; basis and mean are functions of public rows, and a row is mapped by itself; the backbone reads
public rows and edges among public nodes; in an ego-graph nobody but the centre is private. Tested for every
private node of a small graph, to the last digit.
"""

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.data.splits import partition
from privgraph.home import home
from privgraph.methods.prompts.options import OWN_PUBLIC, PromptOptions
from privgraph.methods.training import Context
from privgraph.nn.backbones import Backbone
from privgraph.nn.ego_graphs import EgoGraphs, ego_graphs
from privgraph.nn.pretrained import pretrained
from privgraph.nn.pretraining import PretrainRecipe
from privgraph.nn.prompts import PromptRecipe
from privgraph.options import OptionError
from privgraph.progress import Event, Log, Metric, Progress
from privgraph.streams import derived_key, noise_key, stream, stream_seed

STAGE = "pre-training"
TOLD = 100
"""Progress of pre-training is told about so many times."""

_SPARSE = 0.1
_PASSES = 7
"""Passes of the randomised decomposition over the features: its error is then far below what the scaling
leaves."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedGraph:
    """A graph cut into parts by node numbers, and what reads it.

    private_nodes, query_nodes, test_nodes: node numbers of the whole graph, ascending and disjoint. table:
    (|V|, F') float32 features of all nodes in the backbone's space; with `svd` public, a private node's row
    depends on its own features and on public ones. readable: (|V|,) bool, who may be read in another node's
    ego-graph: public nodes or nobody. priority: (|V|,) int64, a public random permutation. public_degree:
    (|V|,) int64, each node's public neighbours, which for a private node depends on its own edges alone;
    private_degree: (|V|,) int64, private nodes' private neighbours (0 for public nodes), which one node's
    leaving changes for all its neighbours. present: (|V|,) bool, who has not opted out and has a label.
    """

    backbone: Backbone
    table: Tensor
    labels: Tensor
    classes: int
    private_nodes: Tensor
    query_nodes: Tensor
    test_nodes: Tensor
    priority: Tensor
    readable: Tensor
    public_degree: Tensor
    private_degree: Tensor
    present: Tensor
    edge_index: Tensor = field(repr=False)

    @property
    def public_nodes(self) -> Tensor:
        """Queries and test nodes, ascending."""
        return torch.cat([self.query_nodes, self.test_nodes]).sort().values

    def public_edges(self) -> Tensor:
        """(2, e) edges among public nodes, in their own numbers."""
        members = torch.zeros(len(self.labels), dtype=torch.bool)
        members[self.public_nodes] = True
        return _among(self.edge_index, members)

    @torch.no_grad()
    def public_embeddings(self, table: Tensor) -> Tensor:
        """(n, H) of the public nodes, by the frozen network on the public graph; `table` and backbone on one
        device."""
        return self.backbone.whole(table[self.public_nodes.to(table.device)], self.public_edges().to(table.device))

    def egos(self, nodes: Tensor) -> EgoGraphs:
        """The ego-graphs of `nodes` (G,) int64; -1 gives an empty one."""
        return ego_graphs(nodes, self.edge_index, self.readable, self.priority)


def recipe_of(options: PromptOptions) -> PromptRecipe:
    """The prompt that the options ask for."""
    return PromptRecipe(
        kind=options.prompt, tokens=options.tokens, epochs=options.epochs, learning_rate=options.learning_rate
    )


def pretrain_steps(options: PromptOptions) -> int:
    """The steps of progress that `prepare` takes."""
    return options.pretrain_epochs


def prepare(
    graph: Graph, options: PromptOptions, context: Context, *, done: int, total: int
) -> Generator[Event, None, PreparedGraph]:
    """Cut the graph, bring its features to few dimensions, and pre-train the backbone or read it back.

    Yields the progress of pre-training as steps `done` + 1 to `done` + `pretrain_steps` of `total`. The parts
    and the priority depend on the number of nodes, the options and the graph's own split seed (0 where it has
    none), and on nothing private. Raises `OptionError` where the parts do not fit or pre-training would see
    private nodes, and `DataError` where the graph to pre-train on cannot be loaded.
    """
    seed, nodes = graph.split_seed or 0, graph.num_nodes
    sizes = options.sizes(nodes)
    private, query, test = partition(nodes, [sizes.private, sizes.train, sizes.test], seed, "private")
    if options.pretrain_on == graph.name:
        raise OptionError(f"pretrain_on must be {OWN_PUBLIC} or another graph: {graph.name} holds the private nodes")
    other = None if options.pretrain_on == OWN_PUBLIC else load(options.pretrain_on)
    table = features(graph.x, ~private if options.svd == "public" else torch.ones_like(private), options.dimensions)
    edges = _both_ways(graph.edge_index, nodes)
    if other is None:
        x, among = table[~private], _among(edges, ~private)
    else:
        everybody = torch.ones(other.num_nodes, dtype=torch.bool)
        x, among = features(other.x, everybody, table.shape[1]), _both_ways(other.edge_index, other.num_nodes)
        x = torch.nn.functional.pad(x, (0, table.shape[1] - x.shape[1]))
    recipe = PretrainRecipe(
        kind=options.backbone,
        objective=options.objective,
        hidden=options.hidden,
        epochs=options.pretrain_epochs,
        seed=stream_seed(context.seed, "init/backbone"),
    )
    backbone = yield from _backbone(x, among, recipe, options, context, done, total)
    source, target = edges
    return PreparedGraph(
        backbone=backbone,
        table=table,
        labels=graph.y,
        classes=graph.num_classes,
        private_nodes=private.nonzero().squeeze(1),
        query_nodes=(query & (graph.y >= 0)).nonzero().squeeze(1),
        test_nodes=(test & (graph.y >= 0)).nonzero().squeeze(1),
        priority=torch.from_numpy(stream(seed, "split/ego").permutation(nodes)),
        readable=~private if options.context == "public" else torch.zeros_like(private),
        public_degree=torch.bincount(target[~private[source]], minlength=nodes),
        private_degree=torch.bincount(target[private[source] & private[target]], minlength=nodes),
        present=graph.learnable,
        edge_index=edges,
    )


def _backbone(
    x: Tensor,
    edge_index: Tensor,
    recipe: PretrainRecipe,
    options: PromptOptions,
    context: Context,
    done: int,
    total: int,
) -> Generator[Event, None, Backbone]:
    every = max(1, recipe.epochs // TOLD)
    evaluator = options.svd == "everybody" and options.pretrain_on == OWN_PUBLIC
    secret = derived_key(noise_key(home()), "pretrained")
    for step in pretrained(x, edge_index, recipe, home() / "pretrained", context.device, secret):
        if isinstance(step, Backbone):
            yield Progress(step=done + recipe.epochs, total=total, stage=STAGE)
            return step
        if isinstance(step, Log):
            yield step
        elif step.number % every == 0:
            at = done + step.number
            yield Metric(name="pretrain_loss", value=step.loss, step=at, stage=STAGE, evaluator=evaluator)
            yield Progress(step=at, total=total, stage=STAGE)
    raise RuntimeError("pre-training ended without a backbone")


def features(x: Tensor, known: Tensor, dimensions: int) -> Tensor:
    """(|V|, F') float32: rows in few dimensions, less the mean of the `known` rows, scaled to length one.

    x: (|V|, F); known: (|V|,) bool. Where F > `dimensions`, F' = `dimensions`: x V, with V the first right
    singular vectors of the known rows; where these have a smaller rank the last columns are zero. Else F' =
    F. A row equal to the mean stays zero. A row that is not known shapes no other.
    """
    if x.shape[1] > dimensions:
        x = x @ _basis(x[known], dimensions)
    x = x - x[known].mean(0)
    length = x.norm(dim=1, keepdim=True)
    return torch.where(length > 1e-12, x / length.clamp(min=1e-12), 0.0)


def _basis(x: Tensor, dimensions: int) -> Tensor:
    """(F, dimensions) right singular vectors, the largest value first; from a stream of their own, not a
    run's."""
    matrix = sparse.csr_matrix(x.numpy()) if x.count_nonzero() < _SPARSE * x.numel() else x.numpy()
    rank = min(dimensions, *x.shape)
    seed = stream_seed(0, "init/decomposition") & 0x7FFFFFFF
    _, values, vectors = randomized_svd(matrix, n_components=rank, n_iter=_PASSES, random_state=seed)
    basis: NDArray[np.float32] = np.zeros((x.shape[1], dimensions), dtype=np.float32)
    # what has no singular value is rounding
    basis[:, :rank] = vectors.T * (values > 1e-6 * values[:1])
    return torch.from_numpy(basis)


def _both_ways(edge_index: Tensor, nodes: int) -> Tensor:
    """(2, |E'|): every edge in both directions, once, sorted by target, then source."""
    source, target = torch.cat([edge_index, edge_index.flip(0)], 1)
    pairs = torch.unique(target * nodes + source)
    return torch.stack([pairs % nodes, pairs // nodes])


def _among(edges: Tensor, members: Tensor) -> Tensor:
    """The edges among `members` (|V|,) bool, in their own numbers."""
    number = members.cumsum(0) - 1
    return number[edges[:, members[edges].all(0)]]
