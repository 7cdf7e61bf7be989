"""Figures of teachers' votes."""
