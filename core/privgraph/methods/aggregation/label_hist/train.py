"""Label-Hist: one noisy histogram of neighbours' classes for each node, then a reader. See README.md."""

import math
from collections.abc import Generator, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from privgraph.data.splits import subgraph
from privgraph.mechanisms.gaussian import GaussianNoise
from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.histograms import ClassHistogram
from privgraph.methods.accuracies import SPLITS, split_accuracies, test_measures
from privgraph.methods.aggregation.label_hist.config import GRADIENTS, TABLE, Config, table_entry
from privgraph.methods.aggregation.label_hist.reader import added, asked_around, histogram_weight, read_edges
from privgraph.methods.aggregation.stack import groups
from privgraph.methods.gradients.heter_poisson.smoothing import smoothed
from privgraph.methods.teachers.privgnn.table import class_scores, class_sums
from privgraph.methods.teachers.privgnn.votes import PublicEncoder
from privgraph.methods.training import Member, keep_predictions
from privgraph.nn.inputs import Shared
from privgraph.nn.layers import EVALUATION, Linear
from privgraph.nn.stacked import StackedNet, mlp_layers
from privgraph.nn.training import Epoch, fit_full_batch, fit_private
from privgraph.privacy.ledger import LedgerEntry
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Metric, Progress, Result, Spent
from privgraph.streams import stream_seed

Told = Iterator[tuple[int, Event]]

