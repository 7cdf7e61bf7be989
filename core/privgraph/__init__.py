"""privgraph: learning from graphs with differential privacy, and without wrong epsilons."""

__version__ = "0.5.0"
