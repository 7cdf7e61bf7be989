"""One prompt and its head on a frozen network, tuned with private gradients (DP-Adam) on a few private
nodes."""

import math
from collections.abc import Generator, Iterator, Sequence

import torch
from torch import Tensor

from privgraph.mechanisms.gradients import PrivateGradients
from privgraph.mechanisms.sampling import poisson_batch
from privgraph.methods.prompts.few_shot import Judge, assigned, fresh_prompt, progress, ready
from privgraph.methods.prompts.pretrained import recipe_of
from privgraph.methods.prompts.prompt_dpsgd.config import Config
from privgraph.methods.training import Member
from privgraph.nn.backbones import Backbone
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.optim import StackedAdam
from privgraph.nn.prompt_tuning import PLACES, targets
from privgraph.nn.prompts import Prompts, packed
from privgraph.nn.tables import made_up, require_places_alike
from privgraph.privacy.serialisation import entry_to_json
from privgraph.progress import Event, Result, Spent

TOGETHER = 64
"""Examples whose gradients are computed at once, at most: each has a copy of the prompt."""


def train(members: Sequence[Member[Config]]) -> Generator[tuple[int, Event], None, None]:
    """Train members one after another: each has a backbone and private nodes of its own."""
    for index, member in enumerate(members):
        for event in _train_one(member):
            yield index, event


class PerExampleGradients:
    """The gradient of every example's own loss with respect to all that is tuned, (B, P), by the stack of
    prompts.

    Each example is a member of a stack of its own, with a copy of the prompt and a single slot: the gradient
    of the sum of all losses with respect to a copy is the gradient of that example's loss, and no operation
    mixes members. Parameters are laid out one after another in the order of `Prompts.tuned`. A library may
    round otherwise for another place in a stack, or for a stack of another size (`nn.tables` says why that
    matters). So stacks have one size, and an example stands at the place that its slot's number gives it,
    whoever else was drawn: of two examples with the same place each is in a stack of its own, and a place
    that nobody takes is filled up. That the company does not matter, `require_company_alike` asks.

    expected: how many examples a batch has on average, a public number, after which the stacks' size is
    chosen.
    """

    def __init__(self, prompt: Prompts, backbone: Backbone, table: Tensor, expected: float = TOGETHER) -> None:
        self.together = min(TOGETHER, 1 << max(0, math.ceil(math.log2(expected))))
        self._prompt, self._backbone, self._table = prompt, backbone, table
        self._sizes = [prompt.parameters[name][0].numel() for name in prompt.tuned]
        self.parameters = torch.cat([prompt.parameters[name].flatten(1) for name in prompt.tuned], 1)
        self.gradients = torch.zeros_like(self.parameters)
        self.losses = self._table.new_zeros(0)
        self._each = self._table.new_zeros(0, self.parameters.shape[1])
        self._squared = self._table.new_zeros(0)

    def prompts(self, parameters: Tensor) -> Prompts:
        """Prompts with `parameters` (T, P)."""
        kind, fixed = self._prompt.kind, dict(self._prompt.parameters)
        for name, own in zip(self._prompt.tuned, torch.split(parameters, self._sizes, 1), strict=True):
            fixed[name] = own.reshape(-1, *fixed[name].shape[1:])
        if kind == "gppt":
            fixed["kinds"] = fixed["kinds"].expand(parameters.shape[0], -1, -1)
        return Prompts(kind, fixed)

    def backward(self, egos: EgoGraphs, labels: Tensor, slots: Tensor) -> None:
        """Gradients of the cross-entropies of B ego-graphs with labels (B,); a label of -1 has none.

        slots: (B,) int64, a number for each that does not depend on who else is there; no number twice.
        """
        count = len(egos)
        self._each = self._table.new_zeros(count, self.parameters.shape[1])
        self.losses, self._squared = self._table.new_zeros(count), self._table.new_zeros(count)
        for part in self._stacks(slots):
            taken = part >= 0
            filled, rows = part.where(taken, part.max()), part[taken]
            own, said = egos.take(filled), labels[filled].unsqueeze(1)
            copies = self.parameters.expand(len(own), -1).clone().requires_grad_()
            with torch.enable_grad():
                logits = self.prompts(copies).logits(self._backbone, self._table, own)
                target, _ = targets(said, logits.shape[2], logits.dtype)
                loss = -(logits.log_softmax(-1) * target).sum((1, 2))
                (gradient,) = torch.autograd.grad(loss.sum(), copies)
            self._each[rows], self._squared[rows] = gradient[taken], gradient.square().sum(1)[taken]
            self.losses[rows] = loss.detach()[taken]

    def _stacks(self, slots: Tensor) -> Tensor:
        """(stacks, together): who of B examples stands where, -1 nobody."""
        place = slots % self.together
        order = place.argsort(stable=True)
        held = torch.bincount(place, minlength=self.together)
        before = (held.cumsum(0) - held)[place[order]]
        stack = torch.arange(len(slots), device=slots.device) - before
        found = slots.new_full((int(held.max()), self.together), -1)
        found[stack, place[order]] = order
        return found

    def require_company_alike(self, places: int, near: int) -> None:
        """Raise `RuntimeError` unless this machine's library gives an example the same gradient, bit by bit,
        whoever else is in its stack: the same computation as in training, on ego-graphs of as many places
        that are made up, some absurd."""
        generator, size = torch.Generator().manual_seed(0), self.together
        x = made_up(size, places, self._table.shape[1])
        joined = (torch.rand(2 * size, places, places, generator=generator) < 0.3).triu(1)
        joined[:, 0, 1 + near :] = False
        probes = EgoGraphs(
            nodes=torch.arange(2 * size * places).view(-1, places), adjacency=joined | joined.transpose(1, 2), near=near
        ).to(self._table.device)
        net = PerExampleGradients(self._prompt, self._backbone, x.flatten(0, 1).to(self._table), size)
        slots = torch.arange(size, device=self._table.device)
        labels = torch.zeros_like(slots)

        def each(numbers: Tensor) -> tuple[Tensor, ...]:
            net.backward(probes.take(numbers.to(slots.device)), labels, slots)
            return net._each, net.losses, net._squared

        require_places_alike(each, size, moved=False)

    def squared_norms(self) -> Tensor:
        """(1, B)."""
        return self._squared.unsqueeze(0)

    def forget(self, gone: Tensor) -> None:
        """Take the examples `gone` (1, B) out of what `accumulate` sums up."""
        self._each = self._each.masked_fill(gone[0].unsqueeze(1), 0)

    def accumulate(self, factor: Tensor | None = None) -> None:
        """Sum the gradients, times `factor` (1, B), into `gradients` (1, P)."""
        weights = self._each.new_ones(1, self._each.shape[0]) if factor is None else factor
        torch.mm(weights, self._each, out=self.gradients)

    def add_penalty(self) -> None:
        """Add the gradient of the penalty, which reads no example: after the noise, it costs nothing."""
        own = self.parameters.clone().requires_grad_()
        with torch.enable_grad():
            penalty = self.prompts(own).penalty()
            if penalty is not None:
                self.gradients += torch.autograd.grad(penalty.sum(), own)[0]