HISTOGRAMS = "histograms.npz"
"""The file of what a run releases through noise: `histograms` (|V|, C), or (n, C) of the n nodes that do not
train, and `table` (d, C), where there is one."""


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train every member; perceptrons of members that may share a computation do."""
    for positions in groups(members, lambda config: config.width):
        stack = [members[position] for position in positions]
        yield from (_nodes if stack[0].config.unit == "node" else _edges)(stack, positions)


def _edges(members: Sequence[Member[Config]], positions: Sequence[int]) -> Told:
    """Edge level, or no privacy: perceptrons, with folds; histograms of all nodes; a regression."""
    said = yield from train_on_features(members, positions)
    for member, position, (alone, unseen) in zip(members, positions, said, strict=True):
        graph = member.graph
        beliefs = alone.exp()
        beliefs[graph.train_mask] = torch.nn.functional.one_hot(graph.y[graph.train_mask], graph.num_classes).double()
        mechanism = _histogram(member)
        found = mechanism.release(
            graph.edge_index, graph.train_mask, beliefs, member.context.secret("noise/histograms")
        )
        yield position, _paid(member, mechanism.entry())
        yield from _keep(member, position, histograms=found)
        noise = mechanism.std * math.sqrt(2 if graph.undirected else 1)
        found[graph.train_mask] *= math.sqrt(2 if graph.undirected else 1)  # sums of whole votes, for one reader
        size = noise if noise > 0 else float(found.std()) or 1.0
        rows = torch.cat([unseen - unseen.mean(1, keepdim=True), found / size], 1)
        logits = read_edges(
            rows.numpy(), alone.numpy(), graph.y.numpy(), graph.train_mask.numpy(), graph.val_mask.numpy()
        )
        yield from _finish(member, position, torch.from_numpy(logits))


def train_on_features(
    members: Sequence[Member[Config]], positions: Sequence[int]
) -> Generator[tuple[int, Event], None, list[tuple[Tensor, Tensor]]]:
    """Train the members' perceptrons, no edge read. Gives each member's log-probabilities (|V|, C) twice: of
    the perceptron of all training nodes, and for these of a perceptron that has not seen them."""
    config, graph = members[0].config, members[0].graph
    device = members[0].context.device
    parts = [_fold_masks(member) for member in members]
    net = _network(members, device, networks=config.folds + 1, norm="batch", dropout=config.dropout)
    copies = config.folds + 1
    val = torch.stack([member.graph.val_mask for member in members for _ in range(copies)]).to(device)
    features = Shared.of(graph.x.to(device))
    epochs = fit_full_batch(
        net,
        [features],
        graph.y.to(device),
        train_masks=torch.cat(parts).to(device),
        val_masks=val,
        learning_rates=torch.tensor(
            [member.config.learning_rate for member in members for _ in range(copies)], device=device
        ),
        epochs=config.epochs,
        weight_decay=config.weight_decay,
        selection="validation",
        generators=[member.context.generator(f"dropout/{number}") for member in members for number in range(copies)],
    )
    yield from _curves(epochs, positions, config.epochs, copies)
    said = net.forward([features], EVALUATION).double().log_softmax(1).transpose(1, 2).cpu()
    found = []
    for index, member in enumerate(members):
        logs = said[index * copies : (index + 1) * copies]
        alone, unseen = logs[0], logs[0].clone()
        for number in range(1, copies):
            left_out = member.graph.train_mask & ~parts[index][number]
            unseen[left_out] = logs[number][left_out]
        found.append((alone, torch.where(torch.isfinite(unseen).all(1, keepdim=True), unseen, alone)))
    return found  # where a fold is of nobody, no perceptron has left anybody out


def _nodes(members: Sequence[Member[Config]], positions: Sequence[int]) -> Told:
    """Node level: what features tell, through noise; histograms of those who do not train; their sum."""
    config = members[0].config
    views: list[list[Tensor]] = [[] for _ in members]
    if config.features == GRADIENTS:
        net = _network(members, members[0].context.device, networks=1, norm="group", dropout=0.0)
        yield from _private_perceptrons(net, members, positions)
        said = net.forward([_rows(members[0].graph.x, net.device)], EVALUATION)
        views = [[one] for one in said.double().log_softmax(1).transpose(1, 2).cpu()]
    for member, position, view in zip(members, positions, views, strict=True):
        graph, roster = member.graph, member.graph.training_roster
        noised: dict[str, Tensor] = {}
        if config.features == GRADIENTS:
            view[0] = smoothed(view[0], graph.edge_index, roster, config.smoothing)
        if config.features == TABLE:
            table, score = yield from _table(member, position)
            noised["table"] = table
            view.append(score)
        mechanism = _histogram(member)
        beliefs = torch.nn.functional.one_hot(graph.y.clamp_min(0), graph.num_classes).double()
        secret = member.context.secret("noise/histograms")
        found = torch.zeros_like(beliefs)
        found[~roster] = mechanism.release(graph.edge_index, roster, beliefs, secret)
        yield position, _paid(member, mechanism.entry())
        yield from _keep(member, position, histograms=found[~roster], **noised)
        noise = torch.randn(found.shape, dtype=found.dtype, generator=member.context.generator("init/noise"))
        means = [smoothed(one, graph.edge_index, roster, config.smoothing) for one in (found, noise * mechanism.std)]
        weight = histogram_weight(*(one[~roster] for one in means))
        heard = asked_around(means[0], graph.edge_index, roster)
        yield position, Progress(step=member.plan.steps, total=member.plan.steps, stage="histograms")
        yield from _finish(member, position, added([(heard, weight), *((one, 1.0) for one in view)], ~roster))


def _histogram(member: Member[Config]) -> ClassHistogram:
    std = member.config.histogram_std(member.plan.scale)
    return ClassHistogram(unit=member.config.unit, std=std, undirected=member.graph.undirected)


def _table(member: Member[Config], position: int) -> Generator[tuple[int, Event], None, tuple[Tensor, Tensor]]:
    """The noisy table (d, C) of what each class looks like, and scores (|V|, C) by it; a training node's by
    its own features."""
    graph, config, roster = member.graph, member.config, member.graph.training_roster
    public = subgraph(graph, (~roster).nonzero().squeeze(1))
    encoder = PublicEncoder.of(public, config.dimensions)
    sums = class_sums(encoder.private(graph.x[graph.train_mask]), graph.y[graph.train_mask].numpy(), graph.num_classes)
    noise = GaussianNoise(std=config.table_std(member.plan.scale), sensitivity=1.0)
    noisy = noise.add_(torch.from_numpy(sums), member.context.secret("noise/table")).numpy()
    yield position, _paid(member, table_entry(noise.std))
    scores = torch.zeros(graph.num_nodes, graph.num_classes, dtype=torch.float64)
    scores[~roster] = torch.from_numpy(class_scores(noisy, encoder.public(public)))
    scores[roster] = torch.from_numpy(class_scores(noisy, encoder.private(graph.x[roster])))
    return torch.from_numpy(noisy), scores


def _private_perceptrons(net: StackedNet, members: Sequence[Member[Config]], positions: Sequence[int]) -> Told:
    """The members' perceptrons, trained with private gradients of features and labels."""
    config, facts, device = members[0].config, members[0].graph.facts, net.device
    steps = config.gradient_steps(facts)
    rate = config.rate(facts)
    mechanisms = [
        PrivateGradients(
            clip=member.config.clip,
            noise_multiplier=member.config.gradient_multiplier(facts, member.plan.scale),
            rate=rate,
            expected_batch=rate * facts.train_nodes,
        )
        for member in members
    ]
    rosters, train, val = (
        torch.stack([getattr(member.graph, name) for member in members]).to(device)
        for name in ("training_roster", "train_mask", "val_mask")
    )
    epochs = fit_private(
        net,
        [_rows(members[0].graph.x, device)],
        members[0].graph.y.to(device),
        rosters=rosters,
        train_masks=train,
        val_masks=val,
        learning_rates=torch.tensor([member.config.learning_rate for member in members], device=device),
        gradients=mechanisms,
        epochs=config.epochs,
        steps=steps,
        sampling=[member.context.secret("sampling/batches") for member in members],
        noise=[member.context.secret("noise/gradients") for member in members],
        weight_decay=config.weight_decay,
        observers=[member.context.observer for member in members],
    )
    # Paid before the first event, so that whoever stops at one has spent no more than was written.
    paid = [_paid(member, one.entry("perceptron", steps)) for member, one in zip(members, mechanisms, strict=True)]
    yield from zip(positions, paid, strict=True)
    yield from _curves(epochs, positions, config.epochs, 1)


