"""The attack `link` as one of the table: edges of a stored run's graph, told by its model's answers. Needs
torch.

The run is trained again on its own training nodes, at its seed and with noise of its own, and asked in the
run's place; further models train on other nodes, for the spread. Each is asked about all nodes with all their
edges, as a released model of a transductive run is.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.special import softmax

from privgraph.attacks.drawing import independent
from privgraph.attacks.judging import Implied, Play, judged
from privgraph.attacks.links import DELTA, Pairs, closeness, draw_pairs, influences
from privgraph.attacks.options import DISTANCES, Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.signals import Array
from privgraph.audits.roc import area
from privgraph.data.graph import Graph
from privgraph.data.splits import with_training
from privgraph.home import home
from privgraph.methods.keys import run_keys
from privgraph.methods.outsider import Outsider
from privgraph.methods.training import Context, train_one
from privgraph.nn.training import one_thread_each
from privgraph.options import OptionError
from privgraph.progress import Progress
from privgraph.registry import attack as attack_spec
from privgraph.registry import method
from privgraph.streams import noise_key, stream, stream_seed

NO_BOUND = "no bound on epsilon follows: no coin of ours drew who is connected to whom"
BY_ITSELF = (
    "people who are alike are often connected, and a model says much the same of them even where it never saw an edge: "
    "compare with the same attack on a perceptron before an edge is called leaked"
)
OTHER_END = "groups are those of the end that has fewer edges; exposure is that of an edge of such a node"


@dataclass(frozen=True, kw_only=True, eq=False)
class _Model:
    """A trained model: its `graph`, its `posteriors` (|V|, C), and the `outsider` who may ask it again."""

    graph: Graph
    posteriors: Array
    outsider: Outsider


def attack(subject: Attacked, options: AttackOptions) -> Iterator[Progress | AttackRecord]:
    """Train the models (`options.targets` of them), ask them, and judge each on edges and other pairs.

    Raises `OptionError` for runs and options that it refuses, and `ValueError` where the graph has fewer than
    ten edges, or fewer than ten pairs without one.
    """
    started, spec = time.monotonic(), attack_spec("link")
    refusal = spec.refuses(subject) or spec.unanswered(subject, options)
    if refusal:
        raise OptionError(refusal)
    yield Progress(step=0, total=1, stage="loading data")
    graph: Graph = subject.graph()
    graphs, of = _graphs(subject, options, graph), options.targets
    plays: list[Play] = []
    notes: list[str] = []
    by_classes: float | None = None
    for row, own in enumerate(graphs):
        # drawn before anything is trained: an impossible wish need not wait for that
        pairs = _pairs(own, graph, row, options)
        model: _Model | None = None
        for event in _train(subject, options, own, row):
            if isinstance(event, _Model):
                model = event
            else:
                yield _told(event, row, 0.0, of, options)
        assert model is not None
        scores: Array | None = None
        for told in _scores(model, pairs, options):
            if isinstance(told, Progress):
                yield _told(told, row, 0.5, of, options)
            else:
                scores = told
        assert scores is not None
        plays.append(_play(model, pairs, scores, graph))
        if not row:
            notes = [_areas(model, pairs, scores, options), BY_ITSELF, OTHER_END, NO_BOUND]
            same = graph.y.numpy()[pairs.nodes[:, 0]] == graph.y.numpy()[pairs.nodes[:, 1]]
            by_classes = area(same[pairs.linked].astype(float), same[~pairs.linked].astype(float))
    record = judged(
        "link",
        subject,
        options,
        plays,
        Implied(notes=tuple(notes)),
        graph,
        models=len(plays),
        seconds=time.monotonic() - started,
    )
    # a list of nodes would name ends of edges, one of them only, and is no answer to who is connected
    yield replace(record, exposed=(), map_nodes=(), map_edges=(), by_classes=by_classes)


def _graphs(subject: Attacked, options: AttackOptions, graph: Graph) -> list[Graph]:
    """The graph with each model's training nodes, the run's own first; the same draws as `shadows.ask` makes
    for its attacked models."""
    pool = (graph.train_mask | graph.test_mask).nonzero().squeeze(1)
    own = graph.train_mask[pool].numpy()
    if own.all():
        raise OptionError("this attack needs nodes that test, and the run's split has none")
    drawn = independent(options.targets - 1, len(own), int(own.sum()), stream(options.seed, "attack/targets"))
    return [
        with_training(graph, pool[torch.from_numpy(row)], pool[torch.from_numpy(~row)], subject.split)
        for row in (own, *drawn)
    ]


def _pairs(own: Graph, graph: Graph, row: int, options: AttackOptions) -> Pairs:
    """Of the edges that the model has; an edge that an inductive split dropped is on neither side."""
    return draw_pairs(
        own.edge_index.numpy(),
        graph.num_nodes,
        options.pairs,
        stream(options.seed, f"attack/link/pairs/{row}"),
        known=graph.edge_index.numpy(),
        labels=graph.y.numpy() if options.unlinked == "alike" else None,
    )


def _train(subject: Attacked, options: AttackOptions, own: Graph, row: int) -> Iterator[Progress | _Model]:
    on, outsider = torch.device(subject.device), Outsider()
    (key,) = run_keys(noise_key(home()), [f"attack/link/{subject.run}/{options}/{row}"], [own], on.type)
    seed = subject.seed if row == 0 else stream_seed(options.seed, f"attack/model/{row}") % 2**31
    context = Context(seed=seed, noise_key=key.noise, shared_key=key.shared, device=on, outsider=outsider)
    for event in train_one(method(subject.method).load_train(), subject.config, own, context):
        if isinstance(event, Progress):
            yield event
    if "linked" not in outsider.logits:
        raise OptionError(f"with these options, {subject.method} does not say what its model answers of every node")
    yield _Model(graph=own, posteriors=_posteriors(outsider.logits["linked"]), outsider=outsider)


def _posteriors(logits: torch.Tensor) -> Array:
    return np.asarray(softmax(logits.double().cpu().numpy(), axis=1))


def _scores(model: _Model, pairs: Pairs, options: AttackOptions) -> Iterator[Progress | Array]:
    if options.by == "distance":
        yield closeness(model.posteriors, pairs.nodes, options.distance)
        return
    changed, x = model.outsider.changed, model.graph.x
    if changed is None:
        raise OptionError("with these options, the model cannot be asked again with changed features")
    # thousands of small questions: threads inside an operation would mostly wait for each other
    with one_thread_each(1) as together:

        def ask(node: int, factor: float = 1 + DELTA) -> Array:
            (logits,) = together(lambda asked: changed(asked, x[asked] * factor), [node])
            return _posteriors(logits)

        # what the model says without a change, by as many threads: their sums are rounded otherwise
        yield from influences(ask, ask(0, 1.0), pairs.nodes)


def _play(model: _Model, pairs: Pairs, scores: Array, graph: Graph) -> Play:
    """Each pair stands with its end of fewer edges, of which it tells most."""
    degrees = np.bincount(graph.edge_index[1].numpy(), minlength=graph.num_nodes)
    fewer = degrees[pairs.nodes].argmin(1)
    test = model.graph.test_mask.numpy()
    right = model.posteriors.argmax(1) == graph.y.numpy()
    return Play(
        nodes=np.take_along_axis(pairs.nodes, fewer[:, None], axis=1)[:, 0],
        scores=scores,
        members=pairs.linked,
        accuracy=float(right[test].mean()),
    )


def _areas(model: _Model, pairs: Pairs, scores: Array, options: AttackOptions) -> str:
    """The areas of all distances on the run's own pairs, the best first, and that of influence where it was
    asked for."""
    by = {name: closeness(model.posteriors, pairs.nodes, name) for name in DISTANCES}
    if options.by == "influence":
        by["influence"] = scores
    found = {name: area(told[pairs.linked], told[~pairs.linked]) for name, told in by.items()}
    ranked = sorted(found.items(), key=lambda one: -one[1])
    return f"areas on the run's own training nodes: {', '.join(f'{name} {value:.3f}' for name, value in ranked)}"


def _told(event: Progress, row: int, start: float, of: int, options: AttackOptions) -> Progress:
    """Training is half of the work where the model is asked again and again, and all of it elsewhere."""
    part = 0.5 if options.by == "influence" else 1.0
    done = row + start + part * event.step / max(1, event.total)
    return Progress(step=int(1000 * done), total=1000 * of, stage=f"model {row + 1} of {of}: {event.stage}")
