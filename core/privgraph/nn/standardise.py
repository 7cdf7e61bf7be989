"""A frozen network whose embeddings are centred and of a known size: the same network, with another last
layer.

What pre-training leaves has any size, and a large part that all nodes share. A head that is tuned on five
nodes in a few steps of a fixed size wants neither: centred embeddings of a common size teach few-shot prompts
in a tenth of the epochs, and teachers of five nodes better.
"""

from dataclasses import replace

import torch
from torch import Tensor

from privgraph.nn.backbones import LAYERS, Backbone

SIZE = 3.0
"""The average length of a centred embedding."""


@torch.no_grad()
def standardised(backbone: Backbone, embedded: Tensor, size: float = SIZE) -> Backbone:
    """The network whose embeddings are (h - mean) times a constant, for h those of `backbone`.

    embedded: (n, H) what `backbone` makes of nodes that may be looked at: their mean becomes 0, and their
    average distance to it `size`. Only linear parts of the last layer change: attention keeps its scores.
    """
    mean = embedded.mean(0)
    distance = float((embedded - mean).norm(dim=1).mean())
    factor = size / distance if distance > 1e-12 else 1.0
    weights, last = dict(backbone.weights), f"layers.{LAYERS - 1}."
    if backbone.kind == "gt":
        scaled, bias = (
            [f"lin_{part}.{kind}" for part in ("value", "skip") for kind in ("weight", "bias")],
            "lin_skip.bias",
        )
    else:
        scaled, bias = ["lin.weight", "bias"], "bias"
    for name in scaled:
        weights[last + name] = weights[last + name] * factor
    if backbone.kind == "gat":
        for name in ("att_src", "att_dst"):
            weights[last + name] = weights[last + name] / factor
    weights[last + bias] = weights[last + bias] - mean * factor
    return replace(backbone, weights=weights)
