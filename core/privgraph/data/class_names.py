"""Names of classes that the raw files do not bring with them, by data set. No torch."""

from __future__ import annotations

from collections.abc import Mapping

CLASS_NAMES: Mapping[str, tuple[str, ...]] = {
    "cora": (
        "theory",
        "reinforcement learning",
        "genetic algorithms",
        "neural networks",
        "probabilistic methods",
        "case based",
        "rule learning",
    ),
    "citeseer": (
        "artificial intelligence",
        "machine learning",
        "information retrieval",
        "databases",
        "agents",
        "interaction",
    ),
    "pubmed": ("experimental diabetes", "diabetes type 1", "diabetes type 2"),
    "facebook-pages": ("company", "government", "politician", "TV show"),
}
