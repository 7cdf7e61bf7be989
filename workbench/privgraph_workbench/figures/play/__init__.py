"""Figures of the playground and the lessons."""
