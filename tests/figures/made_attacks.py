"""Attacks on made-up models, judged by the product's own judge."""

import numpy as np
import torch

from privgraph.attacks.judging import Play, judged
from privgraph.attacks.membership import implied
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.data.load import load
from privgraph.options import build
from privgraph.registry import method


def attack(
    run: str = "dp-mlp-social-000000000000",
    *,
    memory: float = 1.0,
    targets: int = 3,
    how: AttackOptions | None = None,
    seed: int = 0,
) -> AttackRecord:
    """An attack on `targets` models whose scores are normal, `memory` higher for nodes that trained."""
    draw = np.random.default_rng(seed)
    graph = load("social", split_seed=1, data_options={"nodes": 200, "degree": 6})
    pool = (graph.train_mask | graph.test_mask).nonzero().squeeze(1)
    own = graph.train_mask[pool].numpy()
    members = np.stack([own, *(own[draw.permutation(len(own))] for _ in range(targets - 1))])
    told = draw.normal(size=members.shape) + memory * members
    config = build(method("dp-mlp").load_config(), {"epsilon": 8.0})
    subject = Attacked(
        run=run,
        method="dp-mlp",
        config=config,
        statement=config.plan(graph.facts).statement,
        graph=lambda: graph,
        accuracy=0.61,
    )
    assert torch.equal(graph.train_mask[pool], torch.from_numpy(own))
    plays = [
        Play(nodes=pool.numpy(), scores=row, members=trained, accuracy=0.6)
        for row, trained in zip(told, members, strict=True)
    ]
    options = how or AttackOptions(targets=targets)
    found = implied(subject, options, plays[0])
    return judged("bavaria", subject, options, plays, found, graph, models=targets + 24, seconds=12.5)
