"""Seconds a step of HeterPoisson's gradients: as factors, padded by torch.func, and one subgraph at a time;
and a whole run, all on one thread.

A step is what the paper's settings draw: q_b = 4096/|V|. All three give clipped gradients, summed; the slow
two are measured on a part of a step and scaled. The run has T = ceil(9/q_b) steps, sampling, noise, and
predictions for all nodes after each pass included. For comparison, measured elsewhere on two cores of a CPU:
the official code takes 6.5 to 8 CPU seconds an iteration on facebook-pages; 4,096 subgraphs of 8 nodes took
1,225 ms by torch.func and 165 ms as padded factors.
"""

import torch
from tests.benchmarks.harness import options, tell, timed
from tests.nn.subgraph_twins import one_by_one, padded
from tests.secrets_made_here import secret
from torch import Tensor

from privgraph.data.load import load
from privgraph.mechanisms.gradients import clip_factors
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.methods.gradients.heter_poisson.sampling import HeterPoisson
from privgraph.methods.gradients.heter_poisson.train import train
from privgraph.methods.training import Context, train_one
from privgraph.nn.ragged_network import RaggedNetwork

PADDED, ALONE = 256, 64
"""Subgraphs that the slow twins are measured on."""


def clipped(each: Tensor, clip: Tensor) -> Tensor:
    """The clipped sum of gradients (B, P)."""
    return clip_factors(each.square().sum(1).unsqueeze(0), clip)[0] @ each


def main() -> None:
    given = options(__doc__, dataset="facebook-pages", network="gcn", layers=1, neighbours=2, rounds=3, threads=1)
    graph, clip = load(given.dataset, split_seed=0), torch.tensor([0.5])
    config = Config(
        preset="as-published", neighbours=given.neighbours, network=given.network, layers=given.layers, epsilon=8.0
    )
    facts, own = graph.facts, config.resolved()
    sampler = HeterPoisson(
        graph.edge_index, graph.train_mask, rate=config.rate(facts), neighbours=own.neighbours, exclusive=own.exclusive
    )
    stream = secret()
    drawn = sampler.draw(stream)
    net = RaggedNetwork(given.network, facts.features, own.hidden, facts.classes, layers=given.layers)
    net.initialise(torch.Generator().manual_seed(0))
    total, count = torch.zeros(net.parameters.shape[1]), len(drawn)
    print(f"{given.dataset}, {given.network}, {given.layers} rounds: {count:,} subgraphs a step")

    def factors() -> None:
        total.zero_()
        for found in net.gradients(graph.x, drawn, graph.y[drawn.centres]):
            found.add_to(total, clip_factors(found.squared_norms().unsqueeze(0), clip)[0])

    def by_func() -> None:
        for start in range(0, PADDED, 64):
            part = drawn.part(start, start + 64)
            clipped(padded(net, graph.x, part, graph.y[part.centres]), clip)

    def alone() -> None:
        few = drawn.part(0, ALONE)
        clipped(one_by_one(net, graph.x, few, graph.y[few.centres])[1], clip)

    fast = timed(factors, given.rounds)
    tell("drawing the subgraphs", timed(lambda: sampler.draw(stream), given.rounds))
    tell("gradients as factors", fast)
    tell("padded, by torch.func", timed(by_func, given.rounds) * (count / PADDED), fast)
    tell("one subgraph at a time", timed(alone, given.rounds) * (count / ALONE), fast)
    config.plan(facts)  # calibration is not part of the run
    tell(f"a run of {config.steps(facts)} steps", timed(lambda: list(train_one(train, config, graph, Context()))))
