"""What single papers claim: their formulas, right or not, and where these promise more than holds, with the
evidence."""

from typing import TYPE_CHECKING

from privgraph.lazy import lazily

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__)
