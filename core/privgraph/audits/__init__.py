"""Attacks on our own runs, and the lower bounds on epsilon that they show."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
