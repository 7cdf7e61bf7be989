"""Randomised response on relations, then the same fine-tuning: see the README of `relational`."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