def _network(
    members: Sequence[Member[Config]], device: torch.device, *, networks: int, norm: str, dropout: float
) -> StackedNet:
    """`networks` perceptrons with one hidden layer for each member, from the member's own generators."""
    config, graph = members[0].config, members[0].graph
    branch = mlp_layers(int(graph.x.shape[1]), config.hidden, 1, norm=norm, dropout=dropout)
    count = len(members) * networks
    net = StackedNet([branch], [Linear(config.hidden, graph.num_classes)], members=count, device=device)
    net.initialise([member.context.generator(f"init/{number}") for member in members for number in range(networks)])
    return net


def _rows(x: Tensor, device: torch.device) -> Shared:
    """Features (|V|, F) that are never sparse: how many numbers are zero is private where nodes are."""
    rows = x.to(device)
    return Shared(rows=rows, columns=rows.t())


def _fold_masks(member: Member[Config]) -> Tensor:
    """(1 + folds, |V|) bool: all training nodes, then all but those of each fold."""
    nodes = member.graph.train_mask.nonzero().squeeze(1)
    generator = torch.Generator().manual_seed(stream_seed(member.context.seed, "init/folds"))
    shuffled = nodes[torch.randperm(nodes.numel(), generator=generator)]
    masks = member.graph.train_mask.repeat(1 + member.config.folds, 1)
    for number, fold in enumerate(torch.tensor_split(shuffled, member.config.folds), start=1):
        masks[number, fold] = False
    return masks


def _curves(epochs: Iterator[Epoch], positions: Sequence[int], total: int, copies: int) -> Told:
    """What the perceptron of all training nodes, the first of each member's `copies`, tells of each epoch."""
    for epoch in epochs:
        curves = {
            "train_loss": epoch.loss,
            "train_accuracy": epoch.train_accuracy,
            "val_accuracy": epoch.val_accuracy,
        }
        for index, position in enumerate(positions):
            for name, values in curves.items():
                if math.isfinite(value := float(values[index * copies])):
                    yield position, Metric(name=name, value=value, step=epoch.epoch, stage="perceptron")
            yield position, Progress(step=epoch.epoch, total=total, stage="perceptron")


def _paid(member: Member[Config], entry: LedgerEntry) -> Spent:
    member.context.ledger.add(entry)
    return Spent(entry=entry_to_json(entry))


def _keep(member: Member[Config], position: int, **noised: Tensor) -> Told:
    """Keep what was released through noise, as it was released, in the run's folder."""
    if member.context.folder is not None:
        arrays = {name: table.numpy().astype(np.float32) for name, table in noised.items()}
        np.savez(member.context.folder / HISTOGRAMS, allow_pickle=False, **arrays)
        kept = "" if member.config.unit != "none" else " (not for release)"
        yield position, Artifact(name=HISTOGRAMS, title=f"Noisy class histograms{kept}")


def _finish(member: Member[Config], position: int, logits: Tensor) -> Told:
    """Keep the predictions, from logits (|V|, C), and end the member's run."""
    graph, context = member.graph, member.context
    if context.outsider is not None:
        context.outsider.hears(linked=logits)
    for kept in keep_predictions(context, logits.argmax(1), member.config.unit):
        yield position, kept
    masks = {name: getattr(graph, f"{name}_mask") for name in SPLITS}
    measured = test_measures(logits[graph.test_mask], graph.y[graph.test_mask])
    yield position, Result(metrics={**split_accuracies(logits.argmax(1), graph.y, masks), **measured})
