"""Seconds of a membership attack on prompts: stacked, and one prompt at a time as the method tunes it.

Three numbers of the same run, all for IN and OUT prompts of every target:

- stacked: the attack's own shadow prompts, tuned and asked (`attacks.prompt_stack`);
- the same prompts one at a time: as many, by the method's own trainer, each asked about all targets;
- a pair for each target: two prompts for each of targets x pairs, one at a time, as Algorithm 1 of DP-GPL has
  it, each asked about its own target.

One at a time is measured on one thread, where it is fastest (on a single prompt's small tensors two threads
wait for each other), on --alone prompts, drawn at random, and scaled; so is --share of the stack.
"""

import numpy as np
import torch
from tests.attacks.prompt_alone import alone
from tests.benchmarks.harness import Cost, options, tell, timed
from tests.methods.drained import returned

from privgraph.attacks.prompt_stack import Tuned, signals
from privgraph.attacks.prompts import PromptAttack, candidates, drawn
from privgraph.data.load import load
from privgraph.methods.prompts.pretrained import prepare, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context


def main() -> None:
    given = options(
        __doc__, dataset="cora", backbone="gat", shots=5, targets=100, pairs=128, threads=2, alone=6, share=1.0
    )
    config = Config(backbone=given.backbone, prompt="gpf-plus", pretrain_epochs=0)
    recipe = recipe_of(config)
    prepared = returned(prepare(load(given.dataset, split_seed=0), config, Context(), done=0, total=0))
    attack = PromptAttack(shots=given.shots, targets=given.targets, pairs=given.pairs, repetitions=1)
    nodes = candidates(prepared, attack)
    _, members = drawn(prepared.labels[nodes].numpy(), attack)
    count = max(given.alone, round(given.share * len(members)))
    rows = np.random.default_rng(0).permutation(len(members))[:count]
    shots = torch.from_numpy(nodes.numpy()[members[rows].nonzero()[1]].reshape(count, -1))
    tuned = Tuned(nodes=shots, seeds=list(range(count)))
    pairs = 2 * given.targets * given.pairs
    print(f"{given.dataset}, {given.backbone}: {len(members):,} prompts in the stack, {pairs:,} in pairs")

    def one_at_a_time(asked: torch.Tensor) -> Cost:
        """The cost of one prompt."""
        egos = prepared.egos(asked)

        def work() -> None:
            for shots, seed in zip(tuned.nodes[: given.alone], tuned.seeds, strict=False):
                alone(prepared, prepared.table, config, shots, seed, egos)

        return timed(work, threads=1) * (1 / given.alone)

    stack = timed(lambda: list(signals(prepared, prepared.table, recipe, tuned, nodes))) * (len(members) / count)
    tell(f"stacked, on {given.threads} threads", stack)
    tell("the same prompts one at a time", one_at_a_time(nodes) * len(members), stack)
    tell("a pair for each target, one at a time", one_at_a_time(nodes[:1]) * pairs, stack)
