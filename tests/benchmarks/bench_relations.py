"""Seconds, peak memory and tuples a second of one step of private relational learning, four ways in one run.

A step is the sum of the gradients of 32 tuples with 4 negatives each, of titles of made-up products, for LoRA
of rank 8 beside queries and values: without privacy, by layers' factors, one tuple at a time, and by Opacus's
hooks on texts that are padded to the 32 tokens at which texts are cut. Each way runs in a process of its own,
whose peak resident memory is counted above what it held before its first step. The best round counts.
"""

import argparse
import json
import resource
import sys

import psutil
import torch
from tests.benchmarks.harness import alone, options, timed
from torch import Tensor

from privgraph.data.products import ProductOptions, products
from privgraph.nn.text.adapters import adapt, trainable
from privgraph.nn.text.encoder import TextEncoder, load_encoder
from privgraph.nn.text.losses import Contrast
from privgraph.nn.text.tuple_gradients import clipped_sum, plain_sum

WAYS = {"plain": "without privacy", "factored": "factors", "loop": "one by one", "opacus": "padded, Opacus"}


TOKENS = 32


def prepared(given: argparse.Namespace) -> tuple[TextEncoder, list[Tensor], Tensor]:
    """The adapted encoder, the tokens of 2,000 titles, and tuples of them."""
    generator = torch.Generator().manual_seed(0)
    encoder = load_encoder(given.encoder)
    adapt(encoder, rank=8, alpha=16.0, generator=generator, adapted=given.adapted)
    for name, weight in trainable(encoder):
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.02, generator=generator)
    ids = encoder.tokenize(products(ProductOptions()).texts, TOKENS)
    return encoder, ids, torch.randint(0, len(ids), (given.tuples, 2 + given.negatives), generator=generator)


def clipped(squared: Tensor) -> Tensor:
    """Factors to the norm 1."""
    return squared.sqrt().clamp_min(1e-12).reciprocal().clamp_max(1)


def hooked(encoder: TextEncoder, ids: list[Tensor], tuples: Tensor, loss: Contrast) -> Tensor:
    """(P,): the clipped sum by Opacus's gradient of each text, all texts padded."""
    from opacus import GradSampleModule

    model = GradSampleModule(encoder.model, loss_reduction="sum", strict=False)
    encoder.model = model.train()  # its hooks keep nothing otherwise; there is no dropout
    for layer in model.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
    texts = [ids[text] for text in tuples.flatten().tolist()]
    table, real = torch.zeros(len(texts), TOKENS, dtype=torch.int64), torch.zeros(len(texts), TOKENS, dtype=torch.bool)
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


def measure(given: argparse.Namespace) -> dict[str, float]:
    """Seconds and MB of one way, in this process; MB alone where that is too much."""
    encoder, ids, tuples = prepared(given)
    loss, held = Contrast(), psutil.Process().memory_info().rss
    if given.way == "opacus":
        each = 4 * tuples.numel() * sum(weight.numel() for _, weight in trainable(encoder))
        if each > psutil.virtual_memory().total / 2:
            return {"mb": each / 1e6}

    def step() -> None:
        if given.way == "plain":
            plain_sum(encoder, ids, tuples, loss)
        elif given.way == "opacus":
            hooked(encoder, ids, tuples, loss)
        else:
            clipped_sum(encoder, ids, tuples, loss, clipped, route=given.way)

    seconds = timed(step, given.rounds).clock
    return {"seconds": seconds, "mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - held) / 1e6}


def main() -> None:
    given = options(__doc__, encoder="minilm", tuples=32, negatives=4, adapted="attention", rounds=3, threads=2, way="")
    if given.way:
        print(json.dumps(measure(given)))
        return
    found = {way: alone("bench_relations", *sys.argv[1:], "--way", way) for way in WAYS}
    plain = found["plain"]
    print(f"{given.encoder}, {given.adapted}, {given.tuples} tuples, k = {given.negatives}")
    for way, said in WAYS.items():
        row = f"  {said:<16} {found[way]['mb']:8,.0f} MB ({found[way]['mb'] / plain['mb']:.2f} x)"
        if seconds := found[way].get("seconds"):
            row += f" {seconds:7.2f} s ({seconds / plain['seconds']:.2f} x) {given.tuples / seconds:6.1f} tuples/s"
        print(row)
