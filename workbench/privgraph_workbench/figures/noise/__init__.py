"""Figures of noise: its shape, its terms, what it hides and what not."""
