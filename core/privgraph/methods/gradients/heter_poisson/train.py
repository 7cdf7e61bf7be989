"""HeterPoisson: noisy sums of clipped gradients, one gradient a sampled subgraph (Algorithm 1)."""

import time
from collections.abc import Generator, Iterator, Sequence

import numpy as np
import torch

from privgraph.mechanisms.subgraph_gradients import SubgraphGradients
from privgraph.methods import predictions
from privgraph.methods.accuracies import SPLITS, split_accuracies, test_measures
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson, inference_subgraphs
from privgraph.methods.gradients.heter_poisson.smoothing import smoothed
from privgraph.methods.training import Member
from privgraph.nn.optim import StackedAdam
from privgraph.nn.ragged_network import RaggedNetwork
from privgraph.nn.tables import size_for
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Artifact, Event, Metric, Progress, Result, Spent

TELL_SECONDS = 2.0
"""How long a run says nothing at most, if a step is shorter: between two steps a stop is obeyed."""


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each draws subgraphs of its own."""
    for index, member in enumerate(members):
        for event in _train_one(member):
            yield index, event


def mechanism_of(member: Member[Config]) -> SubgraphGradients:
    """What randomises a member's steps."""
    config, facts, own = member.config, member.graph.facts, member.config.resolved()
    rate = config.rate(facts)
    return SubgraphGradients(
        clip=own.clip,
        noise=own.noise,
        noise_multiplier=member.plan.scale,
        rate=rate,
        neighbours=own.neighbours,
        largest_degree=facts.nodes - 1,
        exclusive=own.exclusive,
        expected_batch=rate * facts.train_nodes,
    )


def _train_one(member: Member[Config]) -> Iterator[Event]:
    config = member.config.resolved()
    context, graph, facts = member.context, member.graph, member.graph.facts
    device, steps, mechanism = context.device, member.config.steps(facts), mechanism_of(member)
    x, y, edges = graph.x.to(device), graph.y.to(device), graph.edge_index.to(device)
    masks = {name: getattr(graph, f"{name}_mask").to(device) for name in SPLITS}
    sampler = HeterPoisson(
        edges,
        masks["train"],
        rate=mechanism.rate,
        neighbours=config.neighbours,
        exclusive=config.exclusive,
        roster=graph.training_roster.to(device),
    )
    asked = inference_subgraphs(edges, masks["train"], config.test_neighbours, context.secret("sampling/inference"))
    table = size_for(mechanism.expected_batch)
    network = RaggedNetwork(
        config.network, facts.features, config.hidden, facts.classes, layers=config.layers, table=table, device=device
    )
    network.require_places_alike()
    network.initialise(context.generator("init"))
    gradient = torch.zeros_like(network.parameters)
    adam = StackedAdam(network.parameters, torch.tensor([config.step_size], device=device))
    sampling, noise = context.secret("sampling/subgraphs"), context.secret("noise/gradients")
    accuracies: dict[str, float] = {}

    def answered(logits: torch.Tensor) -> torch.Tensor:
        """What is released of them, as logits."""
        if not config.smoothing:
            return logits
        return smoothed(logits.log_softmax(1), edges, masks["train"], config.smoothing)

    for epoch in range(1, config.epochs + 1):
        losses: list[torch.Tensor] = []
        count = epoch * steps // config.epochs - (epoch - 1) * steps // config.epochs
        last_told = time.monotonic()
        for _ in range(count):
            drawn = sampler.draw(sampling)
            parts = network.gradients(x, drawn, y[drawn.centres], losses)
            mechanism.release(parts, gradient[0], noise, context.observer)
            if config.optimiser == "adam":
                adam.step(gradient)
            else:
                network.parameters.sub_(gradient, alpha=config.step_size)
            if time.monotonic() > last_told + TELL_SECONDS:
                yield Progress(step=epoch - 1, total=config.epochs, stage="training")
                last_told = time.monotonic()
        spent = member.config.entry(facts, mechanism.noise_multiplier, count)
        context.ledger.add(spent)
        yield Spent(entry=entry_to_json(spent))
        logits = answered(network.logits(x, asked))
        accuracies = split_accuracies(logits.argmax(dim=1), y, masks)
        seen = torch.cat(losses) if losses else x.new_zeros(0)
        seen = seen[torch.isfinite(seen)]
        if seen.numel():
            yield Metric(name="train_loss", value=float(seen.mean()), step=epoch)
        for name, value in accuracies.items():
            yield Metric(name=name, value=value, step=epoch)
        yield Progress(step=epoch, total=config.epochs, stage="training")
    if context.outsider is not None:
        nobody = inference_subgraphs(edges[:, :0], masks["train"], 0, context.secret("sampling/nobody"))
        context.outsider.hears(linked=logits, alone=network.logits(x, nobody))
    if context.folder is not None:
        predictions.write(
            context.folder,
            logits.argmax(dim=1).cpu().numpy(),
            probabilities=logits.softmax(1).cpu().numpy().astype(np.float32),
        )
        # Those of training nodes read their own features, and are not covered.
        yield Artifact(name=predictions.NAME, title="Predicted class of every node (not for release)")
    yield Result(metrics={**accuracies, **test_measures(logits[masks["test"]], y[masks["test"]])})
