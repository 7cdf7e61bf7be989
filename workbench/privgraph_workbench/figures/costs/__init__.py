"""Figures of what privacy costs."""
