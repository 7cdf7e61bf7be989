"""Attacks on made-up models, judged by the product's own judge."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch

from privgraph.attacks.membership import judged
from privgraph.attacks.options import Attacked, AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.attacks.shadows import Asked
from privgraph.data.load import load
from privgraph.options import build
from privgraph.registry import method


def attack(
    run: str = "dp-mlp-social-000000000000",
    *,
    name: str = "bavaria",
    memory: float = 1.0,
    sound: float | None = None,
    targets: int = 3,
    split: str = "random",
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
        split=split,
        accuracy=0.61,
    )
    asked = Asked(
        nodes=pool.numpy(),
        signals=np.zeros((targets + 24, len(own), 1)),
        members=np.concatenate([members, np.zeros((24, len(own)), dtype=np.bool_)]),
        strangers=np.zeros((targets + 24, 0, 1)),
        accuracies=np.full(targets + 24, 0.6),
        ways=("linked",),
        targets=targets,
    )
    assert torch.equal(graph.train_mask[pool], torch.from_numpy(own))
    record = judged(name, subject, how or AttackOptions(targets=targets), asked, told, graph, 12.5)
    return record if sound is None else replace(record, sound=sound, steps=None if math.isinf(sound) else record.steps)
