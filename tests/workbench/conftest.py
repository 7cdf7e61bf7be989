"""Fixtures that tests of the workbench share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture
def undrawn() -> Iterator[None]:
    """For tests of reports that look into no picture and no print."""
    from tests.workbench.sketches import sketched  # slow to import

    with sketched():
        yield
