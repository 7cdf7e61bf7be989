"""The games of the Playground."""
