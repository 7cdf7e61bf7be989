"""What is said to people, in words and numbers. Pure functions: no browser, no plots."""
