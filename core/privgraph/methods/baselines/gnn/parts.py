"""PrivGNN's baselines B1 to B4: the paper's network on the private part, the public part, both, or noisy true
labels."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional

from privgraph.data.graph import Graph
from privgraph.mechanisms.noisy_max import NoisyMax
from privgraph.methods.baselines.gnn.config import Config
from privgraph.methods.teachers.parts import Parts, apart, random_queries, split_parts
from privgraph.methods.teachers.student import final_metrics, fit_student
from privgraph.methods.training import Context
from privgraph.progress import Event, Result
from privgraph.streams import Secret


def fit_on_parts(graph: Graph, config: Config, context: Context) -> Iterator[Event]:
    """Train as `config.trained_on` says, and end with a `Result`: the accuracies of the last epoch.

    All accuracies are those of public nodes (with trained_on joint, the training accuracy is that of all
    nodes trained on).
    """
    parts = split_parts(graph, config)
    trained = parts.private if config.trained_on == "private" else parts.public
    if config.trained_on == "joint":
        trained = joined(parts)
    judged = parts.public if config.trained_on == "private" else trained
    if config.trained_on == "noisy":
        rows = random_queries(parts.public, config.asked(graph.num_nodes), context.seed)
        rows = rows[parts.public.y[rows] >= 0]
        targets = noisy_labels(parts.public, rows, config.lam, context.secret("noise/labels"))
    else:
        rows = (trained.train_mask & (trained.y >= 0)).nonzero().squeeze(1)
        targets = trained.y[rows]
    logits = yield from fit_student(
        trained,
        rows,
        targets,
        options=config.student_options(),
        context=context,
        done=0,
        total=config.epochs,
        judged=judged,
        whole=None if context.outsider is None else apart(graph, parts),
    )
    yield Result(metrics=final_metrics(judged, logits))


def joined(parts: Parts) -> Graph:
    """Both parts side by side, private nodes first: all edges of either, and none between them (B3, Appendix
    D.4).

    All private nodes and the public training nodes train; the public graph's other nodes validate and test.
    """
    private, public = parts.private, parts.public
    return Graph(
        name=public.name,
        x=torch.cat([private.x, public.x]),
        y=torch.cat([private.y, public.y]),
        edge_index=torch.cat([private.edge_index, public.edge_index + private.num_nodes], dim=1),
        train_mask=torch.cat([private.train_mask, public.train_mask]),
        val_mask=torch.cat([private.val_mask, public.val_mask]),
        test_mask=torch.cat([private.test_mask, public.test_mask]),
        undirected=public.undirected,
        class_names=public.class_names,
        feature_names=public.feature_names,
        split=public.split,
        split_seed=public.split_seed,
    )


def noisy_labels(public: Graph, rows: Tensor, lam: float, secret: Secret) -> Tensor:
    """(q, C) float32: true labels as one-hot rows with Laplace noise of scale 1/`lam`, as B4 makes them
    (Appendix D.5).

    Negative entries become 0, and rows are normalised to sum 1; one without a positive entry, of which the
    paper says nothing, becomes uniform.
    """
    truth = functional.one_hot(public.y[rows], public.num_classes).double().numpy()
    noisy = NoisyMax(kind="laplace", scale=1 / lam).noisy(truth, secret).clip(min=0)
    noisy[noisy.sum(1) == 0] = 1
    return torch.from_numpy(noisy / noisy.sum(1, keepdims=True)).float()
