"""Contracts that others may run on what they bring: import them in a test module. Needs pytest."""

import pytest

pytest.register_assert_rewrite("privgraph.testing.methods")

from privgraph.testing.methods import MethodContract  # noqa: E402  after the rewriting of its assertions

__all__ = ["MethodContract"]
