"""Seconds, peak memory and tuples a second of one step of private relational learning, four ways in one run.

    python -m tests.benchmarks.bench_relations [--tuples 32] [--negatives 4] [--adapted attention]

A step is the sum of the gradients of 32 tuples with 4 negatives each, of titles of made-up products, for LoRA
of rank 8 beside queries and values: without privacy, by layers' factors, one tuple at a time, and by Opacus's
hooks on texts that are padded to the 32 tokens at which texts are cut. Each way runs in a process of its own,
whose peak resident memory is counted above what it held before its first step. The best round counts.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings

import psutil
import torch
from torch import Tensor

from privgraph.data.products import ProductOptions, products
from privgraph.nn.text.adapters import adapt, trainable
from privgraph.nn.text.encoder import TextEncoder, load_encoder
from privgraph.nn.text.losses import Contrast
from privgraph.nn.text.naming import ADAPTED
from privgraph.nn.text.tuple_gradients import clipped_sum, plain_sum

WAYS = {"plain": "without privacy", "factored": "factors", "loop": "one by one", "opacus": "padded, Opacus"}


def prepared(options: argparse.Namespace) -> tuple[TextEncoder, list[Tensor], Tensor]:
    """The adapted encoder, the tokens of 2,000 titles, and tuples of them."""
    torch.set_num_threads(options.threads)
    generator = torch.Generator().manual_seed(0)
    encoder = load_encoder(options.encoder)
    adapt(encoder, rank=8, alpha=16.0, generator=generator, adapted=options.adapted)
    for name, weight in trainable(encoder):
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.02, generator=generator)
    ids = encoder.tokenize(products(ProductOptions()).titles, options.tokens)
    return encoder, ids, torch.randint(0, len(ids), (options.tuples, 2 + options.negatives), generator=generator)


def clipped(squared: Tensor) -> Tensor:
    """Factors to the norm 1."""
    return squared.sqrt().clamp_min(1e-12).reciprocal().clamp_max(1)


def hooked(encoder: TextEncoder, ids: list[Tensor], tuples: Tensor, loss: Contrast, tokens: int) -> Tensor:
    """(P,): the clipped sum by Opacus's gradient of each text, all texts padded to `tokens`."""
    from opacus import GradSampleModule

    model = GradSampleModule(encoder.model, loss_reduction="sum", strict=False)
    encoder.model = model.train()  # its hooks keep nothing otherwise; there is no dropout
    for layer in model.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
    texts = [ids[text] for text in tuples.flatten().tolist()]
    table, real = torch.zeros(len(texts), tokens, dtype=torch.int64), torch.zeros(len(texts), tokens, dtype=torch.bool)
    for row, text in enumerate(texts):
        table[row, : len(text)], real[row, : len(text)] = text, True
    said = loss(encoder(table, real).view(*tuples.shape, -1))
    torch.autograd.backward(said.sum())
    owner = torch.arange(len(tuples)).repeat_interleave(tuples.shape[1])
    each = []
    for _, weight in trainable(encoder):
        sample = weight.grad_sample  # type: ignore[attr-defined]
        each.append(sample.new_zeros(len(tuples), *sample.shape[1:]).index_add_(0, owner, sample).flatten(1))
    model.remove_hooks()
    model.zero_grad(set_to_none=True)
    encoder.model = model._module.eval()
    rows = torch.cat(each, 1)
    return clipped(rows.square().sum(1)) @ rows


def measure(options: argparse.Namespace) -> None:
    """One way, in this process: prints seconds, MB and the sum's norm as JSON; MB alone where that is too
    much."""
    encoder, ids, tuples = prepared(options)
    if options.way == "opacus":
        each = 4 * tuples.numel() * sum(weight.numel() for _, weight in trainable(encoder))
        if each > psutil.virtual_memory().total / 2:
            print(json.dumps({"mb": each / 1e6}))
            return
    held, best, norm, loss = psutil.Process().memory_info().rss, float("inf"), 0.0, Contrast()
    for _ in range(options.rounds):
        start = time.perf_counter()
        if options.way == "plain":
            total = plain_sum(encoder, ids, tuples, loss).total
        elif options.way == "opacus":
            total = hooked(encoder, ids, tuples, loss, options.tokens)
        else:
            total = clipped_sum(encoder, ids, tuples, loss, clipped, route=options.way).total
        best, norm = min(best, time.perf_counter() - start), float(total.norm())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": best, "mb": (peak - held) / 1e6, "norm": norm}))


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--tuples", type=int, default=32)
    parser.add_argument("--negatives", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--adapted", default="attention", choices=ADAPTED)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        return measure(options)
    found = {}
    for way in WAYS:
        command = [sys.executable, "-m", "tests.benchmarks.bench_relations", *sys.argv[1:], "--way", way]
        found[way] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    plain = found["plain"]
    print(f"{options.encoder}, {options.adapted}, {options.tuples} tuples, k = {options.negatives}")
    for way, said in WAYS.items():
        mb = found[way]["mb"]
        if "seconds" not in found[way]:
            print(f"{said:<16} not run: a gradient for each text takes {mb:,.0f} MB")
            continue
        seconds = found[way]["seconds"]
        print(
            f"{said:<16} {seconds:7.2f} s ({seconds / plain['seconds']:.2f} x)  {mb:6.0f} MB "
            f"({mb / plain['mb']:.2f} x)  {options.tuples / seconds:6.1f} tuples/s  norm {found[way]['norm']:.4f}"
        )
    return None


if __name__ == "__main__":
    main()
