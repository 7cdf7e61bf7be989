"""Seconds of a membership attack on prompts: stacked, and one prompt at a time as the method tunes it.

    python -m tests.benchmarks.bench_prompt_attack [--dataset cora] [--shots 5] [--targets 100] [--pairs 128]
    [--backbone gat] [--prompt gpf-plus] [--threads 2] [--alone 6] [--share 1.0]

Three numbers of the same run, all for IN and OUT prompts of every target:

- stacked: the attack's own shadow prompts, tuned and asked (`attacks.prompt_stack`);
- the same prompts one at a time: as many, by the method's own trainer, each asked about all targets;
- a pair for each target: two prompts for each of targets x pairs, one at a time, as Algorithm 1 of DP-GPL has
  it, each asked about its own target.

One at a time is measured on one thread, where it is fastest (on a single prompt's small tensors two threads
wait for each other), on --alone prompts, drawn at random, and scaled; --share of the stack is tuned, and
scaled. Seconds are by the clock; CPU seconds are what to compare on a machine with other work.
"""

import argparse
import time
import warnings

import numpy as np
import torch
from tests.benchmarks.bench_prompts import last

from privgraph.attacks.prompt_stack import Tuned, signals
from privgraph.attacks.prompts import PromptAttack, candidates, drawn
from privgraph.data.load import load
from privgraph.methods.prompts.few_shot import fresh_prompt
from privgraph.methods.prompts.pretrained import PreparedGraph, prepare, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context
from privgraph.nn.prompt_tuning import Tuning


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="cora")
    parser.add_argument("--backbone", default="gat")
    parser.add_argument("--prompt", default="gpf-plus")
    parser.add_argument("--shots", type=int, default=5)
    parser.add_argument("--targets", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--alone", type=int, default=6)
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    config = Config(backbone=options.backbone, prompt=options.prompt, pretrain_epochs=0)
    prepared = last(prepare(load(options.dataset, split_seed=0), config, Context(), done=0, total=0))
    attack = PromptAttack(shots=options.shots, targets=options.targets, pairs=options.pairs, repetitions=1)
    nodes = candidates(prepared, attack)
    _, members = drawn(prepared.labels[nodes].numpy(), attack)
    count = max(options.alone, round(options.share * len(members)))
    rows = np.random.default_rng(0).permutation(len(members))[:count]
    shots = torch.from_numpy(nodes.numpy()[members[rows].nonzero()[1]].reshape(count, -1))
    tuned = Tuned(nodes=shots, seeds=list(range(count)))
    print(
        f"{options.dataset}, {options.backbone}, {options.prompt}: {options.targets} targets, {options.pairs} pairs, "
        f"{options.shots} shots, {config.epochs} epochs: {len(members):,} prompts in the stack, {count:,} tuned"
    )
    begin, busy = time.perf_counter(), time.process_time()
    for _ in signals(prepared, prepared.table, recipe_of(config), tuned, nodes):
        pass
    scale = len(members) / count
    stack, stack_busy = (time.perf_counter() - begin) * scale, (time.process_time() - busy) * scale
    print(f"  {f'stacked, on {options.threads} threads':44}{stack:9.1f} s, {stack_busy:9.1f} CPU s")
    torch.set_num_threads(1)
    pairs = 2 * options.targets * options.pairs
    for title, many, asked in (
        ("the same prompts one at a time", len(members), nodes),
        ("a pair for each target, one at a time", pairs, nodes[:1]),
    ):
        seconds, spent = one_at_a_time(prepared, config, tuned, asked, options.alone)
        seconds, spent = seconds * many, spent * many
        print(
            f"  {title:44}{seconds:9.1f} s, {spent:9.1f} CPU s: {seconds / stack:5.1f} times stacked, "
            f"{spent / stack_busy:5.1f} times in CPU s"
        )


def one_at_a_time(
    prepared: PreparedGraph, config: Config, tuned: Tuned, asked: torch.Tensor, prompts: int
) -> tuple[float, float]:
    """Seconds and CPU seconds of one prompt, averaged over the first `prompts`."""
    recipe = recipe_of(config)
    egos = prepared.egos(asked)
    begin, busy = time.perf_counter(), time.process_time()
    for nodes, seed in zip(tuned.nodes[:prompts], tuned.seeds, strict=False):
        prompt = fresh_prompt(prepared, prepared.table, recipe, Context(seed=seed))
        labels = prepared.labels[nodes].unsqueeze(0)
        tuning = Tuning(prompt, prepared.backbone, prepared.table, prepared.egos(nodes), labels, recipe)
        for _ in range(recipe.epochs):
            tuning.step()
        with torch.no_grad():
            tuning.prompts.answers(prepared.backbone, prepared.table, egos)
    return (time.perf_counter() - begin) / prompts, (time.process_time() - busy) / prompts


if __name__ == "__main__":
    main()
