"""Graphs: what there is, how it is loaded, split, uploaded and changed by one record."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
