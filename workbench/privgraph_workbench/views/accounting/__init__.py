"""The Accounting page."""
