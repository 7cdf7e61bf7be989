"""Every planted bug is caught, and what catches it finds nothing on clean code."""

from __future__ import annotations

import pytest
from tests.planted.every import BUGS
from tests.planted.planting import Bug
from tests.witness.judge import alone_on_a_core


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name.replace(" ", "-") for bug in BUGS])
def test_it_is_caught_and_clean_code_is_not(bug: Bug) -> None:
    with alone_on_a_core():
        with bug.plant():
            planted = bug.check()
        clean = bug.check()  # afterwards, so that nothing of the bug may be left
    assert planted.wrong, planted.seen
    assert not clean.wrong, clean.seen
