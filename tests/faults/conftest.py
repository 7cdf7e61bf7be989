"""Pages for these tests: those of tests/pages."""

from tests.pages.conftest import opened, store

__all__ = ["opened", "store"]
