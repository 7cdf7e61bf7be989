"""Figures of runs: curves, comparisons, trade-offs."""
