"""PATE on a graph: teachers on disjoint parts of the private nodes, noisy majorities on public nodes, a
student."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from privgraph.data.splits import subgraph
from privgraph.mechanisms.noisy_max import NoisyMax
from privgraph.methods.teachers.answers import NAME, Answers
from privgraph.methods.teachers.parts import Parts, random_queries, split_parts
from privgraph.methods.teachers.pate.config import Config
from privgraph.methods.teachers.student import final_metrics, fit_student
from privgraph.methods.training import Context, Member
from privgraph.nn.inputs import Shared
from privgraph.nn.layers import EVALUATION, Linear
from privgraph.nn.small_graphs import Answer, Recipe, SmallGraph, train_small_graphs
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.training import fit_full_batch
from privgraph.papers.privgnn import pate_dependent
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Log, Metric, Progress, Result, Spent
from privgraph.streams import Secret

ABSTAINS = -1
"""The vote of a teacher that no node drew."""
MLP_LAYERS = 3
MEMORY_MB = 8192.0


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another, and the teachers of each one after another.

    Teachers do not share a stack. In one computation the rounding of a model's sums depends on the sizes of
    the others, and two hundred epochs make of it another model: taking one node away changed the votes of
    eleven teachers of twenty (see the README). Alone, a teacher's votes are a function of its own nodes, as
    the sensitivity needs.
    """
    for index, member in enumerate(members):
        for event in _train_one(member):
            yield index, event


def _train_one(member: Member[Config]) -> Iterator[Event]:
    config = member.config
    context, nodes = member.context, member.graph.num_nodes
    total = config.teachers + config.pretrain + config.epochs
    parts = split_parts(member.graph, config)
    queries = random_queries(parts.public, config.asked(nodes), context.seed)
    start = time.perf_counter()
    votes = yield from cast_votes(parts, queries, config, context, nodes, total)
    seconds = time.perf_counter() - start
    counts = count_votes(votes, parts.public.num_classes)
    scale = member.plan.scale
    mechanism = NoisyMax(kind=config.noise, scale=scale)
    noisy = mechanism.noisy(counts.numpy(), context.secret("noise/votes"))
    labels = torch.from_numpy(noisy.argmax(1))
    for spent in member.plan.entries:
        context.ledger.add(spent)
        yield Spent(entry=entry_to_json(spent))
    metrics = _told(member, parts, queries, votes, labels)
    for name, value in metrics.items():
        yield Metric(name=name, value=value, step=config.teachers, stage="teachers")
    if "epsilon_data_dependent" in metrics:
        yield Log(
            message="the paper's data-dependent epsilon of these votes is "
            f"{metrics['epsilon_data_dependent']:.2f}: it is computed from private votes, is itself "
            "not private, and is no guarantee",
            level="warning",
        )
    if context.folder is not None:
        _answers(parts, queries, counts, noisy, mechanism.std, seconds).save(context.folder)
        yield Artifact(name=NAME, title="Votes of the teachers (not for release)")
    logits = yield from fit_student(
        parts.public, queries, labels, options=config, context=context, done=config.teachers, total=total
    )
    yield Result(metrics={**final_metrics(parts.public, logits), **metrics})


def draw_teachers(private_nodes: Tensor, nodes: int, teachers: int, secret: Secret) -> Tensor:
    """(|V-private|,) the teacher that each private node belongs to; `private_nodes` are numbers below
    `nodes`.

    Every node of the whole graph draws one, private or not: who else is private changes nobody's teacher.
    """
    return torch.from_numpy(secret.below(teachers, nodes))[private_nodes]


def cast_votes(
    parts: Parts, queries: Tensor, config: Config, context: Context, nodes: int, total: int
) -> Generator[Event, None, Tensor]:
    """The teachers' votes, (teachers, Q) int64: classes, or `ABSTAINS`.

    Row t is a function of the private nodes that drew teacher t, their features, labels and (gnn) the edges
    among them, of the public graph and the seed: of no other private node. So one private node changes one
    row at most.
    """
    teams = draw_teachers(parts.private_nodes, nodes, config.teachers, context.shared_secret("sampling/teachers"))
    votes = torch.full((config.teachers, queries.numel()), ABSTAINS)
    for teacher in range(config.teachers):
        own = ((teams == teacher) & parts.private.learnable).nonzero().squeeze(1)
        if own.numel():
            streams = _Streams.of(context, teacher)
            if config.teacher == "mlp":
                votes[teacher] = _mlp_votes(parts, own, queries, config, streams)
            else:
                votes[teacher] = _gnn_votes(parts, own, queries, config, streams)
        yield Progress(step=teacher + 1, total=total, stage="teachers")
    return votes


