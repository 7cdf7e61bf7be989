"""Figures of relations between texts: what moved, and how well relations are predicted."""
