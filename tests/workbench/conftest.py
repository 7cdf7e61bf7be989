"""Fixtures that tests of the workbench share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.workbench.sketches import sketched


@pytest.fixture
def undrawn() -> Iterator[None]:
    """For tests of reports that look into no picture and no print."""
    with sketched():
        yield
