"""Networks: encoders, prompts, pre-training, stacks of models, gradients of single examples."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
