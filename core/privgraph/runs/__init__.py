"""Runs: what one is, where it is kept, and the worker that trains it."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
