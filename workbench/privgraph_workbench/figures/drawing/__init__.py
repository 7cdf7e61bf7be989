"""Two renderers of a `Chart`, and how a series looks in both."""
