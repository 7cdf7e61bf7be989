"""The Teachers page."""
