"""Figures of a graph itself."""
