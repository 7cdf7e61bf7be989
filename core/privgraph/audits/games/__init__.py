"""Games: one mechanism each, played by the product's own code on a worst case, with and without the protected
unit."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