def _train_one(member: Member[Config]) -> Iterator[Event]:
    config = member.config
    context, facts, device = member.context, member.graph.facts, member.context.device
    for spent in config.unpaid():
        context.ledger.add(spent)
        yield Spent(entry=entry_to_json(spent))
    total = config.pretrain_epochs + config.epochs
    prepared, table = yield from ready(member.graph, config, context, total=total)
    context = context.having_read(prepared.backbone.weights)
    shots = assigned(prepared, config.slots(facts), context.seed)
    egos, labels = packed(prepared.egos(shots.nodes), PLACES).to(device), shots.labels.to(device)
    rate, steps = config.rate(facts), config.steps(facts)
    mechanism = PrivateGradients(
        clip=config.clip,
        noise_multiplier=member.plan.scale,
        rate=rate,
        expected_batch=rate * len(labels),
    )
    net = PerExampleGradients(
        fresh_prompt(prepared, table, recipe_of(config), context), prepared.backbone, table, mechanism.expected_batch
    )
    net.require_company_alike(egos.nodes.shape[1], egos.near)
    optimiser = StackedAdam(net.parameters, torch.tensor([config.learning_rate]))
    sampling, noise = context.secret("sampling/batches"), context.secret("noise/gradients")
    judge = Judge(prepared, shots, device)

    def answering(asked: EgoGraphs) -> Tensor:
        return net.prompts(net.parameters).answers(prepared.backbone, table, asked)[0]

    lower_bound = judge.accuracy(answering, prepared.test_nodes)
    seen = math.nan
    for epoch in range(1, config.epochs + 1):
        count = epoch * steps // config.epochs - (epoch - 1) * steps // config.epochs
        losses = []
        for _ in range(count):
            batch = poisson_batch(len(labels), rate, sampling, device)
            net.backward(egos.take(batch), labels[batch], batch)
            losses.append(net.losses)
            valid = (labels[batch] >= 0).unsqueeze(0)
            PrivateGradients.release([mechanism], net, valid, [noise], [context.observer])
            net.add_penalty()
            optimiser.step(net.gradients)
        entry = config.entry(facts, mechanism.noise_multiplier, count)
        context.ledger.add(entry)
        yield Spent(entry=entry_to_json(entry))
        drawn = torch.cat(losses)
        seen = float(drawn.mean()) if drawn.numel() else seen
        step = config.pretrain_epochs + epoch
        yield from judge.told(answering, seen, step)
        yield progress(step, total)
    yield Result(metrics={**judge.accuracies(answering), "lower_bound": lower_bound})
