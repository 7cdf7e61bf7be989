"""The DP-MLP: bounded examples, and ledgers of members that train together."""

import torch
from tests.secrets_made_here import KEY

from privgraph.data.load import load
from privgraph.mechanisms.gradients import clip_factors
from privgraph.methods.baselines.perceptron import network
from privgraph.methods.gradients.dp_mlp.config import Config
from privgraph.methods.gradients.dp_mlp.train import train
from privgraph.methods.training import Context, planned
from privgraph.nn.layers import Pass
from privgraph.progress import Spent


def test_removing_one_example_moves_the_sum_by_at_most_the_clip() -> None:
    graph = load("social", data_options={"nodes": 60, "degree": 4.0})
    clip = 0.3
    net, inputs = network([planned(Config(hidden=8), graph, Context(noise_key=KEY))], norm="group")
    everyone = torch.arange(graph.num_nodes).unsqueeze(0)

    def clipped_sum(rows: torch.Tensor) -> torch.Tensor:
        logits = net.forward([inputs.take(rows)], Pass(training=True))
        gradient = logits.softmax(1)
        gradient[0, graph.y[rows[0]], torch.arange(rows.shape[1])] -= 1
        net.backward(gradient)
        net.accumulate(clip_factors(net.squared_norms(), torch.tensor([clip])))
        return net.gradients[0].clone()

    whole = clipped_sum(everyone)
    moved = [float((whole - clipped_sum(everyone[:, everyone[0] != node])).norm()) for node in range(graph.num_nodes)]
    assert max(moved) <= clip * (1 + 1e-4)
    assert max(moved) > 0.9 * clip, "the clip is reached"


def test_whoever_stops_at_an_event_finds_in_every_ledger_what_was_drawn() -> None:
    """The members' steps are made together: when the first of them tells of an epoch, all have spent it."""
    graph = load("karate")
    config = Config(epochs=3, hidden=4, batch_size=10)
    members = [planned(config, graph, Context(seed=seed, noise_key=KEY)) for seed in range(2)]
    spent_events = 0
    for _, event in train(members):
        if isinstance(event, Spent):
            spent_events += 1
            epochs = (spent_events + 1) // 2
            for member in members:
                spent = sum(entry.count for entry in member.context.ledger.entries)
                assert spent == epochs * config.steps(graph.facts.train_nodes) // 3
    assert spent_events == 6