def count_votes(votes: Tensor, classes: int) -> Tensor:
    """(Q, C) float64: how many teachers voted for each class, of votes (teachers, Q)."""
    return torch.stack([(votes == label).sum(0) for label in range(classes)], dim=1).double()


@dataclass(frozen=True, eq=False)
class _Streams:
    """A teacher's own randomness, on the CPU, where teachers are small enough to live."""

    init: torch.Generator
    dropout: torch.Generator

    @staticmethod
    def of(context: Context, teacher: int) -> _Streams:
        here = replace(context, device=torch.device("cpu"))
        return _Streams(here.generator(f"init/teacher-{teacher}"), here.generator(f"dropout/teacher-{teacher}"))


def _mlp_votes(parts: Parts, own: Tensor, queries: Tensor, config: Config, streams: _Streams) -> Tensor:
    """(Q,): a perceptron of three layers on the features of `own`, asked with those of the queries."""
    x, y, classes = parts.private.x[own], parts.private.y[own], parts.public.num_classes
    hidden = mlp_layers(
        x.shape[1], config.hidden, MLP_LAYERS - 1, norm="none", activation="relu", dropout=config.dropout
    )
    net = StackedNet([hidden], [Linear(config.hidden, classes)], members=1)
    net.initialise([streams.init])
    everybody = torch.ones(1, own.numel(), dtype=torch.bool)
    for _ in fit_full_batch(
        net,
        [Shared.of(x)],
        y,
        train_masks=everybody,
        val_masks=~everybody,
        learning_rates=torch.tensor([config.learning_rate]),
        epochs=config.epochs,
        selection="last",
        generators=[streams.dropout],
    ):
        pass
    return net.forward([Shared.of(parts.public.x[queries])], EVALUATION).argmax(1)[0]


def _gnn_votes(parts: Parts, own: Tensor, queries: Tensor, config: Config, streams: _Streams) -> Tensor:
    """(Q,): a two-layer GraphSAGE on the subgraph of `own`, asked with the queries' public neighbourhoods."""
    piece = subgraph(parts.private, own)
    task = SmallGraph(nodes=torch.arange(own.numel()), edge_index=piece.edge_index, labels=piece.y, queries=queries)
    recipe = Recipe(
        hidden=config.hidden, dropout=config.dropout, learning_rate=config.learning_rate, epochs=config.epochs
    )
    events = train_small_graphs(
        piece.x,
        [task],
        classes=parts.public.num_classes,
        recipe=recipe,
        evaluation_x=parts.public.x,
        evaluation_adjacency=parts.public.adjacency(),
        generators=lambda _: (streams.init, streams.dropout),
        memory_mb=MEMORY_MB,
    )
    (answer,) = [event for event in events if isinstance(event, Answer)]
    return answer.log_posterior.argmax(1)


def _told(member: Member[Config], parts: Parts, queries: Tensor, votes: Tensor, labels: Tensor) -> dict[str, float]:
    """What an evaluator may know: how often teachers, their majority and the released labels are right."""
    truth = parts.public.y[queries]
    counts = count_votes(votes, parts.public.num_classes)
    cast = votes != ABSTAINS
    metrics = {
        "teacher_accuracy": float(((votes == truth) & cast).sum() / cast.sum()) if bool(cast.any()) else 0.0,
        "majority_accuracy": float((counts.argmax(1) == truth).double().mean()),
        "label_accuracy": float((labels == truth).double().mean()),
    }
    if member.config.analysis == "dependent":
        plan = member.plan
        metrics["epsilon_data_dependent"] = pate_dependent(
            counts.tolist(), noise=1 / plan.scale, delta=plan.statement.delta
        )
    return metrics


def _answers(parts: Parts, queries: Tensor, counts: Tensor, noisy: np.ndarray, std: float, seconds: float) -> Answers:
    """The record for study; all teachers answer every query, so that none has private nodes of its own."""
    asked = queries.numel()
    nobody = np.zeros(asked + 1, dtype=np.int64)
    return Answers(
        kind="counts",
        queries=parts.public_nodes[queries].numpy(),
        before=counts.float().numpy(),
        after=noisy.astype(np.float32),
        noise_std=std,
        released=noisy.argmax(1),
        truth=parts.public.y[queries].numpy(),
        seconds=np.full(asked, seconds / asked),
        pointers=nobody,
        neighbours=np.zeros(0, dtype=np.int64),
        weights=np.zeros(0, dtype=np.float32),
        edge_pointers=nobody,
        edges=np.zeros((2, 0), dtype=np.int64),
    )
