"""The Runs page, and one run wherever it is shown."""
