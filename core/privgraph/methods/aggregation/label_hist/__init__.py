"""Label-Hist: see its README."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
